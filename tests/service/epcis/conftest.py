"""A service with its EPCIS interface, in process; and the schemas of the standard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema
import pytest

from tests.conftest import shared_data
from tests.service.serving import Served, served
from tocsin.service.core.service import Service

DOCUMENT = {
    "@context": [
        "https://ref.gs1.org/standards/epcis/epcis-context.jsonld",
        {"acme": "https://acme.example/"},
    ],
    "type": "EPCISDocument",
    "schemaVersion": "2.0",
    "creationDate": "2026-01-31T09:00:00Z",
}


def event(number: int, **more: Any) -> dict[str, Any]:
    """An event as a client writes it."""
    return {
        "type": "ObjectEvent",
        "eventID": f"urn:uuid:{number}",
        "eventTime": f"2026-01-31T08:{number % 60:02}:00+01:00",
        "eventTimeZoneOffset": "+01:00",
        "action": "OBSERVE",
        "bizStep": "shipping",
        "disposition": "in_transit",
        "epcList": [f"urn:epc:id:sgtin:0614141.107346.{number}"],
        "readPoint": {"id": "urn:epc:id:sgln:0614141.00001.0"},
        "acme:rank": number,
        **more,
    }


def document(*events: dict[str, Any]) -> dict[str, Any]:
    """A document with events."""
    return {**DOCUMENT, "epcisBody": {"eventList": list(events)}}


def listed(answer: Any) -> list[dict[str, Any]]:
    """The events of an answer."""
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["epcisBody"]["queryResults"]["resultsBody"][
        "eventList"
    ]
    return found


def numbers(answer: Any) -> list[int]:
    """The numbers of the events of an answer."""
    return [int(each["eventID"].removeprefix("urn:uuid:")) for each in listed(answer)]


SETTINGS: dict[str, Any] = {
    "limits": {"request_bytes": 1 << 20},
    "epcis": {"capture_events": 50, "allow": ["127.0.0.0/8"]},
}


@pytest.fixture
def server(tmp_path) -> Iterator[Served]:
    with served(tmp_path, **SETTINGS) as found:
        yield found


@pytest.fixture(scope="session")
def filled(tmp_path_factory) -> Iterator[httpx.Client]:
    """Ten events, shipping and, every third, packing, the last in another spelling; and the query
    `shipped`. For tests that change nothing.
    """
    events = [event(n, bizStep=("packing", "shipping", "shipping")[n % 3]) for n in range(9)]
    events.append(event(9, epcList=["https://id.gs1.org/01/10614141073464/21/9"]))
    query = {"name": "shipped", "query": {"EQ_bizStep": ["shipping"]}}
    with served(tmp_path_factory.mktemp("filled"), **SETTINGS) as found:
        found.http.post("/epcis/capture", json=document(*events)).raise_for_status()
        found.http.post("/epcis/queries", json=query).raise_for_status()
        yield found.http


@pytest.fixture
def service(server) -> Service:
    return server.service


@pytest.fixture
def client(server) -> httpx.Client:
    return server.http


class Standard:
    """Validates answers against the standard's own OpenAPI document."""

    def __init__(self) -> None:
        self.document = json.loads(shared_data("epcis-rest/openapi.json").read_text())
        uri = self.document["components"]["schemas"]["vocab-uri"]
        uri["pattern"] = "^[A-Za-z][A-Za-z0-9+.-]*:"  # what its format says, which is not checked
        job = self.document["components"]["schemas"]["CaptureJob"]
        for part in job["allOf"]:  # both ways to tell errors fit every job, so that one never does
            if "oneOf" in part:
                part["anyOf"] = part.pop("oneOf")

    def require(self, schema: str, value: Any) -> None:
        whole = {
            "$ref": f"#/components/schemas/{schema}",
            "components": self.document["components"],
        }
        jsonschema.Draft7Validator(whole).validate(value)

    def require_problem(self, value: Any, response: str) -> None:
        self.require("RFC7807ProblemResponseBody", value)
        content = self.document["components"]["responses"][response]["content"]
        schema = next(iter(content.values()))["schema"]
        whole = {**schema, "components": self.document["components"]}
        jsonschema.Draft7Validator(whole).validate(value)


@pytest.fixture(scope="session")
def standard() -> Standard:
    return Standard()
