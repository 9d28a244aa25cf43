"""A real server on loopback, in this process: started, asked over HTTP, stopped."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
import uvicorn

from tests.waiting import PATIENCE, wait_until
from tocsin.service.core.service import Service
from tocsin.service.operations.components import open_service
from tocsin.service.operations.server import open_app
from tocsin.service.settings.settings import load_settings

T = TypeVar("T")


class Served:
    """A service behind a port of its own."""

    def __init__(self, data: Path, port: int = 0, **settings: Any) -> None:
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", port))
        self.port: int = self.socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.service: Service = open_service(
            load_settings(data=data, **{"auth": False, **settings})
        )
        self.service.start()
        config = uvicorn.Config(open_app(self.service), log_level="warning", lifespan="off")
        config.timeout_graceful_shutdown = 1
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self.socket]}, daemon=True
        )
        self._thread.start()
        wait_until(lambda: self._server.started)
        self.http = httpx.Client(base_url=self.url, timeout=PATIENCE, trust_env=False)

    def stop(self) -> None:
        """Ends the server and its service."""
        self.http.close()
        self.service.feed.close()
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        self.service.stop()


@contextmanager
def served(data: Path, port: int = 0, **settings: Any) -> Iterator[Served]:
    """A server for as long as it is needed."""
    found = Served(data, port, **settings)
    try:
        yield found
    finally:
        found.stop()
