"""Creation of targets from the `deliver` of subscriptions."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from tocsin.errors import Problem
from tocsin.runtime.clock_skew import wall_clock
from tocsin.service.delivery.cursor import DeliveryCursor
from tocsin.service.delivery.destination import (
    Destination,
    DestinationRules,
    FileDestination,
    TopicDestination,
    WebhookDestination,
    parse_destination,
)
from tocsin.service.delivery.targets import (
    FileTarget,
    Producer,
    RefusedTarget,
    Target,
    TopicTarget,
)
from tocsin.service.delivery.webhook import Webhook
from tocsin.service.outbound.http_sender import HttpSender
from tocsin.service.settings.delivery import DeliverySettings

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
