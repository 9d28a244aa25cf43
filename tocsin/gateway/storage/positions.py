"""The positions that each store holds, and which of them may not be ahead of which: a reader of the
log that is ahead of it has read what the log has lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sql

from tocsin.errors import StateProblem

CATALOG = "catalog"
"""The store that is not the service's alone: its mark holds the highest version seen."""

FILES = {
    "delivery": "delivery.db",
    "epcis": "epcis.db",
    "state": "state.db",
    "catalog": "catalog.db",
    "log": "log.db",
}
"""The SQLite file of each store. Readers come before what they read, and are asked in this order:
while other processes go on, what is read later can only be further.
"""

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
"""The positions of each store: the table that has them, and how they are selected."""

Positions = Mapping[str, Mapping[str, int]]
"""By store and name; what a store does not have is 0."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A position of a reader that is never ahead of one of the store that it reads."""

    reader: str
    name: str
    read: str
    head: str
    text: str


RULES = (
    Rule("log", "newest event", "log", "events", "an event has position {}"),
    Rule("state", "runner", "log", "events", "the runner has read up to position {}"),
    Rule("state", "step", "log", "events", "the runner has read up to position {}"),
    Rule("state", "snapshot", "log", "events", "a snapshot was taken at position {}"),
    Rule("epcis", "position", "log", "events", "the EPCIS index has read up to position {}"),
    Rule("state", "newest match", "state", "matches", "a match has position {}"),
    Rule("state", "newest letter", "state", "dead_letters", "a dead letter has position {}"),
    Rule("state", "relay", "state", "dead_letters", "dead letters were relayed up to position {}"),
    Rule("delivery", "position", "state", "matches", "matches were delivered up to position {}"),
    Rule("state", "version", "catalog", "version", "the runner has served version {}"),
    Rule("state", "step version", "catalog", "version", "the runner has served version {}"),
)


def read_file_positions(folder: Path, stores: list[str]) -> Positions:
    """Return the positions in the SQLite files of a folder; those of other stores are 0."""
    found: dict[str, Mapping[str, int]] = {}
    for store, name in FILES.items():
        if store in stores:
            url = f"sqlite:///{(folder / name).absolute()}"
            found |= _read_all(sql.create_engine(url), [store])
    return {store: found.get(store, dict.fromkeys(_QUERIES[store], 0)) for store in FILES}


def read_database_positions(url: str) -> Positions:
    """Return the positions in a database that holds all stores."""
    return _read_all(sql.create_engine(url, isolation_level="READ COMMITTED"), list(FILES))


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
    """Return the positions of one store, all of one moment: one statement selects them."""
    tables = set(sql.inspect(connection).get_table_names())
    wanted = {name: query for name, (table, query) in _QUERIES[store].items() if table in tables}
    found = dict.fromkeys(_QUERIES[store], 0)
    if wanted:
        text = ", ".join(f"({query})" for query in wanted.values())
        row = connection.exec_driver_sql(f"SELECT {text}").one()
        found |= {name: int(value or 0) for name, value in zip(wanted, row, strict=True)}
    return found
