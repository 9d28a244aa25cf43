"""Routes `GET /v1/events` and `/v1/events/stream`: accepted events, by page and live.

Tenants share the events, so that each may read all of them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from tocsin.service.api.matches import After, Before, Newest, instant_of
from tocsin.service.console.event_stream import follow_events
from tocsin.service.console.stored_events import event_texts
from tocsin.service.http.access import AccessScope, Caller, caller_with, listener_with
from tocsin.service.http.positions import (
    STREAM,
    CountedResponse,
    CountedStream,
    begin_behind,
)
from tocsin.service.http.requests import run_read, service_of
from tocsin.service.http.revocation import stream_while_valid
from tocsin.service.storage.event_queries import Span

router = APIRouter(tags=["events"])

MAX_EVENTS = 1_000
Limit = Annotated[int, Query(ge=1, le=MAX_EVENTS)]


@router.get("/v1/events")
async def list_events(
    request: Request,
    after: After = 0,
    before: Before = None,
    since: str | None = None,
    until: str | None = None,
    limit: Limit = 100,
    newest: Newest = False,
) -> Response:
    """Return stored events in order of arrival, and `next`, the position for the next request.

    `since` and `until` bound the receive time.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    span = Span(after, before, instant_of(since), instant_of(until))

    def read() -> str:
        rows = service.browsing.read(span, limit, newest=newest)
        last = rows[-1].position if rows else after
        texts = event_texts(rows, service.late.refreshed())
        return f'{{"events":[{",".join(texts)}],"next":{last}}}'

    return Response(await run_read(request, caller.tenant, read), media_type="application/json")


@router.get("/v1/events/stream", responses={200: STREAM}, response_class=StreamingResponse)
async def stream_events(request: Request) -> Response:
    """Server-Sent Events: each message is an array of events that arrived together.

    `id` is the position of the last; `{"skipped": n}` counts rows left out. Begins behind
    `Last-Event-ID` or `after`, else with the next event.
    """
    service = service_of(request)
    caller = listener_with(request, AccessScope.SUBSCRIBE)
    after = begin_behind(request, service.log.head)
    return CountedResponse(CountedStream(service, caller.tenant), _messages(caller, after))


async def _messages(caller: Caller, after: int) -> AsyncIterator[bytes]:
    service = caller.service
    events = follow_events(service.log, service.late, service.feed, after)
    yield f"id: {after}\n\n".encode()
    async for found in stream_while_valid(caller, events):
        if found.skipped:
            yield f'data: {{"skipped":{found.skipped}}}\n\n'.encode()
        if found.texts:
            yield f"id: {found.position}\ndata: [{','.join(found.texts)}]\n\n".encode()
        elif not found.skipped:
            yield b": all is well\n\n"
