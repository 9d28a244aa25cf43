"""What takes matches: the interface of a target, topics of a broker, and files."""

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
from tocsin.service.delivery.message import EVENT_CONTENT, Notice, single_body
from tocsin.service.delivery.outcomes import Delivered, Failed, Outcome

_TOPIC_BATCH = 500
_FILE_BATCH = 1000
_BLOCK = 1 << 16


class Target(Protocol):
    """Takes up to `batch` matches of one subscription at a time, all of them or none."""

    @property
    def receiver(self) -> str:
        """Whom it holds up when it is slow."""

    @property
    def batch(self) -> int:
        """How many it takes at once."""

    async def send(self, notices: Sequence[Notice]) -> Outcome:
        """Tries once."""


class Producer(Protocol):
    """A broker's client."""

    def send(self, topic: str, messages: Iterable[tuple[str | None, Message]]) -> None:
        """Returns when the broker has all of them, each with its key, in order; a Problem where it
        does not.
        """

    def close(self) -> None:
        """Waits a moment for what is still under way."""


@dataclass(frozen=True, slots=True)
class TopicTarget:
    """A topic: structured CloudEvents, after the Kafka binding, with the subscription as key so
    that one partition has all of it in order.
    """

    topic: str
    producer: Producer
    origin: str = ""
    batch: int = _TOPIC_BATCH

    @property
    def receiver(self) -> str:
        """The broker."""
        return "kafka:"

    async def send(self, notices: Sequence[Notice]) -> Outcome:
        """All in one go."""
        messages = [(each.subscription, self._message(each)) for each in notices]
        try:
            await asyncio.to_thread(self.producer.send, self.topic, messages)
        except Problem as problem:
            return Failed(problem.message, code=problem.code)
        return Delivered()

    def _message(self, notice: Notice) -> Message:
        body = single_body(notice, self.origin).encode()
        return Message(body, {}, f"{EVENT_CONTENT}; charset=UTF-8")


@dataclass(frozen=True, slots=True)
class RefusedTarget:
    """A destination that cannot be served any more, as when the settings changed; every try says
    why.
    """

    problem: Problem
    batch: int = 1

    @property
    def receiver(self) -> str:
        """Nobody."""
        return ""

    async def send(self, notices: Sequence[Notice]) -> Outcome:
        """Fails."""
        return Failed(self.problem.message, code=self.problem.code)


@dataclass(frozen=True, slots=True)
class FileTarget:
    """A file of lines in the fixed format of matches, on the disk before it counts as delivered.

    Half a line at its end, as a crash leaves it, is cut off first.
    """

    path: Path
    batch: int = _FILE_BATCH
    _lock: threading.Lock = field(default_factory=threading.Lock, compare=False)

    @property
    def receiver(self) -> str:
        """The file."""
        return f"file:{self.path}"

    async def send(self, notices: Sequence[Notice]) -> Outcome:
        """Appends a line for each."""
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
    """Where the last whole line ends."""
    end = os.fstat(file).st_size
    while end:
        start = max(0, end - _BLOCK)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
