"""The address of a service, and the HTTP clients for it."""

from __future__ import annotations

from dataclasses import dataclass

import httpx

from tocsin.errors import MeaningProblem

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
