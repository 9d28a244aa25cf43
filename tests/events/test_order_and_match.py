"""Canonical order, de-duplication and the identity of a match: nothing depends on who came
first.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import SECOND, START, build_event, build_match
from tocsin.errors import EventProblem
from tocsin.events.dead_letter import MAX_INPUT, late, malformed_input, shown_input
from tocsin.events.event import MANY, Event, content, in_canonical_order
from tocsin.events.matches.match import match_id, match_of_event


def event(
    key: str, start: int | None = None, end: int | None = None, source: str = "s", **extra: Any
) -> Event:
    last = start if end is None else end
    endtime = None if last is None else START + last * SECOND
    return build_event(key, second=start, endtime=endtime, source=source, **extra)


few_events = st.builds(
    lambda key, source, times, number: event(key, times[0], times[1], source, data={"n": number}),
    st.sampled_from("ab"),
    st.sampled_from("st"),
    st.sampled_from([(None, None), (1, 1), (1, 2), (2, 2)]),
    st.integers(0, 2),
)


def test_events_come_by_end_then_start_then_source_then_id() -> None:
    ordered = [
        event("untimed", source="z"),
        event("ends first", 5, 6),
        event("starts first", 0, 9),
        event("z", 9, 9, source="a"),
        event("a", 9, 9, source="b"),
        event("b", 9, 9, source="b"),
    ]
    assert in_canonical_order(reversed(ordered)) == ordered


def test_of_two_events_with_one_identity_the_first_in_order_counts() -> None:
    early, later = event("e", 1, data={"n": 2}), event("e", 3, data={"n": 1})
    assert in_canonical_order([later, early]) == [early]


def test_where_even_times_agree_the_content_decides_and_not_the_arrival() -> None:
    one, two = event("e", 1, data={"n": 1}), event("e", 1, data={"n": 2})
    assert in_canonical_order([one, two]) == in_canonical_order([two, one]) == [one]


def test_one_id_of_two_sources_is_two_events() -> None:
    assert len(in_canonical_order([event("e", source="a"), event("e", source="b")])) == 2


@given(st.lists(few_events, max_size=8), st.randoms(use_true_random=False))
def test_order_does_not_depend_on_arrival(arrived: list[Event], random: Any) -> None:
    shuffled = list(arrived)
    random.shuffle(shuffled)
    assert list(map(content, in_canonical_order(shuffled))) == list(
        map(content, in_canonical_order(arrived))
    )


@given(st.lists(few_events, max_size=8))
def test_every_identity_comes_once_and_in_order(arrived: list[Event]) -> None:
    ordered = in_canonical_order(arrived)
    assert {e.identity for e in ordered} == {e.identity for e in arrived}
    assert len({e.identity for e in ordered}) == len(ordered)
    assert [e.order for e in ordered] == sorted(e.order for e in ordered)


many_events = st.builds(
    lambda key, source, times: event(f"{key}", times[0], times[1], source),
    st.integers(0, 900),
    st.sampled_from("st"),
    st.sampled_from([(None, None), (1, 1), (1, 2), (2, 2), (0, 5), (3, 4), (4, 4), (7, 9)]),
)


@given(st.lists(many_events, min_size=MANY, max_size=3 * MANY))
def test_many_are_put_in_the_order_that_each_says(arrived: list[Event]) -> None:
    first: dict[tuple[str, str], Event] = {}
    for each in sorted(arrived, key=lambda each: each.order):
        first.setdefault(each.identity, each)
    assert [e.order for e in in_canonical_order(arrived)] == [e.order for e in first.values()]


def test_content_does_not_depend_on_the_order_of_members() -> None:
    assert content(event("e", data={"a": 1, "b": 2})) == content(event("e", data={"b": 2, "a": 1}))


def test_the_match_of_an_event_has_its_interval_and_place() -> None:
    match = match_of_event("s1", event("e1", 1, 3, place="POINT(1 2)"))
    assert match.as_json() == {
        "subscription": "s1",
        "events": ["e1"],
        "sources": ["s"],
        "start": "2026-01-01T00:00:01Z",
        "end": "2026-01-01T00:00:03Z",
        "detected": "2026-01-01T00:00:03Z",
        "place": "POINT (1 2)",
        "bindings": {},
        "outputs": [],
        "id": match_id("s1", [("s", "e1")]),
    }


def test_the_match_of_an_event_without_time_and_place_says_so() -> None:
    body = match_of_event("s1", event("e1")).as_json()
    assert [body[name] for name in ("start", "end", "detected", "place")] == [None] * 4


def test_a_line_is_json_without_a_line_break() -> None:
    match = match_of_event("s\n1", event("é\u2028\r\n"))
    assert "\n" not in match.line()
    assert "\r" not in match.line()
    assert json.loads(match.line()) == match.as_json()


identities = st.lists(st.tuples(st.text("a:1", max_size=3), st.text("a:1", max_size=3)), max_size=3)


@given(st.text("a:1", max_size=3), identities, st.text("a:1", max_size=3), identities)
def test_different_matches_have_different_ids(
    one: str, of_one: list[tuple[str, str]], two: str, of_two: list[tuple[str, str]]
) -> None:
    assert (match_id(one, of_one) == match_id(two, of_two)) == ((one, of_one) == (two, of_two))


def test_the_id_ignores_everything_but_subscription_and_identities() -> None:
    plain, rich = event("e", 1), event("e", 5, data={"a": 1}, place="POINT(1 2)")
    assert match_of_event("s", plain).id == match_of_event("s", rich).id
    assert set(match_of_event("s", plain).id) <= set("0123456789abcdef")


def test_matches_order_by_detection_then_subscription_then_events() -> None:
    expected = [
        build_match("z", ("z",)),
        build_match("z", ("z",), 1, 1, detected=-5),
        build_match("z", ("z",), 1, 1, detected=0),
        build_match("a", ("b",), 1, 1, detected=3),
        build_match("b", ("a", "a"), 1, 1, detected=3),
        build_match("b", ("a", "b"), 1, 1, detected=3, id="0"),
        build_match("b", ("a", "b"), 1, 1, detected=3, id="1"),
    ]
    shuffled = expected[::2] + expected[1::2]
    assert sorted(shuffled, key=lambda match: match.order) == expected


def test_a_match_is_hashable_by_value_whatever_its_members() -> None:
    one, two = (match_of_event("s", event("e", 1, data={"v": v})) for v in range(2))
    assert one.members != two.members
    assert len({one, two}) == 1


def test_members_are_the_events_themselves() -> None:
    given = event("e", 1)
    assert match_of_event("s", given).members == (given,)
    assert "members" not in repr(match_of_event("s", given))


def test_a_dead_letter_tells_code_reason_line_and_input() -> None:
    letter = malformed_input(EventProblem("id is missing", hint="give one"), b'{"a":1}\n', 7)
    assert letter.as_json() == {
        "line": 7,
        "code": "InvalidEventError",
        "reason": "id is missing (give one)",
        "input": '{"a":1}',
    }
    assert json.loads(letter.text()) == letter.as_json()


def test_the_dead_letter_of_a_late_event_names_it() -> None:
    letter = late(event("e", 1), 3)
    assert (letter.code, letter.reason, letter.line) == ("LateEvent", "late", 3)
    assert json.loads(letter.input) == {"source": "s", "id": "e"}


@pytest.mark.parametrize(
    "raw", [b"\xff\xfe", "\ud800", b"x" * 10_000_000, "é" * 10_000], ids=lambda raw: ascii(raw[:5])
)
def test_a_dead_letter_shows_any_input_in_bounded_text(raw: bytes | str) -> None:
    shown = shown_input(raw)
    assert 0 < len(shown) <= MAX_INPUT
    assert shown.encode("utf-8")
