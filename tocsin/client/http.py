"""The address of a service, its HTTP clients, and its responses: parsed, raised or retried."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from random import random
from typing import Any

import httpx

from tocsin.errors import (
    LimitProblem,
    MeaningProblem,
    Place,
    Problem,
    StateProblem,
    UnsupportedProblem,
)

TransportError = httpx.TransportError
"""No response, or an incomplete one."""

NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Errors before the request was sent."""

_SILENCE = 60.0
"""Seconds without data after which a stream counts as lost; the service sends keep-alives sooner.
"""


@dataclass(frozen=True, slots=True)
class ServerConnection:
    """URL, key and timeout of a service."""

    url: str
    key: str | None = None
    timeout: float = 30.0

    def __post_init__(self) -> None:
        try:
            parsed = httpx.URL(self.url)
        except httpx.InvalidURL as error:
            raise _no_address(self.url, str(error)) from None
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise _no_address(self.url, "it has no http:// or no host")
        if self.key is not None and not (self.key.isascii() and self.key.isprintable()):
            raise MeaningProblem("the key is no text of plain letters", code="KeyError")

    def client(self) -> httpx.Client:
        """Return a blocking client."""
        return httpx.Client(
            base_url=self.url.rstrip("/"), headers=self._headers(), timeout=self.timeout
        )

    def async_client(self) -> httpx.AsyncClient:
        """Return a client for asyncio."""
        return httpx.AsyncClient(
            base_url=self.url.rstrip("/"), headers=self._headers(), timeout=self.timeout
        )

    def stream_timeout(self) -> httpx.Timeout:
        """Return the timeouts of a stream."""
        return httpx.Timeout(self.timeout, read=_SILENCE)

    def _headers(self) -> dict[str, str]:
        return {} if self.key is None else {"authorization": f"Bearer {self.key}"}


def _no_address(url: str, why: str) -> MeaningProblem:
    return MeaningProblem(
        f"{url!r} is no address of a service: {why}",
        code="ServerAddressError",
        token=url,
        hint="write it like http://127.0.0.1:8080",
    )


_KINDS: Mapping[int, type[Problem]] = {
    400: MeaningProblem,
    404: StateProblem,
    409: StateProblem,
    413: LimitProblem,
    415: UnsupportedProblem,
    422: MeaningProblem,
    429: LimitProblem,
    503: StateProblem,
}
_BUSY = (429, 503)
"""Statuses of a request that the service did not accept at all."""
_LOST = (502, 504)
"""Statuses of a gateway in between; the service may have accepted the request."""
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Retry policy: the number of attempts, and the backoff in seconds.

    The wait is random, up to a bound that doubles with each failure, from `first` to `longest`.
    """

    tries: int = 5
    first: float = 0.2
    longest: float = 10.0

    def wait(self, failed: int, retry_after: str | None = None) -> float:
        """Return the seconds to wait after `failed` failures; at least those requested, up to
        `longest`.
        """
        most = min(self.longest, self.first * 2.0 ** min(failed - 1, 32))
        told = (
            float(retry_after)
            if retry_after and retry_after.isascii() and retry_after.isdigit()
            else 0.0
        )
        return max(most * random(), min(told, self.longest))


class Attempts:
    """The attempts of one call: the wait before the next one, or the problem after the last."""

    def __init__(self, server: str, patience: RetryPolicy) -> None:
        self._server = server
        self._patience = patience
        self._failed = 0

    def after_silence(self, error: Exception, *, is_repeatable: bool) -> float:
        """Return the seconds to wait after a request without response; raises after the last
        attempt.
        """
        self._failed += 1
        if not is_repeatable or self._failed >= self._patience.tries:
            raise unreachable(self._server, error)
        return self._patience.wait(self._failed)

    def after_refusal(
        self, status: int, body: bytes, retry_after: str | None, *, is_repeatable: bool
    ) -> float:
        """Return the seconds to wait after an error response; raises if the call may not be
        retried.

        Also raises after the last attempt.
        """
        self._failed += 1
        again = status in _BUSY or (is_repeatable and status in _LOST)
        if not again or self._failed >= self._patience.tries:
            raise problem_of(status, body)
        return self._patience.wait(self._failed, retry_after)


def read_json(status: int, body: bytes) -> Any:
    """Return the JSON of a response, None if it is empty; raises if it is not JSON."""
    if not body:
        return None
    try:
        return json.loads(body)
    except ValueError:
        raise _unexpected_response(status, body) from None


def problem_of(status: int, body: bytes) -> Problem:
    """Return the problem of an error response."""
    try:
        told = json.loads(body)
        code, detail = told["code"], told["detail"]
    except (ValueError, KeyError, TypeError):
        return _unexpected_response(status, body)
    place = Place(told["line"], told["column"]) if "line" in told and "column" in told else None
    kind = _KINDS.get(status, Problem)
    return kind(
        str(detail),
        code=str(code),
        place=place,
        token=str(told.get("token", "")),
        hint=str(told.get("hint", "")),
    )


def unreachable(server: str, error: Exception) -> StateProblem:
    """Return the problem of a service that does not respond."""
    return StateProblem(
        f"{server} does not answer: {error or type(error).__name__}",
        code="ServerUnreachable",
        token=server,
        hint="is it up, and is the address right? tocsin up starts one",
    )


def _unexpected_response(status: int, body: bytes) -> Problem:
    said = " ".join(body[:_SHOWN].decode("utf-8", "replace").split())
    return Problem(
        f"the server answered {status}{f': {said}' if said else ''}",
        code="ServerError",
        hint="is a tocsin service at the address?",
    )
