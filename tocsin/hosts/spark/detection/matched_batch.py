"""What one Arrow batch of rows comes to where composites are detected: rings at once, and events
that shards want.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.engine.engine import Matched
from tocsin.events.event import Event
from tocsin.events.match import Match
from tocsin.hosts.pauses import Span, busy_spans
from tocsin.hosts.spark.apart import Apart, faults_of
from tocsin.hosts.spark.contained import refuse_too_much, serve_rows
from tocsin.hosts.spark.detection.messages import result_of_letters, results
from tocsin.hosts.spark.detection.routes import DETECTING_INDEXES, DetectingIndex, Route
from tocsin.hosts.spark.detection.wrong_clocks import beyond, letters_of, now_of
from tocsin.hosts.spark.layout import Layout
from tocsin.hosts.spark.reading import Reading, RowReading, read
from tocsin.hosts.spark.reports import WORKER_REPORTS, Task
from tocsin.hosts.spark.rows import DEAD_LETTER, Letter
from tocsin.hosts.spark.telling import Teller
from tocsin.hosts.spark.worker import (
    MOST_MATCHES,
    Found,
    Serving,
    rung,
    undecided_letters,
    version_of,
    warning_letters,
)
from tocsin.values.time import Duration, Instant


@dataclass(frozen=True, slots=True)
class MatchedRows:
    """One Arrow batch, matched; no composite sees the events whose numbers are in `beyond`."""

    version: int
    index: DetectingIndex
    reading: Reading
    matched: Matched
    teller: Teller
    letters: list[Letter]
    told: list[Match | None] | None = None
    """What each ring tells, where that is known already."""
    beyond: frozenset[int] = frozenset()
    """The numbers of the events that are too far ahead."""

    def spans(self, late: frozenset[tuple[str, str]]) -> list[Span]:
        """The same, cut where there is a pause that some windows which come again are to be told
        of.
        """
        longest = self.index.engine.shortest_pause
        if longest is None:
            return [] if (span := self.span(late)) is None else [span]
        return list(busy_spans(self._ends(late), longest))

    def span(self, late: frozenset[tuple[str, str]] = frozenset()) -> Span | None:
        """The lowest and the highest end of the events of the batch, those left out that are late
        or too far ahead.
        """
        if late or self.beyond or isinstance(self.reading, RowReading):
            ends = self._ends(late)
            return (min(ends), max(ends)) if ends else None
        found = pc.min_max(self.reading.heads(np.arange(self.reading.batch.size)).ends).as_py()
        return None if found["min"] is None else (found["min"], found["max"])

    def _ends(self, late: frozenset[tuple[str, str]]) -> list[Instant]:
        numbers = (number for number in range(self.reading.batch.size) if number not in self.beyond)
        events = map(self.reading.batch.event, numbers)
        return [
            each.interval.end
            for each in events
            if each.interval is not None and each.identity not in late
        ]

    def rung(self) -> Found:
        """The rings of atomic subscriptions."""
        events = np.array([number for number, _ in self.matched.rings], np.int32)
        keys = [key for _, key in self.matched.rings]
        if self.told is not None:
            return Found(self.reading, events, keys, self.told, self.teller)
        return rung(self.index.engine, self.reading, events, keys, self.teller, [])

    def rings(self) -> Iterator[Any]:
        """Record batches of the matches of atomic subscriptions, and of the rings for which nothing
        could be built.
        """
        found = self.rung()
        if found.letters:
            yield result_of_letters(found.letters)
        for first in range(0, len(found.keys), MOST_MATCHES):
            matches = found.matches(first, first + MOST_MATCHES)
            yield results(matches, pa.nulls(len(matches), DEAD_LETTER))

    def wanted(self, shards: int) -> Iterator[tuple[int, Event, list[Route]]]:
        """Events that composites want, by number, and where they go; what has no time can be part
        of none.
        """
        for each in self.matched.relevant:
            event = self.reading.batch.event(each.index)
            if event.interval is not None and each.index not in self.beyond:
                yield each.index, event, self.index.routes(each.atoms, shards)


Outputs = Callable[[MatchedRows], Iterator[Any]]
"""What comes out for rows that are matched."""


def served(batches: Iterator[Any], task: Serving, outputs: Outputs) -> Iterator[Any]:
    """What comes out for the rows of a task; subscriptions that do not compile are told first."""
    told, odd = False, set[tuple[str, str]]()
    for rows in batches:
        if rows.num_rows == 0:
            continue
        version = version_of(rows)
        index = DETECTING_INDEXES.at(task.source, version)
        assert isinstance(index, DetectingIndex)
        matching = Matching(
            version, index, task.layout, index.teller(task.telling), odd, task.ahead
        )
        if not told:
            letters = list(WORKER_REPORTS.due(Task.current(), index, task.telling))
            yield from outputs(matching.letters_alone(letters)) if letters else ()
            told = True
        yield from serve_rows(
            rows, partial(_served, matching, outputs), partial(_served_apart, matching, outputs)
        )


def _served(matching: Matching, outputs: Outputs, rows: Any) -> list[Any]:
    return list(outputs(matching.matched(rows)))


def _served_apart(matching: Matching, outputs: Outputs, rows: Any) -> list[Any]:
    """What one row that raises still comes to; where even that raises, its dead letters alone."""
    found = matching.matched_apart(rows)
    try:
        return list(outputs(found))
    except Exception as fault:
        return list(
            outputs(matching.letters_alone([*found.letters, *faults_of(fault, found.reading)]))
        )


@dataclass(frozen=True, slots=True)
class Matching:
    """The subscriptions of one version at work on rows; `odd` is what the task has warned of
    already.
    """

    version: int
    index: DetectingIndex
    layout: Layout
    teller: Teller
    odd: set[tuple[str, str]]
    ahead: Duration | None = None

    def matched(self, rows: Any) -> MatchedRows:
        """What rows come to; raises what any of them raises."""
        engine = self.index.engine
        engine.take_untold()  # what a piece that raised has left
        reading = read(rows, self.layout)
        matched = engine.match_all(reading.batch)
        refuse_too_much(len(matched.rings), rows.num_rows)
        letters = [*reading.letters, *undecided_letters(engine, reading)]
        letters += warning_letters(engine, reading, self.odd)
        far = beyond(reading, now_of(rows), self.ahead)
        letters += letters_of(reading, far, self.ahead)
        return MatchedRows(
            self.version, self.index, reading, matched, self.teller, letters, beyond=far
        )

    def matched_apart(self, rows: Any) -> MatchedRows:
        """What one row that raises comes to, for the subscriptions that it does not raise for."""
        apart = Apart.of(rows, self.layout, self.index)
        matched = Matched([(number, key) for number, key, _ in apart.rings], apart.relevant)
        told = [match for _, _, match in apart.rings]
        far = beyond(apart.reading, now_of(rows), self.ahead)
        letters = [*apart.letters, *letters_of(apart.reading, far, self.ahead)]
        return MatchedRows(
            self.version, self.index, apart.reading, matched, self.teller, letters, told, far
        )

    def letters_alone(self, letters: list[Letter]) -> MatchedRows:
        """Nothing but dead letters."""
        nothing = Matched([], [])
        return MatchedRows(
            self.version, self.index, RowReading((), ()), nothing, self.teller, letters
        )
