"""Matches to iterate over for asyncio: stored matches, and new matches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
from httpx_sse import SSEError, aconnect_sse

from tocsin.client.calls import MatchPage
from tocsin.client.http import RetryPolicy, ServerConnection, TransportError
from tocsin.client.streams import STREAM, Following

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
