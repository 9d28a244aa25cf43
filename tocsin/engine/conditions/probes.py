"""Probes: yes-or-no tests of one event. Predicates are lowered to them.

Negations are pushed down to the predicates. A condition matches if it is TRUE, so a plain predicate
needs the events that make it TRUE and a negated one those that make it FALSE (spec 4.4, R3);
UNKNOWN is in neither set:

    NOT p  =  the value is of p's kind, and not p         if another kind makes p UNKNOWN
    NOT p  =  the value is not null, and not p            if another kind makes p FALSE

Hence the indexes do not need three-valued logic, and predicates that differ in their mismatch share
a probe. FARTHER holds nearly everywhere, so it is tested by its opposite: there is a place, and it
is not within the distance.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import assert_never

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
    PlaceIs,
    Predicate,
    needed_kind,
    region_of,
)
from tocsin.values.scalars import Constant, Kind, Path
from tocsin.values.space import DISTANCES, SpatialRelation
from tocsin.values.truth import Truth

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True, slots=True)
class OfKind:
    """True if the attribute's value is of the kind."""

    path: Path
    kind: Kind


@dataclass(frozen=True, slots=True)
class KnownTruth:
    """True if the computed predicate has this truth."""

    predicate: Computed
    truth: Truth


@dataclass(frozen=True, slots=True)
class HasPlace:
    """True if the event has a place."""


Probe = Equals | OneOf | Ordered | Like | IsNull | OfKind | KnownTruth | PlaceIs | HasPlace


@dataclass(frozen=True, slots=True)
class ProbeLiteral:
    """A probe, or its negation."""

    probe: Probe
    negated: bool = False


@dataclass(frozen=True, slots=True)
class AllFormulas:
    """Conjunction. No operand is an Every."""

    operands: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class AnyFormula:
    """Disjunction. No operand is a Some."""

    operands: tuple[Formula, ...]


Formula = ProbeLiteral | AllFormulas | AnyFormula


def lower_condition(node: BooleanNode) -> Formula:
    """Return the formula for the events that make an expression TRUE; pushes negations down."""
    match node:
        case AllOf(operands):
            return _every(map(lower_condition, operands))
        case AnyOf(operands):
            return _some(map(lower_condition, operands))
        case Not(operand):
            if isinstance(operand, AllOf | AnyOf | Not):
                return lower_condition(_negated(operand))
            return _where_false(operand)
        case predicate:
            return _where_true(predicate)


def _negated(node: AllOf | AnyOf | Not) -> BooleanNode:
    match node:
        case Not(operand):
            return operand
        case AllOf(operands):
            return AnyOf(tuple(map(Not, operands)))
        case AnyOf(operands):
            return AllOf(tuple(map(Not, operands)))
        case _:
            assert_never(node)


def _where_true(predicate: Predicate) -> Formula:
    match predicate:
        case Computed():
            return ProbeLiteral(KnownTruth(predicate, Truth.TRUE))
        case PlaceIs():
            return _where_placed(predicate)
        case IsNull():
            return ProbeLiteral(predicate)
        case Between():
            return _every(map(_where_true, _limits(predicate)))
        case _:
            probe = ProbeLiteral(_plain(predicate))
            if predicate.mismatch is Truth.TRUE:
                return _some((probe, _other_kind(predicate)))
            return probe


def _where_false(predicate: Predicate) -> Formula:
    match predicate:
        case Computed():
            return ProbeLiteral(KnownTruth(predicate, Truth.FALSE))
        case PlaceIs():
            return _where_not_placed(predicate)
        case IsNull():
            return ProbeLiteral(predicate, negated=True)
        case Between():
            return _some(map(_where_false, _limits(predicate)))
        case _ if predicate.mismatch is Truth.FALSE:
            return AllFormulas(
                (
                    ProbeLiteral(_plain(predicate), negated=True),
                    ProbeLiteral(IsNull(predicate.path), negated=True),
                )
            )
        case Ordered(path, relation, limit):
            return ProbeLiteral(Ordered(path, _OPPOSITE[relation], limit))
        case _:
            of_kind = ProbeLiteral(OfKind(predicate.path, needed_kind(predicate)))
            return AllFormulas((ProbeLiteral(_plain(predicate), negated=True), of_kind))


def _where_placed(predicate: PlaceIs) -> Formula:
    if predicate.relation is SpatialRelation.FARTHER:
        return AllFormulas(
            (ProbeLiteral(HasPlace()), ProbeLiteral(_local(predicate), negated=True))
        )
    return ProbeLiteral(_local(predicate))


def _where_not_placed(predicate: PlaceIs) -> Formula:
    if predicate.relation is SpatialRelation.FARTHER:
        return AnyFormula((ProbeLiteral(HasPlace(), negated=True), ProbeLiteral(_local(predicate))))
    return ProbeLiteral(_local(predicate), negated=True)


def _local(predicate: PlaceIs) -> PlaceIs:
    """Return a relation that holds near the region only, in normal form.

    The distance is 0 if it has no meaning. Raises for an invalid region here, before any state has
    changed.
    """
    region_of(predicate.region)
    if predicate.relation is SpatialRelation.FARTHER:
        return replace(predicate, relation=SpatialRelation.WITHIN)
    return predicate if predicate.relation in DISTANCES else replace(predicate, distance=0.0)


def _other_kind(predicate: Equals | OneOf | Ordered | Like) -> Formula:
    of_kind = OfKind(predicate.path, needed_kind(predicate))
    return AllFormulas(
        (ProbeLiteral(of_kind, negated=True), ProbeLiteral(IsNull(predicate.path), negated=True))
    )


def _limits(predicate: Between) -> tuple[Ordered, Ordered]:
    path, mismatch = predicate.path, predicate.mismatch
    return Ordered(path, ">=", predicate.low, mismatch), Ordered(
        path, "<=", predicate.high, mismatch
    )


def _plain(predicate: Equals | OneOf | Ordered | Like) -> Probe:
    """Return the predicate as a probe; a pattern without wildcards is an equality."""
    match predicate:
        case Like(path, pattern):
            match pattern.tokens:
                case ():
                    return Equals(path, Constant(Kind.STRING, ""))
                case (str() as text,):
                    return Equals(path, Constant(Kind.STRING, text))
    return predicate


def _every(operands: Iterable[Formula]) -> Formula:
    flat: list[Formula] = []
    for operand in operands:
        flat += operand.operands if isinstance(operand, AllFormulas) else (operand,)
    return flat[0] if len(flat) == 1 else AllFormulas(tuple(flat))


def _some(operands: Iterable[Formula]) -> Formula:
    flat: list[Formula] = []
    for operand in operands:
        flat += operand.operands if isinstance(operand, AnyFormula) else (operand,)
    return flat[0] if len(flat) == 1 else AnyFormula(tuple(flat))
