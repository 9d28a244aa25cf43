"""Targets of deliveries: their interface and outcomes, webhooks, topics of a broker, and files.

A webhook gets a match, or a batch of them, posted as CloudEvents and signed. A 2xx status is a
success; 410 ends the deliveries; everything else, redirects included, is retried.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Protocol

from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.events.codecs.bindings import Message
from tocsin.service.delivery.outbox import (
    BATCH_CONTENT,
    EVENT_CONTENT,
    DeliveryMessage,
    batch_body,
    batch_id,
    single_body,
)
from tocsin.service.delivery.signing import signature_headers
from tocsin.service.outbound.addresses import WebhookUrl
from tocsin.service.outbound.http_sender import HttpSender, ReceiverResponse
from tocsin.service.outbound.pace import read_retry_after
from tocsin.version import __version__


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receiver has accepted the message."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The receiver has not accepted the message, or has not answered. `retry_after` are the seconds
    of its `Retry-After`.
    """

    reason: str
    retry_after: float | None = None
    code: str = "DeliveryError"


@dataclass(frozen=True, slots=True)
class Gone:
    """The receiver has ended the deliveries of this subscription."""

    reason: str


Outcome = Delivered | Failed | Gone


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


# Webhooks.

_SHOWN = 200
_AGENT = f"tocsin/{__version__}"


@dataclass(frozen=True, slots=True)
class Webhook:
    """A receiver behind a URL, which verifies messages by the secrets they are signed with."""

    url: WebhookUrl
    secrets: Sequence[str]
    sender: HttpSender
    origin: str = ""
    batch: int = 1
    clock: Callable[[], float] = time

    @property
    def receiver(self) -> str:
        """Scheme, host and port."""
        return self.url.origin

    async def send(self, notices: Sequence[DeliveryMessage]) -> Outcome:
        """Send one message with all matches."""
        now = self.clock()
        single = self.batch == 1
        body = single_body(notices[0], self.origin) if single else batch_body(notices, self.origin)
        headers = {
            "content-type": f"{EVENT_CONTENT if single else BATCH_CONTENT}; charset=utf-8",
            "user-agent": _AGENT,
            **signature_headers(self.secrets, batch_id(notices), int(now), body),
        }
        try:
            answer = await self.sender.post(self.url, headers, body.encode())
        except Problem as problem:
            return Failed(problem.message, code=problem.code)
        return outcome_of(answer, now)


def outcome_of(answer: ReceiverResponse, now: float) -> Outcome:
    """Return the outcome of a response."""
    if 200 <= answer.status < 300:
        return Delivered()
    if answer.status == 410:
        return Gone("the receiver answered 410 Gone")
    asked = read_retry_after(answer.headers.get("retry-after"), datetime.fromtimestamp(now, UTC))
    return Failed(_describe_answer(answer), asked)


def _describe_answer(answer: ReceiverResponse) -> str:
    if 300 <= answer.status < 400:
        return f"the receiver answered {answer.status}: redirects are not followed"
    said = " ".join(answer.text[:_SHOWN].split())
    return f"the receiver answered {answer.status}{f': {said}' if said else ''}"
