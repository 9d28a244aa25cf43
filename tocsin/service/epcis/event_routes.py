"""Routes `/capture` with its jobs, `/events`, and the resources for discovery: event types, EPCs,
steps, places and dispositions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response

from tocsin.events.codecs.epcis.event_schema import KINDS
from tocsin.events.codecs.epcis.identifiers import canonical
from tocsin.runtime.admission import wall_clock
from tocsin.service.epcis.answers import (
    RESPONSE_HEADERS,
    address,
    allow,
    epc_format_of,
    make_empty_response,
    make_page_response,
    make_response,
    next_page,
)
from tocsin.service.epcis.capturing import (
    Captured,
    behaviour_of,
    job_of,
    read_document,
    read_event,
    require_media_type,
    rows_of,
)
from tocsin.service.epcis.documents import DIGITAL_LINK, collection, event_document
from tocsin.service.epcis.event_search import SIMPLE, EventQuery, ask_simply, find
from tocsin.service.epcis.exceptions import ALREADY_EXISTS, NO_SUCH_RESOURCE, EpcisException
from tocsin.service.epcis.index import EventIndex
from tocsin.service.epcis.index_filters import TermFilter, narrowings_of
from tocsin.service.epcis.parameters import (
    PageCursor,
    name_after,
    place_of,
    question_of,
    question_of_url,
    read_page,
    token_of,
)
from tocsin.service.epcis.part import admit, part_in, read_body, service_in
from tocsin.service.http.access import AccessScope
from tocsin.service.http.requests import ended_with_client, run_read, run_work
from tocsin.service.storage.rows import NewRow

router = APIRouter(tags=["events"])

RESOURCES: Mapping[str, tuple[str, str]] = {
    "eventTypes": ("eventType", "eventType"),
    "epcs": ("epc", "MATCH_anyEPC"),
    "bizSteps": ("bizStep", "EQ_bizStep"),
    "bizLocations": ("bizLocation", "EQ_bizLocation"),
    "readPoints": ("readPoint", "EQ_readPoint"),
    "dispositions": ("disposition", "EQ_disposition"),
}
"""Each resource with its field of the index and its query parameter."""


@router.get("/events")
async def events(request: Request) -> Response:
    """Return the events that match the parameters."""
    tenant = admit(request, xml=True).tenant
    return await run_work(request, tenant, _answer, request, tenant)


@router.get("/events/{id:path}")
async def event(request: Request, id: str) -> Response:
    """Return an event by its eventID, with its error declarations."""
    tenant = admit(request, xml=True).tenant
    return await run_work(request, tenant, _event, request, tenant, id)


def _event(request: Request, tenant: str, id: str) -> Response:
    asked = _compile_query(request, tenant, EQ_eventID=id)
    repository = part_in(request).repository
    repository.catch_up()
    if not repository.index.has("eventID", canonical(id)):
        raise EpcisException(NO_SUCH_RESOURCE, f"there is no event {id[:200]!r}")
    return make_page_response(
        request, find(repository.index, asked, read_page({"perPage": "100"})), SIMPLE
    )


@router.get("/{resource}")
async def members(request: Request, resource: str) -> Response:
    """List the values in stored events: types, EPCs, steps, places or dispositions."""
    tenant = admit(request).tenant
    return await run_work(request, tenant, _members, request, resource)


def _members(request: Request, resource: str) -> Response:
    field, _ = _resource(resource)
    page = read_page(request.query_params)
    after = name_after(page.token, resource) if page.token else ""
    part_in(request).repository.catch_up()
    found = part_in(request).repository.index.terms(field, after, page.per_page + 1)
    told = found[: page.per_page]
    is_more = len(found) > len(told)
    token = token_of(PageCursor((told[-1][0],), 0), resource) if is_more else ""
    links = epc_format_of(request.headers) == DIGITAL_LINK
    names = [value if links else written for value, written in told]
    return make_response(collection(names), headers=next_page(request, token))


@router.get("/{resource}/{value:path}/events")
async def events_of(request: Request, resource: str, value: str) -> Response:
    """Return the events that have the value."""
    tenant = admit(request, xml=True).tenant

    def answer() -> Response:
        field, parameter = _resource(resource)
        _require_known(request, field, parameter, value)
        return _answer(request, tenant, **{parameter: value})

    return await run_work(request, tenant, answer)


@router.get("/{resource}/{value:path}")
async def member(request: Request, resource: str, value: str) -> Response:
    """List the sub-resources of a value: its events."""
    tenant = admit(request).tenant

    def answer() -> Response:
        _require_known(request, *_resource(resource), value)
        return make_response(collection(["events"]))

    return await run_work(request, tenant, answer)


@router.options("/events")
def events_options() -> Response:
    """List the allowed methods of /events."""
    return make_empty_response(allow(["GET", "POST"]))


@router.options("/{resource}")
def members_options(resource: str) -> Response:
    """List the allowed methods of a resource."""
    if resource != "events":
        _resource(resource)
    return make_empty_response(allow(["GET"]))


@router.options("/{resource}/{value:path}")
def member_options(resource: str) -> Response:
    """List the allowed methods of a value, an event, or the events of a value."""
    if resource != "events":
        _resource(resource)
    return make_empty_response(allow(["GET"]))


def _answer(request: Request, tenant: str, **fixed: Any) -> Response:
    asked = _compile_query(request, tenant, **fixed)
    page = read_page(request.query_params)
    repository = part_in(request).repository
    repository.catch_up()
    return make_page_response(request, find(repository.index, asked, page), SIMPLE)


def _compile_query(request: Request, tenant: str, **fixed: Any) -> EventQuery:
    pairs = [] if "EQ_eventID" in fixed else request.query_params.multi_items()
    question = question_of_url(pairs, **fixed)
    return ask_simply(question, part_in(request).definitions(), tenant)


def _resource(name: str) -> tuple[str, str]:
    found = RESOURCES.get(name)
    if found is None:
        raise EpcisException(
            NO_SUCH_RESOURCE, f"there is no resource {name[:80]!r}", hint="GET / lists them"
        )
    return found


def _require_known(request: Request, field: str, parameter: str, value: str) -> None:
    """Raise EpcisException if no stored event has the value."""
    if field == "eventType" and value in KINDS:
        return
    part = part_in(request)
    part.repository.catch_up()
    try:
        asked = ask_simply(question_of({parameter: [value]}), part.definitions())
    except EpcisException as error:
        raise EpcisException(NO_SUCH_RESOURCE, error.detail, **error.more) from None
    if not _is_known(part.repository.index, field, asked):
        raise EpcisException(NO_SUCH_RESOURCE, f"no event has the {field} {value[:200]!r}")


def _is_known(index: EventIndex, field: str, query: EventQuery) -> bool:
    terms = [
        each
        for each in narrowings_of(query.plan.pattern)
        if isinstance(each, TermFilter) and each.field == field
    ]
    return not terms or any(index.has(field, value) for value in terms[0].values)


# Capture: a document, its job, and `POST /events`.

capture_router = APIRouter(tags=["capture"])

_BEHAVIOUR = ("GS1-Capture-Error-Behaviour", "GS1-EPCIS-Capture-Error-Behaviour")
_JOBS = "capture"


@capture_router.post("/capture", status_code=202)
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


@capture_router.get("/capture")
def jobs(request: Request) -> Response:
    """List the capture jobs of the caller, the newest first."""
    caller = admit(request, AccessScope.PUBLISH)
    page = read_page(request.query_params)
    before = int(place_of(page.token, _JOBS).until) if page.token else 0
    found = part_in(request).repository.jobs(caller.tenant, before, page.per_page + 1)
    told = found[: page.per_page]
    token = token_of(PageCursor((), told[-1][0]), _JOBS) if len(found) > len(told) else ""
    return make_response([job for _, job in told], headers=next_page(request, token))


@capture_router.get("/capture/{id}")
def job(request: Request, id: str) -> Response:
    """Return the result of a capture."""
    caller = admit(request, AccessScope.PUBLISH)
    found = part_in(request).repository.job(caller.tenant, id)
    if found is None:
        raise EpcisException(NO_SUCH_RESOURCE, f"there is no capture job {id[:80]!r}")
    return make_response(found)


@capture_router.post("/events", status_code=201)
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


@capture_router.options("/capture")
def capture_options(request: Request) -> Response:
    """Return the allowed methods and the limits of a capture."""
    part, service = part_in(request), service_in(request)
    limits = {
        "GS1-EPCIS-Capture-Limit": str(part.settings.capture_events),
        "GS1-EPCIS-Capture-File-Size-Limit": str(service.settings.limits.request_bytes),
        "GS1-Capture-Error-Behaviour": "rollback",
    }
    return make_empty_response(allow(["POST", "GET"]) | limits)


@capture_router.options("/capture/{id}")
def job_options() -> Response:
    """List the allowed methods of a job."""
    return make_empty_response(allow(["GET"]))
