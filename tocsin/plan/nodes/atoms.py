"""Atoms: conditions of a subscription on one event. Equal predicates are one predicate.

A predicate gives TRUE, FALSE or UNKNOWN (`predicate_truth`); AND, OR and NOT combine them by
Kleene's tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import ge, gt, le, lt
from typing import Any, assert_never

from tocsin.errors import MeaningProblem
from tocsin.plan.cached_hash import HashedOnce, hashed_once
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.nodes.expressions import Expression, Semantics, paths_of
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.plan.xml.xml_patterns import XmlBlock, block_variables
from tocsin.values.like import LikePattern, compile_like
from tocsin.values.scalars import ORDERED_KINDS, Constant, Kind, Path, kind_of
from tocsin.values.space import Geometry, Metric, SpatialRelation, parse_place
from tocsin.values.truth import Truth, truth

ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True, slots=True)
class Equals:
    """The attribute is of the constant's kind and equal in value."""

    path: Path
    value: Constant
    mismatch: Truth = Truth.UNKNOWN


@dataclass(frozen=True, slots=True)
class Ordered:
    """The attribute is of the limit's kind and is `<`, `<=`, `>` or `>=` the limit.

    Numbers are ordered by value, texts by code point.
    """

    path: Path
    relation: str
    limit: Constant
    mismatch: Truth = Truth.UNKNOWN

    def __post_init__(self) -> None:
        if self.relation not in ORDERINGS:
            raise MeaningProblem(
                f"an ordering is one of {' '.join(ORDERINGS)}, got {self.relation}"
            )
        _require_order(self.limit)


@dataclass(frozen=True, slots=True)
class Between:
    """The attribute is of the limits' kind and from low to high, both included.

    With low above high no value fits.
    """

    path: Path
    low: Constant
    high: Constant
    mismatch: Truth = Truth.UNKNOWN

    def __post_init__(self) -> None:
        _require_order(self.low)
        _require_order(self.high)
        if self.low.kind is not self.high.kind:
            raise MeaningProblem(
                f"both limits are of one kind, got {self.low.value!r} and {self.high.value!r}"
            )


@dataclass(frozen=True, slots=True)
class OneOf:
    """The attribute equals one of the values, which are all of one kind."""

    path: Path
    values: frozenset[Constant]
    mismatch: Truth = Truth.UNKNOWN

    def __post_init__(self) -> None:
        if len({value.kind for value in self.values}) != 1:
            raise MeaningProblem("the values of IN are of one kind, and at least one")

    @property
    def kind(self) -> Kind:
        """Kind of all values."""
        return next(iter(self.values)).kind


@dataclass(frozen=True, slots=True)
class Like:
    """The attribute is a string and the whole of it matches the pattern."""

    path: Path
    pattern: LikePattern
    mismatch: Truth = Truth.UNKNOWN


@dataclass(frozen=True, slots=True)
class IsNull:
    """The attribute is absent or null. Never unknown."""

    path: Path


@dataclass(frozen=True, slots=True)
class Computed:
    """A condition decided by evaluating an expression: arithmetic, two attributes, functions."""

    expression: Expression
    semantics: Semantics


@dataclass(frozen=True, slots=True)
class PlaceIs:
    """The event's place has the relation to a fixed region, given as WKT.

    Without a place it is FALSE, not unknown.
    """

    relation: SpatialRelation
    region: str
    distance: float = 0.0
    metric: Metric = Metric.PLANAR

    def __post_init__(self) -> None:
        if not self.distance >= 0:
            raise MeaningProblem(f"a distance is 0 or more, got {self.distance}")


AttributePredicate = Equals | Ordered | Between | OneOf | Like
Predicate = AttributePredicate | IsNull | Computed | PlaceIs


@dataclass(frozen=True, slots=True)
class Not:
    """The negation of a condition."""

    operand: BooleanNode


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every operand holds; TRUE without operands."""

    operands: tuple[BooleanNode, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one operand holds; FALSE without operands."""

    operands: tuple[BooleanNode, ...]


BooleanNode = Predicate | Not | AllOf | AnyOf
PREDICATES = (Equals, Ordered, Between, OneOf, Like, IsNull, Computed, PlaceIs)


@hashed_once
@dataclass(frozen=True, slots=True)
class Condition(HashedOnce):
    """An atom: the event makes the boolean expression TRUE."""

    expression: BooleanNode


Atom = Condition | GraphPattern | ConceptTest | XmlBlock
"""Any condition on one event; the other kinds have files of their own."""


def variables_bound_by(atom: Atom) -> frozenset[str]:
    """Return the variables that the rows of the atom's occurrences may have."""
    match atom:
        case Condition():
            return frozenset()
        case GraphPattern():
            return frozenset(atom.select)
        case ConceptTest():
            return frozenset(atom.variables)
        case XmlBlock():
            return block_variables(atom)
        case _:
            assert_never(atom)


def value_truth(predicate: AttributePredicate, value: Any) -> Truth:
    """Return the truth of a predicate about one attribute, given the attribute's value."""
    kind = kind_of(value)
    if kind is Kind.NULL:
        return Truth.UNKNOWN
    if kind is not needed_kind(predicate):
        return predicate.mismatch
    match predicate:
        case Equals(_, constant):
            return truth(value == constant.value)
        case Ordered(_, relation, limit):
            return truth(ORDERINGS[relation](value, limit.value))
        case Between(_, low, high):
            return truth(low.value <= value <= high.value)
        case OneOf(_, values):
            return truth(Constant(kind, value) in values)
        case Like(_, pattern):
            return truth(_like(pattern)(value))
        case _:
            assert_never(predicate)


def needed_kind(predicate: AttributePredicate) -> Kind:
    """Return the kind of value that the predicate can be true of."""
    match predicate:
        case Equals(_, value):
            return value.kind
        case Ordered(_, _, limit) | Between(_, limit):
            return limit.kind
        case OneOf():
            return predicate.kind
        case Like():
            return Kind.STRING
        case _:
            assert_never(predicate)


def predicates_of(node: BooleanNode) -> Iterator[Predicate]:
    """Yield every predicate occurrence, from left to right."""
    match node:
        case Not(operand):
            yield from predicates_of(operand)
        case AllOf(operands) | AnyOf(operands):
            for operand in operands:
                yield from predicates_of(operand)
        case _:
            yield node


def attribute_paths(predicate: Predicate) -> frozenset[Path]:
    """Return the attributes that the predicate reads."""
    match predicate:
        case Computed(expression):
            return paths_of(expression)
        case PlaceIs():
            return frozenset()
        case _:
            return frozenset((predicate.path,))


@lru_cache(maxsize=1024)
def region_of(text: str) -> Geometry:
    """Return the geometry of a region given as text; raise if it is invalid."""
    return parse_place(text)


@lru_cache(maxsize=1 << 16)
def _like(pattern: LikePattern) -> Callable[[str], bool]:
    return compile_like(pattern)


def _require_order(constant: Constant) -> None:
    if constant.kind not in ORDERED_KINDS:
        raise MeaningProblem(f"an ordering needs a number or a text, got {constant.value!r}")
