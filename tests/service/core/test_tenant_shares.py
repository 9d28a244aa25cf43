"""What one tenant asks for does not keep another waiting; nor does it go on when nobody waits."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.service.core.asking import event
from tests.service.serving import Served, served
from tests.waiting import PATIENCE, wait_until
from tocsin.service.api import asking as asking_routes
from tocsin.service.api import events as event_routes
from tocsin.service.api import matches as match_routes
from tocsin.service.api import why_not as why_not_routes
from tocsin.service.base.work import WorkEnded, checkpoint
from tocsin.service.epcis import event_routes as epcis_routes
from tocsin.service.subscriptions.dry_run import DryRunResult

AT_ONCE, WAITING = 2, 3
LIMITS = {
    "tenant_work": AT_ONCE,
    "tenant_waiting": WAITING,
    "streams": 6,
    "tenant_streams": 3,
}
CHEAP = {"language": "selector", "expression": "price < 400"}
TRY = ("POST", "/v1/try", CHEAP)


class Clients:
    """A client for each tenant."""

    def __init__(self, server: Served) -> None:
        self.server = server
        self._stack = ExitStack()
        self.of = {name: self._client(name) for name in ("a", "b")}

    def _client(self, tenant: str) -> httpx.Client:
        key = self.server.service.keys.create(["publish", "subscribe"], tenant)
        headers = {"Authorization": f"Bearer {key}"}
        return self._stack.enter_context(
            httpx.Client(
                base_url=self.server.url, timeout=PATIENCE, trust_env=False, headers=headers
            )
        )

    def close(self) -> None:
        self._stack.close()


@pytest.fixture
def clients(tmp_path: Path) -> Iterator[Clients]:
    with served(tmp_path, auth=True, limits=LIMITS) as server:
        found = Clients(server)
        yield found
        found.close()


class Gate:
    """Work that holds its thread until the gate is open."""

    def __init__(self, result: object) -> None:
        self.result = result
        self.is_open = threading.Event()
        self.entered = 0
        self.ended = 0

    def __call__(self, *_: Any, **__: Any) -> Any:
        self.entered += 1
        try:
            while not self.is_open.wait(0.01):
                checkpoint()
        except WorkEnded:
            self.ended += 1
            raise
        return self.result


def _prepare(clients: Clients) -> None:
    """A match and a dead letter of tenant a, to ask about."""
    a = clients.of["a"]
    assert a.put("/v1/subscriptions/cheap", json=CHEAP).status_code == 201
    a.post("/v1/events", json=event("1", price=1)).raise_for_status()
    a.post("/v1/events", content=b"{}", headers={"content-type": "application/x-ndjson"})
    wait_until(lambda: a.get("/v1/matches").json()["matches"])
    wait_until(lambda: a.get("/v1/dead-letters").json()["dead_letters"])


def _requests(
    clients: Clients, gate: Gate, patch: pytest.MonkeyPatch
) -> dict[str, tuple[Any, ...]]:
    """Each kind of costly request, whose work is held at the gate."""
    _prepare(clients)
    a = clients.of["a"]
    match = a.get("/v1/matches").json()["matches"][0]["id"]
    letter = a.get("/v1/dead-letters").json()["dead_letters"][0]["id"]
    service = clients.server.service
    for holder, name in (
        (asking_routes, "try_out"),
        (asking_routes, "explain"),
        (service.entries, "problems"),
        (match_routes, "why"),
        (why_not_routes, "_compile"),
        (service.replays, "replay"),
        (epcis_routes, "find"),
    ):
        if holder is service.replays:
            patch.setattr(type(service.replays), "replay", gate)
        else:
            patch.setattr(holder, name, gate)
    return {
        "try": TRY,
        "explain": ("POST", "/v1/explain", CHEAP),
        "check": ("POST", "/v1/check", CHEAP),
        "why": ("GET", f"/v1/matches/{match}/why", None),
        "why-not": ("POST", "/v1/why-not", {"subscription": "cheap", "event": {"position": 1}}),
        "replay": ("POST", f"/v1/dead-letters/{letter}/replay", None),
        "query": ("GET", "/epcis/events", None),
    }


KINDS = ("try", "explain", "check", "why", "why-not", "replay", "query")


def _ask(client: httpx.Client, ask: tuple[str, str, Any]) -> httpx.Response:
    method, path, body = ask
    return client.request(method, path, json=body)


@pytest.mark.parametrize("kind", KINDS)
def test_another_tenant_is_served_while_one_has_all_it_may_have_at_work(
    clients: Clients, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(None)
    ask = _requests(clients, gate, monkeypatch)[kind]
    a, b = clients.of["a"], clients.of["b"]
    with ThreadPoolExecutor(12) as pool:
        asked: list[Future[httpx.Response]] = [pool.submit(_ask, a, ask) for _ in range(12)]
        try:
            wait_until(lambda: sum(each.done() for each in asked) == 12 - AT_ONCE - WAITING)
            assert gate.entered == AT_ONCE
            refused = [each.result() for each in asked if each.done()]
            for answer in refused:
                assert answer.status_code == 429, answer.text
                assert answer.headers["retry-after"] == "1"
                assert answer.headers["content-type"] == "application/problem+json"
            for path in ("/v1/matches", "/v1/events", "/v1/subscriptions", "/v1/statistics"):
                assert b.get(path).status_code == 200
                assert a.get(path).status_code == 200, "reads wait for costly work"
            monkeypatch.setattr(asking_routes, "try_out", lambda *_: DryRunResult(0, 0, True))
            assert _ask(b, TRY).status_code == 200
        finally:
            gate.is_open.set()
        done = [each.result() for each in asked]
    assert sum(answer.status_code == 429 for answer in done) == len(refused)


@pytest.mark.parametrize("kind", KINDS)
def test_work_ends_when_its_client_leaves(
    clients: Clients, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(None)
    method, path, body = _requests(clients, gate, monkeypatch)[kind]
    content = b"" if body is None else json.dumps(body).encode()
    key = clients.of["a"].headers["authorization"]
    head = (
        f"{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: {key}\r\n"
        f"content-length: {len(content)}\r\n\r\n"
    )
    for _ in range(AT_ONCE + WAITING):
        with socket.create_connection(("127.0.0.1", clients.server.port), PATIENCE) as sock:
            before = gate.entered
            sock.sendall(head.encode() + content)
            wait_until(lambda before=before: gate.entered > before)
    wait_until(lambda: gate.ended == AT_ONCE + WAITING)


def test_reading_of_a_body_ends_when_its_client_leaves(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(None)
    monkeypatch.setattr(event_routes, "receive", gate)
    key = clients.of["a"].headers["authorization"]
    head = (
        f"POST /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: {key}\r\n"
        "content-type: application/x-ndjson\r\ncontent-length: 9000\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", clients.server.port), PATIENCE) as sock:
        sock.sendall(head.encode() + b"{}\n" * 3000)
        wait_until(lambda: gate.entered)
    wait_until(lambda: gate.ended)


def test_a_service_that_stops_does_not_wait_for_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(None)
    monkeypatch.setattr(asking_routes, "try_out", gate)
    with ThreadPoolExecutor(1) as pool:
        with served(tmp_path, limits=LIMITS) as server:
            asked = pool.submit(_ask_quietly, server.url)
            wait_until(lambda: gate.entered)
        assert gate.ended == 1
        asked.result()


def _ask_quietly(url: str) -> None:
    try:
        httpx.post(f"{url}/v1/try", json=CHEAP, timeout=PATIENCE, trust_env=False)
    except httpx.HTTPError:
        return


STREAMS = ("/v1/matches/stream", "/v1/events/stream")


@pytest.mark.parametrize("path", STREAMS)
def test_a_tenant_has_a_number_of_streams_and_one_more_is_refused(
    clients: Clients, path: str
) -> None:
    a, b = clients.of["a"], clients.of["b"]
    service = clients.server.service
    with ExitStack() as stack:
        for _ in range(3):
            assert stack.enter_context(a.stream("GET", path)).status_code == 200
        for other in STREAMS:
            answer = a.get(other)
            assert answer.status_code == 429
            assert answer.headers["retry-after"] == "1"
            assert answer.json()["code"] == "RateLimitExceeded"
        for _ in range(3):
            assert stack.enter_context(b.stream("GET", path)).status_code == 200
        assert "listeners already" in b.get(path).json()["detail"]
        with _live(clients, "a") as listener:
            assert json.loads(listener.recv(PATIENCE))["status"] == 429
            with pytest.raises(ConnectionClosed) as closed:
                listener.recv(PATIENCE)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4429
    wait_until(lambda: service.streams == 0)
    assert not service.tenant_streams


def _live(clients: Clients, tenant: str) -> Any:
    url = clients.server.url.replace("http", "ws") + "/v1/matches/live"
    key = clients.of[tenant].headers["authorization"]
    return connect(url, additional_headers={"Authorization": key}, open_timeout=PATIENCE)


@pytest.mark.parametrize("message", [b"\x00\xff", b"", "text", ""])
def test_what_a_listener_says_is_not_used(clients: Clients, message: bytes | str) -> None:
    _prepare(clients)
    with _live(clients, "a") as listener:
        wait_until(lambda: clients.server.service.streams == 1)
        for _ in range(3):
            listener.send(message)
        clients.of["a"].post("/v1/events", json=event("2", price=1)).raise_for_status()
        assert json.loads(listener.recv(PATIENCE))["events"] == ["2"]
    wait_until(lambda: clients.server.service.streams == 0)


def test_a_stream_whose_client_left_before_it_began_is_not_counted(clients: Clients) -> None:
    key = clients.of["a"].headers["authorization"]
    head = f"GET /v1/matches/stream HTTP/1.1\r\nhost: x\r\nauthorization: {key}\r\n\r\n"
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", clients.server.port), PATIENCE) as sock:
            sock.sendall(head.encode())
    wait_until(lambda: clients.server.service.streams == 0)
    assert not clients.server.service.tenant_streams
