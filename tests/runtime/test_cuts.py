"""However what is published is cut into pieces, the same matches, letters and counts come out: few
are judged and held one by one, many at once.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import tocsin
from tests.builders import build_event
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import MANY, Event
from tocsin.hub.step_hub import Counts
from tocsin.runtime.admission import AdmissionResult, Doorkeeper, FutureLimit
from tocsin.runtime.watermark import ReorderBuffer, Watermark

TEXTS = {
    "at once": ("selector", "kind = 'a'"),
    "then": ("opsl", "=|(selector{kind = 'a'}; 5s) selector{kind = 'b'}"),
    "silence": ("opsl", "!(selector{kind = 'a'}; 4s) selector{kind = 'b'}"),
}
ODD: tuple[Any, ...] = (
    b"",
    b"{",
    b'{"id":"x"}',
    '{"id":"\ud800"}',
    b"[1]",
    {"id": "y", "source": "s", "type": "t", "time": "tomorrow"},
    {"id": "y"},
)


def drawn_lines(dice: Random, size: int) -> list[Any]:
    """What may come: mostly in order, some far from it; in some runs some twice and some odd."""
    twice, odd = dice.choice([0, 0.01, 0.1]), dice.choice([0, 0.01, 0.1])
    return [
        dice.choice(ODD) if dice.random() < odd else drawn_line(dice, number, twice)
        for number in range(size)
    ]


def drawn_line(dice: Random, number: int, twice: float) -> Any:
    second = max(0, number // 3 + dice.choice([0, 0, 0, 0, 1, -1, -2, -9]))
    time: str | None = f"2026-01-01T00:{second // 60:02d}:{second % 60:02d}Z"
    time = dice.choice([time] * 30 + [None, "2999-01-01T00:00:00Z"])
    id = dice.randint(0, number) if dice.random() < twice else number
    body: dict[str, Any] = {"id": f"{id}", "source": "sr"[id % 7 == 0], "type": "t", "time": time}
    body |= {"data": {"kind": dice.choice("abc")}}
    written = json.dumps(body)
    return dice.choice([written.encode()] * 12 + [written, body, from_mapping(body)])


def drawn_cuts(dice: Random, size: int) -> list[slice]:
    places = sorted(dice.sample(range(1, size), dice.randint(0, 4)))
    return [slice(*pair) for pair in zip([0, *places], [*places, size], strict=True)]


def told_of(lines: list[Any], cuts: list[slice]) -> dict[str, object]:
    """All that a user can see of a hub that was given lines in pieces, and what it knows then."""
    hub = tocsin.Hub(lateness="2s", ahead="1h")
    for id, (language, text) in TEXTS.items():
        hub.subscribe(text, language=language, id=id)
    found = [match for cut in cuts for match in hub.publish(*lines[cut])]
    sequencer = hub._core._sequencer
    known = {
        "seen": sequencer.admission.seen(),
        "held": sorted(event.identity for event, _ in sequencer.held()),
        "times": (sequencer.oldest, sequencer.has_begun, sequencer.watermark.newest),
    }
    found += hub.advance_to("2026-01-01T01:00:00Z")
    return known | {
        "matches": sorted(match.line() for match in found),
        "letters": list(hub.dead_letters),
        "counts": hub.counts,
    }


@given(st.randoms(use_true_random=False), st.integers(MANY, 4 * MANY))
def test_any_cut_gives_the_same(dice: Random, size: int) -> None:
    lines = drawn_lines(dice, size)
    one_by_one = told_of(lines, [slice(number, number + 1) for number in range(size)])
    assert told_of(lines, [slice(0, size)]) == one_by_one
    assert told_of(lines, drawn_cuts(dice, size)) == one_by_one


def test_what_is_drawn_says_something() -> None:
    dice = Random(3)
    lines = [drawn_line(dice, number, twice=0.1) for number in range(400)] + [*ODD]
    told = told_of(lines, [slice(0, len(lines))])
    counts, matches = told["counts"], str(told["matches"])
    assert isinstance(counts, Counts)
    assert min(counts.duplicates, counts.late, counts.too_far_ahead) > 3
    assert counts.dead_letters > counts.late + counts.too_far_ahead
    assert all(id in matches for id in TEXTS)


instants = st.one_of(st.integers(0, 40), st.integers(0, 40), st.none(), st.integers(90, 120))
timed_ids = st.one_of(
    st.lists(st.tuples(instants, st.integers(0, 90)), min_size=MANY, max_size=3 * MANY),
    st.lists(st.tuples(instants, st.integers(0, 900)), min_size=3 * MANY, unique_by=lambda x: x[1]),
)


def timed(instant: int | None, id: int) -> Event:
    return build_event(id, time=instant)


def judged(
    events: list[Event], cut: int, lateness: int | None, newest: int | None
) -> tuple[object, ...]:
    """What is said of events at the door, `cut` at a time; 7 waits already."""
    watermark, waiting = Watermark(lateness, newest), {("s", "7")}
    door = Doorkeeper(watermark, FutureLimit("100us", lambda: 0), waiting, remember=10_000)
    admitted: list[AdmissionResult] = []
    letters: list[object] = []
    apart: set[tuple[str, str]] = set()
    for start in range(0, len(events), cut):
        admitted.append(door.admit(events[start : start + cut]))
        letters += ((start + number, letter) for number, letter in admitted[-1].letters)
        apart |= door.excluded_from_composites
        door.remember_served()
    return (
        sorted(event.order for each in admitted for event in each.events),
        letters,
        apart,
        sum(each.duplicates for each in admitted),
        sum(each.late for each in admitted),
        sum(each.too_far_ahead for each in admitted),
        min((each.oldest for each in admitted if each.oldest is not None), default=None),
        watermark.newest,
        door.seen(),
    )


@given(
    timed_ids,
    st.integers(MANY, 3 * MANY),
    st.sampled_from([None, 0, 1, 5, 10**20]),
    st.sampled_from([None, 0, 20, 10**20]),
)
def test_many_are_judged_as_each_is(
    drawn: list[tuple[int | None, int]], cut: int, lateness: int | None, newest: int | None
) -> None:
    events = [timed(instant, id) for instant, id in drawn]
    events += events[:1]  # who was in a piece before, and in none that has others twice
    one_by_one = judged(events, 1, lateness, newest)
    assert judged(events, cut, lateness, newest) == one_by_one


@given(timed_ids)
def test_what_is_admitted_is_in_canonical_order(drawn: list[tuple[int | None, int]]) -> None:
    door = Doorkeeper(Watermark(None), FutureLimit(None, lambda: 0), set(), remember=10_000)
    orders = [each.order for each in door.admit([timed(*each) for each in drawn]).events]
    assert orders == sorted(orders)


@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 60), max_size=40), st.integers(0, 60), st.booleans()),
        max_size=6,
    )
)
def test_who_is_new_waits_as_if_each_had_come_alone_whoever_asks(
    pieces: list[tuple[list[int], int, bool]],
) -> None:
    together, alone = ReorderBuffer[int](), ReorderBuffer[int]()
    kept = together.identities
    for number, (ends, mark, asks) in enumerate(pieces):
        drawn = [timed(end, 1000 * number + which) for which, end in enumerate(ends)]
        events = sorted(drawn, key=lambda event: event.order)
        together.add_new([(event, number) for event in events])
        for event in events:
            alone.add(event, number)
        if asks:
            together.note_identities()
            assert kept == alone.identities
        given_out = [(event.order, payload) for event, payload in together.release(mark)]
        assert given_out == [(event.order, payload) for event, payload in alone.release(mark)]
    assert together.identities == alone.identities


@given(
    st.lists(
        st.tuples(
            st.lists(st.tuples(st.integers(0, 60), st.integers(0, 300)), max_size=60),
            st.integers(0, 60),
            st.booleans(),
        ),
        max_size=6,
    )
)
def test_many_that_wait_are_given_out_as_if_each_had_come_alone(
    pieces: list[tuple[list[tuple[int, int]], int, bool]],
) -> None:
    together, alone = ReorderBuffer[int](), ReorderBuffer[int]()
    for number, (drawn, mark, at_once) in enumerate(pieces):
        events = sorted((timed(*each) for each in drawn), key=lambda event: event.order)
        if at_once:
            together.add_all([(event, number) for event in events])
        else:
            for event in events:
                together.add(event, number)
        for event in events:
            alone.add(event, number)
        assert len(together) == len(alone)
        assert together.identities == alone.identities
        assert together.first() == alone.first()
        assert together.end_of_overflow(5) == alone.end_of_overflow(5)
        given_out = [(event.order, payload) for event, payload in together.release(mark)]
        assert given_out == [(event.order, payload) for event, payload in alone.release(mark)]
        assert given_out == sorted(given_out)
    assert sorted(payload for _, payload in together.held()) == sorted(
        payload for _, payload in alone.held()
    )
