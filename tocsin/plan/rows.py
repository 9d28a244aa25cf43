"""What an occurrence says beyond that it happened: a relation, one row for every way to fit the pattern to the events.

A row binds variables to plain values. Joining occurrences joins their relations naturally: rows that agree on every
variable which both have. The relation that says nothing has one empty row, so that joining it changes nothing.
"""

from __future__ import annotations

from collections.abc import Hashable

Row = tuple[tuple[str, Hashable], ...]
"""Variables with their values, in the order of the variables' names. A value is a string, a number, a truth value, or a
tuple of these: what snapshots can hold."""

Rows = tuple[Row, ...]

NOTHING_BOUND: Rows = ((),)


def natural_join(left: Rows, right: Rows) -> Rows:
    """The rows of both that agree on what they share, each once, in the order of the left and then the right."""
    if left == NOTHING_BOUND:
        return right
    if right == NOTHING_BOUND:
        return left
    return tuple(dict.fromkeys(row for one in left for other in right if (row := _merged(one, other)) is not None))


def sole_value(rows: Rows, variable: str) -> Hashable | None:
    """The value that every row gives the variable; None where a row has none, or two rows differ."""
    values = {dict(row).get(variable) for row in rows}
    return values.pop() if len(values) == 1 else None


def _merged(one: Row, other: Row) -> Row | None:
    both = dict(one)
    for variable, value in other:
        if variable in both and both[variable] != value:
            return None
        both[variable] = value
    return tuple(sorted(both.items(), key=lambda bound: bound[0]))
