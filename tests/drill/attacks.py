"""Attacks on a service in a process of its own: how long others wait meanwhile."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.builders import event_json
from tests.service.core.process import Running, running
from tocsin.database.stores import STATE
from tocsin.service.storage.database import open_database
from tocsin.service.storage.keys import KeyStore

LONGEST = 5.0
"""Seconds that others may wait at worst; a loaded machine is slow, and a fault takes far longer."""

WHY_NOT = {
    "subscription": {
        "language": "rule",
        "expression": "WHEN x THEN x WITHIN 1h THEN x WITHIN 1h",
        "policy": "unrestricted",
    },
    "event": {"position": 500},
}


@dataclass(frozen=True)
class Attack:
    """The outcome of an attack: how often another client was answered, and its longest wait."""

    name: str
    times: int
    answers: int
    failures: int
    longest: float
    figure: str

    @property
    def is_good(self) -> bool:
        return self.answers > 0 and self.failures == 0 and self.longest < LONGEST

    def row(self) -> str:
        told = f"longest wait of others {self.longest:.2f} s; {self.figure}"
        cells = (self.name, self.times, self.answers, self.failures, "", "", "", told)
        return "| " + " | ".join(map(str, cells)) + " |"


class Bystander(threading.Thread):
    """A client of another address that asks again and again."""

    def __init__(self, url: str, path: str, headers: dict[str, str]) -> None:
        super().__init__(daemon=True)
        transport = httpx.HTTPTransport(local_address="127.0.0.2")
        self._client = httpx.Client(
            base_url=url, timeout=60, headers=headers, transport=transport, trust_env=False
        )
        self._path = path
        self._ending = threading.Event()
        self.answers = self.failures = 0
        self.longest = 0.0

    def run(self) -> None:
        while not self._ending.wait(0.05):
            begun = time.monotonic()
            try:
                is_good = self._client.get(self._path).status_code == 200
            except httpx.HTTPError:
                is_good = False
            self.answers, self.failures = self.answers + is_good, self.failures + (not is_good)
            self.longest = max(self.longest, time.monotonic() - begun)

    def end(self) -> None:
        self._ending.set()
        self.join()


@contextmanager
def watched(
    up: Running, path: str = "/healthz", headers: dict[str, str] | None = None
) -> Iterator[Bystander]:
    found = Bystander(up.url, path, headers or {})
    found.start()
    try:
        yield found
    finally:
        found.end()


def _told(name: str, times: int, seen: Bystander, figure: str) -> Attack:
    return Attack(name, times, seen.answers, seen.failures, seen.longest, figure)


def _connect(up: Running) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(up.url.rpartition(":")[2])), 60)


def _count_open(opened: list[socket.socket]) -> int:
    return sum(map(_is_open, opened))


def _is_open(sock: socket.socket) -> bool:
    sock.setblocking(False)
    try:
        while sock.recv(65536):
            pass
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
    return False


def endless_header(folder: Path) -> Attack:
    with running(folder, "--engine", "local") as up, watched(up) as seen, _connect(up) as sock:
        taken = 0
        sock.sendall(b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ")
        with suppress(ConnectionError):
            while taken < 100 << 20:
                taken += sock.send(b"a" * 65536)
        time.sleep(2)
    return _told("an endless header without a key", 1, seen, f"{taken:,} bytes were taken")


def _held_open(folder: Path, name: str, count: int, sent: bytes) -> Attack:
    with running(folder, "--engine", "local") as up, watched(up) as seen:
        opened = [_connect(up) for _ in range(count)]
        for sock in opened:
            with suppress(ConnectionError):
                sock.sendall(sent)
        time.sleep(14)
        left = _count_open(opened)
        is_ready = up.is_ready()
        for sock in opened:
            sock.close()
    return _told(name, count, seen, f"{left} open after 14 s, ready: {is_ready}")


def slow_connections(folder: Path) -> Attack:
    return _held_open(folder, "slow heads", 400, b"GET / HTTP/1.1\r\nhost: ")


def half_open(folder: Path) -> Attack:
    return _held_open(folder, "half-open connections", 1_300, b"")


def many_attributes(folder: Path) -> Attack:
    body = "<a " + " ".join(f'n{n}="{n}"' for n in range(60_000)) + "/>"
    kind = {"content-type": "application/xml"}
    with running(folder, "--engine", "local", "--no-auth") as up, watched(up) as seen:
        begun = time.monotonic()
        status = up.http.post("/v1/events", content=body, headers=kind).status_code
        took = time.monotonic() - begun
    figure = f"answered {status} after {took:.2f} s"
    return _told("an XML event with 60,000 attributes", 1, seen, figure)


def tenant_hogs_pool(folder: Path) -> Attack:
    with running(folder, "--engine", "local") as up:
        keys = KeyStore(open_database(f"sqlite:///{(folder / 'state.db').absolute()}", STATE))
        hog, other = (
            {"Authorization": f"Bearer {keys.create(['publish', 'subscribe'], tenant)}"}
            for tenant in ("hog", "other")
        )
        batch = {"content-type": "application/cloudevents-batch+json"}
        up.http.post("/v1/events", json=_events(), headers=hog | batch).raise_for_status()

        def ask(_: int) -> int:
            return up.http.post("/v1/why-not", json=WHY_NOT, headers=hog).status_code

        with watched(up, "/v1/matches", other) as seen, ThreadPoolExecutor(12) as pool:
            found = list(pool.map(ask, range(12)))
    counts = {status: found.count(status) for status in sorted(set(found))}
    return _told("twelve costly why-nots of one tenant", 12, seen, f"answers {counts}")


def _events() -> list[dict[str, str]]:
    eight = 8 * 3600
    return [
        event_json(number, "x", eight + number, source="drill", specversion="1.0")
        for number in range(1_000)
    ]


ATTACKS: dict[str, Callable[[Path], Attack]] = {
    "endless-header": endless_header,
    "slow-connections": slow_connections,
    "half-open": half_open,
    "many-attributes": many_attributes,
    "tenant-hogs-pool": tenant_hogs_pool,
}
