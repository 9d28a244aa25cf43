"""Where a listener begins, and how many listen at a time: the same for all streams."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from tocsin.errors import LimitProblem, MeaningProblem
from tocsin.gateway.api.requests import is_count
from tocsin.gateway.service import Service

LAST = 2**63 - 1
"""The greatest position that there can be."""

STREAM = {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
"""What a stream answers, for the OpenAPI document."""

STREAM_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def begin_behind(request: HTTPConnection, head: int) -> int:
    """The position to begin behind: what the listener heard last, what it asks for, or now."""
    given = request.headers.get("last-event-id") or request.query_params.get("after")
    if given is None:
        return head
    if not is_count(given) or int(given) > LAST:
        raise MeaningProblem(
            f"{given[:80]!r} is not a position",
            code="RequestError",
            token=given[:80],
            hint="it is the number of the last event that was heard; 0 for all",
        )
    return int(given)


class CountedStream:
    """One more listener, while it is used; raises where there are too many."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def __enter__(self) -> None:
        most = self._service.settings.limits.streams
        if self._service.streams >= most:
            raise LimitProblem(
                f"there are {most:,} listeners already",
                code="RateLimitExceeded",
                hint="close one, or raise limits.streams in the settings",
            )
        self._service.streams += 1

    def __exit__(self, *_: object) -> None:
        self._service.streams -= 1
