"""Who is notified in `tocsin bench service`: a stream and a webhook, each of which notes when a
probe arrived.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from time import time

from tocsin.client import AsyncClient
from tocsin_benchmarks.service.workload import PROBE

_TAKEN = b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n"


@dataclass(slots=True)
class Arrivals:
    """When each probe arrived, by its id: over the stream, at the webhook."""

    stream: dict[str, float] = field(default_factory=dict)
    webhook: dict[str, float] = field(default_factory=dict)


@contextlib.asynccontextmanager
async def listening(url: str) -> AsyncIterator[Arrivals]:
    """Both kinds of listeners, for as long as they are needed; the subscription for probes is made
    with them.
    """
    arrivals = Arrivals()
    hook = await asyncio.start_server(
        lambda reader, writer: _take(reader, writer, arrivals), "127.0.0.1", 0
    )
    target = f"http://127.0.0.1:{hook.sockets[0].getsockname()[1]}/"
    async with AsyncClient(url) as client:
        await client.subscribe(
            PROBE, "probe = TRUE", language="selector", deliver={"webhook": target, "batch": 100}
        )
        hearing = asyncio.create_task(_hear(client, arrivals))
        try:
            yield arrivals
        finally:
            hearing.cancel()
            hook.close()


async def _hear(client: AsyncClient, arrivals: Arrivals) -> None:
    async for match in client.stream(PROBE):
        arrivals.stream[match["events"][0]] = time()


async def _take(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, arrivals: Arrivals
) -> None:
    over = (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError)
    with contextlib.suppress(*over):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            size = int(head.partition("content-length: ")[2].partition("\r\n")[0])
            body = await reader.readexactly(size)
            now = time()
            arrivals.webhook |= {each["data"]["events"][0]: now for each in json.loads(body)}
            writer.write(_TAKEN)
            await writer.drain()
    writer.close()
