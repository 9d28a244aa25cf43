"""Routes `/v1/matches` and `/v1/dead-letters`, oldest first.

Matches have their explanation, and live streams from any position; dead letters, which are events
and matches that could not be processed, have the reason and a replay.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import StreamingResponse

from tocsin.errors import Problem, StateProblem
from tocsin.service.api.bodies import EVENT, json_body
from tocsin.service.base.feed import MatchFilter, stream_matches
from tocsin.service.console.why import ExplanationStores, why
from tocsin.service.core.service import Service
from tocsin.service.http.access import (
    WEBSOCKET_CODE,
    AccessScope,
    Caller,
    caller_with,
    listener_with,
    stream_while_valid,
)
from tocsin.service.http.problems import document_of, status_of
from tocsin.service.http.requests import (
    LAST,
    STREAM,
    After,
    Before,
    CountedResponse,
    CountedStream,
    Newest,
    begin_behind,
    body_of,
    instant_of,
    run_read,
    run_work,
    service_of,
)
from tocsin.service.storage.rows import LetterRow, MatchRow

router = APIRouter(tags=["matches"])

Limit = Annotated[int, Query(ge=1, le=10_000)]
Subscriptions = Annotated[list[str] | None, Query(description="Of these only; all by default.")]


@router.get("/v1/matches")
async def query(
    request: Request,
    subscription: str | None = None,
    after: After = 0,
    limit: Limit = 100,
    since: str | None = None,
    until: str | None = None,
    before: Before = None,
    newest: Newest = False,
) -> Response:
    """Return matches after a position, and `next`, the position for the next request.

    `previous` is that of the first match, to be sent as `before` for earlier ones. `since` and
    `until` bound the time of detection.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    low, high = instant_of(since), instant_of(until)

    def read() -> list[MatchRow]:
        return service.matches.read(
            after,
            limit,
            tenant=caller.tenant,
            subscription=subscription,
            since=low,
            until=high,
            before=before,
            newest=newest,
        )

    return Response(
        _listed(await run_read(request, caller.tenant, read), after), media_type="application/json"
    )


@router.get("/v1/matches/stream", responses={200: STREAM}, response_class=StreamingResponse)
async def stream(request: Request, subscription: Subscriptions = None) -> Response:
    """Server-Sent Events: `id` is the position. Begins behind `Last-Event-ID` or `after`, else with
    the next match.
    """
    service = service_of(request)
    caller = listener_with(request, AccessScope.SUBSCRIBE)
    after = begin_behind(request, service.feed.head)
    wanted = MatchFilter(caller.tenant, frozenset(subscription or ()))
    return CountedResponse(CountedStream(service, caller.tenant), _events(caller, wanted, after))


@router.websocket("/v1/matches/live")
async def live(socket: WebSocket, subscription: Subscriptions = None) -> None:
    """Stream matches by WebSocket: each message is a match with its `position`."""
    service: Service = socket.app.state.service
    await socket.accept()
    try:
        caller = listener_with(socket, AccessScope.SUBSCRIBE)
        after = begin_behind(socket, service.feed.head)
        with CountedStream(service, caller.tenant):
            wanted = MatchFilter(caller.tenant, frozenset(subscription or ()))
            await _send_live(socket, caller, wanted, after)
    except Problem as problem:
        status = status_of(problem)
        with suppress(RuntimeError, WebSocketDisconnect):
            await socket.send_json(document_of(problem, status))
            await socket.close(WEBSOCKET_CODE + status)


@router.get("/v1/matches/{id}/why")
async def tell_why(id: str, request: Request) -> dict[str, Any]:
    """Return the explanation of a match: members, windows, bindings, regions, the origin of
    constructed members, and the plan of that version as a tree with its satisfied parts.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    row = await run_read(request, caller.tenant, service.matches.get, id, caller.tenant)
    if row is None:
        raise StateProblem(
            f"there is no match {id!r}",
            code="UnknownMatchError",
            token=id,
            hint="ids are in GET /v1/matches; old matches are removed",
        )
    kept = ExplanationStores(service.log, service.matches, service.catalog, service.own)
    return await run_work(request, caller.tenant, why, row, kept)


def _matches(caller: Caller, wanted: MatchFilter, after: int) -> AsyncIterator[list[MatchRow]]:
    """Return the matches for a listener while its key is valid."""
    service = caller.service
    return stream_while_valid(caller, stream_matches(service.matches, service.feed, wanted, after))


async def _events(caller: Caller, wanted: MatchFilter, after: int) -> AsyncIterator[bytes]:
    """Yield the stream. The first message is the start position, so that a client that is cut off
    at once can resume.
    """
    yield f"id: {after}\n\n".encode()
    async for rows in _matches(caller, wanted, after):
        if not rows:
            yield b": all is well\n\n"
            continue
        yield "".join(f"id: {row.position}\ndata: {row.body}\n\n" for row in rows).encode()


async def _send_live(socket: WebSocket, caller: Caller, wanted: MatchFilter, after: int) -> None:
    """Send matches until the listener leaves; raise Problem if its key was revoked."""
    sending = asyncio.create_task(_send_all(socket, caller, wanted, after))
    hearing = asyncio.create_task(_await_end(socket))
    _, waiting = await asyncio.wait((sending, hearing), return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    await asyncio.gather(sending, hearing, return_exceptions=True)
    caller.require_admitted()
    with suppress(RuntimeError, WebSocketDisconnect):
        await socket.close()


async def _send_all(socket: WebSocket, caller: Caller, wanted: MatchFilter, after: int) -> None:
    async for rows in _matches(caller, wanted, after):
        for row in rows:
            await socket.send_text(f'{{"position":{row.position},{row.body[1:]}')


async def _await_end(socket: WebSocket) -> None:
    """Return when the listener leaves; its messages, texts or bytes, are ignored."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


def _listed(rows: list[MatchRow], after: int) -> str:
    """Return the JSON text of a list of matches, whose bodies are JSON texts already."""
    last, first = (rows[-1].position, rows[0].position) if rows else (after, after + 1)
    bodies = ",".join(row.body for row in rows)
    return f'{{"matches":[{bodies}],"next":{last},"previous":{first}}}'


# Dead letters: the reason, and the replay.

letter_router = APIRouter(tags=["dead letters"])


@letter_router.get("/v1/dead-letters")
async def list_letters(
    request: Request,
    after: After = 0,
    limit: Limit = 100,
    subscription: str | None = None,
    code: str | None = None,
    before: Before = None,
    newest: Newest = False,
) -> dict[str, Any]:
    """Return dead letters of the caller, oldest first, and `next`; with `newest`, the last ones."""
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)

    def read() -> list[LetterRow]:
        return service.letters.read(
            after,
            limit,
            caller.tenant,
            subscription=subscription,
            code=code,
            before=before,
            newest=newest,
        )

    rows = await run_read(request, caller.tenant, read)
    last = rows[-1].position if rows else after
    return {"dead_letters": [row.as_json() for row in rows], "next": last}


@letter_router.post(
    "/v1/dead-letters/{id}/replay",
    status_code=202,
    openapi_extra=json_body(EVENT, required=False),
)
async def replay(id: Annotated[int, Path(ge=1, le=LAST)], request: Request) -> dict[str, Any]:
    """Replay a letter: publish its event again, or the corrected one in the body; resume its
    subscription if it has no event.

    A body needs the scope publish. A published event counts for the rate of the key.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    body = await body_of(request, service.settings.limits.request_bytes)
    if body:
        caller.require(AccessScope.PUBLISH)
    row = await run_read(request, caller.tenant, service.letters.get, id, caller.tenant)
    if row is None:
        raise StateProblem(
            f"there is no dead letter {id}",
            code="UnknownDeadLetterError",
            token=str(id),
            hint="see what there is: GET /v1/dead-letters",
        )
    if body or row.event is not None:
        caller.spend(1)
    written = await run_work(request, caller.tenant, service.replays.replay, row, body or None)
    position: int | None = None
    if written is not None:
        position = await asyncio.wrap_future(written)
    await run_read(request, caller.tenant, service.letters.mark_replayed, id)
    return {"replayed": id, "position": position}
