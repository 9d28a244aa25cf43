"""Conditions that can never be TRUE: tests of one attribute that exclude each other. Each finding
is certain; not all are found.

Negations are pushed down first. Then every conjunction is examined, together with the conjunctions
around it, one attribute at a time: the kinds of value that its tests leave, and the values of each
kind (`plan.semantics.implication`). The fields of the envelope that every event has are texts, and
a value is never different from itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Between,
    BooleanNode,
    Computed,
    Equals,
    IsNull,
    Like,
    Not,
    OneOf,
    Ordered,
)
from tocsin.plan.nodes.expressions import Attribute, Call, Expression, Semantics
from tocsin.plan.passes.simplify import flatten, push_not_down
from tocsin.plan.semantics.computed_conditions import RELATIONS
from tocsin.plan.semantics.implication import PRESENT, Literal, can_hold, kinds_of
from tocsin.values.scalars import ENVELOPE, Kind, Path

_ENVELOPE_TEXTS = frozenset(
    (ENVELOPE, name)
    for name in ("id", "source", "type", "subject", "datacontenttype", "dataschema")
)
_TEXT_OR_NOTHING = frozenset((Kind.STRING, Kind.NULL))
_OF_DIFFERENT, _OF_SAME = ("<", ">", "<>"), ("=", "<=", ">=")
_STRICT = frozenset("+-*/%")
_MAX_PAIRS = 60
"""Tests of an attribute up to which the pair that excludes each other is searched."""


@dataclass(frozen=True, slots=True)
class ValueRequirement:
    """Requirement on the value at a path for a literal to be TRUE: its kinds, and the literal if it
    `tests`.
    """

    path: Path
    kinds: frozenset[Kind]
    literal: Literal
    tests: bool = False


def contradictions(node: BooleanNode) -> list[tuple[Literal, ...]]:
    """Return literals that are never TRUE of one event, for each such conjunction.

    Their predicates are the given objects.
    """
    found: list[tuple[Literal, ...]] = []
    _can_hold(flatten(push_not_down(node)), (), found)
    return found


def never_holds(node: BooleanNode) -> bool:
    """True if it is certain that no event makes the condition TRUE."""
    return not _can_hold(flatten(push_not_down(node)), (), [])


def _can_hold(
    node: BooleanNode, given: tuple[ValueRequirement, ...], found: list[tuple[Literal, ...]]
) -> bool:
    match node:
        case AnyOf(operands):
            alive = [_can_hold(operand, given, found) for operand in operands]
            return any(alive)
        case AllOf(operands):
            literals = [operand for operand in operands if not isinstance(operand, AnyOf)]
            demands = [demand for literal in literals for demand in _demands(literal)]
            excluded = _of_itself(literals) or _excluded(given, demands)
            if excluded:
                found.append(excluded)
                return False
            known = (*given, *demands)
            alive = [
                _can_hold(operand, known, found)
                for operand in operands
                if isinstance(operand, AnyOf)
            ]
            return all(alive)
        case _:
            return _can_hold(AllOf((node,)), given, found)


def _of_itself(literals: Iterable[Literal]) -> tuple[Literal, ...]:
    """Return a literal that compares an attribute with itself and is never TRUE, or ().

    Dialects other than the native one treat a list as unequal to itself, and negate a comparison
    without order.
    """
    for literal in literals:
        predicate, relations = (
            (literal.operand, _OF_SAME) if isinstance(literal, Not) else (literal, _OF_DIFFERENT)
        )
        match predicate:
            case Computed(Call(relation, (Attribute() as left, right)), Semantics.SELECTOR):
                if left == right and relation in relations:
                    return (literal,)
    return ()


def _excluded(
    given: Iterable[ValueRequirement], new: list[ValueRequirement]
) -> tuple[Literal, ...]:
    """Return the literals of the first path whose demands cannot all be met, or ()."""
    by_path: dict[Path, list[ValueRequirement]] = defaultdict(list)
    touched = dict.fromkeys(demand.path for demand in new)
    for demand in (*given, *new):
        if demand.path in touched:
            by_path[demand.path].append(demand)
    for path in touched:
        if not _can_be_met(by_path[path]):
            return _least(by_path[path])
    return ()


def _least(demands: list[ValueRequirement]) -> tuple[Literal, ...]:
    """Return one demand that cannot be met, or two that exclude each other, or all of them."""
    for size in (1, 2) if len(demands) <= _MAX_PAIRS else (1,):
        for some in combinations(demands, size):
            if not _can_be_met(list(some)):
                return tuple(demand.literal for demand in some)
    return tuple(demand.literal for demand in demands)


def _demands(literal: Literal) -> Iterator[ValueRequirement]:
    predicate = literal.operand if isinstance(literal, Not) else literal
    match predicate:
        case Computed(expression, semantics):
            for path, kinds in _operands(expression) if semantics is not Semantics.CESQL else ():
                yield ValueRequirement(path, kinds, literal)
                yield from _ways(path, literal)
        case Equals() | Ordered() | Between() | OneOf() | Like() | IsNull():
            yield ValueRequirement(predicate.path, kinds_of(literal), literal, tests=True)
            if not isinstance(literal, IsNull):
                yield from _ways(predicate.path, literal)
        case _:
            return


def _ways(path: Path, literal: Literal) -> Iterator[ValueRequirement]:
    """Yield demands on the prefixes of a path: objects, and for a time's number the time."""
    if path[0] == ENVELOPE and len(path) == 3:
        yield ValueRequirement(path[:2], PRESENT, literal)
    elif path[0] != ENVELOPE:
        for length in range(1, len(path)):
            yield ValueRequirement(path[:length], frozenset((Kind.OTHER,)), literal)


def _operands(expression: Expression) -> Iterator[tuple[Path, frozenset[Kind]]]:
    """Yield the attributes without which a comparison is UNKNOWN, and their possible kinds."""
    match expression:
        case Call(relation, operands) if relation in RELATIONS:
            for operand in operands:
                if isinstance(operand, Attribute):
                    yield operand.path, PRESENT
                else:
                    yield from _numbers(operand)
        case _:
            return


def _numbers(expression: Expression) -> Iterator[tuple[Path, frozenset[Kind]]]:
    match expression:
        case Call(operator, operands) if operator in _STRICT:
            for operand in operands:
                if isinstance(operand, Attribute):
                    yield operand.path, frozenset((Kind.NUMBER,))
                else:
                    yield from _numbers(operand)
        case _:
            return


def _can_be_met(demands: list[ValueRequirement]) -> bool:
    """True if some value may meet all demands on one path."""
    kinds = frozenset.intersection(*(demand.kinds for demand in demands))
    if demands[0].path in _ENVELOPE_TEXTS:
        kinds &= _TEXT_OR_NOTHING
    tests = [demand.literal for demand in demands if demand.tests]
    return any(can_hold(kind, tests) for kind in kinds)
