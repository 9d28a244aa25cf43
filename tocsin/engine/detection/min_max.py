"""Extremes: for each key the least or the greatest number among what waits, which tells at once
that nobody there fits.

An order holds between numbers only, so that what has none is left out. An extreme may lag behind
what was used up or forgotten: it promises too much, never too little.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import gt, lt

from tocsin.engine.detection.join_filters import Reader, pair_sides
from tocsin.plan.nodes.composites import JoinCondition, Part, PartAttribute, Related
from tocsin.plan.semantics.condition_evaluation import COMPARISONS
from tocsin.plan.semantics.occurrence import Occurrence

Number = int | float

_NUMBERS = (int, float)
_BETTER: dict[str, Callable[[Number, Number], bool]] = {"<": lt, "<=": lt, ">": gt, ">=": gt}


@dataclass(frozen=True, slots=True)
class Screen:
    """An order that what waits must have to what comes: `theirs` stands in the relation to
    `mine`.
    """

    attribute: PartAttribute
    relation: str
    theirs: Reader
    mine: Reader

    def number_of(self, occurrence: Occurrence) -> Number | None:
        """The number of what comes; None where it has none, so that nothing fits."""
        value = self.mine(occurrence)
        return value if type(value) in _NUMBERS else None

    @property
    def compares(self) -> Callable[[Number, Number], bool]:
        """Whether a number of what waits fits one of what comes."""
        return COMPARISONS[self.relation]


def screen_of(
    conditions: Sequence[JoinCondition], parts: Sequence[Part], homes: Mapping[str, int], slot: int
) -> Screen | None:
    """The first order between two parts among the conditions, for what comes to `slot`; None where
    there is none.
    """
    for condition in conditions:
        if isinstance(condition, Related) and condition.relation in _BETTER:
            theirs, relation, mine, attribute = pair_sides(condition, parts, homes, slot)
            return Screen(attribute, relation, theirs, mine)
    return None


class Extreme:
    """The best number for each key, as an order sees it."""

    __slots__ = ("_is_better", "_noted", "_read", "values")

    def __init__(self, screen: Screen) -> None:
        self._is_better = _BETTER[screen.relation]
        self._read = screen.theirs
        self._noted = 0
        self.values: dict[Hashable, Number] = {}

    def note(self, occurrence: Occurrence, key: Hashable) -> None:
        """One more waits under the key."""
        self._noted += 1
        value = self._read(occurrence)
        if type(value) in _NUMBERS:
            best = self.values.get(key)
            if best is None or self._is_better(value, best):
                self.values[key] = value

    def is_stale(self, living: int) -> bool:
        """Whether most of what was noted is gone, so that noting the living anew costs no more than
        noting them did.
        """
        return self._noted > 2 * living

    def take_over(self, values: Mapping[Hashable, Number], noted: int) -> None:
        """The best numbers among as many as are noted, which somebody else has found."""
        self.values.clear()
        self.values.update(values)
        self._noted = noted

    def renew(self, living: Iterable[tuple[Hashable, Iterable[Occurrence]]]) -> None:
        """Notes what lives, by key, and nothing else."""
        self.values.clear()
        self._noted = 0
        for key, occurrences in living:
            for each in occurrences:
                self.note(each, key)
