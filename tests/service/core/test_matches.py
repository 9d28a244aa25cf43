"""Matches: queried, explained, heard live and from where the listener stopped; composites too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from tests.service.core.asking import Asked, event
from tests.service.serving import Served, served
from tests.waiting import PATIENCE, wait_until
from tocsin.catalog import Subscription
from tocsin.service.core.service import Service
from tocsin.service.settings.settings import load_settings
from tocsin.service.storage.rows import NewRow


def test_pages_follow_each_other_and_the_last_is_empty(asked: Asked) -> None:
    asked.subscribe("cheap", "price < 400")
    asked.publish(*(event(str(number), price=number) for number in range(5)))
    asked.settle()
    heard: list[str] = []
    after = 0
    while True:
        page = asked.http.get("/v1/matches", params={"after": after, "limit": 2}).json()
        if not page["matches"]:
            assert page["next"] == after
            break
        heard += [match["events"][0] for match in page["matches"]]
        after = page["next"]
    assert heard == ["0", "1", "2", "3", "4"]


def test_the_first_event_meets_what_was_subscribed_before_the_start(tmp_path: Path) -> None:
    service = Service(load_settings(data=tmp_path, auth=False, idle="off"))
    service.catalog.add(Subscription("all", "selector", "price > 0"))
    service.start()
    try:
        service.log.append([NewRow(json.dumps(event("1", price=1)).encode())]).result(PATIENCE)
        wait_until(lambda: service.runner.status().position == 1)
        wait_until(lambda: service.matches.read(0, 1, tenant="", subscription="all"))
    finally:
        service.stop()


def test_by_subscription_and_time(asked: Asked) -> None:
    asked.subscribe("low", "price < 2")
    asked.subscribe("high", "price >= 2")
    asked.publish(*(event(str(n), f"2026-01-01T00:00:0{n}Z", price=n) for n in range(4)))
    assert [m["events"] for m in asked.matches(subscription="high")] == [["2"], ["3"]]
    times = {"since": "2026-01-01T00:00:01Z", "until": "2026-01-01T00:00:02Z"}
    assert [m["events"] for m in asked.matches(**times)] == [["1"], ["2"]]
    assert asked.http.get("/v1/matches", params={"since": "then"}).status_code == 400
    for wrong in ({"after": -1}, {"limit": 0}, {"limit": 10**6}, {"after": "x"}, {"after": 2**70}):
        assert asked.http.get("/v1/matches", params=wrong).status_code == 400


def test_a_composite_rings_with_its_members_and_why_tells_them(asked: Asked) -> None:
    asked.subscribe("pair", '=|(STRING: kind = "a"; 6s) STRING: kind = "b"', "opsl")
    asked.publish(
        event("1", "2026-01-01T00:00:00Z", kind="a"), event("2", "2026-01-01T00:00:03Z", kind="b")
    )
    asked.publish(event("3", "2026-01-01T00:00:30Z", kind="c"))
    (match,) = asked.matches()
    assert match["events"] == ["1", "2"]
    told = asked.http.get(f"/v1/matches/{match['id']}/why").json()
    assert [each["event"]["data"]["kind"] for each in told["members"]] == ["a", "b"]
    assert told["match"] == match
    assert told["subscription"]["expression"].startswith("=|")
    assert told["plan"]
    assert told["windows"][0] == {
        "from": match["start"],
        "to": match["end"],
        "label": 'the match: `STRING: kind = "a"` (event 1) then `STRING: kind = "b"` (event 2)',
        "absent": False,
    }
    assert asked.http.get("/v1/matches/nothing/why").status_code == 404


def test_why_tells_the_plan_of_the_time_when_it_rang(asked: Asked) -> None:
    asked.subscribe("s", "price < 400")
    asked.publish(event("1", price=1))
    (match,) = asked.matches()
    asked.subscribe("s", "price < 7")
    told = asked.http.get(f"/v1/matches/{match['id']}/why").json()
    assert told["subscription"]["expression"] == "price < 400"
    asked.http.delete("/v1/subscriptions/s")
    assert asked.http.get(f"/v1/matches/{match['id']}/why").json()["plan_lines"] == ["price < 400"]


def test_an_absence_rings_though_nothing_more_comes(start: Any) -> None:
    asked = start(lateness="100ms", idle="100ms")
    asked.subscribe("silence", '!(STRING: kind = "a"; 200ms) STRING: kind = "b"', "opsl")
    asked.publish(event("1", "2026-01-01T00:00:00Z", kind="a"))
    found = wait_until(asked.matches)
    assert [m["events"] for m in found] == [["1"]]
    window = asked.http.get(f"/v1/matches/{found[0]['id']}/why").json()["windows"]
    assert [each["absent"] for each in window] == [False, True]


def test_a_late_event_is_a_dead_letter_of_its_publisher(asked: Asked) -> None:
    asked.subscribe("pair", '=|(STRING: kind = "a"; 6s) STRING: kind = "b"', "opsl")
    asked.publish(event("1", "2026-01-01T01:00:00Z", kind="a"))
    asked.publish(event("2", "2026-01-01T00:00:00Z", kind="b"))
    (letter,) = asked.letters(code="LateEvent")
    assert letter["reason"] == "late"
    assert json.loads(letter["input"]) == {"source": "shop", "id": "2"}
    assert letter["event"] == 2


def test_members_are_told_where_the_subscription_says_so(asked: Asked) -> None:
    asked.subscribe("cheap", "price < 400", deliver={"content": "events"})
    asked.publish(event("1", price=1))
    assert asked.matches()[0]["members"][0]["data"] == {"price": 1}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "data") as found:
        body = {"language": "selector", "expression": "price < 400"}
        for name in ("cheap", "also"):
            assert found.http.put(f"/v1/subscriptions/{name}", json=body).status_code == 201
        yield found


def _publish(server: Served, *names: str) -> None:
    kind = {"content-type": "application/cloudevents-batch+json"}
    body = [event(name, price=1) for name in names]
    assert server.http.post("/v1/events", json=body, headers=kind).status_code == 202


def _messages(lines: Iterator[str], count: int) -> list[tuple[int, str, str]]:
    """(position, subscription, event) of so many messages of a stream."""
    found: list[tuple[int, str, str]] = []
    position = 0
    for line in lines:
        if line.startswith("id: "):
            position = int(line[4:])
        if line.startswith("data: "):
            body = json.loads(line[6:])
            found.append((position, body["subscription"], body["events"][0]))
        if len(found) == count:
            break
    return found


def test_a_stream_goes_on_where_the_listener_stopped(server: Served) -> None:
    with server.http.stream("GET", "/v1/matches/stream?subscription=cheap") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        assert next(lines) == "id: 0"
        _publish(server, "1", "2")
        heard = _messages(lines, 2)
    assert [(name, id) for _, name, id in heard] == [("cheap", "1"), ("cheap", "2")]
    _publish(server, "3")
    headers = {"Last-Event-ID": str(heard[0][0])}
    with server.http.stream(
        "GET", "/v1/matches/stream?subscription=cheap", headers=headers
    ) as answer:
        again = _messages(answer.iter_lines(), 2)
    assert [id for _, _, id in again] == ["2", "3"]
    assert again[0] == heard[1]


def test_a_stream_of_several_subscriptions_from_the_start(server: Served) -> None:
    _publish(server, "1")
    url = "/v1/matches/stream?subscription=cheap&subscription=also&after=0"
    with server.http.stream("GET", url) as answer:
        heard = _messages(answer.iter_lines(), 2)
    assert {name for _, name, _ in heard} == {"cheap", "also"}


def test_a_wrong_position_is_a_problem(server: Served) -> None:
    answer = server.http.get("/v1/matches/stream", headers={"Last-Event-ID": "x"})
    assert (answer.status_code, answer.json()["code"]) == (400, "RequestError")


def test_the_same_as_a_web_socket(server: Served) -> None:
    url = server.url.replace("http", "ws") + "/v1/matches/live?subscription=also"
    with connect(url, open_timeout=PATIENCE) as socket:
        wait_until(lambda: server.service.streams == 1)
        _publish(server, "1", "2")
        heard = [json.loads(socket.recv(PATIENCE)) for _ in range(2)]
    assert [(each["subscription"], each["events"]) for each in heard] == [
        ("also", ["1"]),
        ("also", ["2"]),
    ]
    with connect(f"{url}&after={heard[0]['position']}", open_timeout=PATIENCE) as socket:
        assert json.loads(socket.recv(PATIENCE)) == heard[1]
    wait_until(lambda: server.service.streams == 0)


def test_a_listener_that_does_not_read_holds_up_nobody(server: Served) -> None:
    with httpx.Client(base_url=server.url, trust_env=False).stream(
        "GET", "/v1/matches/stream?after=0"
    ):
        for number in range(30):
            _publish(server, *(f"{number}-{each}" for each in range(100)))
        wait_until(lambda: server.service.feed.head == 6000)


def test_a_stop_ends_streams(tmp_path: Path) -> None:
    with (
        served(tmp_path / "data") as server,
        server.http.stream("GET", "/v1/matches/stream") as answer,
    ):
        lines = answer.iter_lines()
        next(lines)
        server.service.feed.close()
        assert not [line for line in lines if line.startswith("data")]
