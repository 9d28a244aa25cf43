"""Allen's relations by definition: comparisons of the begin and end of two intervals, b1 f1 and b2
f2.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import eq, lt

from tocsin.values.time import Instant

DEFINITIONS: Mapping[str, str] = {
    "Equals": "b1 = b2, f1 = f2",
    "Before": "f1 < b2",
    "After": "f2 < b1",
    "Meets": "f1 = b2",
    "MetBy": "f2 = b1",
    "Overlaps": "b1 < b2, b2 < f1, f1 < f2",
    "OverlappedBy": "b2 < b1, b1 < f2, f2 < f1",
    "Starts": "b1 = b2, f1 < f2",
    "StartedBy": "b1 = b2, f2 < f1",
    "Finishes": "f1 = f2, b2 < b1",
    "FinishedBy": "f1 = f2, b1 < b2",
    "During": "b2 < b1, f1 < f2",
    "Contains": "b1 < b2, f2 < f1",
}
"""All thirteen, each on its own: none is defined as an inverse here."""

_BETWEEN_INSTANTS = ("Equals", "Before", "After")
_COMPARISONS = {"=": eq, "<": lt}
_COMPLEMENT = "Un"

Bounds = tuple[Instant, Instant]


def stands(name: str, first: Bounds, second: Bounds, *, proper: bool) -> bool:
    """True if the first interval stands in the relation to the second.

    `Un` before a name is its complement.
    """
    if name.startswith(_COMPLEMENT):
        return not stands(name.removeprefix(_COMPLEMENT), first, second, proper=proper)
    if (
        proper
        and name not in _BETWEEN_INSTANTS
        and (first[0] == first[1] or second[0] == second[1])
    ):
        return False
    bounds = {"b1": first[0], "f1": first[1], "b2": second[0], "f2": second[1]}
    return all(_holds(each, bounds) for each in DEFINITIONS[name].split(", "))


def _holds(comparison: str, bounds: Mapping[str, Instant]) -> bool:
    left, sign, right = comparison.split()
    return bool(_COMPARISONS[sign](bounds[left], bounds[right]))
