"""The versioned store: an append-only log in SQLite or PostgreSQL. A version, once read, never changes its meaning."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sql
from sqlalchemy.pool import NullPool

from tocsin.catalog.entries import Definition, Subscription
from tocsin.errors import MeaningProblem, StateProblem

_METADATA = sql.MetaData()
_COUNTER = sql.Table(
    "tocsin_version",
    _METADATA,
    sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("version", sql.Integer, nullable=False),
)
_LOG = sql.Table(
    "tocsin_log",
    _METADATA,
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=True),
    sql.Column("version", sql.Integer, nullable=False, index=True),
    sql.Column("name", sql.Text, nullable=False, index=True),
    sql.Column("body", sql.Text, nullable=True),
)
_DEFINITION_MARK = "define "
_SUBSCRIPTION_MARK = "subscription "
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that the catalog held at a version, in the order of adding."""

    version: int
    subscriptions: tuple[Subscription, ...]
    definitions: tuple[Definition, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """What leads from one version to a later one; a subscription that was replaced is in both."""

    added: tuple[Subscription, ...]
    removed: tuple[str, ...]


class Catalog:
    """A catalog behind a database URL. Picklable: a copy opens the same database again."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._database = sql.create_engine(url, poolclass=NullPool)
        with self._database.begin() as connection:
            _METADATA.create_all(connection)
            if connection.execute(sql.select(_COUNTER.c.version)).first() is None:
                connection.execute(_COUNTER.insert().values(one=1, version=0))

    def __reduce__(self) -> tuple[type[Catalog], tuple[str]]:
        return (Catalog, (self.url,))

    def version(self) -> int:
        """The number of the newest version; it grows by one with every change."""
        with self._database.connect() as connection:
            return _version(connection)

    def add(self, *entries: Subscription | Definition) -> int:
        """All entries, or none where a name is taken already; returns the new version."""
        bodies = {_name(entry): json.dumps(entry.as_json()) for entry in entries}
        if len(bodies) != len(entries):
            raise _duplicate(_first_repeated([_name(entry) for entry in entries]))
        with self._database.begin() as connection:
            version = _next_version(connection)
            if taken := set(bodies) & _present(connection, list(bodies)):
                raise _duplicate(min(taken))
            connection.execute(
                _LOG.insert(), [{"version": version, "name": name, "body": body} for name, body in bodies.items()]
            )
        return version

    def remove(self, *ids: str) -> int:
        """All subscriptions with these ids, or none where one is not there; returns the new version."""
        return self._remove([_SUBSCRIPTION_MARK + each for each in ids])

    def remove_definitions(self, *names: str) -> int:
        """All definitions with these names, or none where one is not there; returns the new version."""
        return self._remove([_DEFINITION_MARK + each for each in names])

    def snapshot(self, version: int | None = None) -> Snapshot:
        """All that the catalog held at a version, the newest by default."""
        with self._database.connect() as connection:
            at = _version(connection) if version is None else version
            bodies = [body for _, body in _state(connection, at).values() if body is not None]
        parsed = [json.loads(body) for body in bodies]
        return Snapshot(
            at,
            tuple(Subscription.from_json(body) for body in parsed if "define" not in body),
            tuple(Definition.from_json(body) for body in parsed if "define" in body),
        )

    def changes(self, after: int, until: int) -> Changes:
        """The net difference between two versions; `until` may be the earlier one."""
        with self._database.connect() as connection:
            before, now = _state(connection, after), _state(connection, until)
        added = [
            json.loads(body)
            for name, (number, body) in now.items()
            if name.startswith(_SUBSCRIPTION_MARK) and body is not None and before.get(name, (0, None))[0] != number
        ]
        removed = [
            name.removeprefix(_SUBSCRIPTION_MARK)
            for name, (number, body) in before.items()
            if name.startswith(_SUBSCRIPTION_MARK) and body is not None and now.get(name, (0, None))[0] != number
        ]
        return Changes(tuple(Subscription.from_json(body) for body in added), tuple(removed))

    def _remove(self, names: Sequence[str]) -> int:
        with self._database.begin() as connection:
            version = _next_version(connection)
            present = _present(connection, names)
            for name in names:
                if name not in present:
                    raise StateProblem(f"there is no {name!r}", code="UnknownSubscriptionError", token=name)
            if names:
                connection.execute(_LOG.insert(), [{"version": version, "name": name, "body": None} for name in names])
        return version


def open_catalog(url: str) -> Catalog:
    """The catalog at a URL; a bare path is a SQLite file, created where it does not exist."""
    if "://" not in url:
        path = Path(url).absolute()
        if not path.parent.is_dir():
            raise MeaningProblem(f"the folder {path.parent} does not exist", code="CatalogError")
        url = f"sqlite:///{path}"
    try:
        return Catalog(url)
    except (sql.exc.SQLAlchemyError, ImportError) as error:
        reason = str(error).partition("\n")[0]
        raise MeaningProblem(
            f"the catalog cannot be opened: {reason}",
            code="CatalogError",
            hint="give a file path, sqlite:///file.db or postgresql+psycopg://user@host/database",
        ) from None


def _version(connection: sql.Connection) -> int:
    return int(connection.execute(sql.select(_COUNTER.c.version)).scalar_one())


def _next_version(connection: sql.Connection) -> int:
    """Takes the write lock first, so that versions come one after the other."""
    connection.execute(_COUNTER.update().values(version=_COUNTER.c.version + 1))
    return _version(connection)


def _state(connection: sql.Connection, version: int) -> dict[str, tuple[int, str | None]]:
    """Name -> (log number, body) as of a version; the body is None where the name was removed."""
    newest = (
        sql.select(sql.func.max(_LOG.c.number).label("number")).where(_LOG.c.version <= version).group_by(_LOG.c.name)
    ).subquery()
    rows = sql.select(_LOG.c.name, _LOG.c.number, _LOG.c.body).join(newest, _LOG.c.number == newest.c.number)
    return {name: (number, body) for name, number, body in connection.execute(rows.order_by(_LOG.c.number))}


def _present(connection: sql.Connection, names: Sequence[str]) -> set[str]:
    """Those of the names that the catalog holds now."""
    found: set[str] = set()
    for start in range(0, len(names), _CHUNK):
        some = names[start : start + _CHUNK]
        newest = (
            sql.select(sql.func.max(_LOG.c.number).label("number")).where(_LOG.c.name.in_(some)).group_by(_LOG.c.name)
        ).subquery()
        rows = sql.select(_LOG.c.name).join(newest, _LOG.c.number == newest.c.number).where(_LOG.c.body.is_not(None))
        found.update(connection.execute(rows).scalars())
    return found


def _name(entry: Subscription | Definition) -> str:
    return _SUBSCRIPTION_MARK + entry.id if isinstance(entry, Subscription) else _DEFINITION_MARK + entry.name


def _first_repeated(names: Sequence[str]) -> str:
    return next(name for number, name in enumerate(names) if name in names[:number])


def _duplicate(name: str) -> StateProblem:
    return StateProblem(
        f"{name!r} is there already", code="DuplicateSubscriptionError", token=name, hint="remove it first"
    )
