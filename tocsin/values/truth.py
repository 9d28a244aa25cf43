"""Three-valued truth (Kleene, SQL-92): FALSE < UNKNOWN < TRUE. Only TRUE makes a rule ring."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class Truth(IntEnum):
    """A truth value. Numbers are in the order of the logic: AND is the minimum, OR the maximum."""

    FALSE = 0
    UNKNOWN = 1
    TRUE = 2


_NEGATIONS = (Truth.TRUE, Truth.UNKNOWN, Truth.FALSE)


def truth(value: bool) -> Truth:
    """Return TRUE or FALSE for a Python bool."""
    return Truth.TRUE if value else Truth.FALSE


def negation(value: Truth) -> Truth:
    """Swap TRUE and FALSE; keep UNKNOWN."""
    return _NEGATIONS[value]


def conjunction(values: Iterable[Truth]) -> Truth:
    """Return the least of the values; TRUE if there are no values."""
    return min(values, default=Truth.TRUE)


def disjunction(values: Iterable[Truth]) -> Truth:
    """Return the greatest of the values; FALSE if there are no values."""
    return max(values, default=Truth.FALSE)
