"""One predicate as a function of one attribute's value. The kind of the value is checked by the
caller.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tocsin.errors import UnsupportedProblem
from tocsin.plan.nodes.atoms import Between, Equals, Like, OneOf, Ordered, needed_kind
from tocsin.values.like import compile_like
from tocsin.values.scalars import Kind
from tocsin.values.truth import Truth

Simple = Equals | Ordered | Between | OneOf | Like
ValueTest = Callable[[Any], bool]

_CLASSES: dict[Kind, frozenset[type]] = {
    Kind.BOOLEAN: frozenset((bool,)),
    Kind.NUMBER: frozenset((int, float)),
    Kind.STRING: frozenset((str,)),
}


def simple(predicate: object) -> Simple:
    """The predicate, if a baseline serves it: about one plain attribute, a value of another kind
    being unknown.
    """
    if (
        isinstance(predicate, Simple)
        and len(predicate.path) == 1
        and predicate.mismatch is Truth.UNKNOWN
    ):
        return predicate
    raise UnsupportedProblem(f"the baselines have no rule for {predicate}", hint="use the engine")


def classes_of(predicate: Simple) -> frozenset[type]:
    """The Python classes of the values that the predicate can be true or false of; of all others it
    is unknown.
    """
    return _CLASSES[needed_kind(predicate)]


def value_test(predicate: Simple) -> ValueTest:
    """The test of a value that is of a fitting class."""
    match predicate:
        case Equals(_, constant):
            wanted = constant.value
            return lambda value: bool(value == wanted)
        case Ordered(_, relation, limit):
            return _ORDERINGS[relation](limit.value)
        case Between(_, low, high):
            least, most = low.value, high.value
            return lambda value: least <= value <= most
        case OneOf(_, constants):
            return frozenset(constant.value for constant in constants).__contains__
        case Like(_, pattern):
            return compile_like(pattern)


_ORDERINGS: dict[str, Callable[[Any], ValueTest]] = {
    "<": lambda limit: lambda value: value < limit,
    "<=": lambda limit: lambda value: value <= limit,
    ">": lambda limit: lambda value: value > limit,
    ">=": lambda limit: lambda value: value >= limit,
}
