"""Order bounds: the least or the greatest number of the buffered occurrences of a key, a quick
proof that none of them fits.

An order holds between numbers only, so that other values are left out. A bound may lag behind what
was consumed or has expired: it lets too much pass, never too little.
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
class OrderBound:
    """Order that a buffered occurrence must have to a new one: `buffered` stands in the relation to
    `probing`.
    """

    attribute: PartAttribute
    relation: str
    buffered: Reader
    probing: Reader

    def number_of(self, occurrence: Occurrence) -> Number | None:
        """Return the number of a new occurrence; None if it has none, so that nothing fits."""
        value = self.probing(occurrence)
        return value if type(value) in _NUMBERS else None

    @property
    def compares(self) -> Callable[[Number, Number], bool]:
        """Test of a buffered number against a new one: True if it fits."""
        return COMPARISONS[self.relation]


def find_order_bound(
    conditions: Sequence[JoinCondition],
    parts: Sequence[Part],
    input_of_name: Mapping[str, int],
    slot: int,
) -> OrderBound | None:
    """Return the first order between two parts among the conditions, for occurrences new at `slot`;
    None without any.
    """
    for condition in conditions:
        if isinstance(condition, Related) and condition.relation in _BETTER:
            theirs, relation, mine, attribute = pair_sides(condition, parts, input_of_name, slot)
            return OrderBound(attribute, relation, theirs, mine)
    return None


class MinMaxByKey:
    """Best number of each key: the least or the greatest, as the order needs."""

    __slots__ = ("_is_better", "_read", "_recorded", "values")

    def __init__(self, order_bound: OrderBound) -> None:
        self._is_better = _BETTER[order_bound.relation]
        self._read = order_bound.buffered
        self._recorded = 0
        self.values: dict[Hashable, Number] = {}

    def record(self, occurrence: Occurrence, key: Hashable) -> None:
        """Add an occurrence that is buffered under the key."""
        self._recorded += 1
        value = self._read(occurrence)
        if type(value) in _NUMBERS:
            best = self.values.get(key)
            if best is None or self._is_better(value, best):
                self.values[key] = value

    def is_stale(self, living: int) -> bool:
        """True if most of the added occurrences are gone: a rebuild then costs at most as much as
        adding them did.
        """
        return self._recorded > 2 * living

    def load(self, values: Mapping[Hashable, Number], noted: int) -> None:
        """Load the numbers by key, computed elsewhere from `noted` occurrences."""
        self.values.clear()
        self.values.update(values)
        self._recorded = noted

    def rebuild(self, living: Iterable[tuple[Hashable, Iterable[Occurrence]]]) -> None:
        """Rebuild the numbers from the living occurrences, by key."""
        self.values.clear()
        self._recorded = 0
        for key, occurrences in living:
            for each in occurrences:
                self.record(each, key)
