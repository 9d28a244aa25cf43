"""What a demo must have rung: no engine, no slices, no Spark.

Subscriptions to one event are counted with the reference, one event after the other; what trucks do is known from the
making of their tours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tocsin.catalog import Subscription, compile_subscription
from tocsin.cli.demo.composites import LOGISTICS
from tocsin.cli.demo.story import LATENESS, MIDNIGHT, Line, Story
from tocsin.cli.demo.subscriptions import during_the_day, from_the_start
from tocsin.errors import Problem
from tocsin.events.codecs.cloudevents import decode
from tocsin.hosts.ordering import Watermark
from tocsin.plan.atoms import Condition
from tocsin.reference import holds

COMPOSITES = frozenset(each.id for each in LOGISTICS)

_HOUR = 3_600_000_000


@dataclass(slots=True)
class Expected:
    """Counts of a day, the (subscription, event id) of matches of one event, the (subscription, truck) of others."""

    events: int = 0
    malformed: int = 0
    late: int = 0
    matches: set[tuple[str, str]] = field(default_factory=set)
    tours: list[tuple[str, str]] = field(default_factory=list)

    def rings(self) -> Counter[str]:
        return Counter(subscription for subscription, _ in (*self.matches, *self.tours))


def expected_of(story: Story) -> Expected:
    """The day read line by line, each line under the subscriptions of its hour."""
    expected, watermark = Expected(tours=[each for tour in story.tours() for each in tour.truth()]), Watermark(LATENESS)
    atoms = {id_: _atom(each) for id_, each in _hours_of_life().items()}
    for line in story.tell():
        try:
            event = decode(line.text)
        except Problem:
            expected.malformed += 1
            continue
        expected.events += 1
        expected.late += watermark.is_late(event)
        for id_, (atom, begin, end) in atoms.items():
            if begin <= _hour(line) < end and holds(atom, event):
                expected.matches.add((id_, event.id))
    return expected


def _hours_of_life() -> dict[str, tuple[Subscription, int, int]]:
    """Each subscription with the hour when it comes and the hour when it goes."""
    lives = {each.id: (each, 0, 24) for each in from_the_start() if each.id not in COMPOSITES}
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


def truck_of(events: Sequence[str], bindings: Mapping[str, str]) -> str:
    """The truck that a match is about: of a convoy that fell apart the second one, else that of the last report."""
    return bindings.get("D", events[-1]).partition("-report-")[0]


def texts(lines: Iterable[Line]) -> list[str]:
    return [line.text for line in lines]
