"""The delivery cursors of all subscriptions in their database, as the catalog requires them.

Changes by owners win over the progress of a worker.

Cursors follow the catalog: each version is taken over in one transaction with its number, so that a
change of the catalog is never applied in part, however often it is tried. With SQLite they have a
database of their own, so that matching and delivering never wait for each other.

A change is made in the catalog, and cursors follow, version by version. After a failure or a crash,
work resumes at the last version taken over.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sql

from tocsin.catalog import Catalog, Changes, Subscription
from tocsin.catalog.tenants import Owned
from tocsin.database.stores import DELIVERY
from tocsin.errors import Problem, StateProblem
from tocsin.service.delivery.cursor import DeliveryCursor, Key
from tocsin.service.storage.database import open_database
from tocsin.service.storage.positions import DELIVERY_HEADS
from tocsin.service.storage.results import MatchStore
from tocsin.values.time import Instant

METADATA = sql.MetaData()

BIG = sql.BigInteger().with_variant(sql.Integer, "sqlite")

DELIVERIES = sql.Table(
    "tocsin_deliveries",
    METADATA,
    sql.Column("tenant", sql.Text, primary_key=True),
    sql.Column("subscription", sql.Text, primary_key=True),
    sql.Column("deliver", sql.Text, nullable=False),
    sql.Column("changed", BIG, nullable=False, index=True),
    sql.Column("paused", sql.Boolean, nullable=False, default=False),
    sql.Column("position", BIG, nullable=False),
    sql.Column("failed", sql.Integer, nullable=False, default=0),
    sql.Column("not_before", BIG, nullable=False, default=0),
    sql.Column("reason", sql.Text),
    sql.Column("ended", sql.Text),
    sql.Column("delivered", BIG, nullable=False, default=0),
    sql.Column("buried", BIG, nullable=False, default=0),
    sql.Column("generation", sql.Integer, nullable=False, default=1),
    sql.Column("rotated", BIG, nullable=False, default=0),
    sql.Column("moved", BIG, nullable=False, default=0),
    sql.Column("since", BIG, nullable=False, default=0, server_default="0"),
)
"""One row per subscription with a target.

`position` is that of the last match that is delivered or a dead letter. `changed` rises with every
change by the owner, and shows the worker that its copy is old; `moved` is its value when the owner
set the position. The next match has had `failed` attempts, and is not tried before `not_before`.
Matches of catalog versions before `since` are those of an earlier subscription of the same name.
"""

FOLLOWED = sql.Table(
    "tocsin_delivery_followed",
    METADATA,
    sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("version", BIG, nullable=False),
)
"""Version of the catalog that the rows above are of; no row if an earlier release wrote them."""

COUNTER = sql.Table(
    "tocsin_delivery_changes",
    METADATA,
    sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("changed", BIG, nullable=False),
)
"""Number of the newest change; a writer takes the next one first, so that changes are serialized.
"""


GONE = "null"
"""The destination of a subscription that is not delivered any longer."""

_FRESH: dict[str, Any] = {"failed": 0, "not_before": 0, "reason": None, "ended": None}
_PROGRESS = ("position", "failed", "not_before", "reason", "ended", "delivered", "buried")


@dataclass(frozen=True, slots=True)
class WantedLine:
    """A cursor as the catalog requires it; `deliver` is None without a target.

    `newest` is the position of the last match before the subscription existed: a new cursor begins
    behind it.
    """

    key: Key
    deliver: Mapping[str, Any] | None
    paused: bool = False
    newest: int = 0


class DeliveryStore:
    """The delivery cursors in a database."""

    def __init__(self, url: str) -> None:
        self._database = open_database(url, DELIVERY, heads=DELIVERY_HEADS)
        with self._database.writing() as connection:
            if connection.execute(sql.select(COUNTER)).first() is None:
                connection.execute(COUNTER.insert().values(one=1, changed=0))
            connection.execute(DELIVERIES.delete().where(DELIVERIES.c.deliver == GONE))

    def followed(self) -> int | None:
        """Return the version of the catalog that the cursors are of; None before the first."""
        with self._database.reading() as connection:
            return _followed(connection)

    def forget_followed(self) -> None:
        """Make the next `follow` take over the whole catalog, as after a loss."""
        with self._database.writing() as connection:
            connection.execute(FOLLOWED.delete())

    def keys(self) -> set[Key]:
        """Return the subscriptions that are delivered."""
        query = sql.select(DELIVERIES.c.tenant, DELIVERIES.c.subscription).where(
            DELIVERIES.c.deliver != GONE
        )
        with self._database.reading() as connection:
            return {(tenant, name) for tenant, name in connection.execute(query)}

    def follow(
        self, version: int, wanted: Iterable[WantedLine], removed: Collection[Key] = ()
    ) -> None:
        """Apply a version of the catalog, unless it was applied already.

        A subscription that was not delivered before is delivered from behind `newest` on.
        """
        with self._database.writing() as connection:
            connection.execute(COUNTER.update().values(changed=COUNTER.c.changed))
            known = _followed(connection)
            if known is not None and known >= version:
                return
            for key in removed:
                _remove(connection, key)
            for each in wanted:
                _put(connection, each, version)
            connection.execute(FOLLOWED.delete())
            connection.execute(FOLLOWED.insert().values(one=1, version=version))

    def move(self, key: Key, position: int) -> DeliveryCursor:
        """Continue a subscription after a position, even if its receiver has ended deliveries."""
        return self._changed(key, {"position": position, **_FRESH}, moves=True)

    def resume(self, key: Key) -> DeliveryCursor:
        """Make a subscription due at once, even if its receiver has ended deliveries."""
        return self._changed(key, _FRESH)

    def rotate(self, key: Key, now: Instant) -> DeliveryCursor:
        """Give a subscription a new secret."""
        return self._changed(key, {"generation": DELIVERIES.c.generation + 1, "rotated": now})

    def get(self, key: Key) -> DeliveryCursor | None:
        """Return the cursor of a subscription; None if it is not delivered."""
        with self._database.reading() as connection:
            row = _row(connection, key)
        return None if row is None or row.deliver == GONE else row

    def changed_after(self, changed: int) -> list[DeliveryCursor]:
        """Return the cursors that owners changed after a change number, oldest first."""
        query = sql.select(DELIVERIES).where(DELIVERIES.c.changed > changed)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(DELIVERIES.c.changed))
            return [DeliveryCursor(**row._mapping) for row in rows]

    def save(self, lines: Iterable[DeliveryCursor]) -> None:
        """Store the progress of cursors, except those that their owners have changed meanwhile."""
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
        """Replace instants later than `now`: attempts are due at once, secrets count as changed
        now.
        """
        columns = DELIVERIES.c
        with self._database.writing() as connection:
            waiting = DELIVERIES.update().where(columns.not_before > now)
            connection.execute(waiting.values(not_before=0))
            connection.execute(DELIVERIES.update().where(columns.rotated > now).values(rotated=now))

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def _changed(
        self, key: Key, values: Mapping[str, Any], *, moves: bool = False
    ) -> DeliveryCursor:
        with self._database.writing() as connection:
            row = _row(connection, key)
            if row is None or row.deliver == GONE:
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


def is_gone(line: DeliveryCursor) -> bool:
    """True if the subscription is not delivered any longer."""
    return line.deliver == GONE


def _followed(connection: sql.Connection) -> int | None:
    found = connection.execute(sql.select(FOLLOWED.c.version)).scalar()
    return None if found is None else int(found)


def _put(connection: sql.Connection, wanted: WantedLine, version: int) -> None:
    told = GONE if wanted.deliver is None else json.dumps(wanted.deliver, sort_keys=True)
    known = _row(connection, wanted.key)
    if known is None or known.deliver == GONE:
        if wanted.deliver is not None:
            _insert(connection, wanted, told, version)
    elif (known.deliver, known.paused) != (told, wanted.paused):
        anew = {} if known.deliver == told else _FRESH
        _change(connection, wanted.key, {"deliver": told, "paused": wanted.paused, **anew})


def _remove(connection: sql.Connection, key: Key) -> None:
    if _row(connection, key) is not None:
        _change(connection, key, {"deliver": GONE})


def _insert(connection: sql.Connection, wanted: WantedLine, deliver: str, version: int) -> None:
    connection.execute(DELIVERIES.delete().where(*_where(wanted.key)))
    number = _next_change(connection)
    line = DeliveryCursor(
        *wanted.key, deliver, number, wanted.paused, wanted.newest, moved=number, since=version
    )
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


def _row(connection: sql.Connection, key: Key) -> DeliveryCursor | None:
    row = connection.execute(sql.select(DELIVERIES).where(*_where(key))).first()
    return None if row is None else DeliveryCursor(**row._mapping)


def _where(key: Key) -> tuple[sql.ColumnElement[bool], ...]:
    return DELIVERIES.c.tenant == key[0], DELIVERIES.c.subscription == key[1]


def _progress(line: DeliveryCursor) -> dict[str, Any]:
    return {
        "of_tenant": line.tenant,
        "of_subscription": line.subscription,
        "as_of": line.changed,
        **{f"new_{name}": getattr(line, name) for name in _PROGRESS},
    }


LOGGER = logging.getLogger(__name__)

_PERSIST_AFTER = 100
"""Versions without a change of delivery that are noted in memory only."""


class CatalogLines:
    """The delivery cursors of a catalog.

    `delivers` returns True for a target, and raises Problem for one that cannot be served. May be
    used from several threads; several processes may follow the same catalog.
    """

    def __init__(
        self,
        catalog: Catalog,
        store: DeliveryStore,
        matches: MatchStore,
        delivers: Callable[[Mapping[str, Any] | None], bool],
    ) -> None:
        self._catalog, self._store, self._matches = catalog, store, matches
        self._delivers = delivers
        self._lock = threading.Lock()
        self._known: int | None = None
        self._saved = 0

    def follow(self) -> None:
        """Take over all versions that the catalog has by now; raise Problem if a store cannot be
        used.
        """
        with self._lock:
            newest = self._catalog.version()
            if self._known is None:
                self._known = self._saved = self._begin(newest)
            while self._known < newest:
                self._take_over(self._known + 1)
                self._known += 1
            if self._known - self._saved >= _PERSIST_AFTER:
                self._persist()

    def renew(self) -> int:
        """Rebuild all cursors from the catalog after a loss; return how many deliver."""
        with self._lock:
            newest = self._catalog.version()
            self._store.forget_followed()  # the noted version may have survived the loss
            count = self._take_over_all(newest)
            self._known = self._saved = newest
            return count

    def save(self) -> None:
        """Store the version taken over last, so that the next process need not repeat the work."""
        with self._lock:
            try:
                self._persist()
            except Problem as problem:
                LOGGER.warning("how far the catalog was followed is not saved: %s", problem)

    def _persist(self) -> None:
        if self._known is not None and self._known > self._saved:
            self._store.follow(self._known, ())
            self._saved = self._known

    def _begin(self, newest: int) -> int:
        """Return the version taken over last; the first time, take over the newest version."""
        known = self._store.followed()
        if known is None:
            self._take_over_all(newest)
        return newest if known is None else known

    def _take_over_all(self, version: int) -> int:
        """Set all cursors as a version requires, whatever there was; return how many deliver."""
        held = self._catalog.snapshot(version)
        wanted = self._wanted(held.subscriptions, held.paused, version)
        gone = self._store.keys() - {each.key for each in wanted}
        self._store.follow(version, wanted, gone)
        return sum(each.deliver is not None for each in wanted)

    def _take_over(self, version: int) -> None:
        changes = self._catalog.changes(version - 1, version)
        wanted = self._wanted(changes.added, changes.paused, version)
        keys = {each.key for each in wanted}
        removed = [key for key in _removed(changes) if key not in keys]
        concerned = {each.key for each in wanted if each.deliver is None} | set(removed)
        if any(each.deliver is not None for each in wanted) or self._is_delivered(concerned):
            self._store.follow(version, wanted, removed)
            self._saved = version

    def _is_delivered(self, keys: Iterable[Key]) -> bool:
        return any(self._store.get(key) is not None for key in keys)

    def _wanted(
        self, active: Iterable[Subscription], paused: Iterable[Subscription], version: int
    ) -> list[WantedLine]:
        return [
            *(self._line(each, version) for each in active),
            *(self._line(each, version, paused=True) for each in paused),
        ]

    def _line(
        self, subscription: Subscription, version: int, *, paused: bool = False
    ) -> WantedLine:
        whose = Owned.of_key(subscription.id)
        key = (whose.tenant, whose.name)
        deliver = subscription.deliver if self._is_deliverable(subscription) else None
        newest = 0 if deliver is None else self._matches.head_before(*key, version)
        return WantedLine(key, deliver, paused, newest)

    def _is_deliverable(self, subscription: Subscription) -> bool:
        """True if matches have a target; the command line may have stored one that cannot be
        served.
        """
        try:
            return self._delivers(subscription.deliver)
        except Problem as problem:
            LOGGER.warning("subscription %r is not delivered: %s", subscription.id, problem)
            return False


def _removed(changes: Changes) -> list[Key]:
    owned = [Owned.of_key(id) for id in (*changes.removed, *changes.unpaused)]
    return [(each.tenant, each.name) for each in owned]
