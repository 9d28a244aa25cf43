"""A client that leaves, while it sends a body or while it listens, is not a fault of the service."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.sync.client import connect

from tests.service.core.asking import event
from tests.service.core.matrix import TABLE
from tests.service.core.test_matrix import filled
from tests.service.serving import Served, served
from tests.waiting import wait_until

BODIES = sorted(key for key in TABLE if key[0] in ("POST", "PUT") and TABLE[key].body is not None)
RESET = b"\1\0\0\0\0\0\0\0"
"""The option SO_LINGER with which a connection is cut, not closed."""


class Faults(logging.Handler):
    """Collects what the server logs as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(f"{record.getMessage()} {record.exc_info}")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("departures")
    with served(folder) as found:
        query = {"name": "absent", "query": {"EQ_bizStep": ["shipping"]}}
        assert found.http.post("/epcis/queries", json=query).status_code == 201
        yield found


@pytest.fixture
def faults() -> Iterator[Faults]:
    found = Faults()
    loggers = [logging.getLogger(each) for each in ("uvicorn.error", "asyncio", "tocsin")]
    for logger in loggers:
        logger.addHandler(found)
    yield found
    for logger in loggers:
        logger.removeHandler(found)


def _cut(server: Served, request: str, heard: bytes = b"") -> None:
    """Send the beginning of a request, wait for some words of the answer, and cut the connection."""
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(request.encode())
        said = b""
        while heard not in said:
            said += client.recv(65536)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


def _settle(server: Served) -> None:
    """A later request is answered after what the departures brought about."""
    for _ in range(3):
        assert server.http.get("/healthz").status_code == 200
    wait_until(lambda: server.service.streams == 0)


def test_clients_that_leave_while_they_send_are_not_logged(server: Served, faults: Faults) -> None:
    for method, path in BODIES:
        address = filled(path, ("1" if "dead-letters" in path else "absent",))
        lines = f"Host: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
        for size in ("Content-Length: 1000", "Transfer-Encoding: chunked"):
            _cut(server, f"{method} {address} HTTP/1.1\r\n{lines}{size}\r\n\r\n1\r\n{{")
    _settle(server)
    assert faults.found == []


@pytest.mark.parametrize("path", ["/v1/matches/stream", "/v1/events/stream"])
def test_clients_that_leave_a_stream_are_not_logged(
    server: Served, faults: Faults, path: str
) -> None:
    _cut(server, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n", b"id: ")
    server.http.post("/v1/events", json=event("1", price=1))
    _settle(server)
    assert faults.found == []


@pytest.mark.parametrize("path", ["/v1/matches/live", "/epcis/queries/absent/events?stream=true"])
def test_clients_that_leave_a_web_socket_are_not_logged(
    server: Served, faults: Faults, path: str
) -> None:
    socket_ = connect(f"ws://127.0.0.1:{server.port}{path}", proxy=None)
    socket_.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    socket_.socket.close()
    server.http.post("/v1/events", json=event("2", price=1))
    _settle(server)
    assert faults.found == []
