"""CloudEvents as messages: what is written in either mode is read again; what is wrong is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tocsin.errors import EventProblem
from tocsin.events.codecs.base.cloudevents import as_object, from_mapping
from tocsin.events.codecs.bindings import (
    Message,
    binary_message,
    events_of_message,
    is_structured_mode,
    message_of_record,
    structured_message,
)

TEXT = some.text(some.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=5)
SCALAR = some.none() | some.booleans() | some.integers(-(2**53), 2**53) | TEXT
DATA = some.recursive(
    SCALAR,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
EVENTS = some.fixed_dictionaries(
    {"id": TEXT, "source": TEXT, "type": TEXT},
    optional={
        "time": some.just("2026-01-01T08:00:00Z"),
        "subject": TEXT,
        "place": some.sampled_from(
            ["POINT (1 2)", {"type": "Point", "coordinates": [1.5, 2]}],
        ),
        "data": DATA,
    },
)


def roundabout(body: dict[str, Any], mode: Any) -> dict[str, Any]:
    """The event written as a Kafka record and read again."""
    message = mode(from_mapping(body))
    (event,) = events_of_message(message_of_record(message.body, message.kafka_headers()))
    return as_object(event)


def plain(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value is not None}


@given(EVENTS)
def test_structured_messages_are_read_as_they_were_written(body: dict[str, Any]) -> None:
    assert roundabout(body, structured_message) == plain(body)


@given(EVENTS)
def test_binary_messages_are_read_as_they_were_written(body: dict[str, Any]) -> None:
    told = {"specversion": "1.0"} | plain(body)
    if "data" in told:
        told["datacontenttype"] = "application/json"
    assert roundabout(body, binary_message) == told


@pytest.mark.parametrize(
    ("kind", "data", "raw"),
    [
        ("application/xml", "<a>1</a>", b"<a>1</a>"),
        ("text/turtle", "<urn:a> <urn:b> 1 .", b"<urn:a> <urn:b> 1 ."),
        ("application/json", "a text", b'"a text"'),
        ("application/octet-stream", "AP8=", b"\x00\xff"),
    ],
)
def test_data_has_the_bytes_of_its_type(kind: str, data: str, raw: bytes) -> None:
    body = {"id": "1", "source": "s", "type": "t", "datacontenttype": kind, "data": data}
    message = binary_message(from_mapping(body))
    assert (message.body, message.content_type) == (raw, kind)
    assert roundabout(body, binary_message)["data"] == data


def test_data_without_bytes_of_its_type_is_sent_whole() -> None:
    body = {"id": "1", "source": "s", "type": "t", "datacontenttype": "image/png", "data": {"a": 1}}
    assert is_structured_mode(binary_message(from_mapping(body)))
    assert roundabout(body, binary_message) == body


def test_numbers_among_the_attributes_become_text() -> None:
    body = {"id": "1", "source": "s", "type": "t", "hops": 3, "fresh": True}
    back = roundabout(body, binary_message)
    assert (back["hops"], back["fresh"]) == ("3", "true")


@pytest.mark.parametrize(
    ("body", "headers", "reason"),
    [
        (None, [], "the value is null"),
        (b"{", [], "malformed JSON"),
        (b"{}", [("ce_id", b"\xff")], "the header ce_id is not UTF-8"),
        (b"{}", [("ce_id", b"1"), ("ce_type", b"t")], "source is missing"),
        (b"{}", [("ce_id", b"1"), ("content-type", b"application/cloudevents+json")], "id is"),
        (b"{", [("ce_id", b"1"), ("ce_source", b"s"), ("ce_type", b"t")], "malformed JSON"),
    ],
)
def test_what_is_wrong_is_told(body: bytes | None, headers: Any, reason: str) -> None:
    with pytest.raises(EventProblem, match=reason):
        events_of_message(message_of_record(body, headers))


def test_a_record_without_a_value_is_an_event_without_data() -> None:
    headers = [("ce_id", b"1"), ("ce_source", b"s"), ("ce_type", b"t"), ("ce_time", None)]
    (event,) = events_of_message(message_of_record(None, headers))
    assert (event.id, event.data, event.interval) == ("1", None, None)


def test_a_structured_message_has_one_header() -> None:
    assert Message(b"{}", {}, "application/cloudevents+json").kafka_headers() == [
        ("content-type", b"application/cloudevents+json")
    ]
