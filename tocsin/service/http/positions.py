"""Start position and number of listeners, the same for all streams."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi.responses import StreamingResponse
from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope, Send

from tocsin.errors import LimitProblem, MeaningProblem
from tocsin.service.core.service import Service
from tocsin.service.http.requests import is_count

LAST = 2**63 - 1
"""The highest possible position."""

STREAM = {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
"""Response of a stream in the OpenAPI document."""

STREAM_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def begin_behind(request: HTTPConnection, head: int) -> int:
    """Return the position to begin behind: `Last-Event-ID`, else `after`, else the head. Raises
    MeaningProblem for any other text.
    """
    given = request.headers.get("last-event-id") or request.query_params.get("after")
    if given is None:
        return head
    if not is_count(given) or int(given) > LAST:
        raise MeaningProblem(
            f"{given[:80]!r} is not a position",
            code="RequestError",
            token=given[:80],
            hint="it is the number of the last event that was heard; 0 for all",
        )
    return int(given)


class CountedStream:
    """A counted listener of a tenant, from construction to the exit of its context. Raises
    LimitProblem if there are too many.
    """

    def __init__(self, service: Service, tenant: str) -> None:
        limits = service.settings.limits
        _require_fewer(service.streams, limits.streams, "streams")
        _require_fewer(service.tenant_streams[tenant], limits.tenant_streams, "tenant_streams")
        self._service, self._tenant = service, tenant
        service.streams += 1
        service.tenant_streams[tenant] += 1

    def __enter__(self) -> None:
        """Do nothing: the listener is counted already."""

    def __exit__(self, *_: object) -> None:
        self._service.streams -= 1
        self._service.tenant_streams[self._tenant] -= 1
        if not self._service.tenant_streams[self._tenant]:
            del self._service.tenant_streams[self._tenant]


class CountedResponse(StreamingResponse):
    """A stream of Server-Sent Events, counted before it begins, so that an excess one is refused
    with a status, and until it has ended, even if it never began.
    """

    def __init__(self, stream: CountedStream, messages: AsyncIterator[bytes]) -> None:
        super().__init__(messages, headers=STREAM_HEADERS, media_type="text/event-stream")
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._stream:
            await super().__call__(scope, receive, send)


def _require_fewer(count: int, most: int, setting: str) -> None:
    if count >= most:
        of_tenant = " of the tenant" if setting == "tenant_streams" else ""
        raise LimitProblem(
            f"there are {most:,} listeners{of_tenant} already",
            code="RateLimitExceeded",
            hint=f"close one, or raise limits.{setting} in the settings",
        )
