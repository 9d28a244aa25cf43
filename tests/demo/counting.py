"""What a demo must have rung: no engine, no slices, no Spark.

Selectors are counted with the reference, one event after the other; what becomes of trucks, offers,
pallets and purchases is known from their making. Cold rooms that get warm are found by hand.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

from tocsin_demo.composites import WARM
from tocsin_demo.pallets import idle_hours
from tocsin_demo.purchases import Purchase
from tocsin_demo.story import LATENESS, MIDNIGHT, Line, Story
from tocsin_demo.subscriptions import COMBINING, during_the_day, from_the_start
from tocsin_demo.tours import FALLS_OUT

from tocsin.catalog import Subscription, compile_subscription
from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.plan.nodes.atoms import Condition
from tocsin.reference import holds
from tocsin.runtime.watermark import Watermark
from tocsin.values.time import Instant

TOLD = frozenset(each.id for each in from_the_start() if each.language != "selector")

_HOUR = 3_600_000_000

Reading = tuple[Instant, str, dict[str, Any]]
"""When an event ended, its id, and the event as it came in."""


@dataclass(slots=True)
class Expected:
    """Counts of a day, the (subscription, event id) of selectors, and of others (subscription, what
    it is about).
    """

    events: int = 0
    malformed: int = 0
    late: int = 0
    matches: set[tuple[str, str]] = field(default_factory=set)
    told: list[tuple[str, str]] = field(default_factory=list)

    @property
    def rung(self) -> int:
        return len(self.matches) + len(self.told)

    @property
    def combined(self) -> int:
        return sum(subscription in COMBINING for subscription, _ in self.told)

    def rings(self) -> Counter[str]:
        return Counter(subscription for subscription, _ in (*self.matches, *self.told))


def expected_of(story: Story) -> Expected:
    """The day read line by line, each line under the subscriptions of its hour."""
    expected, watermark, in_time = Expected(), Watermark(LATENESS), list[Reading]()
    atoms = {id_: _atom(each) for id_, each in _hours_of_life().items()}
    for line in story.tell():
        try:
            event = decode(line.text)
        except Problem:
            expected.malformed += 1
            continue
        expected.events += 1
        if watermark.is_late(event):
            expected.late += 1
        else:
            in_time.append((event.interval.end, event.id, json.loads(line.text)))
        for id_, (atom, begin, end) in atoms.items():
            if begin <= _hour(line) < end and holds(atom, event):
                expected.matches.add((id_, event.id))
    closed = watermark.instant or MIDNIGHT
    # What the watermark has not passed when the stream ends was not detected yet.
    passed = sorted(each for each in in_time if each[0] < closed)
    expected.told = sorted([*truth_of(story), *rooms_that_get_warm(passed)])
    return expected


def rooms_that_get_warm(readings: Iterable[Reading]) -> Iterator[tuple[str, str]]:
    """Readings of a cold room that is warm and was not at its reading before: (what, their id)."""
    warm: dict[str, bool] = {}
    for _, id_, event in readings:
        data = event["data"]
        if event["type"] != "depot.climate" or data["room"] != "cold":
            continue
        was, warm[data["depot"]] = warm.get(data["depot"], False), data["celsius"] > 5.5
        if warm[data["depot"]] and not was:
            yield WARM, id_


def _hours_of_life() -> dict[str, tuple[Subscription, int, int]]:
    """Each subscription with the hour when it comes and the hour when it goes."""
    lives = {each.id: (each, 0, 24) for each in from_the_start() if each.id not in TOLD}
    for change in during_the_day():
        lives |= {each.id: (each, change.hour, 24) for each in change.add}
        lives |= {id_: (*lives[id_][:2], change.hour) for id_ in change.remove}
    return lives


def _atom(life: tuple[Subscription, int, int]) -> tuple[Condition, int, int]:
    subscription, begin, end = life
    pattern = compile_subscription(subscription).pattern
    assert isinstance(pattern, Condition)
    return pattern, begin, end


def _hour(line: Line) -> int:
    return (line.arrival - MIDNIGHT) // _HOUR


def truth_of(story: Story) -> Iterator[tuple[str, str]]:
    """What becomes of all that was made up as a whole: (subscription, what it is about)."""
    yield from (each for tour in story.tours() for each in tour.truth())
    yield from (each for pallet in story.pallets() for each in pallet.truth())
    yield from (each for purchase in story.purchases() for each in purchase.truth())
    yield from ((what, name) for offer in story.offers() for what, name, _ in offer.truth())
    yield from idle_hours(story.pallets(), MIDNIGHT)


def told_in(matches: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The same, read from matches in their JSON form."""
    return sorted(
        (each["subscription"], _about(each)) for each in matches if each["subscription"] in TOLD
    )


def _about(match: Mapping[str, Any]) -> str:
    """The name and number that the id of the last event begins with; of a convoy that fell apart
    the second truck's.

    A match without events is about a window, and goes by its end.
    """
    if not match["events"]:
        return str(match["end"])
    last = match["bindings"]["D"] if match["subscription"] == FALLS_OUT else match["events"][-1]
    return "-".join(last.split("-")[:2])


def settlement_of(purchase: Purchase) -> list[tuple[str, dict[str, str], str]]:
    """What the settlement of a purchase must say: name, attributes and text of each element."""
    number = purchase.number
    return [
        ("order", {}, f"O-{number}"),
        ("buyer", {}, purchase.buyer),
        ("despatch", {}, f"D-{number}"),
        *(("delivered", {"pieces": str(item.pieces)}, item.product) for item in purchase.items),
        ("invoice", {}, f"I-{number}"),
        (
            "to-pay",
            {"currency": "EUR"},
            f"{sum(item.pieces * item.price for item in purchase.items)}.00",
        ),
    ]


def elements_of(document: str) -> list[tuple[str, dict[str, str], str]]:
    return [
        (each.tag, dict(each.attrib), each.text or "") for each in ElementTree.fromstring(document)
    ]


def texts(lines: Iterable[Line]) -> list[str]:
    return [line.text for line in lines]
