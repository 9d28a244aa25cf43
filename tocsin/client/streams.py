"""Matches to iterate over: stored ones, page by page, and new ones, across lost connections.

Both have a `position` to continue from. A caller that stores it and starts there again misses no
match, and recognises repeated ones by their ids.

Each kind has a form for asyncio.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from typing import Any

import httpx
from httpx_sse import ServerSentEvent, SSEError, aconnect_sse, connect_sse

from tocsin.client.calls import MatchPage
from tocsin.client.http import Attempts, RetryPolicy, ServerConnection, TransportError, read_json

STREAM = "/v1/matches/stream"

ReadPage = Callable[[str | None, int, int], MatchPage]


class Matches:
    """Stored matches. `position` advances after all matches of a page."""

    def __init__(self, read: ReadPage, subscription: str | None, after: int, page: int) -> None:
        self.position = after
        self._read = read
        self._subscription = subscription
        self._page = page

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            page = self._read(self._subscription, self.position, self._page)
            yield from page.matches
            self.position = page.next
            if not page.matches:
                return


class Following:
    """State shared by both kinds of streams: the position, and the request to continue from it."""

    def __init__(
        self,
        server: ServerConnection,
        patience: RetryPolicy,
        subscription: str | None,
        after: int | None,
    ) -> None:
        self.position = after
        self.timeout = server.stream_timeout()
        self._server = server
        self._patience = patience
        self._subscription = subscription
        self._failed = 0
        self._attempts: Attempts | None = Attempts(server.url, patience)

    def request(self) -> dict[str, Any]:
        """Return parameters and headers of the next connection."""
        params = {} if self._subscription is None else {"subscription": self._subscription}
        if self.position is None:
            return {"params": params, "headers": {}}
        return {
            "params": {**params, "after": str(self.position)},
            "headers": {"last-event-id": str(self.position)},
        }

    def take(self, message: ServerSentEvent) -> dict[str, Any] | None:
        """Return the match of a server-sent event, or None; its id is the new position."""
        self._failed, self._attempts = 0, None
        if message.id.isascii() and message.id.isdigit():
            self.position = int(message.id)
        if not message.data:
            return None
        match: dict[str, Any] = read_json(200, message.data.encode())
        return match

    def after_refusal(self, response: httpx.Response) -> float:
        """Return the seconds to wait after an error response; raises if a retry is not possible."""
        asked = response.headers.get("retry-after")
        attempts = self._attempts or Attempts(self._server.url, self._patience)
        return attempts.after_refusal(
            response.status_code, response.content, asked, is_repeatable=True
        )

    def after_loss(self, error: Exception) -> float:
        """Return the seconds to wait after a lost connection.

        Before the first message, raises after the last attempt.
        """
        if self._attempts is not None:
            return self._attempts.after_silence(error, is_repeatable=True)
        self._failed += 1
        return self._patience.wait(self._failed)


class MatchStream(Following):
    """New matches. `position` is that of the last match returned."""

    def __init__(
        self,
        http: httpx.Client,
        server: ServerConnection,
        patience: RetryPolicy,
        subscription: str | None,
        after: int | None,
    ) -> None:
        super().__init__(server, patience, subscription, after)
        self._http = http

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            try:
                wait = yield from self._connection()
            except (TransportError, SSEError) as lost:
                wait = self.after_loss(lost)
            time.sleep(wait)

    def _connection(self) -> Generator[dict[str, Any], None, float]:
        """Yield the matches of one connection; return the seconds to wait before the next."""
        asked = self.request()
        with connect_sse(self._http, "GET", STREAM, timeout=self.timeout, **asked) as source:
            if not source.response.is_success:
                source.response.read()
                return self.after_refusal(source.response)
            for told in source.iter_sse():
                match = self.take(told)
                if match is not None:
                    yield match
        return self.after_loss(SSEError("the stream ended"))


AsyncReadPage = Callable[[str | None, int, int], Awaitable[MatchPage]]


class AsyncMatches:
    """Stored matches. `position` advances after all matches of a page."""

    def __init__(
        self, read: AsyncReadPage, subscription: str | None, after: int, page: int
    ) -> None:
        self.position = after
        self._read = read
        self._subscription = subscription
        self._page = page

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        while True:
            page = await self._read(self._subscription, self.position, self._page)
            for match in page.matches:
                yield match
            self.position = page.next
            if not page.matches:
                return


class AsyncMatchStream(Following):
    """New matches. `position` is that of the last match returned."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        server: ServerConnection,
        patience: RetryPolicy,
        subscription: str | None,
        after: int | None,
    ) -> None:
        super().__init__(server, patience, subscription, after)
        self._http = http
        self._wait = 0.0

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        while True:
            try:
                async for match in self._connection():
                    yield match
            except (TransportError, SSEError) as lost:
                self._wait = self.after_loss(lost)
            await asyncio.sleep(self._wait)

    async def _connection(self) -> AsyncIterator[dict[str, Any]]:
        """Yield the matches of one connection; set the seconds to wait before the next."""
        asked = self.request()
        async with aconnect_sse(self._http, "GET", STREAM, timeout=self.timeout, **asked) as source:
            if not source.response.is_success:
                await source.response.aread()
                self._wait = self.after_refusal(source.response)
                return
            async for told in source.aiter_sse():
                match = self.take(told)
                if match is not None:
                    yield match
        self._wait = self.after_loss(SSEError("the stream ended"))
