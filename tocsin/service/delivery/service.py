"""Delivery as a component: a worker in an event loop of its own, and the requests of subscription
owners.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tocsin.catalog import Catalog
from tocsin.database.database import Database
from tocsin.errors import Problem, StateProblem
from tocsin.events.codecs.base.cloudevents import json_text, parse_json
from tocsin.runtime.admission import wall_clock
from tocsin.service.base.feed import Feed
from tocsin.service.base.worker import EventLoopWorker
from tocsin.service.delivery.cursor import DeliveryCursor, Key
from tocsin.service.delivery.outbox import DeliveryMessage, StoredOutbox, notice_of
from tocsin.service.delivery.signing import server_key
from tocsin.service.delivery.store import CatalogLines, DeliveryStore
from tocsin.service.delivery.targets import (
    DestinationRules,
    Failed,
    Gone,
    Opener,
    Producer,
    parse_destination,
)
from tocsin.service.delivery.worker import DeliveryDependencies, DeliveryWorker
from tocsin.service.outbound.http_sender import DnsResolver, HttpSender
from tocsin.service.settings.settings import DeliverySettings
from tocsin.service.storage.lock import Lease
from tocsin.service.storage.results import MatchStore, NewLetter, store_letters
from tocsin.service.storage.rows import LetterRow
from tocsin.values.time import Instant

LOGGER = logging.getLogger(__name__)

UNDELIVERED = "DeliveryError"
"""Code of dead letters of undelivered matches."""

_STOP_WITHIN = 30.0
_LISTEN = 5.0


@dataclass(frozen=True, slots=True)
class ServiceHandles:
    """Stores and settings that delivery shares with the rest of the service."""

    database: Database
    matches: MatchStore
    feed: Feed
    catalog: Catalog
    url: str
    data: Path
    producer: Producer | None = None


class Delivery:
    """Delivers from `start` to `stop`; cursors can be read and changed at any time."""

    def __init__(self, settings: DeliverySettings, around: ServiceHandles) -> None:
        self._settings = settings
        self._around = around
        self._store = DeliveryStore(around.url)
        self._lease = Lease(around.url)
        given = settings.secret.get_secret_value() if settings.secret else None
        self._key = server_key(given, around.data / "delivery.key")
        self._rules = DestinationRules(
            settings.rules, around.producer is not None, settings.files is not None
        )
        self._lines = CatalogLines(around.catalog, self._store, around.matches, self._delivers)
        self._opener = Opener(settings, self._rules, self._key, around.producer)
        self.worker = DeliveryWorker(self._work())
        self._background = EventLoopWorker("delivery", self._deliver, LOGGER)

    def start(self) -> None:
        """Start to deliver."""
        self._background.start()

    def stop(self) -> None:
        """Stop and store all cursors; messages under way are sent again after a restart."""
        self._background.stop(_STOP_WITHIN)
        self._lines.save()
        self._lease.release()
        if self._around.producer is not None:
            self._around.producer.close()
        self._store.close()

    def check(self, deliver: Mapping[str, Any] | None) -> None:
        """Raise Problem if a subscription cannot be delivered to this target."""
        parse_destination(deliver, self._rules)

    def _delivers(self, deliver: Mapping[str, Any] | None) -> bool:
        return parse_destination(deliver, self._rules) is not None

    def catalog_changed(self) -> None:
        """Take over a change of the catalog; on failure the worker does it later."""
        try:
            self._lines.follow()
        except Problem as problem:
            LOGGER.warning("delivery follows the catalog later: %s", problem)
        self.worker.wake(changed=True)

    def renew_lines(self) -> int:
        """Rebuild all cursors from the catalog after a loss; return how many deliver."""
        return self._lines.renew()

    def line(self, key: Key) -> DeliveryCursor | None:
        """Return the delivery cursor of a subscription; None if it is not delivered."""
        self._lines.follow()
        return self._store.get(key)

    def move(self, key: Key, position: int) -> DeliveryCursor:
        """Deliver everything after a position, again or for the first time.

        A position beyond the newest match means after the newest match.
        """
        self._lines.follow()
        return self._changed(self._store.move(key, min(position, self._around.matches.head())))

    def set_clock_back(self, now: Instant) -> None:
        """Make deliveries that wait for a later time than `now` due at once."""
        self._store.set_clock_back(now)

    def resume(self, key: Key) -> DeliveryCursor:
        """Retry at once, even if the receiver has ended its deliveries."""
        self._lines.follow()
        return self._changed(self._store.resume(key))

    def rotate(self, key: Key) -> DeliveryCursor:
        """Create a new secret; the old one stays valid for OVERLAP."""
        self._lines.follow()
        return self._changed(self._store.rotate(key, wall_clock()))

    def secret(self, line: DeliveryCursor) -> str:
        """Return the newest secret that messages of a subscription are signed with."""
        return line.secrets(self._key, wall_clock())[0]

    def redeliver(self, key: Key, notice: DeliveryMessage) -> None:
        """Send one match once more, now; raise StateProblem if it is not delivered."""
        line = self.line(key)
        loop = self._background.loop
        if line is None or loop is None:
            raise StateProblem(
                f"the matches of subscription {key[1]!r} are not delivered",
                code="NotDelivered",
                token=key[1],
                hint='subscribe with "deliver", or fetch them from /v1/matches',
            )
        sent = asyncio.run_coroutine_threadsafe(self._opener.open(line).send([notice]), loop)
        outcome = sent.result(self._settings.seconds_to_answer + _STOP_WITHIN)
        if isinstance(outcome, Failed | Gone):
            raise StateProblem(
                f"still not delivered: {outcome.reason}",
                code=UNDELIVERED,
                token=key[1],
                hint="mend the receiver, then try again",
            )

    def replay_letter(self, letter: LetterRow) -> bool:
        """Send the match of a dead letter once more; False if the letter is not an undelivered
        match.
        """
        if letter.code != UNDELIVERED or letter.subscription is None:
            return False
        match = parse_json(letter.input)
        row = self._around.matches.get(str(match.get("id")), letter.tenant)
        notice = DeliveryMessage(0, str(match.get("id")), letter.subscription, match)
        key = (letter.tenant, letter.subscription)
        self.redeliver(key, notice if row is None else notice_of(row))
        return True

    def _changed(self, line: DeliveryCursor) -> DeliveryCursor:
        self.worker.wake(changed=True)
        return line

    async def _deliver(self, stop: asyncio.Event) -> None:
        names = DnsResolver()
        sender = HttpSender(
            self._settings.rules, names.look_up, timeout=self._settings.seconds_to_answer
        )
        self._opener.sender = sender
        listening = asyncio.create_task(self._listen())
        try:
            await self.worker.run(stop)
        finally:
            listening.cancel()
            await sender.close()
            names.close()

    async def _listen(self) -> None:
        feed, head = self._around.feed, self._around.feed.head
        while not feed.is_closed:
            head = await feed.beyond(head, _LISTEN)
            self.worker.wake()

    def _work(self) -> DeliveryDependencies:
        settings = self._settings
        return DeliveryDependencies(
            self._store,
            StoredOutbox(self._around.matches, self._around.feed),
            self._opener.open,
            self._dead_letter,
            wall_clock,
            self._lease.hold,
            self._lines.follow,
            settings.backoff,
            settings.lanes,
        )

    def _dead_letter(
        self, line: DeliveryCursor, notices: Sequence[DeliveryMessage], failed: Failed
    ) -> None:
        reason = f"not delivered after {line.failed} tries: {failed.reason}"
        letters = [
            NewLetter(line.tenant, line.subscription, UNDELIVERED, reason, json_text(each.match))
            for each in notices
        ]
        with self._around.database.writing() as connection:
            store_letters(connection, letters, wall_clock())
