"""The publishers of `tocsin bench service`: events at a steady rate, over kept connections in plain
HTTP/1.1, so that the measuring does not take what is measured, or to a topic of Kafka.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import time
from typing import Protocol

from tocsin.connectors.kafka import KafkaWriter
from tocsin.errors import StateProblem
from tocsin.events.codecs.bindings import STRUCTURED, Message
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


class Publisher(Protocol):
    """Publishes some events at a time."""

    async def publish(self, events: Sequence[bytes]) -> bool:
        """Returns when they are accepted, or refused: whether they were accepted."""
        ...

    def close(self) -> None:
        """Ends it."""
        ...


class KafkaPublisher:
    """Writes to a topic; what the brokers have is accepted."""

    def __init__(self, writer: KafkaWriter, topic: str) -> None:
        self._writer, self._topic = writer, topic

    async def publish(self, events: Sequence[bytes]) -> bool:
        """Returns when the brokers have them all."""
        messages = [(None, Message(event, {}, STRUCTURED)) for event in events]
        await asyncio.to_thread(self._writer.send, self._topic, messages)
        return True

    def close(self) -> None:
        """The writer is for others too."""


class Connection:
    """One kept connection to the service."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def publish(self, events: Sequence[bytes]) -> bool:
        """One request: a single event is structured, several are lines."""
        kind = "application/x-ndjson" if len(events) > 1 else STRUCTURED
        return await self.post(b"\n".join(events), kind) == 202

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
    make: Callable[[], Publisher], lines: Iterator[Line], rate: float, batch: int, seconds: float
) -> Load:
    """Publishes so many events a second, whatever becomes of them; each request is sent when it is
    due or as soon afterwards as a publisher is free, and timed from when it was due.
    """
    load = Load()
    free: asyncio.Queue[Publisher] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        free.put_nowait(make())
    loop = asyncio.get_running_loop()
    begun, offset = loop.time(), time() - loop.time()
    under_way: set[asyncio.Task[None]] = set()
    for number in range(int(seconds * rate / batch)):
        due = begun + number * batch / rate
        await asyncio.sleep(max(0.0, due - loop.time()))
        publisher = await free.get()
        some = list(islice(lines, batch))
        task = asyncio.create_task(_send(publisher, some, due + offset, load, free))
        under_way.add(task)
        task.add_done_callback(under_way.discard)
    await asyncio.gather(*under_way)
    load.seconds = loop.time() - begun
    while not free.empty():
        free.get_nowait().close()
    return load


async def _send(
    publisher: Publisher,
    lines: list[Line],
    due: float,
    load: Load,
    free: asyncio.Queue[Publisher],
) -> None:
    now = int(due * _SECOND)
    load.due |= {line.id: due for line in lines if line.is_probe}
    if await publisher.publish([line.at(now) for line in lines]):
        load.accepted += len(lines)
        load.answered.append(time() - due)
    else:
        load.refused += len(lines)
    free.put_nowait(publisher)


def require_some(load: Load) -> None:
    """Raises where nothing at all was accepted: the figures would be of nothing."""
    if not load.accepted:
        raise StateProblem("the service accepted nothing", code="BenchmarkFailed")
