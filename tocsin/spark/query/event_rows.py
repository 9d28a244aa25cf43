"""Rows of a table as events on the driver: one that was asked for, and those around it in time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import reduce
from operator import and_
from typing import Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from tocsin.errors import MeaningProblem
from tocsin.events.event import Event, in_canonical_order
from tocsin.spark.input.attribute_sql import column_problem, quoted
from tocsin.spark.input.layout import laid_out
from tocsin.spark.input.own_tables import TableOptions, Tables, read_tables
from tocsin.spark.input.rows import read
from tocsin.spark.versions.optional_names import to_arrow
from tocsin.values.scalars import ENVELOPE

AROUND = 2_000
"""The number of events that are fetched around one."""

_COMPARABLE = (str, bool, int, float, Decimal, date, datetime)

RowChoice = Row | Mapping[str, Any] | Column | str


@dataclass(frozen=True, slots=True)
class EventRows:
    """The events around one in canonical order, and its place among them."""

    events: list[Event]
    index: int


def events_around(
    tables: Tables,
    row: RowChoice,
    options: TableOptions,
    columns: Mapping[str, str] | None = None,
    *,
    alone: bool = False,
) -> EventRows:
    """Return the event of a row, with those nearest in time unless it is wanted `alone`.

    The row is one of the DataFrame, a mapping of its values, or a condition that it alone meets.
    Raises if no row, or a row that is not an event, meets it.
    """
    if _is_streaming(tables):
        raise column_problem("a stream has no rows to look at", "give the table as a batch")
    found = _events(_chosen_rows(tables, row), options, columns)
    if not found:
        raise MeaningProblem(
            "no row is the one to explain",
            code="RowError",
            hint='give a row of the table, or a condition such as "order_id = 17"',
        )
    event = found[0]
    if alone or event.interval is None:
        return EventRows([event], 0)
    others = _events(tables, options, columns, event.interval.end)
    unique = {each.identity: each for each in (*others, event)}
    ordered = in_canonical_order(unique.values())
    return EventRows(ordered, [each.identity for each in ordered].index(event.identity))


def _is_streaming(tables: Tables) -> bool:
    if isinstance(tables, Mapping):
        return any(each.isStreaming for each in tables.values())
    return bool(tables.isStreaming)


def _chosen_rows(tables: Tables, row: RowChoice) -> Tables:
    """Return the tables with only the rows that are asked for."""
    if not isinstance(tables, Mapping):
        return tables.where(_condition(row, tables))
    held = {name: each for name, each in tables.items() if _has_columns(row, each)}
    rest = {name: each.limit(0) for name, each in tables.items() if name not in held}
    return {name: each.where(_condition(row, each)) for name, each in held.items()} | rest


def _has_columns(row: RowChoice, table: DataFrame) -> bool:
    if isinstance(row, Row | Mapping):
        return _names(row).keys() <= set(table.columns)
    try:
        _ = table.where(row).schema
    except Exception:  # the condition names a column of another table
        return False
    return True


def _names(row: Row | Mapping[str, Any]) -> dict[str, Any]:
    return row.asDict() if isinstance(row, Row) else dict(row)


def _condition(row: RowChoice, table: DataFrame) -> Column:
    if isinstance(row, str):
        return F.expr(row)
    if isinstance(row, Row | Mapping):
        named = _names(row)
        if missing := named.keys() - set(table.columns):
            raise column_problem(
                f"the row has {', '.join(sorted(missing))}, and the table has not",
                "give a row of the table itself",
            )
        return reduce(
            and_,
            (
                F.col(quoted(name)).eqNullSafe(F.lit(value))
                for name, value in named.items()
                if value is None or isinstance(value, _COMPARABLE)
            ),
            F.lit(True),
        )
    return row


def _events(
    tables: Tables,
    options: TableOptions,
    columns: Mapping[str, str] | None,
    near: int | None = None,
) -> list[Event]:
    """Return the events of tables: the first few, or those that end nearest to an instant."""
    if isinstance(tables, DataFrame) and not options.is_given_for(tables):
        rows, layout = laid_out(tables, options.mapping(columns))
    else:
        found = read_tables(tables, options, columns)
        rows, layout = found.rows, found.layout
    names = getattr(layout, "names", {})
    time = names.get((ENVELOPE, "time"))
    if near is not None and time is not None:
        distance = f"abs(unix_micros(try_cast({quoted(time)} AS TIMESTAMP)) - {near}L)"
        rows = rows.orderBy(F.expr(distance).asc_nulls_last())
    batches = to_arrow(rows.limit(AROUND)).to_batches()
    return [event for batch in batches for event in _events_of(batch, layout)]


def _events_of(batch: Any, layout: Any) -> Iterator[Event]:
    reading = read(batch, layout)
    return map(reading.batch.event, range(reading.batch.size))
