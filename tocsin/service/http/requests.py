"""Handling of requests: the service, bounded bodies, work in threads, and the start of streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any, ParamSpec, TypeVar, cast

from fastapi import Depends, Query, Request
from fastapi.responses import StreamingResponse
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.types import Receive, Scope, Send

from tocsin.errors import LimitProblem, MeaningProblem, Problem
from tocsin.events.codecs.base.cloudevents import parse_json
from tocsin.service.core.service import Service
from tocsin.values.time import Instant, parse_instant

P = ParamSpec("P")
T = TypeVar("T")
_MAX_DIGITS = 20
"""Digits of the greatest integer of 64 bits, 19 signed or 20 unsigned."""


def service_of(request: Request) -> Service:
    """Return the service of the application."""
    return cast(Service, request.app.state.service)


BRIEF = 1 << 12
"""Bytes up to which a body is parsed in the event loop; longer ones are parsed in a thread."""

InService = Annotated[Service, Depends(service_of)]


async def body_of(request: Request, limit: int) -> bytes:
    """Return the whole body; raise LimitProblem as soon as it is too long."""
    told = request.headers.get("content-length", "")
    if is_count(told) and int(told) > limit:
        raise too_large(limit)
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise too_large(limit)
        chunks.append(chunk)
    return b"".join(chunks)


def is_count(text: str) -> bool:
    """True if a text is a number of up to 20 digits from 0 to 9.

    `isdigit` alone is not enough: other scripts have digits that `int` rejects, and Python refuses
    numbers of thousands of digits.
    """
    return text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS


async def object_of(request: Request, limit: int) -> dict[str, Any]:
    """Return the JSON object in the body; raise MeaningProblem for any other body."""
    raw = await body_of(request, limit)
    try:
        value = await asyncio.to_thread(parse_json, raw) if len(raw) > BRIEF else parse_json(raw)
    except Problem as problem:
        raise MeaningProblem(problem.message, code="RequestError", hint=problem.hint) from None
    if not isinstance(value, dict):
        raise MeaningProblem("the body is a JSON object", code="RequestError")
    return value


async def run_work(
    request: Request, tenant: str, call: Callable[P, T], *args: P.args, **named: P.kwargs
) -> T:
    """Return the result of work that may take long; cancel it if the client leaves."""
    pool = service_of(request).work
    return await ended_with_client(request, pool.run(tenant, call, *args, **named))


async def run_read(
    request: Request, tenant: str, call: Callable[P, T], *args: P.args, **named: P.kwargs
) -> T:
    """Return the result of a call that reads or changes stored data."""
    return await service_of(request).reads.run(tenant, call, *args, **named)


async def ended_with_client(request: Request, work: Awaitable[T]) -> T:
    """Return the result of work; cancel it and raise ClientDisconnect if the client leaves."""
    doing = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_leaving(request))
    try:
        await asyncio.wait((doing, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise ClientDisconnect
        return doing.result()
    finally:
        doing.cancel()
        leaving.cancel()
        await asyncio.gather(doing, leaving, return_exceptions=True)


async def _leaving(request: Request) -> None:
    """Return when the client leaves; its body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def too_large(limit: int) -> LimitProblem:
    """Return the problem of a request that is too long."""
    return LimitProblem(
        f"the request has more than {limit:,} bytes, which is the limit",
        code="RequestTooLarge",
        hint="send less at a time",
    )


# Positions and instants between which a page or a stream is read, and the number of listeners.

LAST = 2**63 - 1
"""The highest possible position."""

After = Annotated[int, Query(ge=0, le=LAST, description="The position to begin behind.")]
Before = Annotated[int | None, Query(ge=0, le=LAST, description="The position to end before.")]
Newest = Annotated[bool, Query(description="The last of them, not the first; oldest first still.")]

STREAM = {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
"""Response of a stream in the OpenAPI document."""

STREAM_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def instant_of(given: str | None) -> Instant | None:
    """Return the instant of an optional parameter, or None."""
    return None if given is None else parse_instant(given)


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
