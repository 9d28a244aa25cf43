"""Routes `/v1/events` and `/v1/events/stream`: events are accepted, and listed by page and live.

A 202 means that the events are on disk. Tenants share the events, so that each may read all of
them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from tocsin.errors import Problem
from tocsin.service.api.bodies import EVENT_CONTENT, bodies
from tocsin.service.console.stored_events import event_texts, follow_events
from tocsin.service.core.ingest import SOURCE, IngestResult, receive
from tocsin.service.http.access import (
    AccessScope,
    Caller,
    caller_with,
    listener_with,
    stream_while_valid,
)
from tocsin.service.http.problems import answer
from tocsin.service.http.requests import (
    BRIEF,
    STREAM,
    After,
    Before,
    CountedResponse,
    CountedStream,
    Newest,
    begin_behind,
    body_of,
    ended_with_client,
    instant_of,
    run_read,
    service_of,
)
from tocsin.service.storage.log_reader import Span

router = APIRouter(tags=["events"])


@router.post("/v1/events", status_code=202, openapi_extra=bodies(EVENT_CONTENT))
async def publish(request: Request) -> Response:
    """Accept one event, a batch, lines, or a document, by the content type."""
    service = service_of(request)
    caller = caller_with(request, AccessScope.PUBLISH)
    limits = service.settings.limits
    body = await body_of(request, limits.request_bytes)
    headers = {name.lower(): value for name, value in request.headers.items()}
    source = request.query_params.get("source") or SOURCE
    read = partial(receive, body, headers, caller.tenant, source, limits.request_events)
    if len(body) > BRIEF:
        found = await ended_with_client(request, service.intake.run(caller.tenant, read))
    else:
        found = read()
    caller.spend(len(found.rows))
    if found.rows:
        await asyncio.wrap_future(service.log.append(found.rows))
    return _answer(found)


def _answer(found: IngestResult) -> Response:
    told = {
        "accepted": found.accepted,
        "rejected": [each.as_json() for each in found.rejected],
    }
    if found.is_single and found.rejected and not found.accepted:
        first = found.rejected[0]
        return answer(Problem(first.reason, code=first.code), 400, **told)
    return JSONResponse(told, 202)


# Accepted events, by page and live.

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
