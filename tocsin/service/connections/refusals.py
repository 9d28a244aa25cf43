"""Responses to connections that are refused before the application is called."""

from __future__ import annotations

import json
from http import HTTPStatus

from tocsin.errors import LimitProblem, Problem
from tocsin.service.http.problems import MEDIA_TYPE, document_of, status_of

_STATUS = {
    "AddressTooLong": HTTPStatus.REQUEST_URI_TOO_LONG,
    "HeadTooLarge": HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    "RequestTimeout": HTTPStatus.REQUEST_TIMEOUT,
    "TooManyConnections": HTTPStatus.SERVICE_UNAVAILABLE,
}
"""Statuses of problems that only connections have."""


def too_slow(part: str, timeout: str) -> LimitProblem:
    """Return the problem of a head or body that takes too long."""
    return LimitProblem(
        f"the {part} of the request did not come within its time ({timeout})",
        code="RequestTimeout",
        hint=f"send faster, or raise http.{part}_timeout in the settings",
    )


def response_of(problem: Problem) -> bytes:
    """Return a complete response with a problem document, after which the connection ends."""
    status = _STATUS.get(problem.code) or status_of(problem)
    body = json.dumps(document_of(problem, status)).encode()
    head = (
        f"HTTP/1.1 {status:d} {HTTPStatus(status).phrase}\r\n"
        f"content-type: {MEDIA_TYPE}\r\ncontent-length: {len(body)}\r\n"
    )
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        head += "retry-after: 1\r\n"
    return head.encode() + b"connection: close\r\n\r\n" + body
