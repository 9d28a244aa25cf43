"""Isolation of one row that raises: it is served for every subscription that does not fail on it.

Each failing subscription gets a dead letter with its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tocsin.engine.results import NO_RINGS, Relevant, Rings
from tocsin.events.dead_letter import internal_error, unreadable
from tocsin.events.matches.match import Match
from tocsin.spark.input.layout import Layout
from tocsin.spark.input.rows import Reading, RowReading, read
from tocsin.spark.output.letters import Letter, letter_of, letters_of
from tocsin.spark.plans.plan_cache import Index


@dataclass(frozen=True, slots=True)
class Apart:
    """One row that raises: its events, atomic matches, composite inputs and dead letters."""

    reading: RowReading = field(default_factory=lambda: RowReading((), ()))
    rings: Rings = NO_RINGS
    told: Sequence[Match] = ()
    relevant: Sequence[Relevant] = ()
    letters: Sequence[Letter] = ()


def apart_of(rows: Any, layout: Layout, index: Index) -> Apart:
    """Match each event of the row against every subscription; those that raise get dead letters."""
    try:
        reading = read(rows, layout)
        events = [reading.batch.event(number) for number in range(reading.batch.size)]
    except Exception as fault:
        return Apart(letters=[letter_of(unreadable(fault, rows.to_pylist()))])
    guard, numbers = index.guard(), {id(event): number for number, event in enumerate(events)}
    served = guard.match(events)
    rung = guard.tell(served.rings)
    told = sorted(rung.matches, key=lambda match: numbers[id(match.members[0])])
    at = np.array([numbers[id(match.members[0])] for match in told], np.int32)
    return Apart(
        RowReading(events, ()),
        Rings(at, [match.subscription for match in told]),
        told,
        [Relevant(numbers[id(event)], atoms) for event, atoms in served.relevant],
        [*reading.letters, *letters_of(served.beside), *letters_of(rung)],
    )


def faults_of(error: Exception, reading: Reading) -> list[Letter]:
    """Return the dead letters of events that cannot be rendered."""
    events = [reading.batch.event(number) for number in range(reading.batch.size)]
    return [letter_of(internal_error(error, (event,))) for event in events]
