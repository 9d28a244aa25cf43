"""Subscriptions that are paused, and those that are in trouble: what the catalog does not say of
them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import sqlalchemy as sql

from tocsin.catalog import Subscription
from tocsin.gateway.storage.database import Database
from tocsin.gateway.storage.schema import PAUSED, TROUBLES


@dataclass(frozen=True, slots=True)
class KeptTrouble:
    """Why a subscription is not served."""

    code: str
    reason: str


class Standing:
    """Names are those of the catalog."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def paused(self) -> dict[str, Subscription]:
        """All that are paused, by name."""
        with self._database.reading() as connection:
            rows = connection.execute(sql.select(PAUSED.c.subscription, PAUSED.c.body)).all()
        return {name: Subscription.from_json(json.loads(body)) for name, body in rows}

    def pause(self, subscription: Subscription) -> None:
        """Keeps a subscription as a paused one, in place of what was kept before."""
        with self._database.writing() as connection:
            connection.execute(PAUSED.delete().where(PAUSED.c.subscription == subscription.id))
            body = json.dumps(subscription.as_json())
            connection.execute(PAUSED.insert().values(subscription=subscription.id, body=body))

    def forget(self, name: str) -> bool:
        """A subscription is paused no more; whether it was."""
        with self._database.writing() as connection:
            gone = connection.execute(PAUSED.delete().where(PAUSED.c.subscription == name))
        return gone.rowcount > 0

    def troubles(self) -> dict[str, KeptTrouble]:
        """All that are not served, by name."""
        query = sql.select(TROUBLES.c.subscription, TROUBLES.c.code, TROUBLES.c.reason)
        with self._database.reading() as connection:
            return {name: KeptTrouble(code, why) for name, code, why in connection.execute(query)}
