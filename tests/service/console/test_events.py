"""Stored events: page by page to either side, and as they come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service.console.streams import messages
from tests.service.core.asking import Asked, event
from tests.service.core.conftest import Start
from tests.service.serving import Served, served
from tests.waiting import wait_until
from tocsin.service.console import stored_events

BATCH = {"content-type": "application/cloudevents-batch+json"}


def _ids(answer: dict[str, Any]) -> list[str]:
    return [each["event"]["id"] for each in answer["events"]]


def test_an_event_is_told_with_its_time_and_place(asked: Asked) -> None:
    body = event("1", "2026-01-01T00:00:00Z", price=3) | {
        "endtime": "2026-01-01T00:00:05Z",
        "place": "POINT(5 6.5)",
    }
    asked.publish(body, event("2"))
    first, second = asked.http.get("/v1/events").json()["events"]
    assert first["event"] == body
    assert (first["position"], first["start"], first["end"], first["place"], first["late"]) == (
        1,
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:05Z",
        {"type": "Point", "coordinates": [5.0, 6.5]},
        False,
    )
    assert first["received"] <= second["received"]
    assert (second["start"], second["end"], second["place"]) == (None, None, None)


def test_pages_go_to_either_side(asked: Asked) -> None:
    asked.publish(*(event(str(number)) for number in range(1, 8)))

    def page(**query: Any) -> dict[str, Any]:
        found: dict[str, Any] = asked.http.get("/v1/events", params=query).json()
        return found

    assert (_ids(page(limit=3)), page(limit=3)["next"]) == (["1", "2", "3"], 3)
    assert _ids(page(limit=3, after=3)) == ["4", "5", "6"]
    assert _ids(page(limit=3, newest=True)) == ["5", "6", "7"]
    assert _ids(page(limit=3, newest=True, before=5)) == ["2", "3", "4"]
    assert _ids(page(after=2, before=5)) == ["3", "4"]
    assert page(after=7) == {"events": [], "next": 7}


def test_by_the_time_of_reception(asked: Asked) -> None:
    asked.publish(event("1"))
    first = asked.http.get("/v1/events").json()["events"][0]["received"]
    asked.publish(event("2"))
    second = asked.http.get("/v1/events").json()["events"][1]["received"]
    assert first < second
    assert _ids(asked.http.get("/v1/events", params={"since": second}).json()) == ["2"]
    assert _ids(asked.http.get("/v1/events", params={"until": first}).json()) == ["1"]
    for wrong in ({"since": "then"}, {"limit": 1001}, {"limit": 0}, {"before": -1}):
        assert asked.http.get("/v1/events", params=wrong).status_code == 400


def test_what_was_refused_is_no_event(asked: Asked) -> None:
    batch = [event("1"), {"id": "broken"}, event("3")]
    assert asked.http.post("/v1/events", json=batch, headers=BATCH).json()["accepted"] == 2
    assert _ids(asked.http.get("/v1/events").json()) == ["1", "3"]


def test_a_document_of_several_events_is_told_as_several(asked: Asked) -> None:
    one = {
        "type": "ObjectEvent",
        "eventTime": "2026-01-01T00:00:00Z",
        "eventTimeZoneOffset": "+00:00",
        "epcList": ["urn:epc:id:sgtin:0614141.107346.2017"],
        "action": "OBSERVE",
    }
    document = {
        "@context": ["https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld"],
        "type": "EPCISDocument",
        "schemaVersion": "2.0",
        "creationDate": "2026-01-01T00:00:00Z",
        "epcisBody": {"eventList": [one, one | {"eventTime": "2026-01-01T00:00:01Z"}]},
    }
    assert asked.http.post("/v1/events", json=document).status_code == 202
    told = asked.http.get("/v1/events").json()["events"]
    assert [each["start"] for each in told] == ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"]
    assert {each["position"] for each in told} == {1}


def test_a_late_event_is_told_to_be_late(start: Start) -> None:
    asked = start(idle="off")
    asked.subscribe("pair", '=|(STRING: kind = "a"; 6s) STRING: kind = "b"', "opsl")
    asked.publish(event("1", "2026-01-01T01:00:00Z", kind="a"))
    asked.settle()
    asked.publish(event("2", "2026-01-01T00:00:00Z", kind="b"))
    asked.settle()
    told = asked.http.get("/v1/events").json()["events"]
    assert [each["late"] for each in told] == [False, True]


def test_only_with_the_scope_to_subscribe(start: Start) -> None:
    asked = start(auth=True)
    key = asked.service.keys.create(["publish"])
    for path in ("/v1/events", "/v1/events/stream", "/v1/statistics"):
        assert asked.http.get(path).status_code == 401
        headers = {"authorization": f"Bearer {key}"}
        assert asked.http.get(path, headers=headers).status_code == 403


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as found:
        yield found


def _publish(server: Served, *ids: str) -> None:
    answer = server.http.post("/v1/events", json=[event(each) for each in ids], headers=BATCH)
    assert answer.json()["accepted"] == len(ids)


def test_a_listener_hears_what_comes_together(server: Served) -> None:
    with server.http.stream("GET", "/v1/events/stream") as answer:
        heard = messages(answer)
        _publish(server, "1", "2")
        id, told = next(heard)
        assert (id, [each["event"]["id"] for each in told]) == ("2", ["1", "2"])
        _publish(server, "3")
        id, told = next(heard)
        assert (id, [each["position"] for each in told]) == ("3", [3])


def test_it_goes_on_where_the_listener_stopped(server: Served) -> None:
    _publish(server, "1", "2", "3")
    with server.http.stream("GET", "/v1/events/stream", headers={"last-event-id": "1"}) as answer:
        _, told = next(messages(answer))
        assert [each["event"]["id"] for each in told] == ["2", "3"]
    with server.http.stream("GET", "/v1/events/stream", params={"after": 2}) as answer:
        _, told = next(messages(answer))
        assert [each["event"]["id"] for each in told] == ["3"]
    assert server.http.get("/v1/events/stream", params={"after": "x"}).status_code == 400


def test_of_too_many_the_newest_are_told_and_how_many_are_not(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_events, "MAX_ROWS", 2)
    _publish(server, "1", "2", "3", "4", "5")
    with server.http.stream("GET", "/v1/events/stream", params={"after": 0}) as answer:
        heard = messages(answer)
        assert next(heard)[1] == {"skipped": 3}
        assert [each["event"]["id"] for each in next(heard)[1]] == ["4", "5"]


def test_listeners_are_counted_and_leave(server: Served) -> None:
    with server.http.stream("GET", "/v1/events/stream") as answer:
        heard = answer.iter_lines()
        next(heard)
        assert server.service.streams == 1
    wait_until(lambda: server.service.streams == 0)
