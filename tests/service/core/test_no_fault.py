"""No request, however wrong, is a fault of the service: the answer is a problem document that says
what is wrong with the request.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote_from_bytes

import httpx
import pytest
from fastapi.testclient import TestClient

from tests.service.core.asking import Asked, event
from tests.service.core.hostile import (
    HEADER_VALUES,
    HEADERS,
    KINDS,
    PARAMETERS,
    TEXTS,
    VALUES,
    broken_bodies,
)
from tests.service.core.matrix import EPCIS_EVENT, TABLE, WEBSOCKET, Key
from tests.service.core.samples import SAMPLES
from tests.service.core.test_matrix import filled
from tocsin.service.operations.components import open_service
from tocsin.service.operations.server import open_app
from tocsin.service.settings.settings import load_settings

OPERATIONS = sorted(key for key in TABLE if key[0] != WEBSOCKET)
DRAWN = 40
"""Requests for each operation with wrong values, parameters and headers, drawn by its name. Values of
a wrong kind are tried in every place.
"""

NAMES = {"subscription": "kept", "definition": "Kept", "query": "kept", "dead letter": "1"}
NOT_SUPPORTED = ("DELETE", "/epcis/nextPageToken/{token}")
"""Answers 501, as the standard has it for a function that a server does not offer."""


@pytest.fixture(scope="module")
def faultless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    folder: Path = tmp_path_factory.mktemp("faultless")
    service = open_service(
        load_settings(
            data=folder / "data",
            auth=False,
            delivery={"files": folder / "files"},
            epcis={"allow": ["127.0.0.0/8"]},
        )
    )
    service.start()
    app = open_app(service)
    asked = Asked(
        service, TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    )
    try:
        _fill(asked)
        service.feed.close()  # so that streams end at once
        yield asked
    finally:
        service.stop()


def _fill(asked: Asked) -> None:
    asked.subscribe("kept", "price < 400", deliver={"file": "out"})
    region = {"region": "POLYGON((0 0,0 1,1 1,1 0,0 0))"}
    assert asked.http.put("/v1/definitions/Kept", json=region).status_code == 201
    query = {"name": "kept", "query": {"EQ_bizStep": ["shipping"]}}
    assert asked.http.post("/epcis/queries", json=query).status_code == 201
    asked.publish(event("1", price=1))
    asked.http.post("/v1/events", json={"id": "bad"})
    asked.settle()


def _path(key: Key) -> str:
    return filled(key[1], (NAMES.get(TABLE[key].names, "absent"),))


def _judge(key: Key, answer: httpx.Response, sent: object) -> None:
    if key == NOT_SUPPORTED and answer.status_code == 501:
        return
    assert answer.status_code < 500, (str(sent)[:600], answer.text)
    if answer.status_code >= 400 and key[0] != "HEAD" and key[1] != "/":
        assert answer.headers["content-type"] == "application/problem+json"
        told = answer.json()
        assert told["detail"], told
        assert told.get("code") or told["type"] != "about:blank", told


def test_every_operation_with_a_body_has_samples() -> None:
    taking = {key for key in TABLE if TABLE[key].body is not None}
    assert taking - SAMPLES.keys() - {("POST", "/v1/dead-letters/{id}/replay")} == set()


@pytest.mark.parametrize("key", sorted(SAMPLES), ids="{0[0]} {0[1]}".format)
def test_no_body_is_a_fault(faultless: Asked, key: Key) -> None:
    headers = {"content-type": "application/json"}
    for number, sample in enumerate(SAMPLES[key]):
        others = list(broken_bodies(sample, VALUES))
        drawn = random.Random(f"{key} {number}").sample(others, min(len(others), DRAWN))
        for body in (*broken_bodies(sample, KINDS), *drawn):
            path = _path(key) if key[0] != "PUT" else filled(key[1], (f"drawn{number}",))
            answer = faultless.http.request(key[0], path, content=body, headers=headers)
            _judge(key, answer, body)


@pytest.mark.parametrize("key", sorted(SAMPLES), ids="{0[0]} {0[1]}".format)
@pytest.mark.parametrize(
    "body", [b"", b"\xff", b"{", b"\xef\xbb\xbf{}", b"{}" * 9, b'{"a":1,"a":2}', b"<a/>", b"\0"]
)
def test_no_text_that_is_not_json_is_a_fault(faultless: Asked, key: Key, body: bytes) -> None:
    for kind in ("application/json", "application/xml", "text/turtle", "x", ""):
        answer = faultless.http.request(
            key[0], _path(key), content=body, headers={"content-type": kind}
        )
        _judge(key, answer, (kind, body))


@pytest.mark.parametrize("key", OPERATIONS, ids="{0[0]} {0[1]}".format)
def test_no_parameter_is_a_fault(faultless: Asked, key: Key) -> None:
    drawn = random.Random(repr(key))
    body = json.dumps(SAMPLES[key][0]).encode() if key in SAMPLES else None
    for _ in range(DRAWN):
        count = drawn.choice((1, 1, 2))
        pairs = [(drawn.choice(PARAMETERS), drawn.choice(TEXTS)) for _ in range(count)]
        query = "&".join(f"{_escaped(name)}={_escaped(value)}" for name, value in pairs)
        answer = faultless.http.request(
            key[0],
            f"{_path(key)}?{query}",
            content=body,
            headers={"content-type": "application/json"},
        )
        _judge(key, answer, pairs)


@pytest.mark.parametrize("key", OPERATIONS, ids="{0[0]} {0[1]}".format)
def test_no_header_is_a_fault(faultless: Asked, key: Key) -> None:
    drawn = random.Random(repr(key))
    body = json.dumps(SAMPLES[key][0]).encode() if key in SAMPLES else None
    for _ in range(DRAWN):
        headers = {drawn.choice(HEADERS): drawn.choice(HEADER_VALUES) for _ in range(2)}
        answer = faultless.http.request(
            key[0], _path(key), content=body, headers=[*headers.items()]
        )
        _judge(key, answer, headers)


@pytest.mark.parametrize("key", [each for each in OPERATIONS if "{" in each[1]], ids=str)
def test_no_name_in_a_path_is_a_fault(faultless: Asked, key: Key) -> None:
    for text in TEXTS:
        segment = _escaped(text)[:2_000]
        answer = faultless.http.request(key[0], filled(key[1], (segment,)), content=b"{}")
        _judge(key, answer, segment)


def _escaped(text: str) -> str:
    return quote_from_bytes(text.encode("utf-8", "surrogatepass"), safe="")


LONG = "9" * 5_000
TIMES = (
    *("9999-12-31T23:59:59.9999Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.9995Z"),
    *("9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59+14:00", "0001-01-01T00:00:00Z"),
    *("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00-14:00", "0001-01-01T00:00:00.0000001Z"),
)


@pytest.mark.parametrize("path", ["/v1/matches/stream", "/v1/events/stream"])
@pytest.mark.parametrize("given", [LONG, "-1", "-" + LONG, "\u0661", "\u00b2", "1e3", "9" * 20])
def test_a_position_that_is_none_is_a_problem(faultless: Asked, path: str, given: str) -> None:
    asked = [
        faultless.http.get(path, headers=[("Last-Event-ID", given.encode())]),
        faultless.http.get(path, params={"after": given}),
    ]
    for answer in asked:
        assert (answer.status_code, answer.json()["code"]) == (400, "RequestError")


@pytest.mark.parametrize("last", ["99999999999999d", "999999999999999999s", "P99999999999W"])
def test_a_span_beyond_all_time_is_a_problem(faultless: Asked, last: str) -> None:
    body = SAMPLES["POST", "/v1/check"][0]
    for answer in (
        faultless.http.post("/v1/try", params={"last": last}, json=body),
        faultless.http.post("/v1/try", json={**body, "last": last}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (400, "RequestError")


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("offset", ["+14:00", "-14:00", "+00:00"])
def test_an_epcis_event_at_the_edge_of_time_is_no_fault(
    faultless: Asked, time: str, offset: str
) -> None:
    for member in ("eventTime", "recordTime"):
        body = {**EPCIS_EVENT, member: time, "eventTimeZoneOffset": offset}
        for path in ("/epcis/events", "/epcis/capture", "/v1/events"):
            answer = faultless.http.post(path, json=body)
            _judge(("POST", path), answer, body)
        for accept in ("application/json", "application/xml"):
            answer = faultless.http.get("/epcis/events?perPage=500", headers={"Accept": accept})
            _judge(("GET", "/epcis/events"), answer, accept)
