"""Problem documents (RFC 9457), with the code, the position and the hint that the command line
shows too.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from tocsin.errors import (
    LimitProblem,
    Problem,
    StateProblem,
    UnsupportedProblem,
)
from tocsin.events.dead_letter import shown_error

MEDIA_TYPE = "application/problem+json"

STATUS = {
    "UnknownSubscriptionError": 404,
    "UnknownDefinitionError": 404,
    "UnknownMatchError": 404,
    "UnknownDeadLetterError": 404,
    "UnknownEventError": 404,
    "NotDelivered": 404,
    "DeliveryError": 502,
    "DuplicateSubscriptionError": 409,
    "CatalogChanged": 409,
    "UnsupportedMediaType": 415,
    "RequestTooLarge": 413,
    "RateLimitExceeded": 429,
    "LogBusy": 503,
    "Stopping": 503,
    "Busy": 503,
    "StorageError": 503,
    "CatalogLocked": 503,
    "CatalogError": 503,
    "NotHere": 501,
    "KeyMissing": 401,
    "KeyUnknown": 401,
    "ScopeMissing": 403,
    "OriginRefused": 403,
    "HostRefused": 421,
}
"""HTTP statuses by code; other codes get theirs by the class of the problem."""


def status_of(problem: Problem) -> int:
    """Return the HTTP status of a problem."""
    if problem.code in STATUS:
        return STATUS[problem.code]
    if isinstance(problem, StateProblem):
        return 409
    return 422 if isinstance(problem, UnsupportedProblem | LimitProblem) else 400


def document_of(problem: Problem, status: int) -> dict[str, Any]:
    """Return the members of a problem document."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": problem.code,
        "detail": problem.message,
    }
    if problem.hint:
        body["hint"] = problem.hint
    if problem.token:
        body["token"] = problem.token
    if problem.place is not None:
        body |= {"line": problem.place.line, "column": problem.place.column}
    return body


def answer(problem: Problem, status: int | None = None, **members: Any) -> JSONResponse:
    """Return the response with a problem document and further members."""
    number = status or status_of(problem)
    headers = {"Retry-After": "1"} if number in (429, 503) else {}
    if number == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(
        document_of(problem, number) | members, number, headers, media_type=MEDIA_TYPE
    )


def client_left() -> Problem:
    """Return the problem of a client that closed the connection while it sent its request.

    No client reads the response; a handler keeps the departure from being logged as a fault.
    """
    return Problem("the client left before it had sent all of its request", code="ClientLeft")


def add_problem_handlers(app: FastAPI) -> None:
    """Make the application answer every error with a problem document."""

    @app.exception_handler(Problem)
    async def tell(_: Request, problem: Problem) -> JSONResponse:
        return answer(problem)

    @app.exception_handler(RequestValidationError)
    async def answer_invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(each) for each in first["loc"])
        problem = Problem(f"{where}: {first['msg']}", code="RequestError", token=where)
        return answer(problem, 400)

    @app.exception_handler(ClientDisconnect)
    async def note_departure(_: Request, __: ClientDisconnect) -> JSONResponse:
        return answer(client_left(), 400)

    @app.exception_handler(HTTPException)
    async def answer_http(_: Request, error: HTTPException) -> JSONResponse:
        problem = Problem(str(error.detail), code=HTTPStatus(error.status_code).name)
        response = answer(problem, error.status_code)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def answer_fault(_: Request, error: Exception) -> JSONResponse:
        problem = Problem(shown_error(error), code="InternalError", hint="please report it")
        return answer(problem, 500)
