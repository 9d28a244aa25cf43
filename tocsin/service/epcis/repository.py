"""Storage of the interface: the index over the log, capture jobs, named queries and their
subscriptions. Each query lets the index catch up with the log, so that captured events are found at
once.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sql

from tocsin.events.codecs.decode import decode_all
from tocsin.events.event import Event
from tocsin.events.views.epcis import EpcisData
from tocsin.service.epcis.event_search import NamedQuery
from tocsin.service.epcis.index import (
    JOBS,
    QUERIES,
    SUBSCRIPTIONS,
    ConnectionProvider,
    EventIndex,
    Logged,
)
from tocsin.service.epcis.query_subscriptions import QuerySubscription, ReportSchedule
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.rows import LogRow
from tocsin.values.time import Instant

_CHUNK = 1000
_MAX_JOBS = 10_000


class Repository:
    """The tables of the interface, with the log that they follow."""

    def __init__(self, database: ConnectionProvider, log: EventLog) -> None:
        self.index = EventIndex(database)
        self._database = database
        self._log = log
        self._lock = threading.Lock()

    def catch_up(self) -> None:
        """Index the log up to its current head."""
        until = self._log.head
        with self._lock:
            while (position := self.index.position()) < until:
                rows = self._log.read(position, _CHUNK)
                if not rows:
                    return
                self.index.extend(position, rows[-1].position, map(_logged, rows))

    def forget(self) -> None:
        """Remove events from the index whose rows the log has removed; nothing while the log is
        empty.
        """
        rows = self._log.read_stored(0, 1)
        if rows:
            self.index.forget(rows[0].position)

    def add_job(self, tenant: str, job: dict[str, Any]) -> None:
        """Store a capture job; of all tenants together the newest _MOST_JOBS are kept."""
        with self._database.writing() as connection:
            values = {"id": job["captureID"], "tenant": tenant, "body": json.dumps(job)}
            connection.execute(JOBS.insert().values(values))
            number = connection.execute(sql.select(sql.func.max(JOBS.c.number))).scalar_one()
            connection.execute(JOBS.delete().where(JOBS.c.number <= number - _MAX_JOBS))

    def jobs(self, tenant: str, before: int, limit: int) -> list[tuple[int, dict[str, Any]]]:
        """Return at most `limit` jobs of a tenant before a number, the newest first; 0 for the
        newest.
        """
        asked = sql.select(JOBS.c.number, JOBS.c.body).where(JOBS.c.tenant == tenant)
        if before:
            asked = asked.where(JOBS.c.number < before)
        with self._database.reading() as connection:
            rows = connection.execute(asked.order_by(JOBS.c.number.desc()).limit(limit))
            return [(number, json.loads(body)) for number, body in rows]

    def job(self, tenant: str, id: str) -> dict[str, Any] | None:
        """Return a job by its id, or None."""
        asked = sql.select(JOBS.c.body).where(JOBS.c.tenant == tenant, JOBS.c.id == id)
        with self._database.reading() as connection:
            body = connection.execute(asked).scalar()
        return None if body is None else json.loads(body)

    def add_query(self, tenant: str, query: NamedQuery) -> bool:
        """Store a query; False if the name is in use."""
        with self._database.writing() as connection:
            there = connection.execute(_query(tenant, query.name)).first()
            if there is None:
                body = json.dumps(query.query)
                values = {"tenant": tenant, "name": query.name, "body": body}
                connection.execute(QUERIES.insert().values(values))
        return there is None

    def query(self, tenant: str, name: str) -> NamedQuery | None:
        """Return a query by its name, or None."""
        with self._database.reading() as connection:
            row = connection.execute(_query(tenant, name)).first()
        return None if row is None else NamedQuery(name, json.loads(row.body))

    def queries(self, tenant: str, after: str, limit: int) -> list[NamedQuery]:
        """Return at most `limit` queries of a tenant after a name."""
        asked = (
            sql.select(QUERIES.c.name, QUERIES.c.body)
            .where(QUERIES.c.tenant == tenant, QUERIES.c.name > after)
            .order_by(QUERIES.c.name)
            .limit(limit)
        )
        with self._database.reading() as connection:
            rows = connection.execute(asked)
            return [NamedQuery(name, json.loads(body)) for name, body in rows]

    def remove_query(self, tenant: str, name: str) -> bool:
        """Remove a query and its subscriptions; False if it is unknown."""
        mine = (SUBSCRIPTIONS.c.tenant == tenant, SUBSCRIPTIONS.c.query == name)
        with self._database.writing() as connection:
            connection.execute(SUBSCRIPTIONS.delete().where(*mine))
            found = connection.execute(
                QUERIES.delete().where(QUERIES.c.tenant == tenant, QUERIES.c.name == name)
            )
        return found.rowcount > 0

    def add_subscription(self, subscription: QuerySubscription) -> None:
        """Store a subscription of a query."""
        values = {
            "id": subscription.id,
            "tenant": subscription.tenant,
            "query": subscription.query,
            **_changing(subscription),
        }
        with self._database.writing() as connection:
            connection.execute(SUBSCRIPTIONS.insert().values(values))

    def save_subscription(self, subscription: QuerySubscription) -> bool:
        """Store the progress of a subscription; False if it was removed."""
        change = SUBSCRIPTIONS.update().where(SUBSCRIPTIONS.c.id == subscription.id)
        with self._database.writing() as connection:
            return connection.execute(change.values(_changing(subscription))).rowcount > 0

    def set_clock_back(self, now: Instant) -> None:
        """Set the next time of subscriptions with a schedule as seen from `now`."""
        for each in self.all_subscriptions():
            if each.due is not None and each.due > now:
                self.save_subscription(replace(each, due=each.terms.next_after(now)))

    def remove_subscription(self, tenant: str, query: str, id: str) -> bool:
        """Remove a subscription; False if it is unknown."""
        mine = _mine(tenant, query)
        with self._database.writing() as connection:
            found = connection.execute(
                SUBSCRIPTIONS.delete().where(*mine, SUBSCRIPTIONS.c.id == id)
            )
        return found.rowcount > 0

    def subscriptions(
        self, tenant: str, query: str, after: str = "", limit: int = 1000
    ) -> list[QuerySubscription]:
        """Return at most `limit` subscriptions of a query after an id."""
        return self._subscriptions((*_mine(tenant, query), SUBSCRIPTIONS.c.id > after), limit=limit)

    def all_subscriptions(self) -> list[QuerySubscription]:
        """Return the subscriptions of all queries."""
        return self._subscriptions((), limit=None)

    def subscription(self, tenant: str, query: str, id: str) -> QuerySubscription | None:
        """Return a subscription by its id, or None."""
        found = self._subscriptions((*_mine(tenant, query), SUBSCRIPTIONS.c.id == id), limit=1)
        return found[0] if found else None

    def _subscriptions(
        self, tests: Sequence[sql.ColumnElement[bool]], limit: int | None
    ) -> list[QuerySubscription]:
        asked = sql.select(SUBSCRIPTIONS).where(*tests).order_by(SUBSCRIPTIONS.c.id).limit(limit)
        with self._database.reading() as connection:
            return [_subscription(row) for row in connection.execute(asked)]


def _logged(row: LogRow) -> Logged:
    return Logged(row.position, row.received, list(_epcis_events(row)))


def _epcis_events(row: LogRow) -> Iterable[Event]:
    if row.code is not None:
        return ()
    try:
        events = decode_all(row.body) if row.events is None else row.events
    except Exception:  # the runner makes a dead letter of an unreadable row
        return ()
    return [event for event in events if isinstance(event.data, EpcisData)]


def _query(tenant: str, name: str) -> sql.Select[Any]:
    return sql.select(QUERIES.c.body).where(QUERIES.c.tenant == tenant, QUERIES.c.name == name)


def _mine(tenant: str, query: str) -> tuple[sql.ColumnElement[bool], ...]:
    return (SUBSCRIPTIONS.c.tenant == tenant, SUBSCRIPTIONS.c.query == query)


def _changing(subscription: QuerySubscription) -> dict[str, Any]:
    return {
        "body": json.dumps(subscription.stored()),
        "cursor": subscription.cursor,
        "due": subscription.due,
        "notified": subscription.notified,
    }


def _subscription(row: Any) -> QuerySubscription:
    kept = json.loads(row.body)
    terms = ReportSchedule(kept["schedule"], kept["initial"], kept["report"], kept["format"])
    return QuerySubscription(
        row.id,
        row.tenant,
        row.query,
        terms,
        kept["dest"],
        kept["created"],
        kept["token"],
        row.cursor,
        row.due,
        row.notified,
        kept["minimum"],
    )
