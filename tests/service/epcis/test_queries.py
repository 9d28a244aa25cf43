"""Named queries, and who subscribes to them: webhooks, WebSockets, streams and schedules."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from websockets.sync.client import connect

from tests.service.epcis.conftest import document, event, numbers
from tests.service.serving import Served, served
from tests.waiting import PATIENCE, wait_until
from tocsin.service.epcis.reports import QueryReports

SHIPPED = {"name": "shipped", "query": {"EQ_bizStep": ["shipping"]}}


class Receiver:
    """A receiver of webhooks that remembers them and answers as it is told."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.tried: list[bytes] = []
        self.answers: list[int] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.tried.append(body)
                status = outer.answers.pop(0) if outer.answers else 204
                if status < 300:
                    outer.got.append((dict(self.headers), body))
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def numbers(self) -> list[int]:
        return [number for _, body in self.got for number in _numbers(body)]


def _numbers(body: bytes | str) -> list[int]:
    events = json.loads(body)["epcisBody"]["queryResults"]["resultsBody"]["eventList"]
    return [int(each["eventID"].removeprefix("urn:uuid:")) for each in events]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()
    yield found
    found.server.shutdown()
    found.server.server_close()


def capture(client: Any, *events: dict[str, Any]) -> None:
    client.post("/epcis/capture", json=document(*events)).raise_for_status()


def make(client: Any, query: dict[str, Any] = SHIPPED) -> str:
    answer = client.post("/epcis/queries", json=query)
    assert answer.status_code == 201, answer.text
    return answer.headers["Location"]


def test_query_is_made_asked_and_dropped(client, standard):
    capture(client, event(1), event(2, bizStep="packing"))
    where = make(client)
    assert client.get(where).json() == SHIPPED
    standard.require("QueryDefinition", client.get(where).json())
    assert client.get("/epcis/queries").json() == [SHIPPED]
    answer = client.get(f"{where}/events")
    assert numbers(answer) == [1]
    assert answer.json()["epcisBody"]["queryResults"]["queryName"] == "shipped"
    assert client.post("/epcis/queries", json=SHIPPED).status_code == 409
    assert client.delete(where).status_code == 204
    assert client.get(where).status_code == 404
    assert client.get("/epcis/queries").json() == []


def test_results_come_in_pages(client):
    capture(client, *map(event, range(5)))
    where = make(client, {"name": "all", "query": {"orderBy": "eventTime", "eventCountLimit": 4}})
    first = client.get(f"{where}/events?perPage=3")
    second = client.get(first.links["next"]["url"])
    assert (numbers(first), numbers(second)) == ([4, 3, 2], [1])
    assert "next" not in second.links


def test_query_may_be_any_subscription(client):
    capture(client, event(1), event(2, bizStep="packing"), event(3, bizStep="packing"))
    where = make(
        client,
        {"name": "sel", "query": {"language": "selector", "expression": "bizStep = 'packing'"}},
    )
    assert numbers(client.get(f"{where}/events")) == [2, 3]
    text = (
        '=|($a;;3h)$b; WHERE $a;.action = $b;.action, $a; = epcis{"EQ_bizStep": ["shipping"]},'
        ' $b; = epcis{"EQ_eventID": ["urn:uuid:3"]}'
    )
    where = make(client, {"name": "pair", "query": {"language": "opsl", "expression": text}})
    assert numbers(client.get(f"{where}/events")) == [1, 3]


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"name": "a"},
        {"name": "", "query": {}},
        {"name": "a/b", "query": {}},
        {"name": "a", "query": []},
        {"name": "a", "query": {"EQ_nothing": ["x"]}},
        {"name": "a", "query": {"orderBy": "x"}},
        {"name": "a", "query": {"language": "selector"}},
        {"name": "a", "query": {"language": "selector", "expression": "a ="}},
        {"name": "a", "query": {"language": "selector", "expression": "a = 1", "EQ_action": []}},
        {"name": "a", "query": {}, "more": 1},
    ],
)
def test_wrong_query_is_refused(filled, standard, query):
    answer = filled.post("/epcis/queries", json=query)
    assert answer.status_code == 400, answer.text
    standard.require_problem(answer.json(), "400QueryIssues")
    assert filled.get("/epcis/queries").json() == [SHIPPED]


def test_stream_is_told_what_is_captured(client, standard, receiver):
    capture(client, event(0))
    where = make(client)
    body = {"dest": receiver.url, "signatureToken": "secret", "stream": True}
    answer = client.post(f"{where}/subscriptions", json=body)
    assert answer.status_code == 201, answer.text
    standard.require("AbstractQuerySubscriptionResponse", answer.json())
    assert "secret" not in answer.text
    capture(client, event(1), event(2, bizStep="packing"), event(3))
    wait_until(lambda: receiver.numbers() == [1, 3])
    headers, sent = receiver.got[0]
    standard.require("epcisQueryDocument", json.loads(sent))
    results = json.loads(sent)["epcisBody"]["queryResults"]
    assert results["subscriptionID"] == answer.json()["subscriptionID"]
    digest = hmac.new(b"secret", sent, hashlib.sha256).hexdigest()
    assert headers["gs1-signature" if "gs1-signature" in headers else "GS1-Signature"] == (
        f"sha256={digest}"
    )
    told = wait_until(
        lambda: (
            found
            if "lastNotifiedAt" in (found := client.get(answer.headers["Location"]).json())
            else None
        )
    )
    assert told["stream"] is True
    assert client.get(f"{where}/subscriptions").json() == [told]
    assert client.delete(answer.headers["Location"]).status_code == 204
    capture(client, event(5))
    assert client.get(answer.headers["Location"]).status_code == 404
    assert client.get(f"{where}/subscriptions").json() == []


def test_receiver_that_is_away_hears_it_later(client, receiver):
    where = make(client)
    receiver.answers = [500, 503]
    body = {"dest": receiver.url, "stream": True}
    client.post(f"{where}/subscriptions", json=body).raise_for_status()
    capture(client, event(1))
    wait_until(lambda: receiver.numbers() == [1])
    assert receiver.answers == []
    assert len(receiver.tried) == 3
    assert len(set(receiver.tried)) == 1  # a further attempt sends the same document


def test_receiver_that_is_away_delays_no_other(client, receiver):
    away = Receiver()
    away.answers = [500] * 1_000
    try:
        where = make(client)
        for dest in (away.url, receiver.url):
            body = {"dest": dest, "stream": True}
            client.post(f"{where}/subscriptions", json=body).raise_for_status()
        for number in (1, 2):
            capture(client, event(number))
            wait_until(lambda: receiver.numbers()[-1:] == [number])  # noqa: B023  waited for here
        assert away.tried
        assert away.got == []
        away.answers.clear()
        wait_until(lambda: away.numbers() == [1, 2])
    finally:
        away.server.shutdown()
        away.server.server_close()


def test_subscribers_are_served_again_after_an_unexpected_error(
    client, receiver, monkeypatch, caplog
):
    serve, failures = QueryReports.changed_after, ["broken"]

    def fail_once(reports, changed):
        if failures:
            raise RuntimeError(failures.pop())
        return serve(reports, changed)

    where = make(client)
    body = {"dest": receiver.url, "stream": True}
    client.post(f"{where}/subscriptions", json=body).raise_for_status()
    capture(client, event(1))
    wait_until(lambda: receiver.numbers() == [1])
    monkeypatch.setattr(QueryReports, "changed_after", fail_once)
    wait_until(lambda: not failures)
    capture(client, event(2))
    wait_until(lambda: receiver.numbers() == [1, 2])
    assert "epcis: RuntimeError: broken" in caplog.text


def test_schedule_reports_what_came_since(client, receiver):
    capture(client, event(0))
    where = make(client)
    body = {
        "dest": receiver.url,
        "schedule": {"second": "*"},
        "reportIfEmpty": True,
        "initialRecordTime": "2000-01-01T00:00:00Z",
    }
    answer = client.post(f"{where}/subscriptions", json=body)
    assert answer.json()["schedule"] == {"second": "*"}
    wait_until(lambda: receiver.numbers() == [0])
    capture(client, event(1))
    wait_until(lambda: receiver.numbers() == [0, 1])
    wait_until(lambda: any(_numbers(sent) == [] for _, sent in receiver.got))


def test_subscription_goes_on_after_a_restart(tmp_path, receiver):
    settings: dict[str, Any] = {"epcis": {"allow": ["127.0.0.0/8"]}}
    with served(tmp_path, **settings) as server:
        where = make(server.http)
        body = {"dest": receiver.url, "stream": True}
        made = server.http.post(f"{where}/subscriptions", json=body).json()
        capture(server.http, event(1))
        wait_until(lambda: receiver.numbers() == [1])
        wait_until(lambda: "lastNotifiedAt" in _told(server, where, made))
    with served(tmp_path, **settings) as server:
        capture(server.http, event(2))
        wait_until(lambda: receiver.numbers() == [1, 2])


def _told(server: Served, where: str, made: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = server.http.get(
        f"{where}/subscriptions/{made['subscriptionID']}"
    ).json()
    return found


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"dest": "http://127.0.0.1/x"},
        {"stream": True},
        {"dest": "http://127.0.0.1/x", "stream": False},
        {"dest": "http://127.0.0.1/x", "stream": True, "schedule": {"hour": "1"}},
        {"dest": "http://127.0.0.1/x", "schedule": {"hour": "99"}},
        {"dest": "http://127.0.0.1/x", "schedule": {}},
        {"dest": "http://127.0.0.1/x", "stream": True, "initialRecordTime": "soon"},
        {"dest": "http://127.0.0.1/x", "stream": True, "more": 1},
        {"dest": "ftp://127.0.0.1/x", "stream": True},
        {"dest": "http://10.0.0.1/x", "stream": True},
        {"dest": 5, "stream": True},
        {"dest": "http://127.0.0.1/x", "stream": True, "signatureToken": 5},
    ],
)
def test_wrong_subscription_is_refused(filled, standard, body):
    where = "/epcis/queries/shipped"
    answer = filled.post(f"{where}/subscriptions", json=body)
    assert answer.status_code == 400, answer.text
    standard.require_problem(answer.json(), "400SubscriptionIssues")
    assert filled.get(f"{where}/subscriptions").json() == []


def test_ordered_query_has_no_subscriptions(client, receiver):
    where = make(client, {"name": "o", "query": {"orderBy": "eventTime"}})
    answer = client.post(f"{where}/subscriptions", json={"dest": receiver.url, "stream": True})
    assert answer.status_code == 400


def test_web_socket_streams(server, client, standard):
    capture(client, event(0))
    make(client)
    url = f"ws://127.0.0.1:{server.port}/epcis/queries/shipped/events"
    with connect(f"{url}?stream=true", open_timeout=PATIENCE) as socket:
        capture(client, event(1), event(2, bizStep="packing"))
        told = json.loads(socket.recv(PATIENCE))
        standard.require("epcisQueryDocument", told)
        assert _numbers(json.dumps(told)) == [1]
        capture(client, event(3))
        assert _numbers(socket.recv(PATIENCE)) == [3]
        client.delete("/epcis/queries/shipped").raise_for_status()
        with pytest.raises(Exception, match=r"1001|going away"):
            socket.recv(PATIENCE)


def test_web_socket_by_schedule(server, client):
    capture(client, event(0))
    make(client)
    url = f"ws://127.0.0.1:{server.port}/epcis/queries/shipped/events"
    since = "initialRecordTime=2000-01-01T00:00:00Z"
    with connect(f"{url}?second=*&{since}", open_timeout=PATIENCE) as socket:
        assert _numbers(socket.recv(PATIENCE)) == [0]


@pytest.mark.parametrize("query", ["", "stream=true&hour=1", "hour=99", "stream=perhaps"])
def test_wrong_web_socket_is_told_why(filled, query):
    url = f"ws://{filled.base_url.netloc.decode()}/epcis/queries/shipped/events?{query}"
    with connect(url, open_timeout=PATIENCE) as socket:
        told = json.loads(socket.recv(PATIENCE))
        assert told["type"] == "epcisException:SubscriptionControlsException"


def test_parameters_of_a_web_socket_need_one(filled, standard):
    where = "/epcis/queries/shipped"
    answer = filled.get(f"{where}/events?stream=true")
    assert answer.status_code == 400
    standard.require_problem(answer.json(), "400SubscriptionIssues")
    assert filled.get(f"{where}/events?EQ_action=ADD").status_code == 400
