"""Targets of deliveries: their interface, topics of a broker, and files."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.events.codecs.bindings import Message
from tocsin.service.delivery.message import EVENT_CONTENT, DeliveryMessage, single_body
from tocsin.service.delivery.outcomes import Delivered, Failed, Outcome

_TOPIC_BATCH = 500
_FILE_BATCH = 1000
_BLOCK = 1 << 16


class Target(Protocol):
    """Receiver of up to `batch` matches of one subscription at a time, all or none."""

    @property
    def receiver(self) -> str:
        """Name of the receiver that a slow target delays; bounds its concurrency."""

    @property
    def batch(self) -> int:
        """Maximum number of matches in one attempt."""

    async def send(self, notices: Sequence[DeliveryMessage]) -> Outcome:
        """Make one attempt; return its outcome."""


class Producer(Protocol):
    """A broker's client."""

    def send(self, topic: str, messages: Iterable[tuple[str | None, Message]]) -> None:
        """Return when the broker has all messages, with their keys and in order; raise Problem
        otherwise.
        """

    def close(self) -> None:
        """Wait briefly for messages under way, and close."""


@dataclass(frozen=True, slots=True)
class TopicTarget:
    """A topic: structured CloudEvents of the Kafka binding. The subscription is the key, so that
    one partition has all of it in order.
    """

    topic: str
    producer: Producer
    origin: str = ""
    batch: int = _TOPIC_BATCH

    @property
    def receiver(self) -> str:
        """The broker."""
        return "kafka:"

    async def send(self, notices: Sequence[DeliveryMessage]) -> Outcome:
        """Send all matches at once."""
        messages = [(each.subscription, self._message(each)) for each in notices]
        try:
            await asyncio.to_thread(self.producer.send, self.topic, messages)
        except Problem as problem:
            return Failed(problem.message, code=problem.code)
        return Delivered()

    def _message(self, notice: DeliveryMessage) -> Message:
        body = single_body(notice, self.origin).encode()
        return Message(body, {}, f"{EVENT_CONTENT}; charset=UTF-8")


@dataclass(frozen=True, slots=True)
class RefusedTarget:
    """A destination that cannot be served any longer, for example after a change of settings; every
    attempt fails with the reason.
    """

    problem: Problem
    batch: int = 1

    @property
    def receiver(self) -> str:
        """Empty: nothing is sent."""
        return ""

    async def send(self, notices: Sequence[DeliveryMessage]) -> Outcome:
        """Fail with the reason."""
        return Failed(self.problem.message, code=self.problem.code)


@dataclass(frozen=True, slots=True)
class FileTarget:
    """A file of JSON lines in the fixed format of matches, synced before it counts as delivered.

    An incomplete last line, left by a crash, is cut off first.
    """

    path: Path
    batch: int = _FILE_BATCH
    _lock: threading.Lock = field(default_factory=threading.Lock, compare=False)

    @property
    def receiver(self) -> str:
        """The file."""
        return f"file:{self.path}"

    async def send(self, notices: Sequence[DeliveryMessage]) -> Outcome:
        """Append a line for each match."""
        text = "".join(json_text(notice.match) + "\n" for notice in notices)
        try:
            await asyncio.to_thread(self._append, text.encode())
        except OSError as error:
            return Failed(f"the file cannot be written: {error.strerror or error}")
        return Delivered()

    def _append(self, text: bytes) -> None:
        with self._lock:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a+b") as file:
                file.truncate(_end_of_lines(file.fileno()))
                file.write(text)
                file.flush()
                os.fsync(file.fileno())


def _end_of_lines(file: int) -> int:
    """Return the offset behind the last complete line."""
    end = os.fstat(file).st_size
    while end:
        start = max(0, end - _BLOCK)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
