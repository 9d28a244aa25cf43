"""Routes `/v1/dead-letters`: events and matches that could not be processed, the reason, and their
replay.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request

from tocsin.errors import StateProblem
from tocsin.service.api.bodies import EVENT, json_body
from tocsin.service.api.matches import After, Before, Limit, Newest
from tocsin.service.http.access import AccessScope, caller_with
from tocsin.service.http.positions import LAST
from tocsin.service.http.requests import body_of, run_read, run_work, service_of
from tocsin.service.storage.rows import LetterRow

router = APIRouter(tags=["dead letters"])


@router.get("/v1/dead-letters")
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


@router.post(
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
