"""What one Arrow batch of rows comes to where composites are detected: rings at once, and events that shards want."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.engine.engine import Matched
from tocsin.events.event import Event
from tocsin.hosts.pauses import Span, busy_spans
from tocsin.hosts.spark.detection.messages import result_of_letters, results
from tocsin.hosts.spark.detection.routes import DETECTING_INDEXES, DetectingIndex, Route
from tocsin.hosts.spark.detection.wrong_clocks import beyond, letters_of, now_of
from tocsin.hosts.spark.layout import Layout
from tocsin.hosts.spark.reading import Reading, RowReading, read
from tocsin.hosts.spark.reports import WORKER_REPORTS, Task
from tocsin.hosts.spark.rows import DEAD_LETTER, Letter
from tocsin.hosts.spark.sources import Source
from tocsin.hosts.spark.telling import Teller, Telling
from tocsin.hosts.spark.worker import MOST_MATCHES, Found, rung, undecided_letters, version_of, warning_letters
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
    beyond: frozenset[int] = frozenset()

    def spans(self, late: frozenset[tuple[str, str]]) -> list[Span]:
        """The same, cut where there is a pause that some windows which come again are to be told of."""
        longest = self.index.engine.shortest_pause
        if longest is None:
            return [] if (span := self.span(late)) is None else [span]
        return list(busy_spans(self._ends(late), longest))

    def span(self, late: frozenset[tuple[str, str]] = frozenset()) -> Span | None:
        """The lowest and the highest end of the events of the batch, those left out that are late or too far ahead."""
        if late or self.beyond or isinstance(self.reading, RowReading):
            ends = self._ends(late)
            return (min(ends), max(ends)) if ends else None
        found = pc.min_max(self.reading.heads(np.arange(self.reading.batch.size)).ends).as_py()
        return None if found["min"] is None else (found["min"], found["max"])

    def _ends(self, late: frozenset[tuple[str, str]]) -> list[Instant]:
        numbers = (number for number in range(self.reading.batch.size) if number not in self.beyond)
        events = map(self.reading.batch.event, numbers)
        return [each.interval.end for each in events if each.interval is not None and each.identity not in late]

    def rung(self) -> Found:
        """The rings of atomic subscriptions."""
        events = np.array([number for number, _ in self.matched.rings], np.int32)
        keys = [key for _, key in self.matched.rings]
        return rung(self.index.engine, self.reading, events, keys, self.teller, [])

    def rings(self) -> Iterator[Any]:
        """Record batches of the matches of atomic subscriptions, and of the rings for which nothing could be built."""
        found = self.rung()
        if found.letters:
            yield result_of_letters(found.letters)
        for first in range(0, len(found.keys), MOST_MATCHES):
            matches = found.matches(first, first + MOST_MATCHES)
            yield results(matches, pa.nulls(len(matches), DEAD_LETTER))

    def wanted(self, shards: int) -> Iterator[tuple[int, Event, list[Route]]]:
        """Events that composites want, by number, and where they go; what has no time can be part of none."""
        for each in self.matched.relevant:
            event = self.reading.batch.event(each.index)
            if event.interval is not None and each.index not in self.beyond:
                yield each.index, event, self.index.routes(each.atoms, shards)


def matched_rows(
    batches: Iterator[Any], layout: Layout, source: Source, telling: Telling, ahead: Duration | None = None
) -> Iterator[MatchedRows]:
    """Matches Arrow batches of rows; subscriptions that do not compile are told with the first."""
    told, odd = False, set[tuple[str, str]]()
    for rows in batches:
        if rows.num_rows == 0:
            continue
        version = version_of(rows)
        index = DETECTING_INDEXES.at(source, version)
        assert isinstance(index, DetectingIndex)
        reading = read(rows, layout)
        letters = list(reading.letters)
        if not told:
            letters += WORKER_REPORTS.due(Task.current(), index, telling)
            told = True
        matched = index.engine.match_all(reading.batch)
        letters += undecided_letters(index.engine, reading)
        letters += warning_letters(index.engine, reading, odd)
        far = beyond(reading, now_of(rows), ahead)
        letters += letters_of(reading, far, ahead)
        yield MatchedRows(version, index, reading, matched, index.teller(telling), letters, far)
