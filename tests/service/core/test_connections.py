"""Connections without a key against a real server: each kind is bounded, and others are served."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.core.asking import event
from tests.service.core.process import Running, running
from tests.waiting import PATIENCE, wait_until
from tocsin.service.http.protocol import MAX_PIPELINED

CHEAP = {"language": "selector", "expression": "price < 400"}
CONFIG = """
[http]
connections = 60
per_address = 40
head_bytes = 8192
head_count = 20
url_bytes = 2048
message_bytes = 4096
head_timeout = "1s"
body_timeout = "1s"
body_rate = 100
keep_alive = "2s"
send_timeout = "2s"
"""
HEAD = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n"
WHOLE = HEAD + b"\r\n"
POST = b"POST /v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/xml\r\n"
UPGRADE = (
    b"GET /v1/matches/live HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
    b"sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("connections")
    (folder / "settings.toml").write_text(CONFIG)
    options = ("--engine", "local", "--no-auth", "--config", str(folder / "settings.toml"))
    with running(folder / "data", *options) as up:
        yield up
        up.http.close()
        said = up.stop()
        assert "Traceback" not in said, said


def connect(server: Running, origin: str = "127.0.0.1") -> socket.socket:
    """A connection from an address of the loopback network."""
    port = int(server.url.rpartition(":")[2])
    sock = socket.create_connection(("127.0.0.1", port), PATIENCE, (origin, 0))
    sock.settimeout(PATIENCE)
    return sock


def heard(sock: socket.socket) -> bytes:
    """Everything until the server closes; a test that is not closed fails by its time-out."""
    said = b""
    with suppress(ConnectionError):
        while piece := sock.recv(65536):
            said += piece
    return said


def sent_all(sock: socket.socket, data: bytes) -> None:
    """Sends as much as the server takes."""
    with suppress(ConnectionError, TimeoutError):
        sock.sendall(data)


def status_of(said: bytes) -> int:
    return int(said.split(b" ", 2)[1])


def document_of(said: bytes) -> dict[str, object]:
    head, _, body = said.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head, said
    found: dict[str, object] = json.loads(body)
    return found


def is_alive(server: Running, origin: str = "127.0.0.2") -> bool:
    with connect(server, origin) as sock:
        sock.sendall(HEAD + b"connection: close\r\n\r\n")
        return status_of(heard(sock)) == 200


def is_open(sock: socket.socket) -> bool:
    """Reads what there is; False where the server has closed."""
    sock.setblocking(False)
    try:
        while sock.recv(65536):
            pass
        return False
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
    finally:
        sock.settimeout(PATIENCE)


heads = st.one_of(
    st.integers(8_200, 200_000).map(lambda n: b"x: " + b"a" * n),
    st.integers(21, 400).map(lambda n: b"".join(b"x%d: 1\r\n" % i for i in range(n))),
    st.integers(10, 400).map(
        lambda n: b"".join(b"n%d: %s\r\n" % (i, b"v" * 900) for i in range(n))
    ),
    st.integers(8_200, 200_000).map(lambda n: b"n" * n + b": 1\r\n"),
)


@settings(max_examples=15, deadline=None)
@given(head=heads, method=st.sampled_from([HEAD, POST, UPGRADE]))
def test_a_head_that_is_too_large_is_answered_with_431(
    server: Running, head: bytes, method: bytes
) -> None:
    with connect(server) as sock:
        sent_all(sock, method + head + b"\r\n\r\n")
        said = heard(sock)
    assert status_of(said) == 431, said
    assert document_of(said)["code"] == "HeadTooLarge"
    assert is_alive(server)


ENDLESS = {
    "value of a header": (HEAD + b"x: ", b"a" * 65536),
    "name of a header": (HEAD, b"a" * 65536),
    "headers": (HEAD, b"x: 1\r\n" * 10_000),
    "folded headers": (HEAD + b"x: 1\r\n", b" y\r\n" * 16_000),
    "address": (b"GET /", b"a" * 65536),
    "method": (b"", b"G" * 65536),
    "blank lines": (b"", b"\r\n" * 32_768),
    "trailers": (POST + b"transfer-encoding: chunked\r\n\r\n1\r\n<\r\n0\r\nx: ", b"a" * 65536),
    "chunk extension": (POST + b"transfer-encoding: chunked\r\n\r\n1;x=", b"a" * 65536),
    "chunk size": (POST + b"transfer-encoding: chunked\r\n\r\n", b"0" * 65536),
    "garbage": (b"\x16\x03\x01\x02", b"\x00\xff" * 32_768),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_never_ends_is_cut_early(server: Running, kind: str) -> None:
    begin, more = ENDLESS[kind]
    taken = 0
    with connect(server) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        sent_all(sock, begin)
        try:
            while taken < 64 << 20:
                taken += sock.send(more)
        except ConnectionError:
            pass
    assert taken < 16 << 20, "it was read on and on"
    assert is_alive(server)


SLOW = {
    "nothing": (b"", None),
    "half a request line": (b"GET /hea", 408),
    "half a head": (HEAD, 408),
    "a blank line": (b"\r\n", 408),
    "half a body": (POST + b"content-length: 1000\r\n\r\n<a>", 408),
    "half a chunk": (POST + b"transfer-encoding: chunked\r\n\r\n5\r\n<a", 408),
    "half a head after a request": (WHOLE + HEAD, 200),
    "nothing after a request": (WHOLE, 200),
}


@pytest.mark.parametrize("kind", SLOW)
def test_who_is_silent_is_cut(server: Running, kind: str) -> None:
    sent, status = SLOW[kind]
    with connect(server) as sock:
        sent_all(sock, sent)
        said = heard(sock)
    assert said == b"" if status is None else status_of(said) == status, said
    assert (said.count(b"HTTP/1.1 408") == 1) == (
        kind == "half a head after a request" or status == 408
    )


@pytest.mark.parametrize("kind", ["head", "body"])
def test_a_byte_now_and_then_does_not_help(server: Running, kind: str) -> None:
    begin = HEAD if kind == "head" else POST + b"content-length: 1000\r\n\r\n"
    with connect(server) as sock:
        sock.sendall(begin)

        def is_cut() -> bool:
            if is_open(sock):
                sent_all(sock, b"x")
                return False
            return True

        wait_until(is_cut, longest_pause=0.1)
        sock.settimeout(PATIENCE)


def test_a_slow_and_steady_body_is_served(server: Running) -> None:
    body = b"<a>" + b"b" * 1_500 + b"</a>"
    with connect(server) as sock:
        sock.sendall(POST + b"content-length: %d\r\nconnection: close\r\n\r\n" % len(body))
        for at in range(0, len(body), 150):
            sock.sendall(body[at : at + 150])
            time.sleep(0.3)
        assert status_of(heard(sock)) == 202


def test_half_open_connections_make_room_for_those_who_ask(server: Running) -> None:
    opened = [connect(server) for _ in range(100)]
    try:
        assert is_alive(server, "127.0.0.1")
        assert is_alive(server, "127.0.0.2")
        wait_until(lambda: not any(map(is_open, opened)))
    finally:
        for sock in opened:
            sock.close()
    assert server.http.get("/readyz").json()["status"] == "ready"


def busy(server: Running, origin: str) -> socket.socket:
    """A connection with a request that goes on: a stream of matches."""
    sock = connect(server, origin)
    sock.sendall(b"GET /v1/matches/stream HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
    assert b" 200 " in sock.recv(1000)
    return sock


def test_one_address_has_a_limit_and_another_is_served(server: Running) -> None:
    streams = [busy(server, "127.0.0.3") for _ in range(40)]
    try:
        with connect(server, "127.0.0.3") as sock:
            said = heard(sock)
        assert status_of(said) == 429
        assert b"retry-after: 1" in said
        assert document_of(said)["code"] == "RateLimitExceeded"
        assert is_alive(server, "127.0.0.4")
        assert all(map(is_open, streams)), "a stream was cut to make room"
    finally:
        for sock in streams:
            sock.close()
    wait_until(lambda: is_alive(server, "127.0.0.3"))


def test_all_together_have_a_limit(server: Running) -> None:
    streams = [busy(server, f"127.0.1.{number}") for number in range(1, 60)]
    try:
        wait_until(lambda: _is_full(server, streams))
    finally:
        for sock in streams:
            sock.close()
    wait_until(lambda: is_alive(server))


def _is_full(server: Running, streams: list[socket.socket]) -> bool:
    sock = connect(server, "127.0.2.1")
    sock.sendall(b"GET /v1/matches/stream HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
    said = sock.recv(4000)
    if status_of(said) == 200:
        streams.append(sock)
        return False
    assert status_of(said) == 503
    assert document_of(said)["code"] == "TooManyConnections"
    sock.close()
    return True


def test_websockets_are_counted_and_given_back(server: Running) -> None:
    for _ in range(3):
        sockets = [wait_until(lambda: upgraded(server, "127.0.0.5")) for _ in range(40)]
        assert upgraded(server, "127.0.0.5") is None
        assert all(map(is_open, sockets)), "a WebSocket was cut to make room"
        for sock in sockets:
            sock.close()


def upgraded(server: Running, origin: str) -> socket.socket | None:
    """A WebSocket; None where there are too many connections."""
    sock = connect(server, origin)
    sent_all(sock, UPGRADE + b"\r\n")
    with suppress(ConnectionError):
        if status_of(sock.recv(4000)) == 101:
            return sock
    sock.close()
    return None


@pytest.mark.parametrize("length", [5_000, 1 << 40])
def test_a_message_of_a_websocket_is_bounded(server: Running, length: int) -> None:
    with connect(server) as sock:
        sock.sendall(UPGRADE + b"\r\n")
        assert status_of(sock.recv(4000)) == 101
        sent_all(sock, b"\x81\xff" + length.to_bytes(8, "big") + b"mask" + b"a" * 5_000)
        assert heard(sock)[2:4] == (1009).to_bytes(2, "big")


def test_thousands_of_pipelined_requests_are_cut(server: Running) -> None:
    with connect(server) as sock:
        sent_all(sock, WHOLE * 20_000)
        said = heard(sock)
    assert said.count(b"HTTP/1.1 200") <= MAX_PIPELINED + 1
    assert is_alive(server)


def test_some_pipelined_requests_are_answered_in_order(server: Running) -> None:
    with connect(server) as sock:
        sock.sendall(WHOLE * 20 + HEAD + b"connection: close\r\n\r\n")
        said = heard(sock)
    assert said.count(b"HTTP/1.1 200") == 21
    assert said.count(b'{"status":"alive"}') == 21


@settings(max_examples=20, deadline=None)
@given(garbage=st.binary(min_size=1, max_size=3_000))
def test_garbage_behind_a_request_harms_nobody(server: Running, garbage: bytes) -> None:
    with connect(server) as sock:
        sent_all(sock, WHOLE + garbage)
        sock.shutdown(socket.SHUT_WR)
        heard(sock)
    assert is_alive(server)


def test_a_body_that_goes_on_after_its_answer_is_cut(server: Running) -> None:
    taken = 0
    with connect(server) as sock:
        sock.sendall(
            b"POST /nowhere HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 99999999999\r\n\r\n"
        )
        try:
            while taken < 1 << 30:
                taken += sock.send(b"a" * 65536)
        except ConnectionError:
            pass
    assert taken < 1 << 28


def test_who_reads_nothing_is_cut(server: Running) -> None:
    """The answers to many requests that are never read fill the buffers of both sides."""
    with connect(server) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        ask = b"GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
        sock.settimeout(1)
        wait_until(lambda: _is_cut(sock, ask))
    assert is_alive(server)


def _is_cut(sock: socket.socket, ask: bytes) -> bool:
    try:
        sock.sendall(ask)
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return False


def test_a_listener_stays_while_nothing_happens(server: Running) -> None:
    """Time-outs are for those who send or read too slowly, not for those who wait."""
    with server.http.stream("GET", "/v1/matches/stream") as stream:
        lines = stream.iter_lines()
        assert next(lines).startswith("id:")
        time.sleep(4)
        assert any(line == ": all is well" for line in lines)


def test_files_are_kept_for_databases(tmp_path: Path) -> None:
    """With few file descriptors fewer connections are taken, and what needs files goes on."""
    file = tmp_path / "settings.toml"
    file.write_text('[http]\nspare_files = 160\nhead_timeout = "60s"\n')
    options = ("--engine", "local", "--no-auth", "--config", str(file))
    with running(tmp_path / "data", *options, files=900) as up:
        opened = [connect(up) for _ in range(900)]
        try:
            assert up.http.put("/v1/subscriptions/a", json=CHEAP).status_code == 201
            up.http.post("/v1/events", json=event("1", price=1)).raise_for_status()
            wait_until(lambda: up.http.get("/v1/matches").json()["matches"])
            assert sum(map(is_open, opened)) < 900 - 512 - 160
        finally:
            for sock in opened:
                sock.close()
        assert "unable to open" not in up.stop()
