"""Revocation of keys for streams: a stream ends when its key is revoked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import TypeVar

from tocsin.service.http.access import Caller

LOOK = 2.0
"""Seconds between two checks of the key of a stream."""

T = TypeVar("T")


async def stream_while_valid(caller: Caller, items: AsyncIterator[T]) -> AsyncIterator[T]:
    """Yield items while the key of the caller is valid; checked every `LOOK` seconds, also without
    items.
    """
    looked = time.monotonic()
    coming: asyncio.Future[T] | None = None
    try:
        while True:
            if coming is None:
                coming = asyncio.ensure_future(anext(items))
            await asyncio.wait((coming,), timeout=max(0.0, looked + LOOK - time.monotonic()))
            if time.monotonic() - looked >= LOOK:
                if not await asyncio.to_thread(caller.is_admitted):
                    return
                looked = time.monotonic()
            if coming.done():
                try:
                    item = coming.result()
                except StopAsyncIteration:
                    return
                coming = None
                yield item
    finally:
        if coming is not None:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
