"""Conditions on members of lists: some member at a path passes every test. Never unknown: a missing
member fails.

A path goes through objects and, at each step, through every item of a list; the step `**` goes to
every depth below. A test compares the member itself, or one field of it, with constants; all tests
must pass in the same member. They are computed predicates, so that every engine evaluates them
unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from operator import ge, gt, le, lt
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.epcis.identifiers import canonical
from tocsin.events.event import Event
from tocsin.plan.nodes.expressions import Attribute, Call, Expression, Value
from tocsin.values.like import LikePattern, Token, Wild, compile_like
from tocsin.values.scalars import Constant, Kind, Path, Scalar, canonical_number, kind_of
from tocsin.values.time import Instant, parse_instant
from tocsin.values.truth import Truth, truth

SOME = "SOME"
DEEP = "**"
"""Step of a path that leads to every object at any depth below."""
ITSELF = ""
"""Field of a test that is about the member itself."""

_ESCAPE = "\\"
_LONGEST = 100
_WILD: dict[str, Token] = {"%": Wild.ANY_RUN, "_": Wild.ANY_ONE}


def any_item(path: Path, *tests: Call) -> Call:
    """Return the condition that some member at the path passes every test.

    Without tests it is that there is a member.
    """
    steps = tuple(Value(Constant.of(step)) for step in path[1:])
    return Call(SOME, (Attribute(path[:1]), *steps, *tests))


def item_test(relation: str, field: str, *constants: Scalar) -> Call:
    """Return the test that a field is in the relation to one of the constants.

    TESTS has the relations; raises for others.
    """
    if relation not in TESTS:
        raise MeaningProblem(f"a test is one of {', '.join(TESTS)}, got {relation}")
    return Call(
        relation, (Value(Constant.of(field)), *(Value(Constant.of(each)) for each in constants))
    )


def like_text(tokens: Sequence[Token]) -> str:
    """Return a pattern as the constant of a LIKE test: `%` and `_` are wild, a backslash escapes
    them.
    """
    return LikePattern.of(tokens).text(_ESCAPE)


def members_truth(expression: Expression, event: Event) -> Truth:
    """Return the condition's truth for one event."""
    match expression:
        case Call("SOME", (Attribute(path), *rest)):
            steps = [str(each.constant.value) for each in rest if isinstance(each, Value)]
            tests = [each for each in rest if isinstance(each, Call)]
            found = members_at(event.attributes, (*path, *steps))
            return truth(any(all(_passes(each, member) for each in tests) for member in found))
        case _:
            raise MeaningProblem(f"a condition on members begins with {SOME}, got {expression}")


def members_at(value: Any, path: Sequence[str]) -> Iterator[Any]:
    """Yield every member at the path; the items of a list, never the list itself, and no null."""
    if isinstance(value, list):
        for item in value:
            yield from members_at(item, path)
    elif not path:
        if value is not None:
            yield value
    elif isinstance(value, dict):
        if path[0] == DEEP:
            for inner in _below(value):
                yield from members_at(inner, path[1:])
        else:
            yield from members_at(value.get(path[0]), path[1:])


def _below(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects inside an object, at any depth; iterative, so that depth costs no stack."""
    waiting = list(value.values())
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, list):
            waiting += inner
        elif isinstance(inner, dict):
            yield inner
            waiting += inner.values()


def _passes(each: Call, member: Any) -> bool:
    field, *constants = (
        argument.constant for argument in each.arguments if isinstance(argument, Value)
    )
    path = () if field.value == ITSELF else (str(field.value),)
    check = TESTS[each.function]
    return any(check(value, constants) for value in members_at(member, path))


def _equals(value: Any, constants: Sequence[Constant]) -> bool:
    """True if equal in kind and value; a number also equals its text, because XML has only text."""
    return any(_comparable(value, each.kind) == each.value for each in constants)


def _is(value: Any, constants: Sequence[Constant]) -> bool:
    """True for the same identifier, in either spelling; the constants are in the common one."""
    return isinstance(value, str) and any(canonical(value) == each.value for each in constants)


def _is_like(value: Any, constants: Sequence[Constant]) -> bool:
    """True for an identifier whose common spelling matches a pattern."""
    return isinstance(value, str) and any(
        _matcher(str(each.value))(canonical(value)) for each in constants
    )


def _exists(value: Any, _: Sequence[Constant]) -> bool:
    return value is not None


def _ordered(relation: Callable[[Any, Any], bool]) -> Callable[[Any, Sequence[Constant]], bool]:
    def check(value: Any, constants: Sequence[Constant]) -> bool:
        given = _comparable(value, Kind.NUMBER)
        return given is not None and any(relation(given, each.value) for each in constants)

    return check


def _timed(relation: Callable[[Any, Any], bool]) -> Callable[[Any, Sequence[Constant]], bool]:
    def check(value: Any, constants: Sequence[Constant]) -> bool:
        given = _instant(value) if _is_short(value) else None
        return given is not None and any(relation(given, each.value) for each in constants)

    return check


TESTS: dict[str, Callable[[Any, Sequence[Constant]], bool]] = {
    "=": _equals,
    "IS": _is,
    "LIKE": _is_like,
    "EXISTS": _exists,
    "<": _ordered(lt),
    "<=": _ordered(le),
    ">": _ordered(gt),
    ">=": _ordered(ge),
    "TIME <": _timed(lt),
    "TIME <=": _timed(le),
    "TIME >": _timed(gt),
    "TIME >=": _timed(ge),
}
"""Relations of a test. Constants of the TIME ones are instants in microseconds, those of LIKE
patterns.
"""


def _comparable(value: Any, kind: Kind) -> Any:
    """Return the value as one of the kind; None if it cannot be."""
    if kind_of(value) is kind:
        return value
    return _number_of(value) if kind is Kind.NUMBER and _is_short(value) else None


@lru_cache(maxsize=1 << 12)
def _number_of(text: str) -> int | float | None:
    try:
        exact = Decimal(text.strip())
    except InvalidOperation:
        return None
    return canonical_number(exact) if exact.is_finite() else None


def _is_short(value: Any) -> bool:
    """True if a value is a text that could write a number or a time.

    A longer one is not worth caching.
    """
    return isinstance(value, str) and len(value) <= _LONGEST


@lru_cache(maxsize=1 << 12)
def _instant(text: str) -> Instant | None:
    try:
        return parse_instant(text)
    except MeaningProblem:
        return None


@lru_cache(maxsize=1 << 12)
def _matcher(pattern: str) -> Callable[[str], bool]:
    return compile_like(LikePattern.of(list(_tokens(pattern))))


def _tokens(pattern: str) -> Iterator[Token]:
    characters = iter(pattern)
    for character in characters:
        yield next(characters, "") if character == _ESCAPE else _WILD.get(character, character)
