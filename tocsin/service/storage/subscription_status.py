"""Subscriptions that are in trouble, which the catalog does not say of them, and those that an
earlier release kept here while they were paused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import sqlalchemy as sql

from tocsin.catalog import Subscription
from tocsin.service.storage.database import Database
from tocsin.service.storage.schema import PAUSED, TROUBLES


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
        """All that an earlier release paused, by name; the catalog keeps them now."""
        with self._database.reading() as connection:
            rows = connection.execute(sql.select(PAUSED.c.subscription, PAUSED.c.body)).all()
        return {name: Subscription.from_json(json.loads(body)) for name, body in rows}

    def forget(self, name: str) -> bool:
        """Remove a subscription that the catalog has now; return True if it was here."""
        with self._database.writing() as connection:
            gone = connection.execute(PAUSED.delete().where(PAUSED.c.subscription == name))
        return gone.rowcount > 0

    def troubles(self) -> dict[str, KeptTrouble]:
        """All that are not served, by name."""
        query = sql.select(TROUBLES.c.subscription, TROUBLES.c.code, TROUBLES.c.reason)
        with self._database.reading() as connection:
            return {name: KeptTrouble(code, why) for name, code, why in connection.execute(query)}
