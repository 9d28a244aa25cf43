"""Stored matches, oldest first; a read for one tenant never returns those of another."""

from __future__ import annotations

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.service.storage.results import MATCH_SEQUENCE, last_position
from tocsin.service.storage.rows import MatchRow
from tocsin.service.storage.schema import MATCHES
from tocsin.values.time import Instant

_COLUMNS = tuple(
    MATCHES.c[name]
    for name in (
        "position",
        "id",
        "tenant",
        "subscription",
        "detected",
        "stored",
        "body",
        "members",
        "version",
    )
)


class MatchStore:
    """Queries of matches."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def head(self) -> int:
        """Return the position of the newest match; 0 before the first."""
        with self._database.reading() as connection:
            return last_position(connection, MATCH_SEQUENCE)

    def read(
        self,
        after: int,
        limit: int,
        *,
        tenant: str | None = None,
        subscription: str | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        before: int | None = None,
        version: int | None = None,
        newest: bool = False,
    ) -> list[MatchRow]:
        """Return the first matches after a position or, with `newest`, the last before another;
        oldest first.

        Filters: tenant, subscription, detected from `since` to `until`, and catalog versions from
        `version` on; None for all.
        """
        query = sql.select(*_COLUMNS).where(MATCHES.c.position > after)
        if tenant is not None:
            query = query.where(MATCHES.c.tenant == tenant)
        if subscription is not None:
            query = query.where(MATCHES.c.subscription == subscription)
        if since is not None:
            query = query.where(MATCHES.c.detected >= since)
        if until is not None:
            query = query.where(MATCHES.c.detected <= until)
        if before is not None:
            query = query.where(MATCHES.c.position < before)
        if version:
            query = query.where(MATCHES.c.version >= version)
        order = MATCHES.c.position.desc() if newest else MATCHES.c.position
        with self._database.reading() as connection:
            found = connection.execute(query.order_by(order).limit(limit))
            rows = [MatchRow(*row) for row in found]
        return rows[::-1] if newest else rows

    def head_before(self, tenant: str, subscription: str, version: int) -> int:
        """Return the position of the newest match. If a subscription has matched since a version of
        the catalog, return the position before the first of these matches.
        """
        own = MATCHES.c.tenant == tenant, MATCHES.c.subscription == subscription
        older = sql.select(MATCHES.c.position).where(*own, MATCHES.c.version < version)
        with self._database.reading() as connection:
            newest = older.order_by(MATCHES.c.position.desc()).limit(1)
            last = connection.execute(newest).scalar() or 0
            later = sql.select(MATCHES.c.position).where(*own, MATCHES.c.position > last)
            first = connection.execute(later.order_by(MATCHES.c.position).limit(1)).scalar()
            return last_position(connection, MATCH_SEQUENCE) if first is None else int(first) - 1

    def get(self, id: str, tenant: str) -> MatchRow | None:
        """Return a match by its id; None if the tenant does not have it."""
        query = sql.select(*_COLUMNS).where(MATCHES.c.id == id, MATCHES.c.tenant == tenant)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else MatchRow(*row)
