"""Three-valued truth (Kleene, SQL-92): FALSE < UNKNOWN < TRUE. A subscription rings iff its result
is TRUE.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class Truth(IntEnum):
    """The order of the numbers is the order of the logic, so AND is the minimum and OR the
    maximum.
    """

    FALSE = 0
    UNKNOWN = 1
    TRUE = 2


_NEGATIONS = (Truth.TRUE, Truth.UNKNOWN, Truth.FALSE)


def truth(value: bool) -> Truth:
    """The certain truth of a Python bool."""
    return Truth.TRUE if value else Truth.FALSE


def negation(value: Truth) -> Truth:
    """Swaps TRUE and FALSE, keeps UNKNOWN."""
    return _NEGATIONS[value]


def conjunction(values: Iterable[Truth]) -> Truth:
    """The least of the values; TRUE for none."""
    return min(values, default=Truth.TRUE)


def disjunction(values: Iterable[Truth]) -> Truth:
    """The greatest of the values; FALSE for none."""
    return max(values, default=Truth.FALSE)
