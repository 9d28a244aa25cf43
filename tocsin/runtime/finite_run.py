"""Finite input in process: decode, sort, match in batches, return matches in output order.

Constructed events are matched again, until none is new or the number of rounds is reached. The
result is that over the input and all constructed events together, so that it does not depend on the
order of construction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, repeat
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from tocsin.engine.engine import Engine
from tocsin.engine.json_scan.batch_reader import EnvelopeColumns, events_of, scan_if_many
from tocsin.engine.json_scan.scanned_events import ScannedEvents, order_events
from tocsin.engine.json_scan.tape import MAX_TEXTS
from tocsin.errors import LimitProblem, Problem
from tocsin.events.codecs.decode import DecodedItem, FileItem, events_in
from tocsin.events.codecs.reception import EventEndRule, stamp_reception
from tocsin.events.dead_letter import (
    DeadLetter,
    EventWarning,
    Warned,
    internal_error,
    invalid_output,
    late,
    malformed_input,
    too_far_ahead,
    too_many_hops,
    unreadable,
)
from tocsin.events.event import UNTIMED, Event, in_canonical_order
from tocsin.events.matches.match import (
    HOP_LIMIT,
    Match,
    constructed_events,
    hops_of,
    in_output_order,
)
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.xml.construction import Construct
from tocsin.runtime.admission import find_too_far_ahead
from tocsin.runtime.gc_tuning import rare_collection
from tocsin.runtime.guarded import GuardedEngine, Outcome
from tocsin.runtime.limits import FanOut
from tocsin.runtime.sequencer import FiniteSequencer
from tocsin.runtime.watermark import Watermark
from tocsin.values.time import Duration, Instant

Evaluate = Callable[[Sequence[Event], FanOut], list[Match]]
"""All matches over the input and further events, whose origins the `FanOut` knows."""


def constructing(plans: Mapping[str, Plan]) -> frozenset[str]:
    """Return the subscriptions whose outputs are published as events."""
    return frozenset(key for key, plan in plans.items() if isinstance(plan.output, Construct))


def republish_until_stable(
    evaluate: Evaluate, builders: frozenset[str]
) -> tuple[list[Match], list[DeadLetter]]:
    """Return the matches over the input and all constructed events, and the dead letters.

    A dead letter says that an output is over a limit or is not an event.
    """
    step = _Step(evaluate((), FanOut()), builders)
    known: frozenset[tuple[str, str]] = frozenset()
    for _ in range(HOP_LIMIT):
        if step.published.keys() == known:
            break
        known = frozenset(step.published)
        step = _Step(evaluate(tuple(step.published.values()), step.fan_out), builders)
    return step.matches, step.letters


class _Step:
    """The matches of one round, the events published from their outputs, and the dead letters."""

    __slots__ = ("fan_out", "letters", "matches", "published")

    def __init__(self, matches: list[Match], builders: frozenset[str]) -> None:
        self.matches = matches
        self.letters: list[DeadLetter] = []
        self.fan_out = FanOut()
        building = [match for match in matches if match.subscription in builders]
        events, over = self.fan_out.publish((match, self._built(match)) for match in building)
        self.published = {event.identity: event for event in events}
        self.letters += over

    def _built(self, match: Match) -> list[Event]:
        """Return the events that a match constructs; [] and a dead letter if it fails or is over a
        limit.
        """
        if hops_of(match) > HOP_LIMIT:
            self.letters.append(too_many_hops(match.subscription, match.id))
            return []
        try:
            return constructed_events(match)
        except Problem as problem:
            self.letters.append(invalid_output(match.subscription, match.id, problem))
        except Exception as error:
            self.letters.append(internal_error(error, match.members, match.subscription))
        return []


BATCH_SIZE = 8192


@dataclass(slots=True)
class Input:
    """Decoded events in canonical order, each identity once, with dead letters and warnings.

    `late` holds the identities of the events that are late or too far ahead: no composite sees
    them.
    """

    events: Sequence[Event] = field(default_factory=list)
    dead_letters: list[DeadLetter] = field(default_factory=list)
    late: set[tuple[str, str]] = field(default_factory=set)
    warned: Warned = field(default_factory=Warned)


def read_events(
    lines: Iterable[bytes],
    lateness: Duration | None = None,
    ends: EventEndRule = EventEndRule.START,
    ahead: Duration | None = None,
) -> Input:
    """Decode JSON Lines without blank ones; a malformed line is a dead letter with its number."""
    return _read_texts(_portions_of_lines(lines), lateness, ends, ahead, passes_over_blanks=True)


def read_pieces(
    pieces: Iterable[FileItem],
    lateness: Duration | None = None,
    ends: EventEndRule = EventEndRule.START,
    ahead: Duration | None = None,
) -> Input:
    """Decode items of files; a malformed one is a dead letter with its line number.

    If events end at their reception, an event without a reception time keeps its own end. Without
    `lateness` no event is late, without `ahead` none is too far ahead.
    """
    return _read_texts(_portions_of_pieces(pieces), lateness, ends, ahead)


_Text: TypeAlias = tuple[bytes, int, str | None, DecodedItem]
"""The fields of a `FileItem`; for a line of a file a plain tuple is enough."""


class _Portion(NamedTuple):
    """A batch of texts: the number of the first, the texts to decode, and a function to get a row.

    A row that a reader has decoded already is empty in `unread`.
    """

    first: int
    unread: list[bytes]
    text: Callable[[int], _Text]


def _portions_of_lines(lines: Iterable[bytes]) -> Iterator[_Portion]:
    first, lines = 0, iter(lines)
    while some := list(islice(lines, MAX_TEXTS)):
        yield _Portion(first, some, partial(_line_of, some, first))
        first += len(some)


def _line_of(lines: list[bytes], first: int, row: int) -> _Text:
    return lines[row], first + row + 1, None, None


def _portions_of_pieces(pieces: Iterable[FileItem]) -> Iterator[_Portion]:
    first, pieces = 0, iter(pieces)
    while some := list(islice(pieces, MAX_TEXTS)):
        unread = [raw if made is None else b"" for raw, _, _, made in some]
        yield _Portion(first, unread, some.__getitem__)
        first += len(some)


@rare_collection()
def _read_texts(
    portions: Iterable[_Portion],
    lateness: Duration | None,
    ends: EventEndRule,
    ahead: Duration | None,
    *,
    passes_over_blanks: bool = False,
) -> Input:
    found = Input()
    in_time = lateness is None and ahead is None
    glances: list[EnvelopeColumns] = []
    events: list[Event] = []
    read: list[_NumberedEvent] = []
    told: list[tuple[int, DeadLetter]] = []
    for first, unread, text in portions:
        glance = scan_if_many(unread) if ends is EventEndRule.START else None
        if glance is not None and in_time:
            glances.append(glance)
        for row, event in _rows_to_read(glance, len(unread), in_time):
            raw, line, file, made = text(row)
            if passes_over_blanks and event is None and not raw.strip():
                continue
            try:
                some = [event] if event is not None else _events_of(raw, made, ends)
            except Problem as problem:
                told.append((first + row, malformed_input(problem, raw, line).in_file(file)))
                continue
            except Exception as error:
                told.append((first + row, unreadable(error, raw).in_file(file, line)))
                continue
            events += some
            if not in_time:
                read += (_NumberedEvent(event, first + row, line, file) for event in some)
    for letter, each in _out_of_time(read, lateness, ahead):
        told.append((each.number, letter.in_file(each.file)))
        found.late.add(each.event.identity)
    found.dead_letters = [letter for _, letter in sorted(told, key=lambda each: each[0])]
    found.events = order_events(glances, events)
    return found


def _rows_to_read(
    envelopes: EnvelopeColumns | None, size: int, in_time: bool
) -> Iterable[tuple[int, Event | None]]:
    """Yield the rows to process one by one, with the event if it is decoded already.

    These are the rows that the scanner could not read, or all rows if lateness is checked.
    """
    if envelopes is None:
        return zip(range(size), repeat(None), strict=False)
    if in_time:
        return zip(np.flatnonzero(envelopes.needs_fallback).tolist(), repeat(None), strict=False)
    return enumerate(events_of(envelopes))


def _events_of(raw: bytes, made: DecodedItem, ends: EventEndRule) -> list[Event]:
    events = events_in(raw, made)
    return list(map(stamp_reception, events)) if ends is EventEndRule.RECEPTION else events


class _NumberedEvent(NamedTuple):
    """An event, the number of its item, and the line and file of that item."""

    event: Event
    number: int
    line: int | None
    file: str | None


def _out_of_time(
    read: Iterable[_NumberedEvent], lateness: Duration | None, ahead: Duration | None
) -> Iterator[tuple[DeadLetter, _NumberedEvent]]:
    """Yield the events too far ahead or late, in input order, each with its dead letter."""
    timed = [(each, each.event.interval.end) for each in read if each.event.interval is not None]
    beyond = set() if ahead is None else set(find_too_far_ahead([end for _, end in timed], ahead))
    watermark = Watermark(lateness)
    for number, (each, _) in enumerate(timed):
        if ahead is not None and number in beyond:
            yield too_far_ahead(each.event, ahead, each.line), each
        elif watermark.is_late(each.event):
            yield late(each.event, each.line), each


@rare_collection()
def match_events(
    plans: Mapping[str, Plan],
    found: Input,
    until: Instant | None = None,
    progress: Callable[[int], object] = lambda events: None,
    most: int | None = None,
) -> list[Match]:
    """Return every match of the plans over finite input, in output order.

    At the end of the input the clock advances to `until`. A late event, and an event constructed
    from one, matches atomic subscriptions only: composites have passed its time. Constructed events
    are matched again. `progress` is called with the number of events done. Raises
    LimitProblem where there are more than `most` matches.
    """
    letters: list[DeadLetter] = []

    def evaluate(further: Sequence[Event], fan_out: FanOut) -> list[Match]:
        events = in_canonical_order([*found.events, *further]) if further else found.events
        given = Input(events, [], found.late)
        matches = _matched(plans, given, until, progress, fan_out, most)
        letters[:] = given.dead_letters
        found.warned = given.warned
        return matches

    matches, over = republish_until_stable(evaluate, constructing(plans))
    found.dead_letters += [*letters, *over]
    return matches


def _matched(
    plans: Mapping[str, Plan],
    found: Input,
    until: Instant | None,
    progress: Callable[[int], object],
    fan_out: FanOut,
    most: int | None,
) -> list[Match]:
    engine = _engine_of(plans, found)
    guard = GuardedEngine(
        engine, lambda: {key: plan for key, plan in plans.items() if key in engine}, fan_out
    )
    sequencer, outcome = FiniteSequencer(guard), Outcome()
    ends = _ends_in_time(found)
    if ends:
        outcome.add(sequencer.begin(ends[0], ends[-1], ((end, end) for end in ends)))
    for start in range(0, len(found.events), BATCH_SIZE):
        progress(start)
        served = guard.match(found.events[start : start + BATCH_SIZE])
        outcome.add(served.diagnostics)
        outcome.add(guard.render_atomic_matches(served.atomic_matches))
        for event, atoms in served.relevant:
            if guard.origin_of(event) not in found.late:
                outcome.add(sequencer.serve(event, atoms))
                _require_at_most(most, outcome)
    outcome.add(sequencer.end(until))
    _require_at_most(most, outcome)
    for event, problem in outcome.warned:
        found.warned.add(EventWarning.of(event, problem))
    found.dead_letters += outcome.settle().letters
    return in_output_order(outcome.matches)


def _require_at_most(most: int | None, outcome: Outcome) -> None:
    if most is not None and len(outcome.matches) > most:
        raise LimitProblem(
            f"there are more than {most:,} matches",
            code="TooManyMatches",
            hint="ask about fewer events, or for what rings less often",
        )


def _ends_in_time(found: Input) -> list[Instant]:
    """Return the ends of the events that composites may see."""
    events = found.events
    if isinstance(events, ScannedEvents) and not found.late:
        return cast("list[Instant]", events.ends[events.ends != UNTIMED].tolist())
    return [
        event.interval.end
        for event in events
        if event.interval and event.identity not in found.late
    ]


def _engine_of(plans: Mapping[str, Plan], found: Input) -> Engine:
    """Return an engine with all plans; one that raises an internal error is a dead letter."""
    engine = Engine(contains_faults=True)
    for subscription, plan in plans.items():
        try:
            engine.add(subscription, plan)
        except Problem:
            raise
        except Exception as error:
            found.dead_letters.append(internal_error(error, subscription=subscription))
    return engine
