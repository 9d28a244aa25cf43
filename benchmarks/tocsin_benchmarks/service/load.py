"""The publishers of `tocsin bench service`: requests at a steady rate over kept connections, in
plain HTTP/1.1, so that the measuring does not take what is measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from time import time

from tocsin.errors import StateProblem
from tocsin_benchmarks.service.workload import Line

CONNECTIONS = 32
"""So many requests may be under way."""

_SECOND = 1_000_000


@dataclass(slots=True)
class Load:
    """What was published: when each probe was due, how long each answer took after it was due."""

    accepted: int = 0
    refused: int = 0
    due: dict[str, float] = field(default_factory=dict)
    answered: list[float] = field(default_factory=list)
    seconds: float = 0.0


class Connection:
    """One kept connection to the service."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, body: bytes, content_type: str) -> int:
        """The status of the answer."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        head = (
            f"POST /v1/events HTTP/1.1\r\nhost: {self._host}:{self._port}\r\n"
            f"content-type: {content_type}\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await writer.drain()
        return await _status(reader)

    def close(self) -> None:
        """Ends it."""
        if self._streams is not None:
            self._streams[1].close()


async def _status(reader: asyncio.StreamReader) -> int:
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    names = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
    await reader.readexactly(int(names.get("content-length", 0)))
    return int(lines[0].split(" ")[1])


async def publish(
    address: tuple[str, int], lines: Iterator[Line], rate: float, batch: int, seconds: float
) -> Load:
    """Publishes so many events a second, whatever becomes of them; each request is sent when it is
    due or as soon afterwards as a connection is free, and timed from when it was due.
    """
    load = Load()
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        free.put_nowait(Connection(*address))
    loop = asyncio.get_running_loop()
    begun, offset = loop.time(), time() - loop.time()
    under_way: set[asyncio.Task[None]] = set()
    for number in range(int(seconds * rate / batch)):
        due = begun + number * batch / rate
        await asyncio.sleep(max(0.0, due - loop.time()))
        connection = await free.get()
        some = list(islice(lines, batch))
        task = asyncio.create_task(_send(connection, some, due + offset, load, free))
        under_way.add(task)
        task.add_done_callback(under_way.discard)
    await asyncio.gather(*under_way)
    load.seconds = loop.time() - begun
    while not free.empty():
        free.get_nowait().close()
    return load


async def _send(
    connection: Connection,
    lines: list[Line],
    due: float,
    load: Load,
    free: asyncio.Queue[Connection],
) -> None:
    now = int(due * _SECOND)
    load.due |= {line.id: due for line in lines if line.is_probe}
    kind = "application/x-ndjson" if len(lines) > 1 else "application/cloudevents+json"
    status = await connection.post(b"\n".join(line.at(now) for line in lines), kind)
    if status == 202:
        load.accepted += len(lines)
        load.answered.append(time() - due)
    else:
        load.refused += len(lines)
    free.put_nowait(connection)


def require_some(load: Load) -> None:
    """Raises where nothing at all was accepted: the figures would be of nothing."""
    if not load.accepted:
        raise StateProblem("the service accepted nothing", code="BenchmarkFailed")
