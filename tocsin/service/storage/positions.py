"""The positions that each store holds, and which of them may not be ahead of which: a reader ahead
of the log has read rows that the log has lost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sql

from tocsin.database.database import stored_version
from tocsin.database.stores import CATALOG as CATALOG_STORE
from tocsin.database.stores import DELIVERY, EPCIS, FEDERATION, LOG, STATE
from tocsin.errors import StateProblem

CATALOG = "catalog"
"""The store that other programs change too: its mark holds the highest version seen."""

FILES = {
    "delivery": "delivery.db",
    "epcis": "epcis.db",
    "state": "state.db",
    "catalog": "catalog.db",
    "log": "log.db",
}
"""The SQLite file of each store. Readers come before what they read, and are queried in this order:
while other processes continue, a position read later can only be higher.
"""

STORES_IN = {
    "delivery": (DELIVERY,),
    "epcis": (EPCIS,),
    "state": (STATE, FEDERATION),
    "catalog": (CATALOG_STORE,),
    "log": (LOG,),
}
"""The stores whose tables are in each file, each with a version of its own."""

CHECKPOINT = "spark-checkpoint"
"""Folder of the Spark query's state, unless the settings name another one."""

_QUERIES = {
    "delivery": {"position": ("tocsin_deliveries", "SELECT max(position) FROM tocsin_deliveries")},
    "epcis": {
        "position": ("epcis_progress", "SELECT max(position) FROM epcis_progress"),
        "number": ("epcis_progress", "SELECT max(number) FROM epcis_progress"),
    },
    "state": {
        "runner": ("tocsin_runners", "SELECT max(position) FROM tocsin_runners"),
        "step": ("tocsin_steps", "SELECT max(until) FROM tocsin_steps"),
        "snapshot": ("tocsin_generations", "SELECT max(position) FROM tocsin_generations"),
        "version": ("tocsin_runners", "SELECT max(version) FROM tocsin_runners"),
        "step version": ("tocsin_steps", "SELECT max(version) FROM tocsin_steps"),
        "relay": ("tocsin_relays", "SELECT max(position) FROM tocsin_relays"),
        "newest match": ("tocsin_matches", "SELECT max(position) FROM tocsin_matches"),
        "newest letter": ("tocsin_dead_letters", "SELECT max(position) FROM tocsin_dead_letters"),
        "matches": (
            "tocsin_sequences",
            "SELECT position FROM tocsin_sequences WHERE name = 'matches'",
        ),
        "dead_letters": (
            "tocsin_sequences",
            "SELECT position FROM tocsin_sequences WHERE name = 'dead_letters'",
        ),
    },
    "catalog": {"version": ("tocsin_version", "SELECT max(version) FROM tocsin_version")},
    "log": {
        "newest event": ("tocsin_events", "SELECT max(position) FROM tocsin_events"),
        "events": ("tocsin_heads", "SELECT position FROM tocsin_heads WHERE name = 'events'"),
    },
}
"""Positions of each store: the table that has them, and the query."""

Positions = Mapping[str, Mapping[str, int]]
"""Positions by store and name; 0 for a missing one."""


@dataclass(frozen=True, slots=True)
class PositionRule:
    """A position of a reader that is never ahead of one of the store that it reads."""

    reader: str
    name: str
    read: str
    head: str
    text: str


RULES = (
    PositionRule("log", "newest event", "log", "events", "an event has position {}"),
    PositionRule("state", "runner", "log", "events", "the runner has read up to position {}"),
    PositionRule("state", "step", "log", "events", "the runner has read up to position {}"),
    PositionRule("state", "snapshot", "log", "events", "a snapshot was taken at position {}"),
    PositionRule(
        "spark", "position", "log", "events", "the Spark checkpoint has planned position {}"
    ),
    PositionRule(
        "epcis", "position", "log", "events", "the EPCIS index has read up to position {}"
    ),
    PositionRule("state", "newest match", "state", "matches", "a match has position {}"),
    PositionRule(
        "state", "newest letter", "state", "dead_letters", "a dead letter has position {}"
    ),
    PositionRule(
        "state", "relay", "state", "dead_letters", "dead letters were relayed up to position {}"
    ),
    PositionRule(
        "delivery", "position", "state", "matches", "matches were delivered up to position {}"
    ),
    PositionRule("state", "version", "catalog", "version", "the runner has served version {}"),
    PositionRule("state", "step version", "catalog", "version", "the runner has served version {}"),
)


def read_positions(folder: Path, database: str | None, stores: list[str]) -> Positions:
    """Return the positions of stores in a folder, or of all in the database if one is given.

    Those of stores that are not named are 0. The checkpoint of Spark is read in the folder.
    """
    if database is None:
        found = _read_files(folder, stores)
    else:
        engine = sql.create_engine(database, isolation_level="READ COMMITTED")
        found = _read_all(engine, list(FILES))
    nothing = {store: dict.fromkeys(queries, 0) for store, queries in _QUERIES.items()}
    return {"spark": {"position": _checkpoint_position(folder)}} | nothing | found


def _checkpoint_position(folder: Path) -> int:
    """Return the position up to which a Spark query has planned; 0 without a checkpoint."""
    batches = (folder / CHECKPOINT / "offsets").glob("[0-9]*")
    newest = max((int(file.name) for file in batches if file.name.isdigit()), default=None)
    if newest is None:
        return 0
    lines = (folder / CHECKPOINT / "offsets" / str(newest)).read_text().splitlines()
    try:
        return int(json.loads(lines[-1])["position"])
    except (IndexError, ValueError, KeyError, TypeError):  # the query itself reports it
        return 0


def _read_files(folder: Path, stores: list[str]) -> dict[str, Mapping[str, int]]:
    found: dict[str, Mapping[str, int]] = {}
    for store, name in FILES.items():
        if store in stores:
            url = f"sqlite:///{(folder / name).absolute()}"
            found |= _read_all(sql.create_engine(url), [store])
    return found


def _read_all(engine: sql.Engine, stores: list[str]) -> dict[str, Mapping[str, int]]:
    try:
        with engine.connect() as connection:
            return {store: _read(connection, store) for store in stores}
    except sql.exc.SQLAlchemyError as error:
        reason = str(error).partition("\n")[0]
        raise StateProblem(
            f"the {', '.join(stores)} cannot be read: {reason}", code="StorageError"
        ) from None
    finally:
        engine.dispose()


def _read(connection: sql.Connection, store: str) -> dict[str, int]:
    """Return the positions of one store, all of one moment: one statement selects them.

    Raises `StorageNewer` where a later release has upgraded the store.
    """
    for each in STORES_IN[store]:
        stored_version(connection, each)
    tables = set(sql.inspect(connection).get_table_names())
    wanted = {name: query for name, (table, query) in _QUERIES[store].items() if table in tables}
    found = dict.fromkeys(_QUERIES[store], 0)
    if wanted:
        text = ", ".join(f"({query})" for query in wanted.values())
        row = connection.exec_driver_sql(f"SELECT {text}").one()
        found |= {name: int(value or 0) for name, value in zip(wanted, row, strict=True)}
    return found


# SQL that selects the highest positions of a store for its mark.

LOG_HEADS = {"events": "SELECT position FROM tocsin_heads WHERE name = 'events'"}

STATE_HEADS = {
    "matches": "SELECT position FROM tocsin_sequences WHERE name = 'matches'",
    "dead_letters": "SELECT position FROM tocsin_sequences WHERE name = 'dead_letters'",
    "runner": "SELECT max(position) FROM tocsin_runners",
    "version": "SELECT max(version) FROM tocsin_runners",
}

DELIVERY_HEADS = {"changed": "SELECT changed FROM tocsin_delivery_changes"}

EPCIS_HEADS = {
    "position": "SELECT position FROM epcis_progress",
    "number": "SELECT number FROM epcis_progress",
}
