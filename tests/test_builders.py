"""The builders give what is asked for and nothing else, and a codec reads it."""

from __future__ import annotations

import json

import pytest

from tests.builders import (
    SECOND,
    START,
    build_event,
    build_match,
    build_unread_event,
    event_json,
    event_text,
)
from tocsin.errors import EventProblem
from tocsin.values.time import Interval


def test_an_event_has_only_what_it_must_have_and_what_is_given() -> None:
    assert event_json() == {"id": "e", "source": "s", "type": "t"}
    assert event_json(7, "offer", 61, source="shop", place="POINT (1 2)", data={}, extra="x") == {
        "id": "7",
        "source": "shop",
        "type": "offer",
        "time": "2026-01-01T00:01:01Z",
        "extra": "x",
        "place": "POINT (1 2)",
        "data": {},
    }


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"second": 0.25}, "2026-01-01T00:00:00.25Z"),
        ({"time": START + 2 * SECOND}, "2026-01-01T00:00:02Z"),
        ({"time": "2026-01-01"}, "2026-01-01"),
    ],
)
def test_a_time_is_seconds_microseconds_or_a_text(given: dict[str, object], text: str) -> None:
    assert event_json(**given)["time"] == text  # type: ignore[arg-type]


def test_a_built_event_is_read_by_the_codec_and_an_unread_one_is_not() -> None:
    event = build_event("1", second=3, endtime=START + 4 * SECOND, data={"a": 1})
    assert event.interval == Interval(START + 3 * SECOND, START + 4 * SECOND)
    assert event.attributes == {"a": 1}
    bad = {1: object()}
    with pytest.raises(EventProblem):
        build_event(data=bad)
    assert build_unread_event(bad, "text/xml", id="2").data is bad


def test_the_text_is_one_line_of_the_same_object() -> None:
    assert json.loads(event_text("1", data={"a": "\n"})) == event_json("1", data={"a": "\n"})
    assert "\n" not in event_text("1", data={"a": "\n"})


def test_a_match_has_no_times_unless_they_are_given() -> None:
    match = build_match("x", ("a",), detected=5, place="POINT (1 2)")
    assert (match.subscription, match.events, match.start, match.end) == ("x", ("a",), None, None)
    assert (match.detected, match.place, match.id) == (5, "POINT (1 2)", "0")
