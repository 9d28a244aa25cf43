"""The logistics scenario of the spatio-temporal paper: 5,000 composites of one class, then 20,000
events 0.5 ms apart.

Every vehicle has its own region of 100 x 100 on a grid of pitch 10,000 and its own subscription.
(1) it leaves, (2) it arrives: two consecutive events each, 10,000 composites. (3) it falls out of
the convoy: four consecutive events, each concurrent pair at one time, 5,000 composites.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tocsin.catalog import Subscription, compile_subscription
from tocsin.plan.nodes.composites import Plan
from tocsin.values.time import Duration, format_instant, parse_instant

EVENTS = 20_000
VEHICLES = 5_000
SPACING: Duration = 500
KINDS = ("truck", "van")
PITCH = 10_000
SIDE = 100
ROW = 100

_MUCH_LATER = 10_000
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

    @staticmethod
    def of_line(line: bytes) -> Position:
        """The event of its line."""
        body = json.loads(line)
        x, y = body["place"].removeprefix("POINT (").removesuffix(")").split()
        data, at = body["data"], parse_instant(body["time"])
        return Position(
            int(body["id"].removeprefix("e")), at, data["id"], data["type"], float(x), float(y)
        )

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

    def subscriptions(self) -> list[dict[str, Any]]:
        """One subscription for every vehicle as a file has it, its region written out."""
        vehicles = range(1, self.vehicles + 1)
        return [
            {
                "id": f"v{vehicle}",
                "language": "opsl",
                "expression": self._text(vehicle),
                "options": dict(_INSTANTS),
            }
            for vehicle in vehicles
        ]

    def warm_up(self) -> list[Position]:
        """Events of a vehicle that nobody asks about, before all others: what happens once happens
        with them.
        """
        return [_position(-number, 0, (0.0, 0.0)) for number in (2, 1)]

    def farewell(self) -> Position:
        """An event that nobody asks about, after all others: with it their time has passed."""
        return _position(self.events + _MUCH_LATER, 0, (0.0, 0.0))

    def _plan(self, vehicle: int) -> Plan:
        return compile_subscription(
            Subscription("s", "opsl", self._text(vehicle), options=_INSTANTS)
        )

    def _text(self, vehicle: int) -> str:
        return _TEXTS[self.scenario].format(region=region_of(vehicle), **_atoms(vehicle))

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
    Scenario.LEAVES: "=|(@({region})({vehicle}); 60s)(DIST({region}; >; 500)({vehicle}))",
    Scenario.ARRIVES: "=|(DIST({region}; >; 500)({vehicle}); 60s)(@({region})({vehicle}))",
    Scenario.CONVOY: (
        "=|($e1;;60s)($e2;), $e1; = (|($A;)($B;) && DIST($A;;<;100)($B;)), $e2; = (|($C;)($D;) &&"
        " DIST($C;;>;100)($D;)), $A; = {vehicle}, $B; = {leader}, $C; = {vehicle}, $D; = {leader}"
    ),
}


def _atoms(vehicle: int) -> dict[str, str]:
    return {"vehicle": _atom(vehicle), "leader": _atom(leader_of(vehicle))}


def _atom(vehicle: int) -> str:
    return f'ARITH: id = {vehicle}, STRING: type = "{kind_of_vehicle(vehicle)}"'


def _position(
    number: int, vehicle: int, place: tuple[float, float], at: int | None = None
) -> Position:
    instant = _BEGINNING + (number if at is None else at) * SPACING
    return Position(number, instant, vehicle, kind_of_vehicle(vehicle), *place)
