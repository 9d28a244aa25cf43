"""The workload of rules: sensors that report under keys, and trucks on a map of regions.

Each event concerns one rule of a thousand, as with kinds of alarms; regions cover the map twice.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import orjson

from tocsin.plan.nodes.atoms import Condition, Equals, Ordered, PlaceIs
from tocsin.plan.nodes.composites import Change, Plan, Sliding
from tocsin.plan.nodes.expressions import Aggregate, Measure
from tocsin.plan.passes import prepared
from tocsin.plan.passes.settings import with_settings
from tocsin.plan.semantics.extent import DEFAULT_HORIZON
from tocsin.values.scalars import Constant
from tocsin.values.space import SpatialRelation
from tocsin.values.time import Instant, format_instant, parse_instant
from tocsin_benchmarks.geofences.workload import SIDE, GeofenceWorkload

BEGINNING: Instant = parse_instant("2026-01-01T00:00:00Z")
APART = 1_000
"""Microseconds from one event to the next."""

OVER = 60_000_000
LEAST = 3
HOT = 900
STEP = 1.0
_BY = (("key",),)


class Question(Enum):
    """What a thousand rules ask."""

    COUNT = "COUNT(kind) >= 3 OVER 60s FOR EACH key"
    CHANGE = "kind BECOMES v > 900 FOR EACH key"
    REGION = "truck ENTERS or LEAVES region FOR EACH key"


AIMS = {Question.COUNT: 30_000, Question.CHANGE: 60_000, Question.REGION: 50_000}
"""Events a second on one core that were aimed at."""


@dataclass(frozen=True, slots=True)
class Report:
    """One event, as a loop that is written by hand would have it."""

    at: Instant
    kind: str
    key: int
    v: int
    place: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class RulesWorkload:
    """The same seed gives the same rules and events."""

    question: Question
    rules: int
    keys: int
    events: int
    seed: int

    def plans(self) -> dict[str, Plan]:
        """One plan for each rule, as the language makes it."""
        asked = self._region_parts() if self.question is Question.REGION else self._kind_parts()
        return {
            f"rule {number}": prepared(with_settings(Plan(part), None, DEFAULT_HORIZON))
            for number, part in enumerate(asked)
        }

    def _kind_parts(self) -> Iterator[Sliding | Change]:
        hot = Condition(Ordered(("v",), ">", Constant.of(HOT)))
        for number in range(self.rules):
            kind = Condition(Equals(("kind",), Constant.of(f"k{number}")))
            if self.question is Question.COUNT:
                yield Sliding(kind, Measure(Aggregate.COUNT), ">=", LEAST, OVER, by=_BY)
            else:
                yield Change(kind, hot, True, _BY)

    def _region_parts(self) -> Iterator[Change]:
        truck = Condition(Equals(("kind",), Constant.of("truck")))
        for number, text in enumerate(self.regions().texts()):
            inside = Condition(PlaceIs(SpatialRelation.INSIDE, text))
            yield Change(truck, inside, number % 2 == 0, _BY)

    def regions(self) -> GeofenceWorkload:
        """The regions, one for each rule: those of even numbers are entered, the others left."""
        return GeofenceWorkload(self.rules, 0, self.seed)

    def reports(self) -> list[Report]:
        """The events in order of time."""
        chance = random.Random(self.seed)
        if self.question is Question.REGION:
            return list(self._moves(chance))
        kinds = [f"k{number}" for number in range(self.rules)]
        return [
            Report(
                BEGINNING + number * APART,
                chance.choice(kinds) if number % 4 else kinds[number // 4 % len(kinds)],
                self._key(chance, number),
                chance.randrange(1_000),
            )
            for number in range(self.events)
        ]

    def _key(self, chance: random.Random, number: int) -> int:
        """Any of the keys; of every four events, one repeats a key of its kind, so that rules do
        ring.
        """
        if number % 4:
            return chance.randrange(self.keys)
        return (number // 4 % self.rules) * self.keys // self.rules

    def _moves(self, chance: random.Random) -> Iterator[Report]:
        places = [(chance.uniform(0, SIDE), chance.uniform(0, SIDE)) for _ in range(self.keys)]
        for number in range(self.events):
            key = chance.randrange(self.keys)
            x, y = places[key]
            x = min(SIDE, max(0.0, x + chance.uniform(-STEP, STEP)))
            y = min(SIDE, max(0.0, y + chance.uniform(-STEP, STEP)))
            places[key] = (x, y)
            yield Report(BEGINNING + number * APART, "truck", key, 0, (round(x, 4), round(y, 4)))

    def lines(self, reports: list[Report]) -> list[bytes]:
        """The events as they come in."""
        return [orjson.dumps(_body(number, each)) for number, each in enumerate(reports)]


def _body(number: int, report: Report) -> dict[str, object]:
    body: dict[str, object] = {
        "id": f"e{number}",
        "source": "bench",
        "type": "report",
        "time": format_instant(report.at),
        "data": {"kind": report.kind, "key": report.key, "v": report.v},
    }
    if report.place is not None:
        x, y = report.place
        body["place"] = f"POINT ({x:.4f} {y:.4f})"
    return body
