"""Sequences: K patterns over the events of 1,000 keys. Half find X then a higher Y, half X without
Y.

Dense: ten kinds of event, so that every pattern concerns a fifth of the events; from 180 patterns
on some are equal, as subscribers ask the same thing. Unlike: the same, but no two windows are
equal, so that no two patterns are. Sparse: as many kinds as patterns, so that an event concerns
about two patterns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from tocsin.catalog import Subscription, compile_subscription
from tocsin.plan.nodes.composites import Plan
from tocsin.values.time import Duration, format_instant

KEYS = 1_000
DENSE_KINDS = 10
WINDOW: Duration = 5_000_000
SPACING: Duration = 200
"""Five thousand events per second of event time: five per second and key."""

RAISED_SHARE = 0.02
"""Most values are 0: a rise is as rare as what people want to be told of."""

_BEGINNING = 1_767_225_600_000_000
_MILLISECOND = 1_000
_ABSENT = (
    '!($X;;{window}ms)($Y;) WHERE $X;.key = $Y;.key, $X; = (STRING: kind = "{x}"), $Y; = (STRING:'
    ' kind = "{y}")'
)
_THEN = (
    "=|($X;;{window}ms)($Y;) WHERE $X;.key = $Y;.key AND $Y;.v > $X;.v, "
    '$X; = (STRING: kind = "{x}"), $Y; = (STRING: kind = "{y}")'
)


class Density(StrEnum):
    """How many patterns an event concerns."""

    DENSE = "dense"
    UNLIKE = "unlike"
    SPARSE = "sparse"


@dataclass(frozen=True, slots=True)
class Pattern:
    """X then Y of the same key and a higher value within the window or, where absent, no such Y of
    any value.
    """

    x: str
    y: str
    window: Duration
    absent: bool

    @property
    def text(self) -> str:
        """The pattern in OPSL."""
        form = _ABSENT if self.absent else _THEN
        return form.format(x=self.x, y=self.y, window=self.window // _MILLISECOND)


@dataclass(frozen=True, slots=True)
class Reading:
    """One event as the bare loop takes it."""

    number: int
    at: int
    kind: str
    key: int
    v: int

    def line(self) -> bytes:
        """The event as CloudEvents JSON."""
        return (
            f'{{"specversion":"1.0","id":"e{self.number}","source":"bench","type":"reading",'
            f'"time":"{format_instant(self.at)}","data":{{"kind":"{self.kind}","key":{self.key},"v":{self.v}}}}}'
        ).encode()


@dataclass(frozen=True, slots=True)
class SequenceWorkload:
    """Patterns and events, drawn from the seed."""

    density: Density
    patterns: int
    events: int
    seed: int

    @property
    def kinds(self) -> int:
        """How many kinds of event there are."""
        return max(2, self.patterns) if self.density is Density.SPARSE else DENSE_KINDS

    def drawn_patterns(self) -> Iterator[Pattern]:
        """Each kind is followed by its neighbour, then by the next but one, and so on; sequence and
        absence in turn.
        """
        kinds = self.kinds
        for number in range(self.patterns):
            lap, x = divmod(number, kinds)
            y = (x + 1 + lap % (kinds - 1)) % kinds
            longer = number * _MILLISECOND if self.density is Density.UNLIKE else 0
            yield Pattern(f"k{x}", f"k{y}", WINDOW + longer, absent=(number + lap) % 2 == 1)

    def plans(self) -> dict[str, Plan]:
        """The patterns compiled from their text."""
        return {
            f"p{number}": _plan(pattern) for number, pattern in enumerate(self.drawn_patterns())
        }

    def readings(self) -> Iterator[Reading]:
        """Events in the order of time."""
        random, kinds = Random(self.seed), self.kinds
        for number in range(self.events):
            at = _BEGINNING + number * SPACING
            value = random.randrange(1, 100) if random.random() < RAISED_SHARE else 0
            yield Reading(number, at, f"k{random.randrange(kinds)}", random.randrange(KEYS), value)

    def lines(self) -> list[bytes]:
        """Events as they come in."""
        return [reading.line() for reading in self.readings()]


def _plan(pattern: Pattern) -> Plan:
    return compile_subscription(Subscription("p", "opsl", pattern.text))
