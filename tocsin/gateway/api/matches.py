"""`/v1/matches`: what rang, oldest first."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from tocsin.gateway.api.access import Scope, caller_with
from tocsin.gateway.api.requests import service_of
from tocsin.gateway.storage.rows import MatchRow

router = APIRouter(tags=["matches"])

After = Annotated[int, Query(ge=0, le=2**63 - 1, description="The position to begin behind.")]
Limit = Annotated[int, Query(ge=1, le=10_000)]


@router.get("/v1/matches")
async def query(
    request: Request, subscription: str | None = None, after: After = 0, limit: Limit = 100
) -> Response:
    """Matches after a position, and `next`, the position to ask with the next time."""
    service = service_of(request)
    caller = caller_with(request, Scope.SUBSCRIBE)
    rows = await asyncio.to_thread(
        service.matches.read, after, limit, tenant=caller.tenant, subscription=subscription
    )
    return Response(_listed(rows, after), media_type="application/json")


def _listed(rows: list[MatchRow], after: int) -> str:
    """The bodies are JSON texts already."""
    last = rows[-1].position if rows else after
    return f'{{"matches":[{",".join(row.body for row in rows)}],"next":{last}}}'
