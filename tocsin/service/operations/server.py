"""The HTTP server of the service: all routes in one application, on a port until a signal."""

from __future__ import annotations

import gc
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import APIRouter, FastAPI

from tocsin.errors import StateProblem
from tocsin.runtime.gc_tuning import collect_rarely
from tocsin.service.api.app import create_app
from tocsin.service.core.service import Service
from tocsin.service.delivery import part as delivery
from tocsin.service.epcis.app import create_epcis_app
from tocsin.service.federation import part as federation
from tocsin.service.http.access import OwnOrigin
from tocsin.service.http.connections import (
    BACKLOG,
    ConnectionTable,
    keep_alive_seconds,
    raise_file_limit,
)
from tocsin.service.http.protocol import BoundedHttpProtocol, ServerConfig

PATIENCE = 5
"""Seconds that a stopping service waits for requests under way."""

_TICKS_PER_SWEEP = 10
"""Ticks between two checks of connections: the server ticks ten times a second."""


ROUTERS: tuple[APIRouter, ...] = (
    delivery.router,
    federation.router,
)
"""Further routes of the application."""

MOUNTS: dict[str, Callable[[Service], FastAPI]] = {"/epcis": create_epcis_app}
"""Whole applications below a path, with error documents of their own."""


class HttpServer(uvicorn.Server):
    """Server that closes the feed of matches at a signal, before it waits for its listeners."""

    def __init__(self, config: ServerConfig, service: Service) -> None:
        super().__init__(config)
        self._service = service
        raise_file_limit()
        config.table = self._connections = ConnectionTable(
            service.settings.http, self.server_state.connections
        )

    async def on_tick(self, counter: int) -> bool:
        """End connections that are too slow, once a second."""
        if counter % _TICKS_PER_SWEEP == 0:
            self._connections.sweep()
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal to stop; a second Ctrl-C does not wait for open requests.

        The signal is not raised again afterwards, as the components of the service are still to be
        stopped.
        """
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.end()

    def end(self) -> None:
        """Make `run` return soon; may be called by any thread."""
        self._service.feed.close()
        self.should_exit = True


def listen(service: Service) -> socket.socket:
    """Return the bound socket of the service; raise StateProblem if its port is taken."""
    host, port = service.settings.host, service.settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
    except OSError as error:
        sock.close()
        raise StateProblem(
            f"{host}:{port} cannot be listened on: {error.strerror}",
            code="PortError",
            hint="give another port with --port, or 0 for any",
        ) from None
    return sock


def open_app(service: Service) -> FastAPI:
    """Return the HTTP application with all routes. Without keys it accepts only requests that name
    the service as their host.
    """
    app = create_app(service, ROUTERS)
    for path, make in MOUNTS.items():
        app.mount(path, make(service))
    if not service.settings.auth:
        app.add_middleware(OwnOrigin, host=service.settings.host, names=service.settings.hosts)
    return app


def serve(service: Service, sock: socket.socket) -> None:
    """Serve until a signal. The caller starts the service before, and stops it after."""
    make_server(service).run(sockets=[sock])


def make_server(service: Service) -> HttpServer:
    """Return a server that is ready to run."""
    http = service.settings.http
    config = ServerConfig(
        open_app(service),
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=PATIENCE,
        timeout_keep_alive=keep_alive_seconds(http),
        backlog=BACKLOG,
        http=BoundedHttpProtocol,
        ws_max_size=http.message_bytes,
        server_header=False,
    )
    gc.collect()
    collect_rarely()
    return HttpServer(config, service)
