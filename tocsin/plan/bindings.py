"""What an occurrence says beyond that it happened: a relation, one row for every way to fit the
pattern to the events.

A row binds variables to plain values. Joining occurrences joins their relations naturally: rows
that agree on every variable which both have. The relation that says nothing has one empty row, so
that joining it changes nothing.
"""

from __future__ import annotations

from collections.abc import Hashable

Row = tuple[tuple[str, Hashable], ...]
"""Variables with their values, in the order of the variables' names. A value is a string, a number,
a truth value, or a tuple of these: what snapshots can hold.
"""

Rows = tuple[Row, ...]

NOTHING_BOUND: Rows = ((),)


def sole_value(rows: Rows, variable: str) -> Hashable | None:
    """The value that every row gives the variable; None where a row has none, or two rows
    differ.
    """
    values = {dict(row).get(variable) for row in rows}
    return values.pop() if len(values) == 1 else None
