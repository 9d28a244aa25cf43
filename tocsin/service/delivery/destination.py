"""The destination in the `deliver` of a subscription, and the target made of it.

A destination is a webhook, a topic or a file. Without one, matches are only stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tocsin.errors import MeaningProblem, Problem, UnsupportedProblem
from tocsin.runtime.admission import wall_clock
from tocsin.service.delivery.cursor import DeliveryCursor
from tocsin.service.delivery.targets import (
    FileTarget,
    Producer,
    RefusedTarget,
    Target,
    TopicTarget,
    Webhook,
)
from tocsin.service.outbound.addresses import AddressRules, WebhookUrl, parse_webhook_url
from tocsin.service.outbound.http_sender import HttpSender
from tocsin.service.settings.delivery import DeliverySettings

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
