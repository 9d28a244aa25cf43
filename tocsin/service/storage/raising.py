"""Positions of stores that have lost data, raised above every position that was ever seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.runtime.clock_skew import wall_clock
from tocsin.service.storage.marks import Mark
from tocsin.service.storage.positions import Positions
from tocsin.service.storage.results import LETTER_SEQUENCE, MATCH_SEQUENCE, prepare_sequences
from tocsin.service.storage.schema import EVENTS, HEADS, SEQUENCES

LOST = "LogLost"
"""Code of the row, and so of the dead letter, that stands for lost events."""

_HEAD = HEADS.c.name == "events"


@dataclass(frozen=True, slots=True)
class Floors:
    """The highest positions that any store or mark knows of."""

    events: int
    matches: int
    dead_letters: int
    version: int
    runner: int | None
    number: int


def find_floors(found: Positions, marks: Mapping[str, Mark]) -> Floors:
    """Return the highest positions of stores and their marks.

    `runner` is None where neither the state nor its mark knows the position of the runner.
    """
    state, log = found["state"], found["log"]
    heads = {store: mark.heads for store, mark in marks.items()}
    of_state, of_epcis = heads.get("state", {}), heads.get("epcis", {})
    runner = max(state["runner"], of_state.get("runner", 0))
    catalog = marks["catalog"].writes if "catalog" in marks else 0
    return Floors(
        events=max(
            *(log["newest event"], log["events"], heads.get("log", {}).get("events", 0)),
            *(runner, state["step"], state["snapshot"], found["spark"]["position"]),
            *(found["epcis"]["position"], of_epcis.get("position", 0)),
        ),
        matches=max(
            *(state["matches"], state["newest match"], of_state.get("matches", 0)),
            found["delivery"]["position"],
        ),
        dead_letters=max(
            *(state["dead_letters"], state["newest letter"], of_state.get("dead_letters", 0)),
            state["relay"],
        ),
        version=max(
            *(found["catalog"]["version"], catalog, of_state.get("version", 0)),
            *(state["version"], state["step version"]),
        ),
        runner=runner or (0 if "runner" in of_state else None),
        number=max(found["epcis"]["number"], of_epcis.get("number", 0)),
    )


def raise_log(database: Database, floor: int, reason: str) -> int:
    """Continue the log after a position; return the position of the row that stands for the loss.

    Every reader passes that row, and the runner makes a dead letter of it.
    """
    with database.writing() as connection:
        row = connection.execute(sql.select(HEADS.c.position, HEADS.c.instant).where(_HEAD)).first()
        head, instant = (0, 0) if row is None else (row.position, row.instant)
        position, received = max(head, floor) + 1, max(instant, wall_clock())
        values = {"position": position, "instant": received}
        if row is None:
            connection.execute(HEADS.insert().values(name="events", **values))
        else:
            connection.execute(HEADS.update().where(_HEAD).values(**values))
        connection.execute(
            EVENTS.insert().values(
                position=position,
                received=received,
                tenant="",
                body=b"{}",
                code=LOST,
                reason=reason,
            )
        )
    return position


def raise_sequences(database: Database, matches: int, dead_letters: int) -> None:
    """Continue the positions of matches and dead letters after these; never lower them."""
    floors = {MATCH_SEQUENCE: matches, LETTER_SEQUENCE: dead_letters}
    with database.writing() as connection:
        prepare_sequences(connection)
        for name, floor in floors.items():
            behind = (SEQUENCES.c.name == name) & (SEQUENCES.c.position < floor)
            connection.execute(SEQUENCES.update().where(behind).values(position=floor))
