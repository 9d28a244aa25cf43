"""Bulk insert straight through the driver: SQLAlchemy's processing of each value took longer than
the writing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from operator import attrgetter
from typing import Any

import sqlalchemy as sql


def insert_rows(connection: sql.Connection, table: sql.Table, rows: Iterable[object]) -> None:
    """Insert rows whose attributes have the names of the columns, with values as the driver takes
    them.
    """
    statement, parameters = _prepared(table, connection.dialect)
    connection.exec_driver_sql(statement, list(map(parameters, rows)))


@cache
def _prepared(table: sql.Table, dialect: sql.Dialect) -> tuple[str, Callable[[object], Any]]:
    """Return the text of an insert, and the function that makes its parameters from a row."""
    names = [column.name for column in table.columns]
    compiled = table.insert().compile(dialect=dialect, column_keys=names)
    if compiled.positiontup is not None:
        return str(compiled), attrgetter(*compiled.positiontup)
    values = attrgetter(*names)
    return str(compiled), lambda row: dict(zip(names, values(row), strict=True))
