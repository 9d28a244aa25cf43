"""The lines of all subscriptions in their database. What their owners do to them wins over what a
worker knows of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import sqlalchemy as sql

from tocsin.errors import StateProblem
from tocsin.gateway.delivery.line import Key, Line
from tocsin.gateway.delivery.schema import COUNTER, DELIVERIES, METADATA
from tocsin.gateway.storage.database import Database
from tocsin.gateway.storage.heads import DELIVERY_HEADS
from tocsin.values.time import Instant

_GONE = "null"
_FRESH: dict[str, Any] = {"failed": 0, "not_before": 0, "reason": None, "ended": None}
_PROGRESS = ("position", "failed", "not_before", "reason", "ended", "delivered", "buried")


class DeliveryStore:
    """The lines behind a database."""

    def __init__(self, url: str) -> None:
        self._database = Database(url, METADATA, heads=DELIVERY_HEADS)
        with self._database.writing() as connection:
            if connection.execute(sql.select(COUNTER)).first() is None:
                connection.execute(COUNTER.insert().values(one=1, changed=0))
            connection.execute(DELIVERIES.delete().where(DELIVERIES.c.deliver == _GONE))

    def put(
        self, key: Key, deliver: Mapping[str, Any] | None, newest: int, *, paused: bool = False
    ) -> None:
        """The subscription is delivered as it says from now on, beginning after the newest match
        where it was not delivered before.
        """
        if deliver is None and self.get(key) is None:
            return
        told = _GONE if deliver is None else json.dumps(deliver, sort_keys=True)
        with self._database.writing() as connection:
            known = _row(connection, key)
            if known is None or known.deliver == _GONE:
                if deliver is not None:
                    _insert(connection, key, told, newest, paused)
            elif (known.deliver, known.paused) != (told, paused):
                anew = {} if known.deliver == told else _FRESH
                _change(connection, key, {"deliver": told, "paused": paused, **anew})

    def remove(self, key: Key) -> None:
        """The subscription is delivered no more, and nothing is known of it."""
        with self._database.writing() as connection:
            if _row(connection, key) is not None:
                _change(connection, key, {"deliver": _GONE})

    def move(self, key: Key, position: int) -> Line:
        """The subscription is delivered from after a position on, again or for the first time,
        though its receiver wanted no more.
        """
        return self._changed(key, {"position": position, **_FRESH}, moves=True)

    def resume(self, key: Key) -> Line:
        """The subscription is tried again at once, though its receiver wanted no more."""
        return self._changed(key, _FRESH)

    def rotate(self, key: Key, now: Instant) -> Line:
        """The subscription has a new secret."""
        return self._changed(key, {"generation": DELIVERIES.c.generation + 1, "rotated": now})

    def get(self, key: Key) -> Line | None:
        """The line of a subscription that is delivered."""
        with self._database.reading() as connection:
            row = _row(connection, key)
        return None if row is None or row.deliver == _GONE else row

    def changed_after(self, changed: int) -> list[Line]:
        """The lines that their owners changed after a number of changes, oldest change first."""
        query = sql.select(DELIVERIES).where(DELIVERIES.c.changed > changed)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(DELIVERIES.c.changed))
            return [Line(**row._mapping) for row in rows]

    def save(self, lines: Iterable[Line]) -> None:
        """Keeps how far the lines have come, but for those that their owners changed meanwhile."""
        rows = [_progress(line) for line in lines]
        statement = (
            DELIVERIES.update()
            .where(
                DELIVERIES.c.tenant == sql.bindparam("of_tenant"),
                DELIVERIES.c.subscription == sql.bindparam("of_subscription"),
                DELIVERIES.c.changed == sql.bindparam("as_of"),
            )
            .values({name: sql.bindparam(f"new_{name}") for name in _PROGRESS})
        )
        if rows:
            with self._database.writing() as connection:
                connection.execute(statement, rows)

    def set_clock_back(self, now: Instant) -> None:
        """Replace instants later than `now`: tries are due at once, secrets were changed now."""
        columns = DELIVERIES.c
        with self._database.writing() as connection:
            waiting = DELIVERIES.update().where(columns.not_before > now)
            connection.execute(waiting.values(not_before=0))
            connection.execute(DELIVERIES.update().where(columns.rotated > now).values(rotated=now))

    def close(self) -> None:
        """Closes the database."""
        self._database.close()

    def _changed(self, key: Key, values: Mapping[str, Any], *, moves: bool = False) -> Line:
        with self._database.writing() as connection:
            row = _row(connection, key)
            if row is None or row.deliver == _GONE:
                raise StateProblem(
                    f"the matches of subscription {key[1]!r} are not delivered",
                    code="NotDelivered",
                    token=key[1],
                    hint='subscribe with "deliver", or fetch them from /v1/matches',
                )
            _change(connection, key, values, moves=moves)
            found = _row(connection, key)
        assert found is not None
        return found


def is_gone(line: Line) -> bool:
    """Whether the line is that of a subscription that is delivered no more."""
    return line.deliver == _GONE


def _insert(connection: sql.Connection, key: Key, told: str, newest: int, paused: bool) -> None:
    connection.execute(DELIVERIES.delete().where(*_where(key)))
    number = _next_change(connection)
    line = Line(*key, told, number, paused, newest, moved=number)
    connection.execute(DELIVERIES.insert().values(asdict(line)))


def _change(
    connection: sql.Connection, key: Key, values: Mapping[str, Any], *, moves: bool = False
) -> None:
    number = _next_change(connection)
    numbers = {"changed": number, "moved": number} if moves else {"changed": number}
    connection.execute(DELIVERIES.update().where(*_where(key)).values(**numbers, **values))


def _next_change(connection: sql.Connection) -> int:
    connection.execute(COUNTER.update().values(changed=COUNTER.c.changed + 1))
    return int(connection.execute(sql.select(COUNTER.c.changed)).scalar_one())


def _row(connection: sql.Connection, key: Key) -> Line | None:
    row = connection.execute(sql.select(DELIVERIES).where(*_where(key))).first()
    return None if row is None else Line(**row._mapping)


def _where(key: Key) -> tuple[sql.ColumnElement[bool], ...]:
    return DELIVERIES.c.tenant == key[0], DELIVERIES.c.subscription == key[1]


def _progress(line: Line) -> dict[str, Any]:
    return {
        "of_tenant": line.tenant,
        "of_subscription": line.subscription,
        "as_of": line.changed,
        **{f"new_{name}": getattr(line, name) for name in _PROGRESS},
    }
