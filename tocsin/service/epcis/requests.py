"""Handling of requests to the interface: component, caller and body."""

from __future__ import annotations

from typing import Any, cast

from starlette.requests import HTTPConnection, Request

from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import parse_json
from tocsin.service.core.service import Service
from tocsin.service.epcis.answers import check_headers
from tocsin.service.epcis.capturing import JSON_TYPES
from tocsin.service.epcis.exceptions import (
    CAPTURE_LIMIT,
    UNSUPPORTED_MEDIA_TYPE,
    VALIDATION,
    EpcisException,
    exception_of,
)
from tocsin.service.epcis.parameters import require_short
from tocsin.service.epcis.part import EpcisPart
from tocsin.service.http.access import AccessScope, Caller, caller_with, listener_with
from tocsin.service.http.requests import body_of


def part_in(request: HTTPConnection) -> EpcisPart:
    """Return the EPCIS component of the service."""
    return cast(EpcisPart, request.app.state.part)


def service_in(request: HTTPConnection) -> Service:
    """Return the service."""
    return cast(Service, request.app.state.service)


def admit(
    request: HTTPConnection, scope: AccessScope = AccessScope.SUBSCRIBE, *, xml: bool = False
) -> Caller:
    """Return the caller; raise without the scope, and for unsupported headers. `xml` is True if XML
    is supported.
    """
    return _check_request(request, caller_with(request, scope), xml=xml)


def admit_listener(request: HTTPConnection) -> Caller:
    """Return the caller that opens a stream, whose key may be in the URL."""
    return _check_request(request, listener_with(request, AccessScope.SUBSCRIBE), xml=False)


def _check_request(request: HTTPConnection, caller: Caller, *, xml: bool) -> Caller:
    require_short(f"{request.url.path}?{request.url.query}")
    check_headers(request.headers, xml=xml)
    return caller


async def read_body(request: Request) -> bytes:
    """Return the whole body, within the limit of the service."""
    try:
        return await body_of(request, service_in(request).settings.limits.request_bytes)
    except Problem as problem:
        raise exception_of(CAPTURE_LIMIT, problem) from None


async def read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body; raise EpcisException for any other body."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in JSON_TYPES:
        raise EpcisException(
            UNSUPPORTED_MEDIA_TYPE,
            f"the content type {kind or '(none)'!r} is not read here",
            hint="send application/json",
        )
    try:
        value = parse_json(await read_body(request))
    except Problem as problem:
        raise exception_of(VALIDATION, problem) from None
    if not isinstance(value, dict):
        raise EpcisException(VALIDATION, "the body is a JSON object")
    return value
