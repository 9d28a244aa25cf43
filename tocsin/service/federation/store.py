"""State of federation: the name of the server and a cursor for each upstream are stored, identities
of the newest events received are in memory.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from uuid import uuid4

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.database.stores import FEDERATION

METADATA = sql.MetaData()
NAMES = sql.Table(
    "federation_name",
    METADATA,
    sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("name", sql.Text, nullable=False),
)
CURSORS = sql.Table(
    "federation_cursors",
    METADATA,
    sql.Column("url", sql.Text, primary_key=True),
    sql.Column("server", sql.Text, nullable=False),
    sql.Column("position", sql.BigInteger, nullable=False),
)


class LinkStore:
    """Name and cursors in the database of the service."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.upgrade(FEDERATION)

    def name(self, wanted: str) -> str:
        """Return the name of this server: the wanted one, else the stored one, else a new one."""
        with self._database.writing() as connection:
            found = connection.execute(sql.select(NAMES.c.name)).scalar()
            name = str(wanted or found or uuid4().hex[:12])
            if found is None:
                connection.execute(NAMES.insert().values(one=1, name=name))
            elif found != name:
                connection.execute(NAMES.update().values(name=name))
        return name

    def cursor(self, url: str, server: str) -> int | None:
        """Return the last position received from a server at an address; None before the first, and
        if another server is there.
        """
        asked = sql.select(CURSORS.c.position).where(
            CURSORS.c.url == url, CURSORS.c.server == server
        )
        with self._database.reading() as connection:
            found = connection.execute(asked).scalar()
        return None if found is None else int(found)

    def save(self, url: str, server: str, position: int) -> None:
        """Store the position received from a server."""
        with self._database.writing() as connection:
            connection.execute(CURSORS.delete().where(CURSORS.c.url == url))
            values = {"url": url, "server": server, "position": position}
            connection.execute(CURSORS.insert().values(values))


REMEMBERED = 200_000

Identity = tuple[str, str]


class SeenEvents:
    """A bounded set of identities; the oldest are forgotten first."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._known: dict[Identity, None] = {}
        self._lock = threading.Lock()

    def __contains__(self, identity: object) -> bool:
        return identity in self._known

    def note(self, identities: Iterable[Identity]) -> None:
        """Add identities."""
        with self._lock:
            self._known |= dict.fromkeys(identities)
            while len(self._known) > self._remembered:
                del self._known[next(iter(self._known))]
