"""HTTP/1.1 as uvicorn speaks it, with bounds: the head in size, count and time, the body in its
rate, responses in the time that the client reads nothing.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from enum import Enum
from http import HTTPStatus
from typing import Any

import uvicorn
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from tocsin.errors import LimitProblem, Problem
from tocsin.service.http.connections import ConnectionTable
from tocsin.service.http.problems import MEDIA_TYPE, document_of, status_of
from tocsin.service.settings.settings import HttpSettings, seconds

_STATUS = {
    "AddressTooLong": HTTPStatus.REQUEST_URI_TOO_LONG,
    "HeadTooLarge": HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    "RequestTimeout": HTTPStatus.REQUEST_TIMEOUT,
    "TooManyConnections": HTTPStatus.SERVICE_UNAVAILABLE,
}
"""Statuses of problems that only connections have."""


def too_slow(part: str, timeout: str) -> LimitProblem:
    """Return the problem of a head or body that takes too long."""
    return LimitProblem(
        f"the {part} of the request did not come within its time ({timeout})",
        code="RequestTimeout",
        hint=f"send faster, or raise http.{part}_timeout in the settings",
    )


def response_of(problem: Problem) -> bytes:
    """Return a complete response with a problem document, after which the connection ends."""
    status = _STATUS.get(problem.code) or status_of(problem)
    body = json.dumps(document_of(problem, status)).encode()
    head = (
        f"HTTP/1.1 {status:d} {HTTPStatus(status).phrase}\r\n"
        f"content-type: {MEDIA_TYPE}\r\ncontent-length: {len(body)}\r\n"
    )
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        head += "retry-after: 1\r\n"
    return head.encode() + b"connection: close\r\n\r\n" + body


MAX_PIPELINED = 64
"""Requests that may wait behind one; thousands fit into a packet, and each takes kilobytes."""

MAX_DISCARDED_BYTES = 32 << 20
"""Bytes of a body that are read after the response; some clients read it only then."""

LINGER_SECONDS = 2.0
MAX_LINGER_BYTES = 1 << 20
"""Bytes, and LINGER_SECONDS, in which a refused client may go on sending: closing a connection with
unread bytes resets it, and the response may be lost.
"""

_UNKNOWN_HOST = "?"

_LOGGER = logging.getLogger("tocsin.service.connections")
_LOGGER.setLevel(logging.ERROR)
"""Level of faults only: a line for each bad request would let strangers fill the disk."""


class ServerConfig(uvicorn.Config):
    """The configuration of a server, with the table that its connections share."""

    table: ConnectionTable


class _Stage(Enum):
    """The part of a request that is being read."""

    BETWEEN = "between"
    HEAD = "head"
    BODY = "body"


class BoundedHttpProtocol(HttpToolsProtocol):
    """One connection. A head or body beyond a bound is answered, if the client can still understand
    an answer, and the connection is closed.
    """

    def __init__(
        self,
        config: ServerConfig,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.logger = _LOGGER
        self._application: Any = self.app
        self.app = self._serve
        self._cycles: deque[RequestResponseCycle] = deque()
        self._table = config.table
        self._bounds: HttpSettings = config.table.settings
        self._head_seconds = seconds(self._bounds.head_timeout)
        self._body_seconds = seconds(self._bounds.body_timeout)
        self._send_seconds = seconds(self._bounds.send_timeout)
        self._refusal: Problem | None = None
        self._is_refused = False
        self._stage = _Stage.BETWEEN
        self._since: float | None = None  # clock at the start of a head or of a body's interval
        self._has_advanced = False  # within the current packet
        self._pending_bytes = 0  # since the last packet that advanced
        self._head_bytes = 0
        self._head_count = 0
        self._body_bytes = 0  # within the current interval
        self._discarded_bytes = 0
        self._unsent = 0
        self._unsent_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self._table.clock
        host = self.client[0] if self.client else _UNKNOWN_HOST
        problem = self._table.admit(transport, host, self)
        if problem is not None:
            transport.write(response_of(problem))
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._table.release(self.transport)
        self._abandon()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            self._discard(len(data), MAX_LINGER_BYTES)
        if self._is_refused or self.transport.is_closing():
            return
        self._has_advanced = False
        super().data_received(data)
        if self._has_advanced:
            self._pending_bytes = 0
            return
        if self._since is None:  # blank lines before a request are part of its head
            self._since = self._table.clock
        self._pending_bytes += len(data)
        if self._pending_bytes > self._bounds.head_bytes:
            self._refuse(self._head_too_long())

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._enter(_Stage.HEAD)
        self._head_bytes = self._head_count = 0

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > self._bounds.url_bytes:
            self._fail(
                LimitProblem(
                    f"the address has more than {self._bounds.url_bytes:,} bytes",
                    code="AddressTooLong",
                    hint="send less in the query, or raise http.url_bytes in the settings",
                )
            )

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header or, after the body, a trailer."""
        self._head_bytes += len(name) + len(value)
        self._head_count += 1
        if self._head_bytes > self._bounds.head_bytes:
            self._fail(self._head_too_long())
        if self._head_count > self._bounds.head_count:
            self._fail(
                LimitProblem(
                    f"the request has more than {self._bounds.head_count:,} headers",
                    code="HeadTooLarge",
                    hint="send fewer, or raise http.head_count in the settings",
                )
            )
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= MAX_PIPELINED:
            self._fail(
                LimitProblem(
                    f"more than {MAX_PIPELINED} requests wait on one connection",
                    code="RateLimitExceeded",
                    hint="wait for answers before more is sent",
                )
            )
        before = self.cycle
        super().on_headers_complete()
        self._enter(_Stage.BODY)
        self._body_bytes = self._discarded_bytes = 0
        self._table.mark_busy(self.transport)
        if self.cycle is not before:  # a WebSocket request has no cycle
            self._cycles.append(self.cycle)

    def on_body(self, body: bytes) -> None:
        self._has_advanced = True
        self._body_bytes += len(body)
        if self.cycle is not None and self.cycle.response_complete:
            self._discard(len(body), MAX_DISCARDED_BYTES)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._enter(_Stage.BETWEEN)
        self._since = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if self._cycles:
            self._cycles.popleft()
        super().on_response_complete()
        if self.cycle.response_complete:  # else the next one of the pipeline has begun
            self._table.mark_idle(self.transport)

    def handle_websocket_upgrade(self) -> None:
        super().handle_websocket_upgrade()
        self._has_advanced = True
        self._table.hand_over(self.transport, self.transport.get_protocol())

    def send_400_response(self, msg: str) -> None:
        """Answer a request that the parser rejects, or that exceeds a bound."""
        self._has_advanced = True
        self._refuse(self._refusal or Problem(msg, code="RequestError"))

    def check(self, now: float) -> None:
        """End the connection if its client sends or reads too slowly."""
        if self._is_refused:
            if self._since is None or now - self._since > LINGER_SECONDS:
                self.transport.abort()
        elif self.flow.write_paused:
            self._check_sending(now)
        elif self.flow.read_paused:
            self._unsent_since = None
            self._since = None if self._since is None else now
        elif self._since is not None:
            self._unsent_since = None
            self._check_reading(now, now - self._since)

    def _check_sending(self, now: float) -> None:
        unsent = self.transport.get_write_buffer_size()
        if self._unsent_since is None or unsent != self._unsent:
            self._unsent, self._unsent_since = unsent, now
        elif now - self._unsent_since > self._send_seconds:
            self.transport.abort()

    def _check_reading(self, now: float, passed: float) -> None:
        if self._stage is not _Stage.BODY:
            if passed <= self._head_seconds:
                return
            if self._stage is _Stage.BETWEEN and not self._pending_bytes:
                self.transport.close()  # there is no request to answer
            else:
                self._refuse(too_slow("head", self._bounds.head_timeout))
        elif passed > self._body_seconds:
            if self._body_bytes < self._bounds.body_rate * self._body_seconds:
                self._refuse(too_slow("body", self._bounds.body_timeout))
            self._since, self._body_bytes = now, 0

    def _enter(self, stage: _Stage) -> None:
        self._stage = stage
        self._since = self._table.clock
        self._has_advanced = True

    def _fail(self, problem: Problem) -> None:
        """Make the parser stop: an error in a callback leads to `send_400_response`."""
        self._refusal = problem
        raise problem

    def _refuse(self, problem: Problem) -> None:
        """Answer if the client can match the answer to its request, and close."""
        if self._is_refused or self.transport.is_closing():
            return
        can_answer = self._can_answer()
        self._abandon()
        if not can_answer:
            self.transport.close()
            return
        self._is_refused = True
        self._since, self._discarded_bytes = self._table.clock, 0
        self.transport.write(response_of(problem))
        self.transport.write_eof()
        self._table.mark_idle(self.transport)

    def _discard(self, count: int, most: int) -> None:
        """Count bytes that are not used; abort the connection above `most`."""
        self._discarded_bytes += count
        if self._discarded_bytes > most:
            self._abandon()
            self.transport.abort()

    def _abandon(self) -> None:
        """End the requests under way, whose client is gone."""
        for cycle in self._cycles:
            cycle.disconnected = True
            cycle.message_event.set()
        self._cycles.clear()
        self.pipeline.clear()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application; a client that leaves while its body is read is not a fault."""
        try:
            await self._application(scope, receive, send)
        except ClientDisconnect:
            return

    def _can_answer(self) -> bool:
        if self.cycle is None or self.cycle.response_complete:
            return self._stage is not _Stage.BODY
        is_body = self._stage is _Stage.BODY
        return is_body and not self.cycle.response_started and not self.pipeline

    def _head_too_long(self) -> LimitProblem:
        return LimitProblem(
            f"request line and headers have more than {self._bounds.head_bytes:,} bytes",
            code="HeadTooLarge",
            hint="send less in headers, or raise http.head_bytes in the settings",
        )
