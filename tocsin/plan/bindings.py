"""Bindings of an occurrence: a relation with one row for every way to fit the pattern to the
events.

A row binds variables to plain values. Joining occurrences joins their relations naturally: rows
that agree on every variable they share. The relation without variables has one empty row, so that
joining it changes nothing.
"""

from __future__ import annotations

from collections.abc import Hashable

Row = tuple[tuple[str, Hashable], ...]
"""Variables with their values, ordered by name. A value is a string, a number, a truth value, or a
tuple of these: types that snapshots can hold.
"""

Rows = tuple[Row, ...]

NOTHING_BOUND: Rows = ((),)


def sole_value(rows: Rows, variable: str) -> Hashable | None:
    """Return the value that every row gives the variable; None if a row has none, or two rows
    differ.
    """
    values = {dict(row).get(variable) for row in rows}
    return values.pop() if len(values) == 1 else None
