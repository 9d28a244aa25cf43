"""One row that raises, served for every subscription that it does not raise for; the others are
told by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tocsin.engine.engine import Relevant
from tocsin.events.dead_letter import internal_error, unreadable
from tocsin.events.match import Match
from tocsin.hosts.spark.contained import guarded, letters_of
from tocsin.hosts.spark.layout import Layout
from tocsin.hosts.spark.plan_cache import Index
from tocsin.hosts.spark.reading import Reading, RowReading, read
from tocsin.hosts.spark.rows import Letter


@dataclass(frozen=True, slots=True)
class Apart:
    """One row that raises: its events, who of them rings for whom and what it tells, what
    composites want.
    """

    reading: RowReading
    rings: list[tuple[int, str, Match | None]]
    relevant: list[Relevant]
    letters: list[Letter]

    @staticmethod
    def of(rows: Any, layout: Layout, index: Index) -> Apart:
        """Asks for each event of the row every subscription, and tells those that raise."""
        try:
            reading = read(rows, layout)
            events = [reading.batch.event(number) for number in range(reading.batch.size)]
        except Exception as fault:
            return Apart(
                RowReading((), ()), [], [], letters_of([unreadable(fault, rows.to_pylist())])
            )
        guard = guarded(index.engine, index.plans)
        found = guard.match(events)
        numbers = {id(event): number for number, event in enumerate(events)}
        rings = [(numbers[id(event)], key, guard.ring(key, event)) for event, key in found.rings]
        kept = sorted((ring for ring in rings if ring[2] is not None), key=lambda ring: ring[0])
        relevant = [Relevant(numbers[id(event)], atoms) for event, atoms in found.relevant]
        letters = [*reading.letters, *letters_of(guard.take_letters())]
        return Apart(RowReading(events, ()), kept, relevant, letters)


def faults_of(error: Exception, reading: Reading) -> list[Letter]:
    """The dead letters of events of which nothing can be told."""
    events = [reading.batch.event(number) for number in range(reading.batch.size)]
    return letters_of([internal_error(error, (event,)) for event in events])
