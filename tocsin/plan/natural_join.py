"""The natural join of what occurrences bind."""

from __future__ import annotations

from tocsin.plan.rows import NOTHING_BOUND, Row, Rows


def natural_join(left: Rows, right: Rows) -> Rows:
    """The rows of both that agree on what they share, each once, in the order of the left and then the right."""
    if left == NOTHING_BOUND:
        return right
    if right == NOTHING_BOUND:
        return left
    return tuple(dict.fromkeys(row for one in left for other in right if (row := _merged(one, other)) is not None))


def _merged(one: Row, other: Row) -> Row | None:
    both = dict(one)
    for variable, value in other:
        if variable in both and both[variable] != value:
            return None
        both[variable] = value
    return tuple(sorted(both.items(), key=lambda bound: bound[0]))
