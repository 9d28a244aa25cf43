"""The order of a host: whoever drives it, and however events come in, the same matches come out."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from tests.builders import build_event
from tocsin.catalog import Subscription, compile_subscription
from tocsin.engine.engine import Engine
from tocsin.events.event import Event, in_canonical_order
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan
from tocsin.reference import matches
from tocsin.runtime.admission import FutureLimit
from tocsin.runtime.guarded import GuardedEngine, Outcome
from tocsin.runtime.sequencer import FiniteSequencer, LiveSequencer, Sequencer
from tocsin.runtime.watermark import Watermark
from tocsin.values.time import parse_instant

SECOND = 1_000_000
TEXTS = {
    "then": "=|(selector{kind = 'a'}; 5s) selector{kind = 'b'}",
    "silence": "!(selector{kind = 'a'}; 4s) selector{kind = 'b'}",
}


def plans() -> dict[str, Plan]:
    return {id: compile_subscription(Subscription(id, "opsl", text)) for id, text in TEXTS.items()}


def guard() -> GuardedEngine:
    engine, held = Engine(contains_faults=True), plans()
    for id, plan in held.items():
        engine.add(id, plan)
    return GuardedEngine(engine, lambda: held)


def event(second: int, kind: str, id: str = "") -> Event:
    return build_event(id or f"{kind}{second}", second=second, data={"kind": kind})


KINDS = "abcb" * 5 + "accccbcb" + "abcb" * 3
EVENTS = [event(second, kind) for second, kind in enumerate(KINDS)]


def told(outcome: Outcome) -> list[str]:
    return sorted(f"{match.subscription} {' '.join(match.events)}" for match in outcome.matches)


def live(lateness: int, *, queue_limit: int = 1_000, remember: int = 1_000) -> LiveSequencer:
    ahead = FutureLimit(None, lambda: 0)
    return LiveSequencer(
        guard(), Watermark(lateness), ahead, queue_limit=queue_limit, remember=remember
    )


def publish(sequencer: LiveSequencer, events: Sequence[Event]) -> Outcome:
    admitted = sequencer.admit(events)
    outcome = sequencer.match_admitted(admitted.events)
    outcome.letters += (letter for _, letter in admitted.letters)
    outcome.add(sequencer.advance())
    return outcome


def finite() -> list[str]:
    guarded = guard()
    sequencer, ordered = FiniteSequencer(guarded), in_canonical_order(EVENTS)
    ends = [each.order[0] for each in ordered]
    outcome = sequencer.begin(ends[0], ends[-1], ((end, end) for end in ends))
    for each, atoms in guarded.match(ordered).relevant:
        outcome.add(sequencer.serve(each, atoms))
    outcome.add(sequencer.end(ends[-1] + 60 * SECOND))
    return told(outcome)


def test_finite_input_gives_what_the_reference_says() -> None:
    until = EVENTS[-1].order[0] + 60 * SECOND
    found = [each for id, plan in plans().items() for each in matches(id, plan, EVENTS, until)]
    assert {each.subscription for each in found} == set(TEXTS), "or this would say little"
    assert finite() == told(Outcome(found))


@pytest.mark.parametrize("seed", range(5))
def test_in_any_order_and_any_cut_a_live_host_finds_what_finite_input_gives(seed: int) -> None:
    random, sequencer, outcome = Random(seed), live(60 * SECOND), Outcome()
    rest = random.sample(EVENTS, len(EVENTS))
    while rest:
        cut = random.randint(1, 7)
        outcome.add(publish(sequencer, rest[:cut]))
        rest = rest[cut:]
    assert outcome.matches == [], "the watermark has passed nothing yet"
    sequencer.watermark.advance_to(EVENTS[-1].order[0] + 120 * SECOND)
    outcome.add(sequencer.advance())
    assert told(outcome) == finite()
    assert (outcome.letters, outcome.ended, len(sequencer)) == ([], [], 0)


def test_a_shard_that_is_handed_what_waits_finds_the_same() -> None:
    guarded = guard()
    atoms: dict[int, tuple[Atom, ...]] = {}
    sequencer = Sequencer[int](guarded, Watermark(0), lambda number: atoms[number])
    for number, (each, wanted) in enumerate(guarded.match(EVENTS).relevant):
        atoms[number] = wanted
        sequencer.note_end(each.order[0])
        sequencer.hold(each, number)
        sequencer.hold(each, number)
    assert len(sequencer) == len(atoms), "what waits already is left out"
    sequencer.watermark.advance_to(EVENTS[-1].order[0] + 60 * SECOND)
    assert told(sequencer.advance()) == finite()


def test_duplicates_and_what_is_late_reach_no_composite() -> None:
    sequencer = live(1 * SECOND)
    publish(sequencer, [event(10, "c")])
    again = sequencer.admit([event(10, "c"), event(3, "a")])
    assert (again.duplicates, again.late) == (1, 1)
    assert [each.id for each in again.events] == ["a3"]
    outcome = publish(sequencer, [event(3, "a", id="x"), event(11, "b"), event(20, "c")])
    assert [letter.code for letter in outcome.letters] == ["LateEvent"]
    assert outcome.matches == []


def test_an_event_that_was_forgotten_is_served_again() -> None:
    sequencer = live(0, remember=1)
    for each in (event(1, "c"), event(2, "c"), event(1, "c")):
        admitted = sequencer.admit([each])
        sequencer.match_admitted(admitted.events)
    assert (admitted.late, admitted.duplicates) == (1, 0), "late, and not a duplicate"


def test_more_than_may_wait_let_the_watermark_go_on() -> None:
    sequencer = live(60 * SECOND, queue_limit=3)
    outcome = publish(sequencer, EVENTS[:8])
    assert [letter.code for letter in outcome.letters] == ["QueueLimitExceeded"]
    assert len(sequencer) <= 3
    assert told(outcome) == ["then a0 b1"]


def test_time_begins_with_the_lowest_end_and_not_before_it_is_sure() -> None:
    sequencer = live(5 * SECOND)
    publish(sequencer, [event(10, "a")])
    publish(sequencer, [event(7, "c")])
    assert (sequencer.has_begun, sequencer.oldest) == (False, parse_instant("2026-01-01T00:00:07Z"))
    publish(sequencer, [event(13, "c")])
    assert (sequencer.has_begun, sequencer.oldest) == (True, None)
