"""The exceptions of the EPCIS 2.0 interface: each has its name in the standard, an HTTP status, and
becomes a problem document (RFC 9457).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.errors import Problem

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """One of the standard's exceptions: its name, the HTTP status, and the title."""

    name: str
    status: int
    title: str


VALIDATION = ErrorKind("ValidationException", 400, "The document is not valid")
QUERY_PARAMETER = ErrorKind("QueryParameterException", 400, "A parameter of the query is wrong")
QUERY_VALIDATION = ErrorKind("QueryValidationException", 400, "The query is not valid")
SUBSCRIPTION_CONTROLS = ErrorKind(
    "SubscriptionControlsException", 400, "The subscription is not valid"
)
UNAUTHORIZED = ErrorKind("SecurityException", 401, "Unauthorised request")
FORBIDDEN = ErrorKind("SecurityException", 403, "Access to resource forbidden")
NO_SUCH_RESOURCE = ErrorKind("NoSuchResourceException", 404, "Resource not found")
NO_SUCH_NAME = ErrorKind("NoSuchNameException", 404, "There is nothing of this name")
METHOD_NOT_ALLOWED = ErrorKind("ImplementationException", 405, "The resource has no such method")
NOT_ACCEPTABLE = ErrorKind(
    "NotAcceptableException", 406, "Conflicting request and response headers"
)
ALREADY_EXISTS = ErrorKind("ResourceAlreadyExistsException", 409, "The resource is already there")
CAPTURE_LIMIT = ErrorKind("CaptureLimitExceededException", 413, "Capture payload too large")
QUERY_TOO_LARGE = ErrorKind("QueryTooLargeException", 413, "The result of the query is too large")
QUERY_TOO_COMPLEX = ErrorKind("QueryTooComplexException", 413, "The query is too much work")
URI_TOO_LONG = ErrorKind("URITooLongException", 414, "URI too long")
UNSUPPORTED_MEDIA_TYPE = ErrorKind("UnsupportedMediaTypeException", 415, "Unsupported media type")
TOO_MANY_REQUESTS = ErrorKind("ImplementationException", 429, "Too many requests")
IMPLEMENTATION = ErrorKind("ImplementationException", 500, "A server-side error occurred")
NOT_IMPLEMENTED = ErrorKind("ImplementationException", 501, "Functionality not supported by server")
UNAVAILABLE = ErrorKind("ImplementationException", 503, "The service cannot answer now")

BY_STATUS: Mapping[int, ErrorKind] = {
    kind.status: kind
    for kind in (
        *(VALIDATION, UNAUTHORIZED, FORBIDDEN, NO_SUCH_RESOURCE, METHOD_NOT_ALLOWED),
        *(NOT_ACCEPTABLE, ALREADY_EXISTS, CAPTURE_LIMIT, URI_TOO_LONG, UNSUPPORTED_MEDIA_TYPE),
        *(TOO_MANY_REQUESTS, IMPLEMENTATION, NOT_IMPLEMENTED, UNAVAILABLE),
    )
}
"""The standard's exception for a status from another component of the service."""


class EpcisException(Exception):
    """A refused request with the reason; `more` are further members of the problem document."""

    def __init__(self, kind: ErrorKind, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.more = {name: value for name, value in more.items() if value not in ("", None)}

    def as_json(self) -> dict[str, Any]:
        """Return the problem document."""
        return {
            "type": f"epcisException:{self.kind.name}",
            "title": self.kind.title,
            "status": self.kind.status,
            "detail": self.detail,
            **self.more,
        }


def exception_of(kind: ErrorKind, problem: Problem) -> EpcisException:
    """Return the exception for a problem, with its code, its position and its hint."""
    told = problem.as_json()
    detail = str(told.pop("message"))
    return EpcisException(kind, detail, **told)


def exception_of_status(status: int, detail: str, **more: Any) -> EpcisException:
    """Return the exception for a status from another component of the service."""
    kind = BY_STATUS.get(status, IMPLEMENTATION if status >= 500 else VALIDATION)
    return EpcisException(ErrorKind(kind.name, status, kind.title), detail, **more)
