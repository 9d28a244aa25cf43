"""Isolation of a row that raises: found by bisection, and served for every subscription that does
not fail on it.

Each failing subscription gets a dead letter with its name; the query goes on. The results of a
piece are complete before any of them is yielded: a piece that raises has no effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tocsin.engine.results import NO_ATOMIC_MATCHES, AtomicMatches, CompositeInput
from tocsin.events.dead_letter import internal_error, unreadable
from tocsin.events.matches.match import Match
from tocsin.spark.input.layout import Layout
from tocsin.spark.input.rows import EventRowBatch, RowBatch, read
from tocsin.spark.output.letters import Letter, letter_of, letters_of
from tocsin.spark.plans.plan_cache import MatchIndex


@dataclass(frozen=True, slots=True)
class IsolatedRow:
    """One row that raises: its events, atomic matches, composite inputs and dead letters."""

    reading: EventRowBatch = field(default_factory=lambda: EventRowBatch((), ()))
    rings: AtomicMatches = NO_ATOMIC_MATCHES
    told: Sequence[Match] = ()
    relevant: Sequence[CompositeInput] = ()
    letters: Sequence[Letter] = ()


def match_isolated_row(rows: Any, layout: Layout, index: MatchIndex) -> IsolatedRow:
    """Match each event of the row against every subscription; those that raise get dead letters."""
    try:
        reading = read(rows, layout)
        events = [reading.batch.event(number) for number in range(reading.batch.size)]
    except Exception as fault:
        return IsolatedRow(letters=[letter_of(unreadable(fault, rows.to_pylist()))])
    guard, numbers = index.guard(), {id(event): number for number, event in enumerate(events)}
    served = guard.match(events)
    rung = guard.render_atomic_matches(served.atomic_matches)
    told = sorted(rung.matches, key=lambda match: numbers[id(match.members[0])])
    at = np.array([numbers[id(match.members[0])] for match in told], np.int32)
    return IsolatedRow(
        EventRowBatch(events, ()),
        AtomicMatches(at, [match.subscription for match in told]),
        told,
        [CompositeInput(numbers[id(event)], atoms) for event, atoms in served.relevant],
        [*reading.letters, *letters_of(served.diagnostics), *letters_of(rung)],
    )


def faults_of(error: Exception, reading: RowBatch) -> list[Letter]:
    """Return the dead letters of events that cannot be rendered."""
    events = [reading.batch.event(number) for number in range(reading.batch.size)]
    return [letter_of(internal_error(error, (event,))) for event in events]
