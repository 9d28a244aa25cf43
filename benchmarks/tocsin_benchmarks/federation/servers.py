"""Real servers on loopback in one process, each with a folder of its own, linked as a chain or a
tree.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx
import uvicorn

from tocsin.catalog import Subscription
from tocsin.service.federation.link import FederationLink
from tocsin.service.federation.part import FederationPart
from tocsin.service.operations.components import open_service
from tocsin.service.operations.server import open_app
from tocsin.service.settings.settings import load_settings

PATIENCE = 600.0
"""Seconds that a trial waits for what must come."""


def upstream_of(topology: str, server: int) -> int | None:
    """The number of the server upstream; None for the first."""
    if server == 0:
        return None
    return server - 1 if topology == "chain" else (server - 1) // 2


class RunningServer:
    """One server: subscriptions are there before it starts."""

    def __init__(
        self, folder: Path, name: str, upstream: str | None, subscriptions: Sequence[Subscription]
    ) -> None:
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        links = [] if upstream is None else [{"url": upstream}]
        settings = load_settings(
            data=folder,
            auth=False,
            idle="off",
            ahead="off",
            federation={"server": name, "upstream": links},
        )
        self.service = open_service(settings)
        self.service.catalog.add(*subscriptions)
        self.service.start()
        config = uvicorn.Config(open_app(self.service), log_level="warning", lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )
        self._thread.start()
        wait_until(lambda: self._server.started)

    @property
    def link(self) -> FederationLink:
        """The link to the server upstream."""
        part = next(each for each in self.service.parts if isinstance(each, FederationPart))
        return part.links[0]

    def publish(self, events: bytes) -> None:
        """Publishes lines of events over HTTP."""
        headers = {"content-type": "application/x-ndjson"}
        answer = httpx.post(
            f"{self.url}/v1/events", content=events, headers=headers, timeout=PATIENCE
        )
        answer.raise_for_status()

    def has_heard(self, subscription: str) -> bool:
        """Whether a subscription rang."""
        return bool(self.service.matches.read(0, 1, tenant="", subscription=subscription))

    def matches(self) -> set[tuple[str, ...]]:
        """Every match of its own subscriptions: the subscription and the events."""
        rows = self.service.matches.read(0, 10_000_000, tenant="")
        own = (row for row in rows if not row.subscription.startswith("federation."))
        return {(row.subscription, *_events(row.body)) for row in own}

    def stop(self) -> None:
        """Ends the server."""
        self.service.feed.close()
        self._server.should_exit = True
        self._thread.join()
        self.service.stop()


def _events(body: str) -> list[str]:
    found: list[str] = json.loads(body)["events"]
    return found


def wait_until(ask: Callable[[], bool]) -> None:
    """Returns when it is so; raises where it does not come to be."""
    end = time.monotonic() + PATIENCE
    while not ask():
        if time.monotonic() > end:
            raise TimeoutError("a server did not do what was waited for")
        time.sleep(0.05)
