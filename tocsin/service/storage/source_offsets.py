"""Offsets of external sources, stored in the transaction that appends their records: each record is
in the log exactly once, even after a crash.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.errors import StateProblem
from tocsin.service.storage.schema import INTAKE

MOVED = "IntakeMoved"


@dataclass(frozen=True, slots=True)
class OffsetUpdate:
    """The offset of a part of a source moves from one position to the next; `before` is None at
    first.
    """

    name: str
    part: str
    before: int | None
    after: int


def stored_position(database: Database, name: str, part: str) -> int | None:
    """Return the next position to read from a part of a source; None at first."""
    with database.reading() as connection:
        found = connection.execute(_query(name, part)).scalar()
    return None if found is None else int(found)


def update_offsets(connection: sql.Connection, moves: Iterable[OffsetUpdate]) -> None:
    """Store new offsets; raise StateProblem `IntakeMoved` if one is not at its `before`.

    The caller has locked the row of the log's head, so that no other process moves an offset
    meanwhile.
    """
    for move in moves:
        found = connection.execute(_query(move.name, move.part)).scalar()
        if found != move.before:
            raise StateProblem(
                f"{move.name} {move.part} is at {found}, not at {move.before}",
                code=MOVED,
                token=move.name,
                hint="another process reads it too: go on from where it is",
            )
        if found is None:
            values = {"name": move.name, "part": move.part, "position": move.after}
            connection.execute(INTAKE.insert().values(**values))
        else:
            connection.execute(
                INTAKE.update().where(_mine(move.name, move.part)).values(position=move.after)
            )


def _query(name: str, part: str) -> sql.Select[Any]:
    return sql.select(INTAKE.c.position).where(_mine(name, part))


def _mine(name: str, part: str) -> sql.ColumnElement[bool]:
    return (INTAKE.c.name == name) & (INTAKE.c.part == part)
