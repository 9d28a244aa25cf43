"""What runs in a Python worker: Arrow batches of rows in, Arrow batches of matches and dead letters
out.

A worker function is pickled with every task, so it holds descriptions only; what is worth keeping
lives in `index`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa

from tocsin.engine.engine import Engine
from tocsin.events.dead_letter import refused, undecided, untold
from tocsin.events.match import Match
from tocsin.hosts.spark.apart import Apart, faults_of
from tocsin.hosts.spark.catalog_version import VERSION
from tocsin.hosts.spark.contained import refuse_too_much, serve_rows
from tocsin.hosts.spark.layout import Layout
from tocsin.hosts.spark.plan_cache import WORKER_INDEXES, Index
from tocsin.hosts.spark.reading import Reading, RowReading, read
from tocsin.hosts.spark.reports import WORKER_ODD_EVENTS, WORKER_REPORTS, Task
from tocsin.hosts.spark.rows import (
    DEAD_LETTER,
    MATCH,
    Letter,
    letter_array,
    letter_of_row,
    match_array,
)
from tocsin.hosts.spark.sources import FIXED_VERSION, Source
from tocsin.hosts.spark.telling import IDS_ONLY, Teller, Telling
from tocsin.values.time import Duration

MOST_MATCHES = 10_000
"""How many matches go into one Arrow batch, unless a single event has more."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one Arrow batch of rows came to: who rang for which event, in the order of events, and
    what it tells.
    """

    reading: Reading
    events: Any
    keys: list[str]
    told: list[Match | None]
    teller: Teller
    letters: list[Letter] = field(default_factory=list)

    def matches(self, first: int, last: int) -> Any:
        """The matches of rings first to last, the last not included."""
        keys, events = self.keys[first:last], self.events[first:last]
        members = self.teller.column(
            keys, lambda number: (self.reading.batch.event(int(events[number])),)
        )
        return match_array(keys, self.reading.heads(events), self.told[first:last], members)


@dataclass(frozen=True, slots=True)
class ByMatch:
    """Rows -> (match, dead_letter), one of them null in each row."""

    layout: Layout
    source: Source
    telling: Telling = IDS_ONLY

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The work of one task."""
        yield from served(batches, Serving(self.layout, self.source, self.telling), _rows_by_match)


@dataclass(frozen=True, slots=True)
class ByEvent:
    """Rows -> (identity, end, start, content, matches, dead_letter): one row per event, or per dead
    letter.

    Needed where it is settled only later which of several events with one identity counts. A dead
    letter has an identity that no other row has. The text of the content is given only where it is
    asked for.
    """

    layout: Layout
    source: Source
    with_content: bool
    telling: Telling = IDS_ONLY

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The work of one task."""
        task, letters = Task.current(), Numbers()

        def rows_of(found: Found) -> Iterator[Any]:
            if found.letters:
                yield letters_by_event(found.letters, task, letters.take(len(found.letters)))
            yield from self.events(found)

        yield from served(batches, Serving(self.layout, self.source, self.telling), rows_of)

    def events(self, found: Found) -> Iterator[Any]:
        """Rows of events, each with its matches, in the order of reading."""
        size = found.reading.batch.size
        if size == 0:
            return
        heads = found.reading.heads(np.arange(size), places=False)
        contents = pa.array(
            found.reading.contents() if self.with_content else [None] * size, pa.string()
        )
        identities = pa.array([_identity(*who) for who in heads.identities()], pa.binary())
        bounds = np.searchsorted(found.events, np.arange(size + 1)).astype(np.int32)
        for first, last in _portions(bounds):
            some = slice(first, last)
            matches = found.matches(int(bounds[first]), int(bounds[last]))
            lists = pa.ListArray.from_arrays(
                pa.array(bounds[first : last + 1] - bounds[first]), matches
            )
            rest = pa.nulls(last - first, DEAD_LETTER)
            yield _by_event(
                identities[some], heads.ends[some], heads.starts[some], contents[some], lists, rest
            )


def served(
    batches: Iterator[Any], task: Serving, outputs: Callable[[Found], Iterator[Any]]
) -> Iterator[Any]:
    """What comes out for the rows of a task; subscriptions that do not compile are told first."""
    told, odd = False, set[tuple[str, str]]()
    for rows in batches:
        if rows.num_rows == 0:
            continue
        matching = Matching(
            WORKER_INDEXES.at(task.source, version_of(rows)), task.layout, task.telling, odd
        )
        if not told:
            yield from outputs(
                matching.letters_alone(
                    WORKER_REPORTS.due(Task.current(), matching.index, task.telling)
                )
            )
            told = True
        yield from serve_rows(
            rows, partial(_served, matching, outputs), partial(_served_apart, matching, outputs)
        )


def _served(matching: Matching, outputs: Callable[[Found], Iterator[Any]], rows: Any) -> list[Any]:
    return list(outputs(matching.found(rows)))


def _served_apart(
    matching: Matching, outputs: Callable[[Found], Iterator[Any]], rows: Any
) -> list[Any]:
    """What one row that raises still comes to; where even that raises, its dead letters alone."""
    found = matching.found_apart(rows)
    try:
        return list(outputs(found))
    except Exception as fault:
        return list(
            outputs(matching.letters_alone([*found.letters, *faults_of(fault, found.reading)]))
        )


@dataclass(frozen=True, slots=True)
class Serving:
    """What a task is told: how rows are read, whom to ring, what matches tell, how far ahead an
    event may end.
    """

    layout: Layout
    source: Source
    telling: Telling
    ahead: Duration | None = None


@dataclass(frozen=True, slots=True)
class Matching:
    """The subscriptions of one version at work on rows; `odd` is what the task has warned of
    already.
    """

    index: Index
    layout: Layout
    telling: Telling
    odd: set[tuple[str, str]]

    def found(self, rows: Any) -> Found:
        """What rows come to; raises what any of them raises."""
        engine = self.index.engine
        engine.take_untold()  # what a piece that raised has left
        reading = read(rows, self.layout)
        hits = engine.match(reading.batch)
        refuse_too_much(len(hits.events), rows.num_rows)
        letters = [*reading.letters, *undecided_letters(engine, reading)]
        letters += warning_letters(engine, reading, self.odd)
        keys = engine.keys_of(hits.slots.tolist())
        return rung(engine, reading, hits.events, keys, self.index.teller(self.telling), letters)

    def found_apart(self, rows: Any) -> Found:
        """What one row that raises comes to, for the subscriptions that it does not raise for."""
        apart = Apart.of(rows, self.layout, self.index)
        keys = [key for _, key, _ in apart.rings]
        numbers = np.array([number for number, _, _ in apart.rings], np.int32)
        told: list[Match | None] = [match for _, _, match in apart.rings]
        return Found(
            apart.reading, numbers, keys, told, self.index.teller(self.telling), apart.letters
        )

    def letters_alone(self, letters: Iterable[Letter]) -> Found:
        """Nothing but dead letters."""
        nothing = np.array([], np.int32)
        return Found(
            RowReading((), ()), nothing, [], [], self.index.teller(self.telling), list(letters)
        )


def undecided_letters(engine: Engine, reading: Reading) -> Iterator[Letter]:
    """Dead letters of what was too hard to decide in the last batch, and of events that contradict
    themselves.
    """
    for index, problem in engine.refused().items():
        event = reading.batch.event(index)
        yield letter_of_row(problem, refused(event, problem).input)
    for index, key in engine.undecided():
        plain = undecided(reading.batch.event(index), key)
        yield Letter(plain.code, plain.reason, key, None, None, key, plain.input)


def untold_letters(engine: Engine) -> Iterator[Letter]:
    """Dead letters of the rings for which nothing could be built."""
    for each in engine.take_untold():
        plain = untold(each.events, each.subscription, each.why.code, each.why.reason)
        yield Letter(
            plain.code, plain.reason, each.subscription, None, None, each.subscription, plain.input
        )


def warning_letters(
    engine: Engine, reading: Reading, told: set[tuple[str, str]]
) -> Iterator[Letter]:
    """Letters of what is odd about events that are served; `told` has what the task has told
    already.
    """
    task = Task.current()
    for index, problem in engine.warned():
        yield from WORKER_ODD_EVENTS.due(task, told, reading.batch.event(index), problem)


def rung(
    engine: Engine,
    reading: Reading,
    events: Any,
    keys: list[str],
    teller: Teller,
    letters: list[Letter],
) -> Found:
    """The rings with what they tell beyond that they happened, without those for which nothing
    comes out.
    """
    if not engine.tells_more:
        return Found(reading, events, keys, [], teller, letters)
    told: list[Match | None] = []
    kept: list[int] = []
    for number, (event, key) in enumerate(zip(events.tolist(), keys, strict=True)):
        match = engine.ring(key, reading.batch.event(event)) if engine.tells(key) else None
        if match is not None or not engine.tells(key):
            told.append(match)
            kept.append(number)
    letters += untold_letters(engine)
    return Found(reading, events[kept], [keys[number] for number in kept], told, teller, letters)


class Numbers:
    """Numbers for what must have a name of its own in a task."""

    def __init__(self) -> None:
        self._next = 0

    def take(self, count: int) -> int:
        """The first of so many numbers that nobody else has."""
        first, self._next = self._next, self._next + count
        return first


def _rows_by_match(found: Found) -> Iterator[Any]:
    if found.letters:
        yield _by_match(pa.nulls(len(found.letters), MATCH), letter_array(found.letters))
    for first in range(0, len(found.keys), MOST_MATCHES):
        matches = found.matches(first, first + MOST_MATCHES)
        yield _by_match(matches, pa.nulls(len(matches), DEAD_LETTER))


def version_of(rows: Any) -> int:
    """The version that came with the rows; it is the same in all of them."""
    return int(rows.column(VERSION)[0].as_py()) if VERSION in rows.schema.names else FIXED_VERSION


def _by_match(matches: Any, letters: Any) -> Any:
    return pa.RecordBatch.from_arrays([matches, letters], names=["match", "dead_letter"])


def _by_event(
    identities: Any, ends: Any, starts: Any, contents: Any, matches: Any, letters: Any
) -> Any:
    return pa.RecordBatch.from_arrays(
        [identities, ends, starts, contents, matches, letters],
        names=["identity", "end", "start", "content", "matches", "dead_letter"],
    )


def letters_by_event(letters: list[Letter], task: Task, before: int) -> Any:
    """Rows of dead letters; `before` says how many the task has told already."""
    count = len(letters)
    names = [f"{task.batch} {task.partition} {before + number}".encode() for number in range(count)]
    times = pa.nulls(count, pa.int64())
    nothing = pa.nulls(count, pa.list_(pa.field("element", MATCH)))
    return _by_event(
        pa.array(names), times, times, pa.nulls(count, pa.string()), nothing, letter_array(letters)
    )


def blank_row(task: Task, number: int) -> Any:
    """A row by event that stands for no event; `number` tells those of a task apart."""
    times, nothing = pa.nulls(1, pa.int64()), pa.nulls(1, pa.list_(pa.field("element", MATCH)))
    name = pa.array([f"blank {task.batch} {task.partition} {number}".encode()], pa.binary())
    return _by_event(
        name, times, times, pa.nulls(1, pa.string()), nothing, pa.nulls(1, DEAD_LETTER)
    )


def _portions(bounds: Any) -> Iterator[tuple[int, int]]:
    """Ranges of events, each with about the number of matches that goes into one Arrow batch."""
    first, size = 0, len(bounds) - 1
    while first < size:
        last = int(np.searchsorted(bounds, bounds[first] + MOST_MATCHES, side="right")) - 1
        last = min(max(last, first + 1), size)
        yield first, last
        first = last


def _identity(source: str, id: str) -> bytes:
    """A hash of (source, id), 16 bytes; the length of the source keeps the two apart."""
    encoded = source.encode()
    return blake2b(b"%d:" % len(encoded) + encoded + id.encode(), digest_size=16).digest()
