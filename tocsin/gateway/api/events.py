"""`POST /v1/events`: what is answered with 202 is on the disk."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from tocsin.errors import LimitProblem, Problem
from tocsin.gateway.api.access import Scope, caller_with
from tocsin.gateway.api.bodies import EVENT_CONTENT, bodies
from tocsin.gateway.api.problems import answer
from tocsin.gateway.api.requests import body_of, service_of
from tocsin.gateway.reception import SOURCE, Received, receive

router = APIRouter(tags=["events"])

_IN_A_THREAD = 1 << 16
"""Bodies of so many bytes are read beside the event loop."""


@router.post("/v1/events", status_code=202, openapi_extra=bodies(EVENT_CONTENT))
async def publish(request: Request) -> Response:
    """Accepts one event, a batch of them, lines, or a document, by the content type."""
    service = service_of(request)
    caller = caller_with(request, Scope.PUBLISH)
    limits = service.settings.limits
    body = await body_of(request, limits.request_bytes)
    headers = {name.lower(): value for name, value in request.headers.items()}
    source = request.query_params.get("source") or SOURCE
    if len(body) > _IN_A_THREAD:
        found = await asyncio.to_thread(receive, body, headers, caller.tenant, source)
    else:
        found = receive(body, headers, caller.tenant, source)
    if len(found.rows) > limits.request_events:
        raise LimitProblem(
            f"the request has {len(found.rows):,} events, the limit is {limits.request_events:,}",
            code="RequestTooLarge",
            hint="send less at a time",
        )
    caller.spend(len(found.rows))
    if found.rows:
        await asyncio.wrap_future(service.log.append(found.rows))
    return _answer(found)


def _answer(found: Received) -> Response:
    told = {
        "accepted": found.accepted,
        "rejected": [each.as_json() for each in found.rejected],
    }
    if found.is_single and found.rejected and not found.accepted:
        first = found.rejected[0]
        return answer(Problem(first.reason, code=first.code), 400, **told)
    return JSONResponse(told, 202)
