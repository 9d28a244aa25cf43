"""The versioned store: an append-only log in SQLite or PostgreSQL. The content of a version never
changes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from types import MappingProxyType

import sqlalchemy as sql

from tocsin.catalog.compiling import Surroundings, with_plan
from tocsin.catalog.database import (
    CHANGES,
    COUNTER,
    LOG,
    PLANS,
    catalog_database,
    holds_catalog,
    make_catalog,
    name_of,
)
from tocsin.catalog.entries import Definition, StoredPlan, Subscription
from tocsin.catalog.knowledge import require_agreement
from tocsin.catalog.tenants import Owned
from tocsin.database.stores import CATALOG
from tocsin.errors import MeaningProblem, StateProblem, name_taken

_DEFINITION_MARK = "define "
_SUBSCRIPTION_MARK = "subscription "
_PAUSED_MARK = "paused "
_CHUNK = 500

Entry = Subscription | Definition

ReadPosition = Callable[[], int]
"""Returns the position of the newest event in the log that a catalog is served with."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The content of the catalog at a version, in the order of adding; a replaced entry keeps its
    place.
    """

    version: int
    subscriptions: tuple[Subscription, ...]
    definitions: tuple[Definition, ...] = ()
    paused: tuple[Subscription, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """The difference from one version to a later one; a replaced subscription is in both lists.

    `redefined` if any definition was added, removed or changed. `paused` and `unpaused` are the
    same as `added` and `removed` for subscriptions that are kept without being served.
    """

    added: tuple[Subscription, ...]
    removed: tuple[str, ...]
    redefined: bool = False
    paused: tuple[Subscription, ...] = ()
    unpaused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedVersion:
    """A version that holds for the events after a position of the log."""

    version: int
    position: int


class Catalog:
    """A catalog behind a database URL, which must exist. Picklable: a copy opens the same database
    again.

    A change is atomic. With `expected` it is refused if the catalog has a newer version: a caller
    that has read before changing does not overwrite a concurrent change.

    `position` returns the head of the log that the catalog is served with. It is called while the
    catalog is locked, so that positions increase with versions, and stored with the version: events
    up to it are matched without the change, those after it with it.

    Subscriptions are compiled when they are added, unless they have a stored plan, and are returned
    with their plans: hosts need not compile them again. One that does not compile is kept all the
    same, and reported by the hosts.
    """

    def __init__(self, url: str) -> None:
        self._database = catalog_database(url)
        self.url = self._database.url

    def __reduce__(self) -> tuple[type[Catalog], tuple[str]]:
        return (Catalog, (self.url,))

    def version(self) -> int:
        """Return the number of the newest version; it grows by one with every change."""
        with self._database.reading() as connection:
            return read_version(connection)

    def skip_to(self, version: int) -> int:
        """Raise the version number to at least `version`, without a change; return the version.

        For a catalog that has lost versions which others have seen.
        """
        with self._database.writing() as connection:
            behind = COUNTER.c.version < version
            connection.execute(COUNTER.update().where(behind).values(version=version))
            return read_version(connection)

    def add(
        self,
        *entries: Entry,
        expected: int | None = None,
        position: ReadPosition | None = None,
    ) -> int:
        """Add all entries, or none if a name is taken or an ontology contradicts another; return
        the version.
        """
        bodies, plans = _bodies(entries), self._plans(entries)
        with self._database.writing() as connection:
            version = self._begin(connection, expected, position)
            if taken := set(bodies) & _present(connection, list(bodies)):
                raise _duplicate(min(taken))
            if paused := _present(connection, _paused_names(bodies)):
                raise _duplicate(min(paused))
            _require_knowledge(connection, version, entries)
            self._append(connection, version, bodies, plans)
        return version

    def replace(
        self,
        *entries: Entry,
        expected: int | None = None,
        position: ReadPosition | None = None,
    ) -> int:
        """Replace the entries of the same names, all in one version or none; return the new
        version.

        A paused subscription is served again. Refused if there is no entry to replace, or if an
        ontology contradicts another.
        """
        bodies, plans = _bodies(entries), self._plans(entries)
        with self._database.writing() as connection:
            version = self._begin(connection, expected, position)
            paused = _present(connection, _paused_names(bodies))
            _require_present(
                connection,
                [name for name in bodies if _paused_name(name) not in paused],
                hint="add it: tocsin catalog add, or Catalog.add",
            )
            _require_knowledge(connection, version, entries)
            self._append(connection, version, {**bodies, **dict.fromkeys(paused)}, plans)
        return version

    def put(
        self,
        subscription: Subscription,
        *,
        paused: bool = False,
        expected: int | None = None,
        position: ReadPosition | None = None,
    ) -> int:
        """Add a subscription, or replace the one of its id; return the new version.

        With `paused` it is kept and not served; it replaces a served one, and the reverse.
        """
        name = _name(subscription)
        bodies: dict[str, str | None] = {name: json.dumps(subscription.as_json())}
        plans = {} if paused else self._plans((subscription,))
        with self._database.writing() as connection:
            version = self._begin(connection, expected, position)
            if paused:
                bodies = {_paused_name(name): bodies[name]}
            other = name if paused else _paused_name(name)
            bodies |= dict.fromkeys(_present(connection, [other]))
            self._append(connection, version, bodies, plans)
        return version

    def remove(
        self,
        *ids: str,
        definitions: Sequence[str] = (),
        expected: int | None = None,
        position: ReadPosition | None = None,
    ) -> int:
        """Remove subscriptions by id, served or paused, and definitions by name; return the new
        version.

        Removes none if one of them does not exist.
        """
        names = [
            *(_SUBSCRIPTION_MARK + each for each in ids),
            *(_DEFINITION_MARK + each for each in definitions),
        ]
        with self._database.writing() as connection:
            version = self._begin(connection, expected, position)
            paused = _present(connection, _paused_names(names))
            served = [name for name in names if _paused_name(name) not in paused]
            _require_present(connection, served, hint="see what there is: tocsin catalog list")
            found = _present(connection, names) | paused
            self._append(connection, version, dict.fromkeys(sorted(found)))
        return version

    def remove_definitions(self, *names: str) -> int:
        """Remove all definitions with these names, or none if one does not exist; return the new
        version.
        """
        return self.remove(definitions=names)

    def placed(self, after: int) -> list[PlacedVersion]:
        """Return the versions after one that have a position, in order."""
        query = sql.select(CHANGES).where(CHANGES.c.version > after).order_by(CHANGES.c.version)
        with self._database.reading() as connection:
            if not self._database.has(connection, CHANGES):
                return []
            return [PlacedVersion(*row) for row in connection.execute(query)]

    def place(self, position: ReadPosition) -> None:
        """Give the newest version a position, if it has none: for changes made without the log."""
        with self._database.reading() as connection:
            if self._database.has(connection, CHANGES) and _is_placed(connection):
                return
        with self._database.writing() as connection:
            connection.execute(COUNTER.update().values(version=COUNTER.c.version))
            version = read_version(connection)
            if not _is_placed(connection):
                connection.execute(CHANGES.insert().values(version=version, position=position()))

    def snapshot(self, version: int | None = None) -> Snapshot:
        """Return the content of the catalog at a version, by default the newest."""
        with self._database.reading() as connection:
            at = read_version(connection) if version is None else version
            return _snapshot(_state(connection, at, self._database.has(connection, PLANS)), at)

    def definitions(self, version: int | None = None) -> tuple[Definition, ...]:
        """Return the definitions of a version, by default the newest."""
        with self._database.reading() as connection:
            return _definitions(
                connection, read_version(connection) if version is None else version
            )

    def get(self, name: str, *, definition: bool = False) -> tuple[Entry, int] | None:
        """Return a served subscription by its id, or a definition by its name, and the version that
        set it.

        None if there is no such entry.
        """
        full = (_DEFINITION_MARK if definition else _SUBSCRIPTION_MARK) + name
        query = (
            sql.select(LOG.c.body, LOG.c.version)
            .where(LOG.c.name == full)
            .order_by(LOG.c.number.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None or row.body is None else (_entry(row.body), row.version)

    def history(self, name: str) -> list[tuple[int, Definition | None]]:
        """Return every version of a definition, oldest first; None where it was removed."""
        query = (
            sql.select(LOG.c.version, LOG.c.body)
            .where(LOG.c.name == _DEFINITION_MARK + name)
            .order_by(LOG.c.number)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [
            (version, None if body is None else Definition.from_json(json.loads(body)))
            for version, body in rows
        ]

    def changes(self, after: int, until: int) -> Changes:
        """Return the net difference between two versions; `until` may be the earlier one.

        The cost depends on the number of changes, not of subscriptions.
        """
        with self._database.reading() as connection:
            with_plans = self._database.has(connection, PLANS)
            touched = _touched(*sorted((after, until)))
            before = _state(connection, after, with_plans, touched)
            now = _state(connection, until, with_plans, touched)
        gone, came = _difference(before, now), _difference(now, before)
        new = _snapshot(came, until)
        return Changes(
            new.subscriptions,
            _ids(gone, _SUBSCRIPTION_MARK),
            any(name.startswith(_DEFINITION_MARK) for name in (*gone, *came)),
            new.paused,
            _ids(gone, _PAUSED_MARK),
        )

    def _begin(
        self, connection: sql.Connection, expected: int | None, position: ReadPosition | None
    ) -> int:
        """Lock the catalog for a change; return its version, whose position is stored if given."""
        version = _next_version(connection, expected)
        if position is not None:
            connection.execute(CHANGES.insert().values(version=version, position=position()))
        return version

    def _plans(self, entries: Sequence[Entry]) -> dict[str, StoredPlan]:
        """Return the plans of subscriptions that compile with the current and the added
        definitions.

        Made before the catalog is locked: if another definition is added meanwhile, the plans that
        it makes invalid are not used.
        """
        given = {each.name: each for each in entries if isinstance(each, Definition)}
        subscriptions = [each for each in entries if isinstance(each, Subscription)]
        if not subscriptions:
            return {}
        held = {each.name: each for each in self.definitions()}
        light = Surroundings.of((held | given).values())
        compiled = (with_plan(each, light) for each in subscriptions)
        return {_name(each): each.stored for each in compiled if each.stored is not None}

    def _append(
        self,
        connection: sql.Connection,
        version: int,
        bodies: Mapping[str, str | None],
        plans: Mapping[str, StoredPlan] = MappingProxyType({}),
    ) -> None:
        rows = [{"version": version, "name": name, "body": body} for name, body in bodies.items()]
        if rows:
            connection.execute(LOG.insert(), rows)
        if plans:
            connection.execute(
                PLANS.insert(),
                [
                    {"name": name, "version": version, "origin": each.origin, "wire": each.wire}
                    for name, each in plans.items()
                ],
            )


def open_catalog(url: str, *, create: bool = False) -> Catalog:
    """Return the catalog at a URL; a bare path is a SQLite file.

    Raises if there is no catalog, unless `create`. A catalog of an earlier release is read as it
    is; with `create`, or by its next change, its tables are brought to their newest version.
    """
    database = catalog_database(url)
    if not holds_catalog(database):
        if not create:
            raise MeaningProblem(
                f"there is no catalog at {name_of(database)}",
                code="CatalogError",
                token=url,
                hint=(
                    f"make one first: tocsin catalog create {quote(url)}, or"
                    f" tocsin.catalog.create_catalog({url!r})"
                ),
            )
        make_catalog(database)
    elif create:
        database.upgrade(CATALOG)
    return Catalog(database.url)


def create_catalog(url: str) -> Catalog:
    """Create an empty catalog at a URL; raises if there is one already."""
    database = catalog_database(url)
    if holds_catalog(database):
        raise StateProblem(
            f"there is a catalog at {name_of(database)} already",
            code="CatalogError",
            token=url,
            hint="use it as it is, with add and replace, or choose another place",
        )
    make_catalog(database)
    return Catalog(database.url)


def complete_catalog(url: str) -> None:
    """Create the missing tables and counter of a partly salvaged catalog."""
    make_catalog(catalog_database(url))


def read_version(connection: sql.Connection) -> int:
    """Return the newest version of the catalog in the database of a connection."""
    return int(connection.execute(sql.select(COUNTER.c.version)).scalar_one())


def _is_placed(connection: sql.Connection) -> bool:
    """True if the newest version has a position."""
    newest = connection.execute(sql.select(sql.func.max(CHANGES.c.version))).scalar() or 0
    return newest >= read_version(connection)


def _next_version(connection: sql.Connection, expected: int | None) -> int:
    """Increase the version and return it; the write lock comes first, so that versions are
    sequential.

    Raises if the previous version is not `expected`.
    """
    connection.execute(COUNTER.update().values(version=COUNTER.c.version + 1))
    version = read_version(connection)
    if expected not in (None, version - 1):
        raise StateProblem(
            f"the catalog has moved on from version {expected} to {version - 1}",
            code="CatalogChanged",
            hint="look again, then repeat the change",
        )
    return version


@dataclass(frozen=True, slots=True)
class _Row:
    """An entry of the log: its number and its text, which is None if it was removed."""

    number: int
    body: str | None
    stored: StoredPlan | None = None


def _state(
    connection: sql.Connection,
    version: int,
    with_plans: bool = False,
    names: sql.Select[tuple[str]] | None = None,
) -> dict[str, _Row]:
    """Return the entries by name, all or some, as of a version, in the order of adding."""
    told = LOG.c.version <= version
    if names is not None:
        told = sql.and_(told, LOG.c.name.in_(names))
    newest = (
        sql.select(LOG.c.name, sql.func.max(LOG.c.number).label("number"))
        .where(told)
        .group_by(LOG.c.name)
    ).subquery()
    gone = (
        sql.select(LOG.c.name, sql.func.max(LOG.c.number).label("number"))
        .where(told, LOG.c.body.is_(None))
        .group_by(LOG.c.name)
    ).subquery()
    added = (
        sql.select(LOG.c.name, sql.func.min(LOG.c.number).label("number"))
        .join(gone, gone.c.name == LOG.c.name, isouter=True)
        .where(told, LOG.c.number >= sql.func.coalesce(gone.c.number + 1, 0))
        .group_by(LOG.c.name)
    ).subquery()
    plan = (PLANS.c.origin, PLANS.c.wire) if with_plans else ()
    rows = (
        sql.select(LOG.c.name, LOG.c.number, LOG.c.body, *plan)
        .join(newest, LOG.c.number == newest.c.number)
        .join(added, LOG.c.name == added.c.name, isouter=True)
        .order_by(sql.func.coalesce(added.c.number, LOG.c.number))
    )
    if with_plans:
        same = sql.and_(PLANS.c.name == LOG.c.name, PLANS.c.version == LOG.c.version)
        rows = rows.join(PLANS, same, isouter=True)
    return {
        name: _Row(number, body, StoredPlan(*stored) if stored and stored[0] is not None else None)
        for name, number, body, *stored in connection.execute(rows)
    }


def _touched(first: int, last: int) -> sql.Select[tuple[str]]:
    """Return a query for the names changed by the versions after the first, up to the last."""
    return sql.select(LOG.c.name).where(LOG.c.version > first, LOG.c.version <= last).distinct()


def _difference(one: Mapping[str, _Row], other: Mapping[str, _Row]) -> dict[str, _Row]:
    """Return the entries of one state that are missing or different in the other."""
    return {
        name: row
        for name, row in one.items()
        if row.body is not None and (name not in other or other[name].number != row.number)
    }


def _snapshot(state: Mapping[str, _Row], version: int) -> Snapshot:
    subscriptions: list[Subscription] = []
    definitions: list[Definition] = []
    paused: list[Subscription] = []
    for name, row in state.items():
        if row.body is None:
            continue
        body = json.loads(row.body)
        if name.startswith(_DEFINITION_MARK):
            definitions.append(Definition.from_json(body))
        elif name.startswith(_PAUSED_MARK):
            paused.append(Subscription.from_json(body))
        else:
            subscriptions.append(Subscription.from_json(body, row.stored))
    return Snapshot(version, tuple(subscriptions), tuple(definitions), tuple(paused))


def _ids(names: Iterable[str], mark: str) -> tuple[str, ...]:
    return tuple(name.removeprefix(mark) for name in names if name.startswith(mark))


def _paused_name(name: str) -> str:
    """Return the name that a subscription has in the log while it is paused."""
    return _PAUSED_MARK + name.removeprefix(_SUBSCRIPTION_MARK)


def _paused_names(names: Iterable[str]) -> list[str]:
    return [_paused_name(name) for name in names if name.startswith(_SUBSCRIPTION_MARK)]


def _definitions(connection: sql.Connection, version: int) -> tuple[Definition, ...]:
    marked = LOG.c.name.startswith(_DEFINITION_MARK, autoescape=True)
    names = sql.select(LOG.c.name).where(marked)
    return _snapshot(_state(connection, version, names=names), version).definitions


def _entry(text: str) -> Entry:
    body = json.loads(text)
    return Definition.from_json(body) if "define" in body else Subscription.from_json(body)


def _present(connection: sql.Connection, names: Sequence[str]) -> set[str]:
    """Return those of the names that the catalog holds now."""
    found: set[str] = set()
    for start in range(0, len(names), _CHUNK):
        some = names[start : start + _CHUNK]
        newest = (
            sql.select(sql.func.max(LOG.c.number).label("number"))
            .where(LOG.c.name.in_(some))
            .group_by(LOG.c.name)
        ).subquery()
        rows = (
            sql.select(LOG.c.name)
            .join(newest, LOG.c.number == newest.c.number)
            .where(LOG.c.body.is_not(None))
        )
        found.update(connection.execute(rows).scalars())
    return found


def _require_present(connection: sql.Connection, names: Sequence[str], hint: str) -> None:
    present = _present(connection, names)
    for name in names:
        if name not in present:
            raise StateProblem(
                f"there is no {_shown(name)}",
                code="UnknownSubscriptionError",
                token=name.partition(" ")[2],
                hint=hint,
            )


def _require_knowledge(connection: sql.Connection, version: int, entries: Sequence[Entry]) -> None:
    """Raise if the ontologies of the catalog would contradict each other."""
    given = {entry.name: entry for entry in entries if isinstance(entry, Definition)}
    before = _definitions(connection, version - 1) if given else ()
    if not any(
        each.ontology
        for each in (*given.values(), *(each for each in before if each.name in given))
    ):
        return
    kept = [each for each in before if each.name not in given]
    for tenant in {Owned.of_key(name).tenant for name in given}:
        seen = [each for each in kept if Owned.of_key(each.name).tenant in ("", tenant)]
        new = [each for each in given.values() if Owned.of_key(each.name).tenant == tenant]
        require_agreement(seen, new)


def _bodies(entries: Sequence[Entry]) -> dict[str, str]:
    bodies = {_name(entry): json.dumps(entry.as_json()) for entry in entries}
    if len(bodies) != len(entries):
        raise _duplicate(_first_repeated([_name(entry) for entry in entries]))
    return bodies


def _name(entry: Entry) -> str:
    return (
        _SUBSCRIPTION_MARK + entry.id
        if isinstance(entry, Subscription)
        else _DEFINITION_MARK + entry.name
    )


def _shown(name: str) -> str:
    kind, _, own = name.partition(" ")
    return f"{'definition' if kind == 'define' else 'subscription'} {own!r}"


def _first_repeated(names: Sequence[str]) -> str:
    return Counter(names).most_common(1)[0][0]


def _duplicate(name: str) -> StateProblem:
    kind, _, own = name.partition(" ")
    hint = "replace it: tocsin catalog replace, or Catalog.replace"
    return name_taken(own, "definition" if kind == "define" else "subscription", hint)
