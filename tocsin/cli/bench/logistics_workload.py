"""The logistics scenario of the spatio-temporal paper: 5,000 composites of one class, then 20,000 events 0.5 ms apart.

Every vehicle has its own region of 100 x 100 on a grid of pitch 10,000 and its own subscription. (1) it leaves, (2) it
arrives: two consecutive events each, 10,000 composites. (3) it falls out of the convoy: four consecutive events, each
concurrent pair at one time, 5,000 composites.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.plan.composites import Plan
from tocsin.values.time import Duration, format_instant

EVENTS = 20_000
VEHICLES = 5_000
SPACING: Duration = 500
KINDS = ("truck", "van")
PITCH = 10_000
SIDE = 100
ROW = 100

_BEGINNING = 1_767_225_600_000_000


class Scenario(StrEnum):
    """The three classes of subscriptions."""

    LEAVES = "leaves"
    ARRIVES = "arrives"
    CONVOY = "convoy"

    @property
    def events_per_composite(self) -> int:
        """Consecutive events that make one composite."""
        return 4 if self is Scenario.CONVOY else 2


@dataclass(frozen=True, slots=True)
class Position:
    """One event: which vehicle is where and when."""

    number: int
    at: int
    vehicle: int
    kind: str
    x: float
    y: float

    def line(self) -> bytes:
        """The event as CloudEvents JSON."""
        return (
            f'{{"specversion":"1.0","id":"e{self.number:05d}","source":"bench","type":"position",'
            f'"time":"{format_instant(self.at)}","place":"POINT ({self.x} {self.y})",'
            f'"data":{{"id":{self.vehicle},"type":"{self.kind}"}}}}'
        ).encode()


@dataclass(frozen=True, slots=True)
class LogisticsWorkload:
    """One class, with a number of vehicles and of events; everything else is fixed by the paper."""

    scenario: Scenario
    vehicles: int = VEHICLES
    events: int = EVENTS

    @property
    def composites(self) -> int:
        """How many composites the events are made of."""
        return self.events // self.scenario.events_per_composite

    def plans(self) -> dict[str, Plan]:
        """One subscription for every vehicle, compiled from its text."""
        return {f"v{vehicle}": self._plan(vehicle) for vehicle in range(1, self.vehicles + 1)}

    def positions(self) -> Iterator[Position]:
        """Groups of consecutive events, one vehicle after the other."""
        for group in range(self.composites):
            yield from self._group(group, 1 + group % self.vehicles)

    def _plan(self, vehicle: int) -> Plan:
        region = Definition("R", region=region_of(vehicle))
        text = _TEXTS[self.scenario].format(**_atoms(vehicle))
        return compile_subscription(Subscription("s", "opsl", text, options=_INSTANTS), [region])

    def _group(self, group: int, vehicle: int) -> Iterator[Position]:
        first = group * self.scenario.events_per_composite
        x, y = corner_of(vehicle)
        inside, outside = (x + SIDE / 2, y + SIDE / 2), (x + 7 * SIDE, y + SIDE / 2)
        match self.scenario:
            case Scenario.LEAVES:
                yield _position(first, vehicle, inside)
                yield _position(first + 1, vehicle, outside)
            case Scenario.ARRIVES:
                yield _position(first, vehicle, outside)
                yield _position(first + 1, vehicle, inside)
            case Scenario.CONVOY:
                for number, gap in ((first, 50), (first + 2, 150)):
                    yield _position(number, vehicle, (x, y), number)
                    yield _position(number + 1, leader_of(vehicle), (x + gap, y), number)


def corner_of(vehicle: int) -> tuple[float, float]:
    """The lower left corner of a vehicle's region."""
    return (float(vehicle % ROW * PITCH), float(vehicle // ROW * PITCH))


def region_of(vehicle: int) -> str:
    """A vehicle's region as WKT."""
    x, y = corner_of(vehicle)
    a, b = x + SIDE, y + SIDE
    return f"POLYGON (({x} {y}, {a} {y}, {a} {b}, {x} {b}, {x} {y}))"


def leader_of(vehicle: int) -> int:
    """The vehicle that leads the convoy of another."""
    return VEHICLES + vehicle


def kind_of_vehicle(vehicle: int) -> str:
    """Trucks and vans in turn."""
    return KINDS[vehicle % len(KINDS)]


_INSTANTS = {"max_event_duration": 0}
"""Positions are instants: what is concurrent need not wait for an event that lasts."""

_TEXTS = {
    Scenario.LEAVES: "=|(@(R)({vehicle}); 60s)(DIST(R; >; 500)({vehicle}))",
    Scenario.ARRIVES: "=|(DIST(R; >; 500)({vehicle}); 60s)(@(R)({vehicle}))",
    Scenario.CONVOY: (
        "=|($e1;;60s)($e2;), $e1; = (|($A;)($B;) && DIST($A;;<;100)($B;)), "
        "$e2; = (|($C;)($D;) && DIST($C;;>;100)($D;)), $A; = {vehicle}, $B; = {leader}, $C; = {vehicle}, $D; = {leader}"
    ),
}


def _atoms(vehicle: int) -> dict[str, str]:
    return {"vehicle": _atom(vehicle), "leader": _atom(leader_of(vehicle))}


def _atom(vehicle: int) -> str:
    return f'ARITH: id = {vehicle}, STRING: type = "{kind_of_vehicle(vehicle)}"'


def _position(number: int, vehicle: int, place: tuple[float, float], at: int | None = None) -> Position:
    instant = _BEGINNING + (number if at is None else at) * SPACING
    return Position(number, instant, vehicle, kind_of_vehicle(vehicle), *place)
