"""Route `POST /v1/events`: a 202 means that the events are on disk."""

from __future__ import annotations

import asyncio
from functools import partial

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from tocsin.errors import Problem
from tocsin.service.api.bodies import EVENT_CONTENT, bodies
from tocsin.service.http.access import AccessScope, caller_with
from tocsin.service.http.problems import answer
from tocsin.service.http.requests import BRIEF, body_of, ended_with_client, service_of
from tocsin.service.ingest.http import SOURCE, IngestResult, receive

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
