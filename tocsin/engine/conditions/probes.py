"""Probes: yes-or-no tests of one event. Predicates are lowered to them, a table counts them.

Negations are pushed down to the predicates. A condition matches if it is TRUE, so a plain predicate
needs the events that make it TRUE and a negated one those that make it FALSE (spec 4.4, R3);
UNKNOWN is in neither set:

    NOT p  =  the value is of p's kind, and not p         if another kind makes p UNKNOWN
    NOT p  =  the value is not null, and not p            if another kind makes p FALSE

Hence the indexes do not need three-valued logic, and predicates that differ in their mismatch share
a probe. FARTHER holds nearly everywhere, so it is tested by its opposite: there is a place, and it
is not within the distance.

The probe table: every distinct probe has a number and a use count; unused probes are freed.

Number 0 is the probe that never holds. Adding a probe touches no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol, assert_never

from tocsin.engine.index.growable import BYTE, FLOAT64, INT32, Growable, SlotAllocator, put
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


NEVER = 0
LOOKED_UP = 0
"""The relation of every probe that is not a comparison with a limit."""

RELATIONS = {"<": 1, "<=": 2, ">": 3, ">=": 4}


class ProbeIndex(Protocol):
    """The index that holds a probe."""

    def drop(self, probe: int, key: Any) -> None:
        """Remove an unused probe."""
        ...


class ProbeTable:
    """Data of each probe by number; kernels read the typed columns."""

    __slots__ = (
        "_numbers",
        "attributes",
        "homes",
        "keys",
        "limits",
        "places",
        "relations",
        "uses",
    )

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._numbers = SlotAllocator()
        self.homes: list[ProbeIndex | None] = []
        self.keys: list[Any] = []
        self.uses, self.places, self.attributes = Growable(INT32), Growable(INT32), Growable(INT32)
        self.relations, self.limits = Growable(BYTE), Growable(FLOAT64)
        self.new(None, None)

    def __len__(self) -> int:
        """Return the number of probes in use."""
        return len(self._numbers) - 1

    @property
    def capacity(self) -> int:
        """One more than the highest probe number."""
        return self._numbers.capacity

    def new(self, home: ProbeIndex | None, key: Any) -> int:
        """Add a probe without uses; return its number. Only NEVER is in no index."""
        probe = self._numbers.allocate()
        put(self.homes, probe, home)
        put(self.keys, probe, key)
        for column in (self.uses, self.places, self.attributes, self.relations, self.limits):
            put(column, probe, 0)
        return probe

    def compare(self, probe: int, attribute: int, relation: str, limit: float, place: int) -> None:
        """Make a probe a comparison of an attribute with a limit, at a position of its index."""
        self.attributes[probe] = attribute
        self.relations[probe] = RELATIONS[relation]
        self.limits[probe] = limit
        self.places[probe] = place

    def release(self, probe: int) -> None:
        """Count one use less; remove the probe with its last use."""
        if probe == NEVER:
            return
        self.uses[probe] -= 1
        if self.uses[probe]:
            return
        home = self.homes[probe]
        assert home is not None
        home.drop(probe, self.keys[probe])
        self.homes[probe] = self.keys[probe] = None
        self.relations[probe] = LOOKED_UP
        self._numbers.release(probe)
        if not len(self):
            self._clear()


class AttributeProbes:
    """Creator of probes about one attribute; calls `on_last` when the last of them is removed."""

    __slots__ = ("_on_last", "_probes", "number", "table")

    def __init__(self, table: ProbeTable, number: int, on_last: Callable[[], None]) -> None:
        self.table = table
        self.number = number
        self._on_last = on_last
        self._probes = 0

    def new_probe(self, home: ProbeIndex, key: Any) -> int:
        """Create a probe; return its number."""
        self._probes += 1
        return self.table.new(home, key)

    def lose_probe(self) -> None:
        """Count one probe less."""
        self._probes -= 1
        if self._probes == 0:
            self._on_last()
