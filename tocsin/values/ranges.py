"""Satisfiability of several comparisons of one value.

"Impossible" is certain; between two different limits a value is assumed to exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import eq, ge, gt, le, lt, ne
from typing import Any

_HOLDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": eq,
    "<>": ne,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}

TURNED: Mapping[str, str] = {
    "=": "=",
    "<>": "<>",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}
"""The relation with its sides exchanged: `5 < x` is `x > 5`."""

OPPOSITE: Mapping[str, str] = {
    "=": "!=",
    "<>": "=",
    "!=": "=",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
}
"""The relation that holds between comparable values exactly if this one does not."""


def can_all_hold(
    tests: Iterable[tuple[str, Any]], also: Callable[[Any], bool] = lambda value: True
) -> bool:
    """True if one value may meet all comparisons, given values of one order; False is certain.

    `also` is a further test, applied if the comparisons leave a single value.
    """
    given = list(tests)
    lows = [value for relation, value in given if relation in ("=", ">", ">=")]
    highs = [value for relation, value in given if relation in ("=", "<", "<=")]
    if not lows or not highs:
        return True
    low, high = max(lows), min(highs)
    if low == high:
        return all(_HOLDS[relation](low, value) for relation, value in given) and also(low)
    return bool(low < high)
