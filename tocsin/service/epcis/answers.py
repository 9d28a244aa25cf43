"""HTTP responses of the EPCIS interface, its headers, and error documents of the standard.

Headers name versions, extensions, the form of identifiers and accepted types. A request for an
unsupported one is answered with 406.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
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
from tocsin.runtime.admission import wall_clock
from tocsin.service.epcis.documents import (
    EPC_FORMATS,
    find_namespaces,
    query_document,
    with_identifiers_as,
    xml_query_document,
)
from tocsin.service.epcis.event_search import QueryPage
from tocsin.service.epcis.exceptions import (
    IMPLEMENTATION,
    MEDIA_TYPE,
    NOT_ACCEPTABLE,
    VALIDATION,
    EpcisException,
    exception_of_status,
)
from tocsin.service.epcis.parameters import link_to
from tocsin.service.http.problems import client_left, status_of
from tocsin.version import __version__

VERSION = "2.0.0"
_CAPTURED = ("1", "1.0", "1.1", "1.2", "2", "2.0", "2.0.0", "2.0.1")
"""Versions of EPCIS and CBV accepted in captured documents."""
_VERSION = re.compile(r"\d+(\.\d+)*", re.ASCII)
_JSON = ("*/*", "application/*", "application/json", "application/ld+json")
_XML = ("application/xml", "text/xml")
_TOCSIN = "tocsin=https://tocsin.example/subscription#"

RESPONSE_HEADERS: Mapping[str, str] = {
    "GS1-EPCIS-Version": VERSION,
    "GS1-CBV-Version": VERSION,
    "GS1-Extensions": _TOCSIN,
}
"""Headers of every response."""

DISCOVERY: Mapping[str, str] = {
    **RESPONSE_HEADERS,
    "GS1-EPCIS-Min": VERSION,
    "GS1-EPCIS-Max": VERSION,
    "GS1-CBV-Min": VERSION,
    "GS1-CBV-Max": VERSION,
    "GS1-EPC-Format": "No_Preference",
    "GS1-CBV-XML-Format": "No_Preference",
    "GS1-Vendor-Version": __version__,
}
"""Headers of a response to OPTIONS."""


def check_headers(given: Mapping[str, str], *, xml: bool = False) -> None:
    """Raise EpcisException if the headers request an unsupported version or type; `xml` is True if
    XML is supported too.
    """
    for name in ("EPCIS", "CBV"):
        _require_between(given, f"GS1-{name}-Min", f"GS1-{name}-Max")
        stated = given.get(f"GS1-{name}-Version")
        if stated is not None and stated.strip() not in _CAPTURED:
            raise _refused(f"GS1-{name}-Version", f"the version {stated[:20]!r} is not served")
    accepted = given.get("Accept", "*/*")
    if not _is_accepted(accepted, (*_JSON, *(_XML if xml else ()))):
        forms = "application/json or application/xml" if xml else "application/json"
        raise _refused("Accept", f"answers are in {forms}, not in {accepted[:80]}")


def wants_xml(given: Mapping[str, str]) -> bool:
    """True if a client names XML before JSON."""
    served = [kind for kind in _kinds(given.get("Accept", "")) if kind in (*_JSON, *_XML)]
    return bool(served) and served[0] in _XML


def epc_format_of(given: Mapping[str, str]) -> str:
    """Return the requested form of identifiers."""
    wanted = given.get("GS1-EPC-Format", EPC_FORMATS[0])
    if wanted not in EPC_FORMATS:
        raise _refused("GS1-EPC-Format", f"it is one of {', '.join(EPC_FORMATS)}")
    return wanted


def extensions_in(events: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the header with the namespaces used in the events of a response."""
    used = (f"{prefix}={namespace}" for namespace, prefix in find_namespaces(events).items())
    safe = [each for each in used if each.isascii() and each.isprintable()]
    return {"GS1-Extensions": ",".join([_TOCSIN, *safe])[:4000]}


def allow(methods: Iterable[str], **more: str) -> dict[str, str]:
    """Return the headers of a response to OPTIONS."""
    return {**DISCOVERY, "Allow": ", ".join(("OPTIONS", *methods)), **more}


def _require_between(given: Mapping[str, str], low: str, high: str) -> None:
    served = _parts(VERSION)
    lowest, highest = _version(given, low), _version(given, high)
    if (lowest is not None and lowest > served) or (highest is not None and highest < served):
        name = low if lowest is not None and lowest > served else high
        raise _refused(name, f"the version {VERSION} is served, asked for is {given[name]}")


def _version(given: Mapping[str, str], name: str) -> tuple[int, ...] | None:
    asked = given.get(name)
    if asked is None:
        return None
    if _VERSION.fullmatch(asked.strip()) is None or len(asked) > 20:
        raise _refused(name, f"{asked[:20]!r} is no version")
    return _padded(asked.strip())


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in version.split("."))


def _padded(version: str) -> tuple[int, ...]:
    """Return the parts of a version, with zeros for missing ones."""
    return (*_parts(version), 0, 0)[: max(3, len(_parts(version)))]


def _is_accepted(header: str, supported: Sequence[str]) -> bool:
    kinds = _kinds(header)
    return not any(kinds) or any(kind in supported for kind in kinds)


def _kinds(header: str) -> list[str]:
    return [each.partition(";")[0].strip().lower() for each in header.split(",")]


def _refused(name: str, detail: str) -> EpcisException:
    return EpcisException(NOT_ACCEPTABLE, f"{name}: {detail}", token=name)


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
