"""Natural join of the rows of occurrences: rows that agree on shared variables, found by a hash
table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from tocsin.plan.bindings import NOTHING_BOUND, Row, Rows

Names = tuple[str, ...]
Values = tuple[Hashable, ...]
Spend = Callable[[int], object]
"""Callback with the number of rows that are about to be made or read; may raise."""


A_ROW = 3
"""Cost of adding one row to a hash table, in microseconds."""


def spend_nothing(rows: int) -> None:
    """Ignore the number of rows."""


def natural_join(left: Rows, right: Rows, spend: Spend = spend_nothing) -> Rows:
    """Return the joined rows, each once, in the order of the left and then the right."""
    if left == NOTHING_BOUND:
        return right
    if right == NOTHING_BOUND:
        return left
    tables: dict[Names, dict[Names, dict[Values, list[tuple[int, Row]]]]] = defaultdict(dict)
    spend(A_ROW * (len(left) + len(right)))
    by_names = _by_names(right)
    found: dict[Row, None] = {}
    for one in left:
        mine = _names(one)
        matching: list[tuple[int, Row]] = []
        for theirs, numbered in by_names.items():
            shared = tuple(name for name in mine if name in theirs)
            table = tables[theirs].get(shared)
            if table is None:
                table = tables[theirs][shared] = _table(numbered, shared)
            matching += table.get(values_at(one, shared), ())
        spend(len(matching))
        if len(by_names) > 1:
            matching.sort(key=lambda each: each[0])
        found |= dict.fromkeys(_united(one, other) for _, other in matching)
    return tuple(found)


def values_at(row: Row, names: Sequence[str]) -> Values:
    """Return the values of some variables of a row."""
    bound = dict(row)
    return tuple(bound[name] for name in names)


def rows_without(rows: Rows, others: Iterable[Rows]) -> Rows:
    """Return the rows that join with no row of the others (an anti-join)."""
    came = tuple(dict.fromkeys(row for each in others for row in each))
    if not came:
        return rows
    if () in came:
        return ()
    by_names = _by_names(came)
    known: dict[tuple[Names, Names], frozenset[Values]] = {}
    left: list[Row] = []
    for row in rows:
        mine = _names(row)
        for theirs, numbered in by_names.items():
            shared = tuple(name for name in mine if name in theirs)
            values = known.get((theirs, shared))
            if values is None:
                values = known[theirs, shared] = frozenset(
                    values_at(other, shared) for _, other in numbered
                )
            if values_at(row, shared) in values:
                break
        else:
            left.append(row)
    return tuple(left)


def _by_names(rows: Rows) -> dict[Names, list[tuple[int, Row]]]:
    """Return rows with their numbers, by the variables that they bind; nearly always there is one
    group.
    """
    found: dict[Names, list[tuple[int, Row]]] = {}
    for number, row in enumerate(rows):
        found.setdefault(_names(row), []).append((number, row))
    return found


def _names(row: Row) -> Names:
    return tuple([name for name, _ in row])


def _table(
    numbered: Sequence[tuple[int, Row]], shared: Names
) -> dict[Values, list[tuple[int, Row]]]:
    table: dict[Values, list[tuple[int, Row]]] = {}
    for number, row in numbered:
        table.setdefault(values_at(row, shared), []).append((number, row))
    return table


def _united(one: Row, other: Row) -> Row:
    """Return both rows as one; the first itself if the other adds no variable."""
    both = {**dict(other), **dict(one)}
    return one if len(both) == len(one) else tuple(sorted(both.items(), key=lambda bound: bound[0]))
