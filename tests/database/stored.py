"""Databases as the last release without versions wrote them, from their texts in `tests/stored`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import sqlalchemy as sql

TEXTS = Path(__file__).parents[1] / "stored" / "databases"
FILES = ("catalog", "log", "state", "delivery", "epcis")


def write_folder(folder: Path) -> None:
    """A data folder with all its files, without marks."""
    folder.mkdir()
    for name in FILES:
        write_file(folder / f"{name}.db")


def write_file(path: Path, *changes: str) -> None:
    """A file by its name, with statements that make it older."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((TEXTS / f"{path.stem}.sql").read_text())
        for change in changes:
            connection.execute(change)
        connection.commit()


def write_postgres(url: str) -> None:
    """The same content in an empty database of PostgreSQL."""
    engine = sql.create_engine(url)
    with engine.begin() as connection:
        text = (TEXTS / "postgresql.sql").read_text()
        cursor = connection.connection.cursor()
        cursor.execute(text)
    engine.dispose()


def schema_of(path: Path) -> set[tuple[str, str, str]]:
    """Tables and indexes of a file: kind, name and text."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql NOT NULL")
        return {(kind, name, text) for kind, name, text in rows}
