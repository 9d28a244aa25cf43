"""Finite input in process: decode, order as a whole, match in batches, put out in output order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tocsin.engine.engine import Engine
from tocsin.errors import Problem
from tocsin.events.codecs.epcis.inside import decode_all
from tocsin.events.dead_letter import (
    DeadLetter,
    internal_error,
    late,
    malformed,
    suspended,
    too_far_ahead,
    unreadable,
    window_over,
)
from tocsin.events.event import Event
from tocsin.events.match import Match, once
from tocsin.events.order import in_canonical_order
from tocsin.events.reception import Ends, received
from tocsin.events.warning import EventWarning, Warned
from tocsin.hosts import ahead as clocks
from tocsin.hosts.cascade import cascaded, constructing
from tocsin.hosts.collecting import rare_collection
from tocsin.hosts.fan_out import FanOut
from tocsin.hosts.guarded import GuardedEngine
from tocsin.hosts.ordering import Watermark
from tocsin.hosts.pauses import pauses
from tocsin.plan.composites import Plan
from tocsin.values.time import Duration, Instant

BATCH_SIZE = 8192


@dataclass(slots=True)
class Input:
    """Decoded events in canonical order, each identity once, what could not be served, and what no composite is to see.

    That is what came `late` or is too far ahead.
    """

    events: list[Event] = field(default_factory=list)
    dead_letters: list[DeadLetter] = field(default_factory=list)
    late: set[tuple[str, str]] = field(default_factory=set)
    warned: Warned = field(default_factory=Warned)


@rare_collection()
def read_events(
    lines: Iterable[bytes],
    lateness: Duration | None = None,
    ends: Ends = Ends.START,
    ahead: Duration | None = None,
) -> Input:
    """Decodes JSON Lines; blank lines are passed over, malformed ones become dead letters with their line number.

    Where reading breaks off, what was read counts and the rest is a dead letter; raises where no event was read.
    Where reception ends an event, one that does not say when it was received keeps its own end. Without `lateness` none
    is late, without `ahead` none is too far ahead.
    """
    found = Input()
    read: list[tuple[Event, int]] = []
    for number, line in enumerate(_readable(lines, found, read), 1):
        if not line or line.isspace():
            continue
        try:
            events = decode_all(line)
            if ends is Ends.RECEPTION:
                events = list(map(received, events))
        except Problem as problem:
            found.dead_letters.append(malformed(problem, line, number))
            continue
        except Exception as error:
            found.dead_letters.append(replace(unreadable(error, line), line=number))
            continue
        read += ((event, number) for event in events)
    for letter, event in _out_of_time(read, lateness, ahead):
        found.dead_letters.append(letter)
        found.late.add(event.identity)
    found.dead_letters.sort(key=lambda letter: letter.line or 0)
    found.events = in_canonical_order(event for event, _ in read)
    return found


def _out_of_time(
    read: Sequence[tuple[Event, int]], lateness: Duration | None, ahead: Duration | None
) -> Iterator[tuple[DeadLetter, Event]]:
    """Who is too far ahead of those around, and who came late by the others, in the order of lines."""
    timed = [(event, line, event.interval.end) for event, line in read if event.interval is not None]
    beyond = set() if ahead is None else set(clocks.too_far_ahead([end for _, _, end in timed], ahead))
    watermark = Watermark(lateness)
    for number, (event, line, _) in enumerate(timed):
        if ahead is not None and number in beyond:
            yield too_far_ahead(event, ahead, line), event
        elif watermark.is_late(event):
            yield late(event, line), event


def _readable(lines: Iterable[bytes], found: Input, read: Sequence[object]) -> Iterator[bytes]:
    """The lines until they break off, which is told in a dead letter, or raised where no event came before it."""
    number = 0
    try:
        for line in lines:
            yield line
            number += 1
    except Problem as problem:
        if not read:
            raise
        found.dead_letters.append(malformed(problem, b"", number + 1))


@rare_collection()
def match_events(
    plans: Mapping[str, Plan],
    found: Input,
    until: Instant | None = None,
    progress: Callable[[int], object] = lambda events: None,
) -> list[Match]:
    """Every match of the plans over finite input, in output order; at its end the clock runs on to `until`.

    What came late rings atomic subscriptions only: composites have gone past it. What is constructed is matched again.
    `progress` hears how many events are done.
    """
    letters: list[DeadLetter] = []

    def evaluate(further: Sequence[Event], fan_out: FanOut) -> list[Match]:
        events = in_canonical_order([*found.events, *further]) if further else found.events
        given = Input(events, [], found.late)
        matches = _matched(plans, given, until, progress, fan_out)
        letters[:] = given.dead_letters
        found.warned = given.warned
        return matches

    matches, over = cascaded(evaluate, constructing(plans))
    found.dead_letters += [*letters, *over]
    return matches


def _matched(
    plans: Mapping[str, Plan],
    found: Input,
    until: Instant | None,
    progress: Callable[[int], object],
    fan_out: FanOut,
) -> list[Match]:
    engine = _engine_of(plans, found)
    guard = GuardedEngine(engine, lambda: {key: plan for key, plan in plans.items() if key in engine}, fan_out)
    ends = [event.interval.end for event in found.events if event.interval and event.identity not in found.late]
    if ends:
        found.dead_letters += map(window_over, engine.begin_at(ends[0]))
    matches: list[Match] = []
    longest = engine.shortest_pause
    waiting = deque(pauses(((end, end) for end in ends), longest) if longest is not None else ())
    if ends and longest is not None:
        matches += guard.advance_to(ends[0] - 1, ends[0] - 1)
    for start in range(0, len(found.events), BATCH_SIZE):
        progress(start)
        served = guard.match(found.events[start : start + BATCH_SIZE])
        for event, problem in served.warned:
            found.warned.add(EventWarning.of(event, problem))
        rings = (guard.ring(key, event) for event, key in served.rings)
        matches += (match for match in rings if match is not None)
        for event, atoms in served.relevant:
            if event.identity not in found.late:
                while waiting and event.interval is not None and waiting[0][1] <= event.interval.end:
                    matches += guard.pass_over(waiting.popleft())
                matches += guard.detect(event, atoms)
    for pause in waiting:
        matches += guard.pass_over(pause)
    if ends:
        matches += guard.advance_to(ends[-1] if until is None else min(until, ends[-1] - 1))
    matches += guard.advance_to(until, until)
    found.dead_letters += guard.take_letters()
    found.dead_letters += (letter for _, letter in guard.take_ended())
    found.dead_letters += map(suspended, engine.take_suspended())
    return sorted(once(matches), key=lambda match: match.order)


def _engine_of(plans: Mapping[str, Plan], found: Input) -> Engine:
    """An engine with all plans; one that it cannot take for a fault of ours is told, and the others are served."""
    engine = Engine()
    for subscription, plan in plans.items():
        try:
            engine.add(subscription, plan)
        except Problem:
            raise
        except Exception as error:
            found.dead_letters.append(internal_error(error, subscription=subscription))
    return engine
