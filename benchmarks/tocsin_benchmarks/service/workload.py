"""What `tocsin bench service` subscribes and publishes: selectors and composites of which an event
concerns a few, and probes whose way through the service is timed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tocsin.values.time import Instant, format_instant
from tocsin_benchmarks.sequences.workload import KEYS, RAISED_SHARE, Density, SequenceWorkload

PROBE = "probe"
"""The id of the subscription that rings for probes."""

EVERY = 50
"""One event in so many is a probe."""


@dataclass(frozen=True, slots=True)
class ServiceWorkload:
    """Subscriptions and events, drawn from the seed."""

    selectors: int
    composites: int
    seed: int = 5

    @property
    def kinds(self) -> int:
        """As many kinds of event as there are subscriptions of one sort."""
        return max(2, self.selectors, self.composites)

    def subscriptions(self) -> Iterator[dict[str, Any]]:
        """All but the one for probes."""
        for number in range(self.selectors):
            text = f"kind = 'k{number}' AND v > {number % 50}"
            yield {"id": f"s{number}", "language": "selector", "expression": text}
        patterns = SequenceWorkload(Density.SPARSE, self.composites, 0, self.seed)
        for number, pattern in enumerate(patterns.drawn_patterns()):
            yield {"id": f"c{number}", "language": "opsl", "expression": pattern.text}

    def lines(self, run: str) -> Iterator[Line]:
        """Events without end; those of another run have other ids."""
        random = Random(f"{self.seed} {run}")
        number = 0
        while True:
            number += 1
            value = random.randrange(1, 100) if random.random() < RAISED_SHARE else 0
            probe = number % EVERY == 0
            kind, key = f"k{random.randrange(self.kinds)}", random.randrange(KEYS)
            mark = ',"probe":true' if probe else ""
            data = f'{{"kind":"{kind}","key":{key},"v":{value}{mark}}}'
            yield Line(f"{run}-{number}", data, probe)


@dataclass(frozen=True, slots=True)
class Line:
    """An event without its time."""

    id: str
    data: str
    is_probe: bool

    def at(self, now: Instant) -> bytes:
        """The event as CloudEvents JSON, with the time at which it is published."""
        return (
            f'{{"specversion":"1.0","id":"{self.id}","source":"bench","type":"reading",'
            f'"time":"{format_instant(now)}","data":{self.data}}}'
        ).encode()
