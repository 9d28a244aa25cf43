"""Routes `/capture` with its jobs, and `POST /events`."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response

from tocsin.events.codecs.epcis.identifiers import canonical
from tocsin.runtime.clock_skew import wall_clock
from tocsin.service.epcis.answers import address, make_empty_response, make_response, next_page
from tocsin.service.epcis.capturing import (
    Captured,
    behaviour_of,
    job_of,
    read_document,
    read_event,
    require_media_type,
    rows_of,
)
from tocsin.service.epcis.documents import event_document
from tocsin.service.epcis.exceptions import ALREADY_EXISTS, NO_SUCH_RESOURCE, EpcisException
from tocsin.service.epcis.headers import RESPONSE_HEADERS, allow
from tocsin.service.epcis.paging import PageCursor, place_of, token_of
from tocsin.service.epcis.parameters import read_page
from tocsin.service.epcis.requests import admit, part_in, read_body, service_in
from tocsin.service.http.access import AccessScope
from tocsin.service.http.requests import ended_with_client, run_read, run_work
from tocsin.service.storage.rows import NewRow

router = APIRouter(tags=["capture"])

_BEHAVIOUR = ("GS1-Capture-Error-Behaviour", "GS1-EPCIS-Capture-Error-Behaviour")
_JOBS = "capture"


@router.post("/capture", status_code=202)
async def capture(request: Request) -> Response:
    """Capture a document; its events are durable when the response is sent."""
    caller = admit(request, AccessScope.PUBLISH)
    part, service = part_in(request), service_in(request)
    given = next((request.headers[name] for name in _BEHAVIOUR if name in request.headers), "")
    behaviour = behaviour_of(given)
    body = await read_body(request)
    require_media_type(request.headers.get("content-type", ""), body)
    created = wall_clock()
    most = part.settings.capture_events

    def read() -> tuple[Captured, list[NewRow]]:
        captured = read_document(body, behaviour, created, most)
        return captured, rows_of(captured.stored, caller.tenant)

    captured, rows = await ended_with_client(request, service.intake.run(caller.tenant, read))
    caller.spend(len(rows))
    if rows:
        await asyncio.wrap_future(service.log.append(rows))
    job = job_of(captured, created, wall_clock())
    await run_read(request, caller.tenant, part.repository.add_job, caller.tenant, job)
    location = address(request, "capture", job["captureID"])
    headers = {**RESPONSE_HEADERS, "Location": location, "GS1-Capture-Error-Behaviour": behaviour}
    return Response(status_code=202, headers=headers)


@router.get("/capture")
def jobs(request: Request) -> Response:
    """List the capture jobs of the caller, the newest first."""
    caller = admit(request, AccessScope.PUBLISH)
    page = read_page(request.query_params)
    before = int(place_of(page.token, _JOBS).until) if page.token else 0
    found = part_in(request).repository.jobs(caller.tenant, before, page.per_page + 1)
    told = found[: page.per_page]
    token = token_of(PageCursor((), told[-1][0]), _JOBS) if len(found) > len(told) else ""
    return make_response([job for _, job in told], headers=next_page(request, token))


@router.get("/capture/{id}")
def job(request: Request, id: str) -> Response:
    """Return the result of a capture."""
    caller = admit(request, AccessScope.PUBLISH)
    found = part_in(request).repository.job(caller.tenant, id)
    if found is None:
        raise EpcisException(NO_SUCH_RESOURCE, f"there is no capture job {id[:80]!r}")
    return make_response(found)


@router.post("/events", status_code=201)
async def create_event(request: Request) -> Response:
    """Capture one event."""
    caller = admit(request, AccessScope.PUBLISH)
    part, service = part_in(request), service_in(request)
    body = await read_body(request)
    require_media_type(request.headers.get("content-type", ""), body)
    reading = service.intake.run(caller.tenant, read_event, body, wall_clock())
    event = await ended_with_client(request, reading)
    id = str(event.attributes["eventID"])

    def is_known() -> bool:
        part.repository.catch_up()
        return part.repository.index.has("eventID", canonical(id))

    declares = "errorDeclaration" in event.attributes
    if await run_work(request, caller.tenant, is_known) and not declares:
        raise EpcisException(ALREADY_EXISTS, f"there is an event {id!r}")
    caller.spend(1)
    await asyncio.wrap_future(service.log.append(rows_of([event], caller.tenant)))
    location = address(request, "events", id)
    return make_response(event_document(event.attributes), 201, {"Location": location})


@router.options("/capture")
def capture_options(request: Request) -> Response:
    """Return the allowed methods and the limits of a capture."""
    part, service = part_in(request), service_in(request)
    limits = {
        "GS1-EPCIS-Capture-Limit": str(part.settings.capture_events),
        "GS1-EPCIS-Capture-File-Size-Limit": str(service.settings.limits.request_bytes),
        "GS1-Capture-Error-Behaviour": "rollback",
    }
    return make_empty_response(allow(["POST", "GET"]) | limits)


@router.options("/capture/{id}")
def job_options() -> Response:
    """List the allowed methods of a job."""
    return make_empty_response(allow(["GET"]))
