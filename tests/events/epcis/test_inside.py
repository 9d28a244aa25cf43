"""EPCIS inside other things: envelopes, and texts without one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests.events.epcis.writing import EVENTS, as_document, as_xml
from tocsin.errors import EventProblem
from tocsin.events.codecs.base.cloudevents import event_of
from tocsin.events.codecs.decode import as_line, decode_all, events_of_mapping, unwrap_epcis
from tocsin.events.codecs.epcis import decode_document, event_hash
from tocsin.values.time import parse_instant

MOVED: dict[str, Any] = {
    "type": "ObjectEvent",
    "eventTime": "2026-01-31T08:00:00Z",
    "eventTimeZoneOffset": "+00:00",
    "action": "OBSERVE",
    "epcList": ["urn:epc:id:sgtin:0614141.107346.1"],
    "readPoint": {"id": "geo:1,2"},
}
LATER = MOVED | {"eventTime": "2026-01-31T09:00:00Z"}
OUTSIDE = {
    "id": "e1",
    "source": "/dock",
    "type": "com.example.capture",
    "time": "2026-02-01T00:00:00Z",
}


def enclosed(data: object, **members: Any) -> str:
    return json.dumps(OUTSIDE | {"data": data} | members)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (None, MOVED),
        ("application/json", as_document(MOVED)),
        ("application/ld+json", as_document(MOVED)),
        ("application/xml", as_xml(MOVED)),
        ("text/xml; charset=utf-8", as_xml(MOVED)),
    ],
)
def test_an_envelope_around_one_event_names_it(kind: str | None, data: object) -> None:
    (event,) = decode_all(enclosed(data, datacontenttype=kind))
    assert (event.id, event.source, event.type) == ("e1", "/dock", "com.example.capture")
    assert event.attributes["type"] == "ObjectEvent"
    assert event.interval is not None
    assert event.interval.start == parse_instant(MOVED["eventTime"])
    assert event.place_text == "POINT (2 1)"
    assert event.envelope["datacontenttype"] == "application/json"


def test_an_envelope_with_an_end_states_the_bounds() -> None:
    (event,) = decode_all(enclosed(MOVED, endtime="2026-02-01T01:00:00Z", place="POINT (5 6)"))
    assert event.interval is not None
    assert event.interval.end == parse_instant("2026-02-01T01:00:00Z")
    assert event.interval.start == parse_instant(OUTSIDE["time"])
    assert event.place_text == "POINT (5 6)"


def test_an_envelope_around_several_events_numbers_them() -> None:
    events = decode_all(enclosed(as_document(MOVED, LATER)))
    assert [event.id for event in events] == ["e1#1", "e1#2"]
    assert [event.attributes["eventTime"] for event in events] == [
        MOVED["eventTime"],
        LATER["eventTime"],
    ]
    assert {event.source for event in events} == {"/dock"}


@pytest.mark.parametrize(
    "data",
    [
        {"type": "ObjectEvent"},
        {"eventTime": "now"},
        {"type": "x", "eventTime": "y"},
        [MOVED],
        "ObjectEvent",
        None,
        5,
    ],
)
def test_other_data_stays_as_it_is(data: object) -> None:
    event = event_of(json.loads(enclosed(data)))
    (same,) = unwrap_epcis(event)
    assert same is event
    (text,) = decode_all(enclosed("<a>ObjectEvent</a>", datacontenttype="application/xml"))
    assert text.data == "<a>ObjectEvent</a>"


def test_a_wrong_event_in_an_envelope_is_refused_with_its_field() -> None:
    for data in (MOVED | {"action": "GO"}, as_document(MOVED, MOVED | {"action": "GO"})):
        with pytest.raises(EventProblem, match=r"action.*GO"):
            decode_all(enclosed(data))


def test_a_line_without_an_envelope() -> None:
    (event,) = decode_all(json.dumps(MOVED))
    assert event.id == event_hash(event.attributes)
    assert [each.attributes for each in decode_all(as_xml(MOVED, LATER))] == [
        each.attributes for each in decode_all(json.dumps(as_document(MOVED, LATER)))
    ]
    with pytest.raises(EventProblem, match="id is missing"):
        decode_all('{"type": "ObjectEvent"}')


def test_xml_that_is_no_epcis_is_told_so_and_what_to_do() -> None:
    with pytest.raises(
        EventProblem, match=r"<Invoice> is neither an EPCIS document nor an EPCIS event"
    ) as raised:
        decode_all("<Invoice xmlns='urn:x'><ID>7</ID></Invoice>")
    assert "datacontenttype application/xml" in raised.value.hint


@given(EVENTS)
def test_a_line_of_an_event_gives_the_event_again(given_event: dict[str, Any]) -> None:
    (event,) = decode_document(as_xml(given_event | {"readPoint": {"id": "geo:1,2"}}))
    (again,) = decode_all(as_line(event))
    assert (again.envelope, again.data) == (event.envelope, event.data)
    assert (again.interval, again.place_text) == (event.interval, event.place_text)


def test_an_object_in_memory() -> None:
    (event,) = events_of_mapping(MOVED)
    (enveloped,) = events_of_mapping(OUTSIDE | {"data": MOVED})
    assert event.attributes == enveloped.attributes
    assert enveloped.id == "e1"
    with pytest.raises(EventProblem, match="action"):
        events_of_mapping(MOVED | {"action": "GO"})
