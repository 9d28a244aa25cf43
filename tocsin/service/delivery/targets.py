"""Targets of deliveries: webhooks, topics of a broker, and files; and the choice of one.

A webhook gets a match, or a batch of them, posted as CloudEvents and signed. A 2xx status is a
success; 410 ends the deliveries; everything else, redirects included, is retried.

The destination in the `deliver` of a subscription, and the target made of it.

A destination is a webhook, a topic or a file. Without one, matches are only stored.
"""

from __future__ import annotations

import asyncio
import os
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from time import time
from typing import Any, Protocol
from urllib.parse import quote

from tocsin.errors import MeaningProblem, Problem, UnsupportedProblem
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.events.codecs.bindings import Message
from tocsin.runtime.admission import wall_clock
from tocsin.service.delivery.cursor import DeliveryCursor
from tocsin.service.delivery.outbox import (
    BATCH_CONTENT,
    EVENT_CONTENT,
    DeliveryMessage,
    batch_body,
    batch_id,
    single_body,
)
from tocsin.service.delivery.signing import signature_headers
from tocsin.service.outbound.addresses import AddressRules, WebhookUrl, parse_webhook_url
from tocsin.service.outbound.http_sender import HttpSender, ReceiverResponse
from tocsin.service.outbound.pace import read_retry_after
from tocsin.service.settings.settings import DeliverySettings
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


MAX_BATCH = 1000
_KINDS = ("webhook", "kafka", "file")
_MEMBERS = (*_KINDS, "batch", "content")
_TOPIC = re.compile(r"[a-zA-Z0-9._-]{1,249}", re.ASCII)
_FILE = re.compile(r"[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,99}", re.ASCII)


@dataclass(frozen=True, slots=True)
class DestinationRules:
    """Allowed destinations: addresses, and whether there is a broker and a folder for files."""

    addresses: AddressRules = field(default_factory=AddressRules)
    with_kafka: bool = False
    with_files: bool = False


@dataclass(frozen=True, slots=True)
class WebhookDestination:
    """A URL; a message has at most `batch` matches."""

    url: WebhookUrl
    batch: int = 1


@dataclass(frozen=True, slots=True)
class TopicDestination:
    """A topic of the broker in the settings."""

    topic: str


@dataclass(frozen=True, slots=True)
class FileDestination:
    """A file in the folder of the tenant, to which lines are appended."""

    name: str


Destination = WebhookDestination | TopicDestination | FileDestination


def parse_destination(
    deliver: Mapping[str, Any] | None, rules: DestinationRules
) -> Destination | None:
    """Return the destination of a subscription, or None; raise Problem if it cannot be served."""
    given = {name: value for name, value in (deliver or {}).items() if value is not None}
    if unknown := sorted(set(given) - set(_MEMBERS)):
        near = get_close_matches(unknown[0], _MEMBERS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(_MEMBERS)}"
        raise _refused(f"deliver has the unknown member {unknown[0]!r}", unknown[0], hint)
    kinds = [kind for kind in _KINDS if kind in given]
    if len(kinds) > 1:
        hint = "subscribe twice, under two ids, to deliver to two places"
        raise _refused(f"deliver names {' and '.join(kinds)}", kinds[1], hint)
    if "batch" in given and kinds != ["webhook"]:
        raise _refused("only webhooks have a batch", "batch", "leave it out")
    match kinds:
        case ["webhook"]:
            url = parse_webhook_url(given["webhook"], rules.addresses)
            return WebhookDestination(url, _batch(given.get("batch", 1)))
        case ["kafka"]:
            return _topic(given["kafka"], rules)
        case ["file"]:
            return _file(given["file"], rules)
    return None


def _batch(given: object) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= MAX_BATCH:
        hint = f"a number from 1 to {MAX_BATCH}"
        raise _refused(f"the batch of a webhook is {given!r}", "batch", hint)
    return given


def _topic(given: object, rules: DestinationRules) -> TopicDestination:
    if not rules.with_kafka:
        raise _unserved("kafka", "the operator names a broker in the settings, under [kafka]")
    if not isinstance(given, str) or not _TOPIC.fullmatch(given) or given in (".", ".."):
        hint = "letters, digits, . _ and -, up to 249 of them"
        raise _refused(f"{given!r} is no name of a topic", str(given), hint)
    return TopicDestination(given)


def _file(given: object, rules: DestinationRules) -> FileDestination:
    if not rules.with_files:
        raise _unserved("file", "the operator names a folder in the settings: [delivery] files")
    if not isinstance(given, str) or not _FILE.fullmatch(given):
        hint = "a name without a path: letters, digits, . _ and -, up to 100 of them"
        raise _refused(f"{given!r} is no name of a file", str(given), hint)
    return FileDestination(given)


def _unserved(kind: str, hint: str) -> Problem:
    return UnsupportedProblem(
        f"this server delivers to no {kind}", code="DeliverError", token=kind, hint=hint
    )


def _refused(message: str, token: str, hint: str) -> Problem:
    return MeaningProblem(message, code="DeliverError", token=token, hint=hint)


# Targets of destinations.

_SHARED = "shared"
"""Folder of the tenant without a name."""


class Opener:
    """Factory of targets; `sender` is set once the event loop runs."""

    def __init__(
        self,
        settings: DeliverySettings,
        rules: DestinationRules,
        key: bytes,
        producer: Producer | None,
    ) -> None:
        self._settings = settings
        self._rules = rules
        self._key = key
        self._producer = producer
        self._files: dict[Path, FileTarget] = {}
        self.sender: HttpSender | None = None

    def open(self, line: DeliveryCursor) -> Target:
        """Return the target of a subscription; if it cannot be served, one that always fails."""
        try:
            destination = parse_destination(line.destination, self._rules)
        except Problem as problem:
            return RefusedTarget(problem)
        assert destination is not None
        return self._target(line, destination)

    def _target(self, line: DeliveryCursor, destination: Destination) -> Target:
        origin = self._settings.public_url
        match destination:
            case WebhookDestination(url, batch):
                assert self.sender is not None
                secrets = line.secrets(self._key, wall_clock())
                return Webhook(url, secrets, self.sender, origin, batch)
            case TopicDestination(topic):
                assert self._producer is not None
                return TopicTarget(topic, self._producer, origin)
            case FileDestination(name):
                assert self._settings.files is not None
                path = self._settings.files / _folder(line.tenant) / f"{name}.jsonl"
                return self._files.setdefault(path, FileTarget(path))


def _folder(tenant: str) -> str:
    """Return a folder name for a tenant, always inside the folder for files.

    No two tenants share one, even if a tenant has the name of the folder of the tenant without a
    name.
    """
    folder = quote(tenant, safe="").replace(".", "%2E")
    return f"%{ord(folder[0]):X}{folder[1:]}" if folder == _SHARED else folder or _SHARED
