"""Finite input in process: decode, order as a whole, match in batches, put out in output order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tocsin.engine.engine import Engine
from tocsin.errors import Problem
from tocsin.events.dead_letter import (
    DeadLetter,
    internal_error,
    late,
    malformed,
    suspended,
    unreadable,
    window_over,
)
from tocsin.events.event import Event
from tocsin.events.match import Match, once
from tocsin.events.order import in_canonical_order
from tocsin.events.piece import Piece
from tocsin.events.reception import Ends, received
from tocsin.events.warning import EventWarning, Warned
from tocsin.hosts.cascade import cascaded, constructing
from tocsin.hosts.collecting import rare_collection
from tocsin.hosts.fan_out import FanOut
from tocsin.hosts.guarded import GuardedEngine
from tocsin.hosts.ordering import Watermark
from tocsin.plan.composites import Plan
from tocsin.values.time import Duration, Instant

BATCH_SIZE = 8192


@dataclass(slots=True)
class Input:
    """Decoded events in canonical order, each identity once, who of them came late, and what could not be served."""

    events: list[Event] = field(default_factory=list)
    dead_letters: list[DeadLetter] = field(default_factory=list)
    late: set[tuple[str, str]] = field(default_factory=set)
    warned: Warned = field(default_factory=Warned)


def read_events(lines: Iterable[bytes], lateness: Duration | None = None, ends: Ends = Ends.START) -> Input:
    """Decodes JSON Lines; blank lines are passed over, malformed ones become dead letters with their line number."""
    numbered = (Piece(line, number) for number, line in enumerate(lines, 1) if line and not line.isspace())
    return read_pieces(numbered, lateness, ends)


@rare_collection()
def read_pieces(pieces: Iterable[Piece], lateness: Duration | None = None, ends: Ends = Ends.START) -> Input:
    """Decodes pieces of files; what is malformed becomes a dead letter with its line number.

    Where reception ends an event, one that does not say when it was received keeps its own end.
    """
    found = Input()
    watermark = Watermark(lateness)
    for piece in pieces:
        try:
            events = piece.events()
            if ends is Ends.RECEPTION:
                events = list(map(received, events))
        except Problem as problem:
            found.dead_letters.append(malformed(problem, piece.raw, piece.line).in_file(piece.file))
            continue
        except Exception as error:
            found.dead_letters.append(unreadable(error, piece.raw).in_file(piece.file, piece.line))
            continue
        for event in events:
            if watermark.is_late(event):
                found.dead_letters.append(late(event, piece.line).in_file(piece.file))
                found.late.add(event.identity)
            found.events.append(event)
    found.events = in_canonical_order(found.events)
    return found


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
    for start in range(0, len(found.events), BATCH_SIZE):
        progress(start)
        served = guard.match(found.events[start : start + BATCH_SIZE])
        for event, problem in served.warned:
            found.warned.add(EventWarning.of(event, problem))
        rings = (guard.ring(key, event) for event, key in served.rings)
        matches += (match for match in rings if match is not None)
        for event, atoms in served.relevant:
            if event.identity not in found.late:
                matches += guard.detect(event, atoms)
    if ends:
        matches += guard.advance_to(ends[-1] if until is None else min(until, ends[-1]))
    matches += guard.advance_to(until)
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
