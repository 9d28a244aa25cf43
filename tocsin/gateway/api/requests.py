"""What every address needs of a request: the service, and a body that is not too long."""

from __future__ import annotations

from typing import Annotated, Any, cast

from fastapi import Depends, Request

from tocsin.errors import LimitProblem, MeaningProblem, Problem
from tocsin.events.codecs.cloudevents import parse_json
from tocsin.gateway.service import Service

_MOST_DIGITS = 20
"""The greatest integer of 64 bits has 19 or 20."""


def service_of(request: Request) -> Service:
    """The service that the application serves."""
    return cast(Service, request.app.state.service)


InService = Annotated[Service, Depends(service_of)]


async def body_of(request: Request, limit: int) -> bytes:
    """The whole body; a LimitProblem as soon as it is too long."""
    told = request.headers.get("content-length", "")
    if is_count(told) and int(told) > limit:
        raise too_large(limit)
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise too_large(limit)
        chunks.append(chunk)
    return b"".join(chunks)


def is_count(text: str) -> bool:
    """True if a text is a number of up to 20 digits from 0 to 9. Other scripts have digits that no
    number is made of, and Python refuses to read one of more than some thousand digits.
    """
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


async def object_of(request: Request, limit: int) -> dict[str, Any]:
    """The JSON object that is the body."""
    raw = await body_of(request, limit)
    try:
        value = parse_json(raw)
    except Problem as problem:
        raise MeaningProblem(problem.message, code="RequestError", hint=problem.hint) from None
    if not isinstance(value, dict):
        raise MeaningProblem("the body is a JSON object", code="RequestError")
    return value


def too_large(limit: int) -> LimitProblem:
    """The problem of a request that is too long."""
    return LimitProblem(
        f"the request has more than {limit:,} bytes, which is the limit",
        code="RequestTooLarge",
        hint="send less at a time",
    )
