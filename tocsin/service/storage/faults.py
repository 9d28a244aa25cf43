"""Detection of stores that have lost data: gone, damaged, behind their mark or behind their
readers.

Checked when a service opens its stores. Otherwise positions would be used again, and readers whose
cursors are past them would silently miss the new rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote

from tocsin.errors import StateProblem
from tocsin.service.storage.marks import TABLE, Mark, mark_path, read_mark
from tocsin.service.storage.positions import (
    CATALOG,
    FILES,
    RULES,
    Positions,
    read_positions,
)

MAX_BYTES_TO_CHECK = 64 << 20
"""Size up to which a file is read completely at each start; in larger ones SQLite reports a damaged
page when it is read.
"""

_BUSY = 10.0


class FaultKind(StrEnum):
    """The kinds of faults."""

    GONE = "gone"
    DAMAGED = "damaged"
    BEHIND = "behind"


@dataclass(frozen=True, slots=True)
class StoreFault:
    """A store that has lost data, and the evidence."""

    store: str
    kind: FaultKind
    reason: str

    def __str__(self) -> str:
        return f"the {self.store} is {self.kind}: {self.reason}"


def require_sound(folder: Path, database: str | None) -> None:
    """Raise `StoreBehind` or `StoreDamaged` if a store of a service has lost data."""
    faults = find_faults(folder, database)
    if faults:
        damaged = any(fault.kind is FaultKind.DAMAGED for fault in faults)
        raise StateProblem(
            "; ".join(map(str, faults)),
            code="StoreDamaged" if damaged else "StoreBehind",
            token=faults[0].store,
            hint=(
                "restore a backup of everything, or see what is lost and go on without it:"
                " tocsin recover (docs/operations.md)"
            ),
        )


def find_faults(folder: Path, database: str | None) -> list[StoreFault]:
    """Return the faults of all stores, at most one for each."""
    if database is not None:
        return list(_first_of_each(_compare(read_positions(folder, database, []))))
    files = {store: folder / name for store, name in FILES.items()}
    faults = [fault for store, file in files.items() for fault in _file_faults(store, file)]
    unusable = {fault.store for fault in faults if fault.kind is not FaultKind.BEHIND}
    sound = [store for store, file in files.items() if file.exists() and store not in unusable]
    faults += [
        fault
        for fault in _compare(read_positions(folder, None, sound))
        if fault.store not in unusable
    ]
    return list(_first_of_each(faults))


def read_marks(folder: Path) -> dict[str, Mark]:
    """Return the marks of a data folder by store."""
    marks = {store: read_mark(mark_path(folder / name)) for store, name in FILES.items()}
    return {store: mark for store, mark in marks.items() if mark is not None}


def _file_faults(store: str, file: Path) -> Iterator[StoreFault]:
    mark = read_mark(mark_path(file))  # before the file: a service on it may go on
    if not file.exists():
        if mark is not None:
            yield StoreFault(store, FaultKind.GONE, f"{file} is missing")
        return
    try:
        with closing(_open(file)) as connection:
            _require_whole(connection, file)
            if mark is not None:
                yield from _behind_mark(store, connection, mark)
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            yield _damaged(store, file, error)
    except sqlite3.DatabaseError as error:
        yield _damaged(store, file, error)


def _require_whole(connection: sqlite3.Connection, file: Path) -> None:
    """Raise if a page or an index of a file is inconsistent."""
    if file.stat().st_size > MAX_BYTES_TO_CHECK:
        connection.execute("SELECT count(*) FROM sqlite_master")
        return
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(str(found).replace("\n", " "))


def _behind_mark(store: str, connection: sqlite3.Connection, mark: Mark) -> Iterator[StoreFault]:
    if store == CATALOG:
        row = _first(connection, "SELECT version FROM tocsin_version")
        version = 0 if row is None else int(row[0])
        if version < mark.writes:
            reason = f"it is at version {version}, and was at version {mark.writes}"
            yield StoreFault(store, FaultKind.BEHIND, reason)
        return
    row = _first(connection, f"SELECT store, writes FROM {TABLE}")
    if row is None or row[0] != mark.store:
        yield StoreFault(store, FaultKind.BEHIND, "it was replaced by another one")
    elif row[1] < mark.writes:
        reason = f"{mark.writes - row[1]} of its {mark.writes} writes are lost"
        yield StoreFault(store, FaultKind.BEHIND, reason)


def _compare(found: Positions) -> Iterator[StoreFault]:
    """Yield a fault for each store that is behind a reader of it."""
    for rule in RULES:
        position, head = found[rule.reader][rule.name], found[rule.read][rule.head]
        if position > head:
            reason = f"{rule.text.format(position)}, the {rule.read} ends at {head}"
            yield StoreFault(rule.read, FaultKind.BEHIND, reason)
    newest, head = found["log"]["newest event"], found["log"]["events"]
    if newest < head and (newest or head > found["state"]["runner"]):
        reason = f"its events after position {newest} are missing, it was at {head}"
        yield StoreFault("log", FaultKind.BEHIND, reason)


def _first_of_each(faults: Iterator[StoreFault] | list[StoreFault]) -> Iterator[StoreFault]:
    known: set[str] = set()
    for fault in faults:
        if fault.store not in known:
            known.add(fault.store)
            yield fault


def _first(connection: sqlite3.Connection, query: str) -> tuple[str, int] | None:
    """Return the first row of a query; None where there is no row or no table."""
    try:
        row: tuple[str, int] | None = connection.execute(query).fetchone()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return None
        raise
    return row


def _open(file: Path) -> sqlite3.Connection:
    name = f"file:{quote(str(file.absolute()))}?mode=rw"
    return sqlite3.connect(name, uri=True, timeout=_BUSY)


def _damaged(store: str, file: Path, error: sqlite3.Error) -> StoreFault:
    return StoreFault(store, FaultKind.DAMAGED, f"{file}: {error}")
