"""HTTP responses of the EPCIS interface, and error documents of the standard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from tocsin.errors import Problem
from tocsin.events.dead_letter import shown_error
from tocsin.events.event import Event
from tocsin.runtime.clock_skew import wall_clock
from tocsin.service.epcis.documents import query_document, with_identifiers_as
from tocsin.service.epcis.event_search import QueryPage
from tocsin.service.epcis.exceptions import (
    IMPLEMENTATION,
    MEDIA_TYPE,
    VALIDATION,
    EpcisException,
    exception_of_status,
)
from tocsin.service.epcis.headers import RESPONSE_HEADERS, epc_format_of, extensions_in, wants_xml
from tocsin.service.epcis.paging import link_to
from tocsin.service.epcis.xml_documents import xml_query_document
from tocsin.service.http.problems import client_left, status_of


def make_response(
    body: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a JSON response with the usual headers and further ones."""
    return JSONResponse(body, status, {**RESPONSE_HEADERS, **(headers or {})})


def make_empty_response(headers: Mapping[str, str]) -> Response:
    """Return a response with status 204."""
    return Response(status_code=204, headers=dict(headers))


def make_page_response(request: Request, found: QueryPage, query: str) -> Response:
    """Return a page of events, as JSON or XML by the Accept header."""
    wanted = epc_format_of(request.headers)
    events = to_json_events(found.events, wanted)
    headers = {**RESPONSE_HEADERS, **extensions_in(events), **next_page(request, found.token)}
    headers["GS1-EPC-Format"] = wanted
    if wants_xml(request.headers):
        body = xml_query_document(events, query, wall_clock())
        headers["GS1-CBV-XML-Format"] = "Always_Web_URI"
        return Response(body, headers=headers, media_type="application/xml")
    return JSONResponse(query_document(events, query, wall_clock()), headers=headers)


def to_json_events(events: Sequence[Event], wanted: str) -> list[Mapping[str, Any]]:
    """Return the attributes of events, with identifiers in the requested form."""
    return [with_identifiers_as(event.attributes, wanted) for event in events]


def next_page(request: Request, token: str) -> dict[str, str]:
    """Return the Link header of the next page; empty without one."""
    if not token:
        return {}
    path = quote(request.url.path)
    return {"Link": link_to(path, request.query_params.multi_items(), token)}


def address(request: Request, *names: str) -> str:
    """Return the path of a resource below this interface, each name escaped as a segment."""
    path = "".join(f"/{quote(name, safe='')}" for name in names)
    return f"{request.scope.get('root_path', '')}{path}"


def exception_of_problem(problem: Problem) -> EpcisException:
    """Return the exception for a problem from another component, with its HTTP status."""
    told = problem.as_json()
    detail = str(told.pop("message"))
    return exception_of_status(status_of(problem), detail, **told)


def add_exception_handlers(app: FastAPI) -> None:
    """Make the application answer every error with an error document of the standard."""

    @app.exception_handler(EpcisException)
    async def answer_exception(_: Request, error: EpcisException) -> Response:
        return _document(error)

    @app.exception_handler(Problem)
    async def answer_problem(_: Request, problem: Problem) -> Response:
        return _document(exception_of_problem(problem))

    @app.exception_handler(ClientDisconnect)
    async def note_departure(_: Request, __: ClientDisconnect) -> Response:
        return _document(exception_of_problem(client_left()))

    @app.exception_handler(HTTPException)
    async def answer_http(_: Request, error: HTTPException) -> Response:
        return _document(exception_of_status(error.status_code, str(error.detail)))

    @app.exception_handler(RequestValidationError)
    async def answer_invalid(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        return _document(EpcisException(VALIDATION, f"{first['loc']}: {first['msg']}"))

    @app.exception_handler(Exception)
    async def answer_fault(_: Request, error: Exception) -> Response:
        return _document(EpcisException(IMPLEMENTATION, shown_error(error)))


def _document(error: EpcisException) -> Response:
    status = error.kind.status
    headers = {**RESPONSE_HEADERS, **({"Retry-After": "1"} if status in (429, 503) else {})}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(error.as_json(), status, headers, media_type=MEDIA_TYPE)
