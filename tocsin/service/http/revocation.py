"""Streams end when the key that opened them is revoked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import TypeVar

from tocsin.service.http.access import Caller

LOOK = 2.0
"""Seconds between two looks at the key of a stream."""

T = TypeVar("T")


async def while_admitted(caller: Caller, items: AsyncIterator[T]) -> AsyncIterator[T]:
    """Yield items while the key of the caller is good; it is looked at whenever `LOOK` seconds have
    passed, also while no item comes.
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
