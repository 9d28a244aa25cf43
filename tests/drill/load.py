"""A service under load, and the account of it: what was accepted, what rang, what was delivered.

Event number n is even or odd; the subscription rings for even ones. A publisher goes on until an
event was accepted, however often the service is away; so it may publish one twice.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

from tests.builders import event_json
from tests.service.spark.up import Up, free_port

EVEN = " OR ".join(f"ce_id LIKE '%{digit}'" for digit in "02468")
BATCH = 20
QUICKLY = 2_000
"""So many events are published as fast as it goes; then fewer, lest a slow machine never ends."""
PATIENCE = 600
"""Seconds in which all that should ring has rung, however slow the machine."""

Send = Callable[[list[dict[str, Any]]], bool]
"""Sends events; whether they were accepted."""


def event(number: int) -> dict[str, Any]:
    return event_json(number, source="drill", data={"n": number})


@dataclass
class Publisher:
    """A thread that publishes numbers until it is told to end; each is accepted in the end."""

    send: Send
    accepted: int = 0
    again: int = 0
    _ending: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> int:
        """Publishes no more; how many were accepted."""
        self._ending.set()
        assert self._thread is not None
        self._thread.join(120)
        return self.accepted

    def _run(self) -> None:
        while not self._ending.is_set():
            batch = [event(n) for n in range(self.accepted, self.accepted + BATCH)]
            while not self.send(batch):
                self.again += 1
                if self._ending.wait(0.2):
                    return
            self.accepted += BATCH
            time.sleep(0.05 if self.accepted < QUICKLY else 1)


def over_http(up: Up) -> Send:
    def send(events: list[dict[str, Any]]) -> bool:
        lines = "\n".join(map(json.dumps, events))
        kind = {"content-type": "application/x-ndjson"}
        try:
            answer = httpx.post(
                f"http://127.0.0.1:{up.port}/v1/events", content=lines, headers=kind, timeout=20
            )
        except httpx.HTTPError:
            return False
        return answer.status_code == 202

    return send


class Receiver:
    """A webhook's target, which can be away. It keeps the id and the events of each match."""

    def __init__(self) -> None:
        self.port = free_port()
        self.heard: Counter[tuple[str, str]] = Counter()
        self._server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    def start(self) -> None:
        heard = self.heard

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                for each in body if isinstance(body, list) else [body]:
                    heard[each["id"], each["data"]["events"][0]] += 1
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


@dataclass(frozen=True)
class Account:
    """What came of a drill."""

    fault: str
    times: int
    events: int
    refused: int
    lost: int
    doubled: int
    delivered_again: int
    seconds: float

    @property
    def is_good(self) -> bool:
        return self.lost == 0 and self.doubled == 0 and self.events > 0

    def row(self) -> str:
        cells = (
            self.fault,
            self.times,
            self.events,
            self.refused,
            self.lost,
            self.doubled,
            self.delivered_again,
            f"{self.seconds:.0f} s",
        )
        return "| " + " | ".join(map(str, cells)) + " |"


HEAD = (
    "| fault | times | events accepted | tries that failed | lost | doubled"
    " | delivered again, same id | took |\n|---|---|---|---|---|---|---|---|"
)


def account(
    fault: str, times: int, publisher: Publisher, up: Up, receiver: Receiver | None, begun: float
) -> Account:
    """Waits until all that should ring has rung and was delivered, then counts."""
    accepted = publisher.end()
    wanted = {str(number) for number in range(0, accepted, 2)}
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        rung = _rung(up)
        told = {name for _, name in list(receiver.heard)} if receiver else wanted
        if wanted <= set(rung) and wanted <= told:
            break
        time.sleep(1)
    lost = len(wanted - set(rung)) + len(wanted - told)
    doubled = sum(count - 1 for count in rung.values())
    again = 0
    if receiver is not None:
        heard = receiver.heard.copy()  # threads go on hearing
        ids = Counter(name for _, name in heard)
        doubled += sum(count - 1 for count in ids.values())
        again = sum(count - 1 for count in heard.values())
    took = time.monotonic() - begun
    return Account(fault, times, accepted, publisher.again, lost, doubled, again, took)


def _rung(up: Up) -> Counter[str]:
    try:
        return Counter(each["events"][0] for each in up.matches())
    except (httpx.HTTPError, KeyError, ValueError):
        return Counter()
