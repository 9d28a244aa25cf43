"""Delivery over real databases in a folder, with matches that the test itself puts there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from tocsin.catalog import Subscription, open_catalog
from tocsin.catalog.tenants import Owned
from tocsin.database.stores import STATE
from tocsin.runtime.admission import wall_clock
from tocsin.service.base.feed import Feed
from tocsin.service.delivery.service import Delivery, ServiceHandles
from tocsin.service.delivery.targets import Producer
from tocsin.service.settings.settings import DeliverySettings
from tocsin.service.storage.database import open_database
from tocsin.service.storage.results import MatchStore, NewMatch, prepare_sequences, store_matches
from tocsin.service.storage.schema import DEAD_LETTERS

QUICK: dict[str, Any] = {
    "allowed_networks": ["127.0.0.0/8"],
    "first_wait": "10ms",
    "longest_wait": "50ms",
    "timeout": "5s",
}
"""Loopback is allowed, and waits are short."""


class Office:
    """A database of matches and the delivery over it."""

    def __init__(
        self,
        folder: Path,
        producer: Producer | None = None,
        url: str | None = None,
        **settings: Any,
    ) -> None:
        self.folder = folder
        self.database = open_database(url or f"sqlite:///{folder / 'state.db'}", STATE)
        with self.database.writing() as connection:
            prepare_sequences(connection)
        self.matches = MatchStore(self.database)
        self.feed = Feed(self.matches.head())
        self.catalog = open_catalog(url or str(folder / "catalog.db"), create=True)
        around = ServiceHandles(
            self.database,
            self.matches,
            self.feed,
            self.catalog,
            url or f"sqlite:///{folder / 'delivery.db'}",
            folder,
            producer,
        )
        self.delivery = Delivery(DeliverySettings(**(QUICK | settings)), around)

    def subscribe(
        self,
        id: str,
        deliver: dict[str, Any] | None,
        tenant: str = "",
        *,
        paused: bool = False,
    ) -> None:
        """A change of the catalog as the service makes it; refused where delivery refuses it."""
        self.delivery.check(deliver)
        subscription = Subscription(Owned(tenant, id).key, "selector", "a = 1", deliver=deliver)
        self.catalog.put(subscription, paused=paused)
        self.delivery.catalog_changed()

    def unsubscribe(self, id: str, tenant: str = "") -> None:
        self.catalog.remove(Owned(tenant, id).key)
        self.delivery.catalog_changed()

    def ring(self, subscription: str, *ids: str, tenant: str = "") -> None:
        """Matches come to be, in one go."""
        new = [
            NewMatch(
                each,
                tenant,
                subscription,
                None,
                json.dumps({"id": each, "subscription": "s"}),
                version=self.catalog.version(),
            )
            for each in ids
        ]
        with self.database.writing() as connection:
            rows = store_matches(connection, new, wall_clock())
        self.feed.publish(rows)

    def state(self, subscription: str, tenant: str = "") -> dict[str, Any]:
        line = self.delivery.line((tenant, subscription))
        assert line is not None
        return line.as_json()

    def letters(self) -> list[Any]:
        with self.database.reading() as connection:
            return list(connection.execute(sql.select(DEAD_LETTERS)).all())


@contextmanager
def opened(folder: Path, producer: Producer | None = None, **settings: Any) -> Iterator[Office]:
    """An office at work; closed as a service closes."""
    office = Office(folder, producer, **settings)
    office.delivery.start()
    try:
        yield office
    finally:
        office.feed.close()
        office.delivery.stop()
        office.database.close()
