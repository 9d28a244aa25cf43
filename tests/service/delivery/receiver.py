"""A real HTTP receiver in a thread of its own: it keeps what it got, and answers as it is told."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.waiting import PATIENCE, wait_until


@dataclass(frozen=True)
class Received:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


@dataclass(frozen=True)
class Reply:
    """What is answered, and after how long."""

    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    after: float = 0.0


Behaviour = Callable[[Received], Reply]


@dataclass
class Receiver:
    """What came in, in order, and how it is answered."""

    url: str = ""
    behaviour: Behaviour = lambda request: Reply()
    received: list[Received] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    hosts_asked: list[str] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def wait_for(self, count: int) -> list[Received]:
        """The requests, once there are so many."""
        wait_until(lambda: len(self.received) >= count, progress=lambda: len(self.received))
        return list(self.received)


@contextmanager
def receiving(
    behaviour: Behaviour = lambda request: Reply(),
    trust: ssl.SSLContext | None = None,
    port: int = 0,
) -> Iterator[Receiver]:
    """A receiver on loopback for as long as it is used."""
    receiver = Receiver(behaviour=behaviour)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            size = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Received(self.path, headers, self.rfile.read(size))
            if len(request.body) < size:  # who sent it died in the middle
                self.close_connection = True
                return
            receiver.received.append(request)
            reply = receiver.behaviour(request)
            if receiver.closing.wait(reply.after):
                return
            if 200 <= reply.status < 300:
                receiver.taken.append(headers.get("webhook-id", ""))
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_PUT = do_DELETE = do_POST

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.handle_error = lambda request, address: None  # type: ignore[method-assign]
    if trust is not None:
        trust.sni_callback = lambda connection, name, context: receiver.hosts_asked.append(name)
        server.socket = trust.wrap_socket(server.socket, server_side=True)
    scheme = "http" if trust is None else "https"
    receiver.url = f"{scheme}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.closing.set()
        server.shutdown()
        server.server_close()
        thread.join(PATIENCE)
