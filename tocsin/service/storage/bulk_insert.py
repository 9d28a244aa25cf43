"""Many rows into a table, straight to the driver: what SQLAlchemy does with every value of every
row took more than the writing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from operator import attrgetter
from typing import Any

import sqlalchemy as sql


def insert_rows(connection: sql.Connection, table: sql.Table, rows: Iterable[object]) -> None:
    """Inserts rows whose attributes are called as the columns are, with values as the driver takes
    them.
    """
    statement, parameters = _prepared(table, connection.dialect)
    connection.exec_driver_sql(statement, list(map(parameters, rows)))


@cache
def _prepared(table: sql.Table, dialect: sql.Dialect) -> tuple[str, Callable[[object], Any]]:
    """The text of an insert, and what makes its parameters of a row."""
    names = [column.name for column in table.columns]
    compiled = table.insert().compile(dialect=dialect, column_keys=names)
    if compiled.positiontup is not None:
        return str(compiled), attrgetter(*compiled.positiontup)
    values = attrgetter(*names)
    return str(compiled), lambda row: dict(zip(names, values(row), strict=True))
