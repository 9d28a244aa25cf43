"""`POST /v1/events`: every form of event, and what is told of those that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.service.core.asking import Asked, event

STRUCTURED = {"content-type": "application/cloudevents+json"}
BATCH = {"content-type": "application/cloudevents-batch+json"}
LINES = {"content-type": "application/x-ndjson"}
EPCIS = {
    "@context": ["https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld"],
    "type": "EPCISDocument",
    "schemaVersion": "2.0",
    "creationDate": "2026-01-01T00:00:00Z",
    "epcisBody": {
        "eventList": [
            {
                "type": "ObjectEvent",
                "eventTime": "2026-01-01T00:00:00Z",
                "eventTimeZoneOffset": "+00:00",
                "epcList": ["urn:epc:id:sgtin:0614141.107346.2017"],
                "action": "OBSERVE",
                "bizStep": step,
            }
            for step in ("shipping", "receiving")
        ]
    },
}


def test_one_event_in_structured_mode_rings(asked: Asked) -> None:
    asked.subscribe("cheap", "price < 400")
    answer = asked.http.post(
        "/v1/events", content=json.dumps(event("1", price=350)), headers=STRUCTURED
    )
    assert (answer.status_code, answer.json()) == (202, {"accepted": 1, "rejected": []})
    assert [(m["subscription"], m["events"], m["sources"]) for m in asked.matches()] == [
        ("cheap", ["1"], ["shop"])
    ]


def test_a_batch_serves_the_good_and_tells_the_bad_by_index(asked: Asked) -> None:
    asked.subscribe("cheap", "price < 400")
    body = [event("1", price=1), {"id": "2"}, event("3", price=1), "four"]
    answer = asked.http.post("/v1/events", json=body, headers=BATCH)
    assert answer.status_code == 202
    told = answer.json()
    assert told["accepted"] == 2
    assert [(each["index"], each["code"]) for each in told["rejected"]] == [
        (1, "InvalidEventError"),
        (3, "InvalidEventError"),
    ]
    assert "source is missing" in told["rejected"][0]["reason"]
    assert [m["events"] for m in asked.matches()] == [["1"], ["3"]]
    assert [(each["code"], each["input"]) for each in asked.letters()] == [
        ("InvalidEventError", '{"id":"2"}'),
        ("InvalidEventError", '"four"'),
    ]


@pytest.mark.parametrize(
    ("raw", "accepted", "rejected"),
    [
        (b'[{"id":"1","source":"s","type":"t"},]', 1, 0),
        (
            b'[{"id":"1","source":"s","type":"t"}\n,{"id" "2"}\n,{"id":"3","source":"s","type":"t"}]',
            2,
            1,
        ),
        (b'[{"id":"1","source":"s","type":"t"}', 1, 1),
        (b"[]", 0, 0),
        (b'{"id":"1"}', 0, 1),
        (b"\xff\xfe", 0, 1),
        (b"", 0, 1),
    ],
)
def test_a_broken_batch_costs_what_is_broken(
    asked: Asked, raw: bytes, accepted: int, rejected: int
) -> None:
    answer = asked.http.post("/v1/events", content=raw, headers=BATCH)
    assert answer.status_code == 202
    told = answer.json()
    assert (told["accepted"], len(told["rejected"])) == (accepted, rejected), told


def test_lines_are_events_and_blank_ones_are_not(asked: Asked) -> None:
    lines = b"\n".join(
        [json.dumps(event("1")).encode(), b"", b"nonsense", json.dumps(event("2")).encode()]
    )
    answer = asked.http.post("/v1/events", content=lines, headers=LINES)
    told = answer.json()
    assert told["accepted"] == 2
    assert [each["index"] for each in told["rejected"]] == [1]


def test_binary_mode_takes_the_envelope_from_the_headers(asked: Asked) -> None:
    asked.subscribe("cheap", "price < 400 AND ce_type = 'offer'")
    headers = {
        "ce-specversion": "1.0",
        "ce-id": "a%20b",
        "ce-source": "shop",
        "ce-type": "offer",
        "content-type": "application/json",
    }
    assert (
        asked.http.post("/v1/events", content=b'{"price": 1}', headers=headers).status_code == 202
    )
    assert [m["events"] for m in asked.matches()] == [["a b"]]


def test_binary_mode_without_an_id_is_refused_with_the_reason(asked: Asked) -> None:
    headers = {
        "ce-specversion": "1.0",
        "ce-source": "s",
        "ce-type": "t",
        "content-type": "text/plain",
    }
    answer = asked.http.post("/v1/events", content=b"x", headers=headers)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert (body["code"], body["accepted"]) == ("InvalidEventError", 0)
    assert "id is missing" in body["detail"]


def test_an_xml_document_becomes_an_event_with_an_envelope(asked: Asked) -> None:
    asked.subscribe("big", "total = '12'")
    xml = b"<?xml version='1.0'?><order><total>12</total></order>"
    answer = asked.http.post(
        "/v1/events?source=erp", content=xml, headers={"content-type": "application/xml"}
    )
    assert (answer.status_code, answer.json()["accepted"]) == (202, 1)
    (match,) = asked.matches()
    assert match["sources"] == ["erp"]
    assert match["start"] is not None


def test_equal_documents_are_two_events(asked: Asked) -> None:
    asked.subscribe("any", "total = '12'")
    for _ in range(2):
        asked.http.post(
            "/v1/events",
            content=b"<order><total>12</total></order>",
            headers={"content-type": "text/xml"},
        )
    assert len(asked.matches()) == 2


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("text/turtle", b"@prefix : <http://x/> . [] <urn:ops:home> true ; a :Sale ; :price 3 ."),
        (
            "application/ld+json",
            b'{"@context":{"@vocab":"http://x/"},"@type":"Sale","price":3,"urn:ops:home":true}',
        ),
    ],
)
def test_rdf_documents_ring_graph_patterns(asked: Asked, kind: str, text: bytes) -> None:
    asked.subscribe("sale", "ASK { _:H <http://x/price> 3 . }", "graph")
    answer = asked.http.post("/v1/events", content=text, headers={"content-type": kind})
    assert (answer.status_code, answer.json()["accepted"]) == (202, 1)
    assert [m["subscription"] for m in asked.matches()] == ["sale"]


@pytest.mark.parametrize("kind", ["application/json", "application/ld+json"])
def test_an_epcis_document_is_as_many_events_as_it_holds(asked: Asked, kind: str) -> None:
    asked.subscribe("shipped", "bizStep LIKE '%shipping'")
    answer = asked.http.post(
        "/v1/events", content=json.dumps(EPCIS), headers={"content-type": kind}
    )
    assert answer.status_code == 202, answer.text
    assert len(asked.matches()) == 1


def test_an_unknown_content_type_is_told_with_those_that_are_served(asked: Asked) -> None:
    answer = asked.http.post("/v1/events", content=b"x", headers={"content-type": "image/png"})
    assert answer.status_code == 415
    assert answer.json()["code"] == "UnsupportedMediaType"
    assert "application/cloudevents+json" in answer.json()["hint"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("application/xml", b"<order><total>"),
        ("application/xml", b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>"),
        ("text/turtle", b"this is no turtle"),
        ("application/ld+json", b"{"),
        ("application/cloudevents+json", b"[]"),
        ("application/cloudevents+json", b'{"id":"1","source":"s","type":"t","time":"yesterday"}'),
    ],
)
def test_a_broken_document_is_a_problem_and_a_dead_letter(
    asked: Asked, kind: str, text: bytes
) -> None:
    answer = asked.http.post("/v1/events", content=text, headers={"content-type": kind})
    assert answer.status_code == 400, answer.text
    assert answer.json()["code"]
    assert len(asked.letters()) == 1


def test_a_request_that_is_too_long_is_refused(start: Any) -> None:
    asked = start(limits={"request_bytes": 2000, "request_events": 3})
    answer = asked.http.post("/v1/events", content=b"x" * 3000, headers=LINES)
    assert (answer.status_code, answer.json()["code"]) == (413, "RequestTooLarge")
    answer = asked.http.post("/v1/events", json=[event(str(n)) for n in range(4)], headers=BATCH)
    assert (answer.status_code, answer.json()["code"]) == (413, "RequestTooLarge")


def test_the_same_event_twice_rings_once(asked: Asked) -> None:
    asked.subscribe("cheap", "price < 400")
    asked.publish(event("1", price=1))
    asked.publish(event("1", price=1), event("2", price=1))
    assert [m["events"] for m in asked.matches()] == [["1"], ["2"]]


def test_a_log_that_is_busy_or_closed_says_so(asked: Asked) -> None:
    asked.service.log.close()
    answer = asked.http.post("/v1/events", json=event("1"), headers=STRUCTURED)
    assert (answer.status_code, answer.json()["code"]) == (503, "Stopping")
    assert answer.headers["retry-after"] == "1"
