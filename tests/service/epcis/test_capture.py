"""Capture: documents, single events, jobs, what is wrong."""

from __future__ import annotations

import json

import pytest

from tests.conftest import shared_data
from tests.events.epcis.corpus import FOLDER, INVALID, VALID, content
from tests.events.epcis.test_event_hash import DECLARED_XML, SPEEDS_XML
from tests.service.epcis.conftest import document, event, listed, numbers
from tocsin.errors import Problem
from tocsin.events.codecs.epcis import decode_document, event_hash

XML = {"content-type": "application/xml"}
JSON = {"content-type": "application/ld+json"}


def capture(client, body, headers=None):
    answer = client.post("/epcis/capture", json=body, headers=headers)
    assert answer.status_code == 202, answer.text
    return client.get(answer.headers["Location"]).json()


def test_document_is_captured_and_its_job_told(client, standard):
    job = capture(client, document(event(1), event(2)))
    standard.require("CaptureJob", job)
    assert (job["running"], job["success"], job["errors"]) == (False, True, [])
    assert job["captureErrorBehaviour"] == "rollback"
    assert numbers(client.get("/epcis/events")) == [1, 2]
    jobs = client.get("/epcis/capture").json()
    assert jobs == [job]


def test_captured_events_enter_the_log_of_all(client, service):
    client.put(
        "/v1/subscriptions/far",
        json={"language": "selector", "expression": "bizStep = 'shipping'"},
    ).raise_for_status()
    capture(client, document(event(1)))
    for _ in range(200):
        matches = client.get("/v1/matches").json()["matches"]
        if matches:
            break
        service.feed.wait_beyond(0, 0.1)
    assert [match["events"] for match in matches] == [["urn:uuid:1"]]


def test_events_published_otherwise_are_found_too(client):
    client.post(
        "/v1/events", json={**event(3), "acme:rank": 1, "@context": document()["@context"]}
    ).raise_for_status()
    assert numbers(client.get("/epcis/events")) == [3]


def test_wrong_event_rolls_the_document_back(client, standard):
    job = capture(client, document(event(1), event(2, action="SEEN")))
    standard.require("CaptureJob", job)
    assert not job["success"]
    (error,) = job["errors"]
    assert "eventList[1].action" in error["detail"]
    assert error["type"] == "epcisException:ValidationException"
    assert numbers(client.get("/epcis/events")) == []


@pytest.mark.parametrize(
    "name", ["GS1-Capture-Error-Behaviour", "GS1-EPCIS-Capture-Error-Behaviour"]
)
def test_wrong_event_is_left_out(client, name):
    body = document(event(1), event(2, action="SEEN"), event(3))
    job = capture(client, body, {name: "proceed"})
    assert (job["success"], len(job["errors"]), job["captureErrorBehaviour"]) == (
        False,
        1,
        "proceed",
    )
    assert numbers(client.get("/epcis/events")) == [1, 3]


def test_same_event_again_is_no_second_event(client):
    for _ in range(2):
        assert capture(client, document(event(1)))["success"]
    assert numbers(client.get("/epcis/events")) == [1]


def test_event_without_id_gets_its_hash(client):
    body = event(1)
    del body["eventID"]
    capture(client, document(body))
    (found,) = listed(client.get("/epcis/events"))
    assert found["eventID"].startswith("ni:///sha-256;")
    again = client.get(f"/epcis/events/{found['eventID'].replace('?', '%3F')}")
    assert listed(again) == [found]


@pytest.mark.parametrize("address", ["/epcis/capture", "/v1/events"])
@pytest.mark.parametrize("text", [SPEEDS_XML, DECLARED_XML], ids=["published", "declared"])
def test_event_of_xml_without_id_gets_the_hash_of_all_hosts(client, address, text):
    (expected,) = decode_document(text)
    client.post(address, content=text, headers=XML).raise_for_status()
    (found,) = listed(client.get("/epcis/events"))
    assert found["eventID"] == expected.id == event_hash(expected.attributes)


def test_record_time_is_ours(client):
    capture(client, document(event(1, recordTime="2001-01-01T00:00:00Z")))
    (found,) = listed(client.get("/epcis/events"))
    assert found["recordTime"] > "2026"


def test_single_event(client, standard):
    answer = client.post("/epcis/events", json={"@context": document()["@context"], **event(1)})
    assert answer.status_code == 201
    standard.require("EPCISEvent", answer.json())
    assert listed(client.get(answer.headers["Location"]))[0]["eventID"] == "urn:uuid:1"
    again = client.post("/epcis/events", json={"@context": document()["@context"], **event(1)})
    assert again.status_code == 409
    assert again.json()["type"] == "epcisException:ResourceAlreadyExistsException"


def test_jobs_come_in_pages(client):
    made = [capture(client, document(event(number)))["captureID"] for number in range(5)]
    found, url = [], "/epcis/capture?perPage=2"
    while url:
        answer = client.get(url)
        found += [job["captureID"] for job in answer.json()]
        url = answer.links.get("next", {}).get("url")
    assert found == made[::-1]


@pytest.mark.parametrize(
    ("body", "headers", "status", "kind"),
    [
        ("{", JSON, 400, "ValidationException"),
        ("[]", JSON, 400, "ValidationException"),
        ("<a/>", XML, 400, "ValidationException"),
        ("<a", XML, 400, "ValidationException"),
        ('{"type": "EPCISDocument"}', JSON, 400, "ValidationException"),
        ("<a/>", JSON, 400, "ValidationException"),
        ("a,b", {"content-type": "text/csv"}, 415, "UnsupportedMediaTypeException"),
        ("{}", {"content-type": ""}, 415, "UnsupportedMediaTypeException"),
        ("{}", {**JSON, "GS1-Capture-Error-Behaviour": "x"}, 400, "ValidationException"),
        ("{}", {**JSON, "GS1-EPCIS-Version": "3.0"}, 406, "NotAcceptableException"),
        (" " * (2 << 20), JSON, 413, "CaptureLimitExceededException"),
        (json.dumps(document(*map(event, range(51)))), JSON, 413, "CaptureLimitExceededException"),
    ],
    ids=range(12),
)
def test_wrong_document_is_refused(filled, standard, body, headers, status, kind):
    answer = filled.post("/epcis/capture", content=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == f"epcisException:{kind}"
    standard.require("RFC7807ProblemResponseBody", answer.json())
    assert len(filled.get("/epcis/capture").json()) == 1


def test_unknown_job(filled, standard):
    answer = filled.get("/epcis/capture/x")
    assert answer.status_code == 404
    standard.require("RFC7807ProblemResponseBody", answer.json())


def test_options_tell_the_limits(filled):
    answer = filled.options("/epcis/capture")
    assert answer.status_code == 204
    assert answer.headers["Allow"] == "OPTIONS, POST, GET"
    assert answer.headers["GS1-EPCIS-Capture-Limit"] == "50"
    assert answer.headers["GS1-EPCIS-Capture-File-Size-Limit"] == str(1 << 20)


def _reports_have_types(event):
    """The interface's schema asks for a type where that of documents does not."""
    elements = event.get("sensorElementList", [])
    return all("type" in report for element in elements for report in element["sensorReport"])


def test_corpus_is_captured_and_told_as_the_standard_says(client, standard):
    shared_data(FOLDER)
    wanted = set()
    for path in VALID:
        events = decode_document(content(path))
        if len(events) > 50:
            continue
        kind = "application/xml" if path.suffix == ".xml" else "application/json"
        answer = client.post(
            "/epcis/capture", content=content(path), headers={"content-type": kind}
        )
        assert answer.status_code == 202, (path, answer.text)
        assert client.get(answer.headers["Location"]).json()["success"], path
        wanted |= {each.id for each in events}
    url, found = "/epcis/events?perPage=100", []
    while url:
        answer = client.get(url)
        told = answer.json()
        for each in filter(_reports_have_types, listed(answer)):
            standard.require("EPCISEvent", each)
        told["epcisBody"]["queryResults"]["resultsBody"]["eventList"] = []
        standard.require("epcisQueryDocument", told)
        found += listed(answer)
        again = decode_document(answer.text)
        assert [each.attributes["eventID"] for each in again] == [
            each["eventID"] for each in listed(answer)
        ]
        url = answer.links.get("next", {}).get("url")
    assert len(found) == len(wanted)


def test_invalid_corpus_is_never_captured(client):
    shared_data(FOLDER)
    tried = 0
    for path in INVALID:
        try:
            decode_document(content(path))
        except Problem:
            tried += 1
        else:
            continue
        kind = "application/xml" if path.suffix == ".xml" else "application/json"
        answer = client.post(
            "/epcis/capture", content=content(path), headers={"content-type": kind}
        )
        if answer.status_code == 202:
            assert not client.get(answer.headers["Location"]).json()["success"], path
        else:
            assert answer.status_code == 400, (path, answer.text)
    assert tried > 10
    assert numbers(client.get("/epcis/events")) == []
