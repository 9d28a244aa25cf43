"""Events constructed by atomic subscriptions from an Arrow batch, matched generation by generation.

They are matched where the original events are: a constructed event happens when its original does.
A constructed event may return as input if the query reads what it wrote: on a stream such a copy is
dropped, since it has been matched already.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.results import NO_ATOMIC_MATCHES, AtomicMatches, CompositeInput
from tocsin.events.event import Event
from tocsin.events.matches.match import SOURCE, Match, hops_behind
from tocsin.runtime.guarded import GuardedBatchResult, GuardedEngine, Outcome
from tocsin.runtime.limits import FanOut
from tocsin.spark.input.rows import RowBatch
from tocsin.spark.output.letters import Letter, letters_of
from tocsin.spark.plans.plan_cache import MatchIndex

Building = Sequence[tuple[int, Match]]
"""Matches that construct, each with the number of its event."""


@dataclass(frozen=True, slots=True)
class Generation:
    """Events constructed in one round, with their matches.

    `origins` has for each the number of the event of the Arrow batch that it was constructed from.
    """

    events: Sequence[Event]
    origins: Sequence[int]
    rings: AtomicMatches
    told: Sequence[Match]
    relevant: Sequence[CompositeInput]
    letters: Sequence[Letter]


def generations_of(
    index: MatchIndex, batch: EventBatch, rings: AtomicMatches, told: Sequence[Match | None]
) -> Iterator[Generation]:
    """Yield the generations constructed from atomic matches.

    Dead letters of the last round are in a generation without events.
    """
    building = [
        (number, match)
        for (number, key), match in zip(rings, told, strict=True)
        if match is not None and match.outputs and key in index.builders
    ]
    for some in _by_turns(building, batch):
        yield from _generations(index, batch, some)


def copies_in(index: MatchIndex, reading: RowBatch, numbers: Iterable[int]) -> frozenset[int]:
    """Return the numbers of the events of an Arrow batch that subscriptions of the same catalog
    have built.
    """
    if not index.builders:
        return frozenset()
    asked = np.unique(np.fromiter(numbers, np.intp))
    found = reading.heads(asked, places=False).identities()
    return frozenset(
        number
        for number, (source, id) in zip(asked.tolist(), found, strict=True)
        if hops_behind(id)
        and source.startswith(SOURCE)
        and source.removeprefix(SOURCE) in index.builders
    )


def _by_turns(building: Building, batch: EventBatch) -> Iterator[Building]:
    """Split matches into turns, in each of which an identity belongs to one event only.

    Otherwise their constructed events would have the same identity.
    """
    turns: list[list[tuple[int, Match]]] = []
    seen: dict[tuple[str, str], list[int]] = {}
    for number, match in building:
        numbers = seen.setdefault(batch.event(number).identity, [])
        if number not in numbers:
            numbers.append(number)
        turn = numbers.index(number)
        if turn == len(turns):
            turns.append([])
        turns[turn].append((number, match))
    yield from turns


def _generations(index: MatchIndex, batch: EventBatch, building: Building) -> Iterator[Generation]:
    fan_out = FanOut(remember=sys.maxsize)
    guard = GuardedEngine(index.engine, index.plans, fan_out, suspends=False)
    number_of = {batch.event(number).identity: number for number, _ in building}
    events, beside = guard.publish([match for _, match in building])
    while events:
        served = guard.match(events)
        rung = guard.render_atomic_matches(served.atomic_matches)
        origins = [number_of[fan_out.origin_of(event.identity)] for event in events]
        yield _matched(events, origins, served, rung, beside)
        events, beside = guard.publish(rung.matches)
    if beside.letters:
        yield Generation((), (), NO_ATOMIC_MATCHES, (), (), list(letters_of(beside)))


def _matched(
    events: Sequence[Event],
    origins: Sequence[int],
    served: GuardedBatchResult,
    rung: Outcome,
    beside: Outcome,
) -> Generation:
    numbers = {id(event): number for number, event in enumerate(events)}
    told = sorted(rung.matches, key=lambda match: numbers[id(match.members[0])])
    at = np.array([numbers[id(match.members[0])] for match in told], np.int32)
    return Generation(
        events,
        origins,
        AtomicMatches(at, [match.subscription for match in told]),
        told,
        [CompositeInput(numbers[id(event)], atoms) for event, atoms in served.relevant],
        [*letters_of(beside), *letters_of(served.diagnostics), *letters_of(rung)],
    )
