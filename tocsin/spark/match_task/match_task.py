"""The match tasks: Arrow batches of rows -> matched rows, in the output format of the query.

A worker function is pickled with every task, so it holds descriptions only; cached data lives in
`plan_cache`.

A row that raises is found by bisection, and served for every subscription that does not fail on it.

Each failing subscription gets a dead letter with its name; the query goes on. The results of a
piece are complete before any of them is yielded: a piece that raises has no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow.compute as pc

from tocsin.engine.engine import Engine
from tocsin.engine.results import (
    NO_ATOMIC_MATCHES,
    AtomicMatches,
    BatchResult,
    CompositeInput,
    RenderFailure,
)
from tocsin.events.dead_letter import internal_error, over_work_limit, unevaluable_event, unreadable
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.runtime.containment import run_by_halves
from tocsin.runtime.gc_tuning import a_task
from tocsin.runtime.watermark import Span, busy_spans
from tocsin.spark.input.layout import Layout
from tocsin.spark.input.rows import EventRowBatch, RowBatch, read
from tocsin.spark.match_task.admission import beyond, far_letters, now_of
from tocsin.spark.match_task.generations import Generation, copies_in, generations_of
from tocsin.spark.match_task.reports import WORKER_ODD_EVENTS, WORKER_REPORTS, Task
from tocsin.spark.output.batches import (
    MAX_MATCHES,
    batch_of_letters,
    batch_of_matches,
    narrow,
    rings_to_arrow,
)
from tocsin.spark.output.letters import Letter, letter_of, letter_of_row, letters_of
from tocsin.spark.output.member_output import IDS_ONLY, MemberOutput, MemberRenderer
from tocsin.spark.plans.plan_cache import WORKER_INDEXES, MatchIndex
from tocsin.spark.plans.shard_plans import Route
from tocsin.spark.plans.sources import FIXED_VERSION, VERSION, Source
from tocsin.values.time import Duration, Instant


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


Identity = tuple[str, str]

MAX_MATCHES_HELD = 200_000
"""The number of matches held at once; rows with more are halved like those that raise."""


class TooMuchAtOnce(Exception):
    """Raised for rows with more matches than may be held at once."""


@dataclass(frozen=True, slots=True)
class MatchTaskConfig:
    """Configuration of a match task: layout, subscriptions, content of matches, detection, limits.

    `ahead` limits how far ahead an event may end for composites. On a stream, copies of events that
    the query itself has constructed are dropped.
    """

    layout: Layout
    source: Source
    telling: MemberOutput = IDS_ONLY
    detects: bool = False
    ahead: Duration | None = None
    is_stream: bool = False


@dataclass(frozen=True, slots=True)
class MatchedRows:
    """One Arrow batch after matching: atomic matches by event, composite inputs, and dead letters.

    `told` has for each atomic match its output fields, or None; it is empty if none has any. No
    composite sees the events whose numbers are in `beyond`. `built` holds the events that
    subscriptions construct from the batch, matched too.
    """

    version: int
    index: MatchIndex
    teller: MemberRenderer
    reading: RowBatch
    rings: AtomicMatches = NO_ATOMIC_MATCHES
    told: Sequence[Match | None] = ()
    relevant: Sequence[CompositeInput] = ()
    letters: Sequence[Letter] = ()
    beyond: frozenset[int] = frozenset()
    built: Sequence[BuiltRows] = ()

    def matches(self, first: int, last: int) -> Any:
        """Return the atomic matches `first` to `last`, exclusive, as an array."""
        keys, events = self.rings.keys[first:last], self.rings.events[first:last]
        members = self.teller.column(
            keys, lambda number: (self.reading.batch.event(int(events[number])),)
        )
        return rings_to_arrow(keys, self.reading.heads(events), self.told[first:last], members)

    def results(self) -> Iterator[Any]:
        """Yield record batches of the dead letters and of the matches."""
        if self.letters:
            yield batch_of_letters(list(self.letters))
        for first in range(0, len(self.rings), MAX_MATCHES):
            yield batch_of_matches(self.matches(first, first + MAX_MATCHES))
        for each in self.built:
            yield from each.rows.results()

    def wanted(self, shards: int) -> Iterator[tuple[int, Event, list[Route]]]:
        """Yield the composite inputs by number, with their routes; events without a time are
        omitted.
        """
        for each in self.relevant:
            event = self.reading.batch.event(each.index)
            if event.interval is not None and each.index not in self.beyond:
                yield each.index, event, self.index.routes(each.atoms, shards)

    def span(self, late: frozenset[Identity] = frozenset()) -> Span | None:
        """Return the lowest and the highest end of the events, except those `late` or too far
        ahead.

        None if there is no such event.
        """
        if late or self.beyond:
            ends = self._ends(late)
            return (min(ends), max(ends)) if ends else None
        found = pc.min_max(self.reading.ends()).as_py()
        return None if found["min"] is None else (found["min"], found["max"])

    def spans(self, late: frozenset[Identity]) -> list[Span]:
        """Return the span, cut at pauses that are long enough to matter for recurring windows."""
        longest = self.index.engine.network.shortest_pause
        if longest is None:
            return [] if (span := self.span(late)) is None else [span]
        return list(busy_spans(self._ends(late), longest))

    def _ends(self, late: frozenset[Identity]) -> list[Instant]:
        numbers = (number for number in range(self.reading.batch.size) if number not in self.beyond)
        events = map(self.reading.batch.event, numbers)
        return [
            each.interval.end
            for each in events
            if each.interval is not None and each.identity not in late
        ]


class BuiltRows(NamedTuple):
    """Events constructed in one round; `origins` has the number of the original event of each."""

    rows: MatchedRows
    origins: Sequence[int]


Outputs = Callable[[MatchedRows], Iterator[Any]]
"""The output for matched rows."""


@dataclass(frozen=True, slots=True)
class ByMatch:
    """Match task: rows -> (match, dead_letter), one of them null in each row."""

    serving: MatchTaskConfig

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Run one task."""
        with a_task():
            for batch in run_match_task(batches, self.serving, MatchedRows.results):
                yield narrow(batch, self.serving.telling)


def run_match_task(
    batches: Iterator[Any], serving: MatchTaskConfig, outputs: Outputs
) -> Iterator[Any]:
    """Yield the output for the rows of a task, after dead letters of subscriptions that do not
    compile.
    """
    told, odd = False, set[tuple[str, str]]()
    for rows in batches:
        if rows.num_rows == 0:
            continue
        matching = _Matching.at(version_of(rows), serving, odd)
        if not told:
            letters = list(WORKER_REPORTS.due(Task.current(), matching.index, serving.telling))
            yield from outputs(matching.letters_alone(letters)) if letters else ()
            told = True
        for part, found in run_by_halves(rows, partial(_served, matching, outputs)):
            yield from (
                _served_apart(matching, outputs, part) if isinstance(found, Exception) else found
            )


def version_of(rows: Any) -> int:
    """Return the catalog version of the rows; it is the same in all of them."""
    return int(rows.column(VERSION)[0].as_py()) if VERSION in rows.schema.names else FIXED_VERSION


def _served(matching: _Matching, outputs: Outputs, rows: Any) -> list[Any]:
    return list(outputs(matching.match(rows)))


def _served_apart(matching: _Matching, outputs: Outputs, rows: Any) -> list[Any]:
    """Return the output for one row that raises; its dead letters alone if that raises too."""
    found = matching.match_apart(rows)
    try:
        return list(outputs(found))
    except Exception as fault:
        letters = [*found.letters, *faults_of(fault, found.reading)]
        return list(outputs(matching.letters_alone(letters)))


@dataclass(frozen=True, slots=True)
class _Matching:
    """The subscriptions of one version, applied to rows; `odd` holds the warnings of the task."""

    version: int
    index: MatchIndex
    teller: MemberRenderer
    serving: MatchTaskConfig
    odd: set[tuple[str, str]]

    @staticmethod
    def at(version: int, serving: MatchTaskConfig, odd: set[tuple[str, str]]) -> _Matching:
        index = WORKER_INDEXES.at(serving.source, version, detects=serving.detects)
        return _Matching(version, index, index.teller(serving.telling), serving, odd)

    def match(self, rows: Any) -> MatchedRows:
        """Match rows; an error of any row is raised."""
        reading = read(rows, self.serving.layout)
        matched = self.index.engine.match(reading.batch)
        if len(matched.atomic_matches) > MAX_MATCHES_HELD and rows.num_rows > 1:
            raise TooMuchAtOnce
        rung, relevant = self._without_copies(
            reading, matched.atomic_matches, matched.composite_inputs
        )
        rings, told, untold = _told(self.index.engine, reading, rung)
        far = beyond(reading, now_of(rows), self.serving.ahead)
        letters = [
            *reading.letters,
            *_letters_of(matched, reading, self.odd),
            *far_letters(reading, far, self.serving.ahead),
            *untold,
        ]
        found = self._found(reading, rings, told, relevant, letters, far)
        return self._with_built(found, now_of(rows))

    def match_apart(self, rows: Any) -> MatchedRows:
        """Match one row that raises with the subscriptions that do not fail on it."""
        apart = match_isolated_row(rows, self.serving.layout, self.index)
        far = beyond(apart.reading, now_of(rows), self.serving.ahead)
        letters = [*apart.letters, *far_letters(apart.reading, far, self.serving.ahead)]
        found = self._found(apart.reading, apart.rings, apart.told, apart.relevant, letters, far)
        return self._with_built(found, now_of(rows))

    def letters_alone(self, letters: Iterable[Letter]) -> MatchedRows:
        """Return a result with nothing but dead letters."""
        return self._found(
            EventRowBatch((), ()), NO_ATOMIC_MATCHES, (), (), list(letters), frozenset()
        )

    def _with_built(self, found: MatchedRows, now: Instant | None) -> MatchedRows:
        """Add the events that subscriptions construct, matched too."""
        if not self.index.builders or not found.told:
            return found
        built = [
            BuiltRows(self._built(each, now), each.origins)
            for each in generations_of(self.index, found.reading.batch, found.rings, found.told)
        ]
        return replace(found, built=built)

    def _built(self, each: Generation, now: Instant | None) -> MatchedRows:
        reading = EventRowBatch(each.events, ())
        far = beyond(reading, now, self.serving.ahead)
        return self._found(reading, each.rings, each.told, each.relevant, list(each.letters), far)

    def _without_copies(
        self, reading: RowBatch, rings: AtomicMatches, relevant: Sequence[CompositeInput]
    ) -> tuple[AtomicMatches, Sequence[CompositeInput]]:
        """Remove copies of events that the query itself has constructed."""
        if not self.serving.is_stream:
            return rings, relevant
        asked = {*rings.events.tolist(), *(each.index for each in relevant)}
        copies = copies_in(self.index, reading, asked)
        if not copies:
            return rings, relevant
        kept = [number for number, (event, _) in enumerate(rings) if event not in copies]
        others = [each for each in relevant if each.index not in copies]
        return AtomicMatches(rings.events[kept], [rings.keys[number] for number in kept]), others

    def _found(
        self,
        reading: RowBatch,
        rings: AtomicMatches,
        told: Sequence[Match | None],
        relevant: Sequence[CompositeInput],
        letters: list[Letter],
        far: frozenset[int],
    ) -> MatchedRows:
        return MatchedRows(
            self.version, self.index, self.teller, reading, rings, told, relevant, letters, far
        )


def _letters_of(
    matched: BatchResult, reading: RowBatch, odd: set[tuple[str, str]]
) -> Iterator[Letter]:
    """Yield dead letters of undecided and refused events, and warnings about served events."""
    for index, problem in matched.refused.items():
        yield letter_of_row(problem, unevaluable_event(reading.batch.event(index), problem).input)
    for index, key in matched.undecided:
        yield letter_of(over_work_limit(reading.batch.event(index), key))
    task = Task.current() if matched.warned else None
    for index, problem in matched.warned:
        assert task is not None
        yield from WORKER_ODD_EVENTS.due(task, odd, reading.batch.event(index), problem)


def _told(
    engine: Engine, reading: RowBatch, rings: AtomicMatches
) -> tuple[AtomicMatches, Sequence[Match | None], list[Letter]]:
    """Return the atomic matches with their output fields, and dead letters of those too large to
    render.

    A match whose output has no row is removed.
    """
    telling = set(rings.keys) - engine.outputs.forwarding
    if not telling:
        return rings, (), []
    told: list[Match | None] = []
    kept: list[int] = []
    untold: list[Letter] = []
    for number, (event, key) in enumerate(rings):
        match = (
            engine.render_atomic_match(key, reading.batch.event(event)) if key in telling else None
        )
        if isinstance(match, RenderFailure):
            untold.append(letter_of(match.letter()))
        elif match is not None or key not in telling:
            told.append(match)
            kept.append(number)
    return AtomicMatches(rings.events[kept], [rings.keys[number] for number in kept]), told, untold
