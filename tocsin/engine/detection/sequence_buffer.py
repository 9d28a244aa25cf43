"""Buffer of the first events of sequences, shared by all joins of two events that wait for the same
first event, under the same key and for equally long.

Order bounds are the least or the greatest number of the buffered occurrences of a key, a quick
proof that none of them fits. An order holds between numbers only, so that other values are left
out. A bound may lag behind what was consumed or has expired: it lets too much pass, never too
little.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import gt, lt

from tocsin.engine.detection.base import Operator, StepContext
from tocsin.engine.detection.join_filters import Reader, pair_sides
from tocsin.engine.detection.partition_keys import Key
from tocsin.engine.detection.queue import ExpiringQueue
from tocsin.engine.detection.shared_buffer import SharedBuffer
from tocsin.plan.nodes.composites import JoinCondition, Part, PartAttribute, Related
from tocsin.plan.semantics.condition_evaluation import COMPARISONS
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.scalars import Path
from tocsin.values.time import Duration, Instant

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


class FirstEventBuffer(SharedBuffer):
    """Shared buffer of first events, partitioned by key."""

    __slots__ = ("_expires", "_min_max", "queue")

    def __init__(self, source: Operator, key: Key, lifetime: Duration, address: Hashable) -> None:
        super().__init__(source, key, lifetime, address)
        self.queue = ExpiringQueue(lifetime)
        self._expires = False
        self._min_max: dict[tuple[PartAttribute, str], MinMaxByKey] = {}

    @property
    def buffered_count(self) -> int:
        """Number of occurrences that wait to be followed."""
        return self.queue.living

    def min_max_for(self, order_bound: OrderBound) -> MinMaxByKey:
        """Return the extremes of an order, kept once for all that ask."""
        asked = (order_bound.attribute, order_bound.relation)
        if asked not in self._min_max:
            self._min_max[asked] = MinMaxByKey(order_bound)
            self._min_max[asked].rebuild(self.queue.buckets())
        return self._min_max[asked]

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Buffer the occurrence. Without the attributes of its key it can pair with nothing and is
        dropped.
        """
        queue = self.queue
        queue.forget_before(step.now)
        key = self.key(occurrence)
        if key is not None:
            self._add(occurrence, key)
            self.arrival_count += 1
            if queue.living > step.queue_limit:
                step.overfull.update(self.overfull(step.queue_limit))
            if not self._expires:
                self._expire(step)

    def forget_before(self, now: Instant) -> None:
        """Drop expired occurrences."""
        self.queue.forget_before(now)
        self.tidy_up()

    def next_expiry(self) -> Instant | None:
        """Return when the oldest entry expires; None if nothing is buffered."""
        soonest = self.queue.next_expiry()
        self._expires = soonest is not None
        return soonest

    def waiting(self) -> Iterator[Occurrence]:
        """Return all buffered occurrences, oldest first."""
        return iter(self.queue)

    def present(self) -> Iterator[Occurrence]:
        """Return all buffered occurrences, by key."""
        return (each for _, bucket in self.queue.buckets() for each in bucket)

    def waiting_at(self, key: Hashable, now: Instant) -> Sequence[Occurrence]:
        """Return the occurrences buffered under a key, oldest first, without expired ones."""
        waiting = self.queue.waiting(key)
        if waiting and waiting[0].end + self.lifetime < now:
            self.queue.forget_before(now)
            waiting = self.queue.waiting(key)
        return waiting

    def replace(self, occurrences: list[Occurrence], step: StepContext) -> None:  # type: ignore[override]
        """Buffer these occurrences in place of all others."""
        self.queue.clear()
        for each in occurrences:
            self._add(each, self.key(each))
        if not self._expires:
            self._expire(step)

    def drain(self) -> list[tuple[Occurrence, Hashable]]:
        """Remove and return all occurrences, oldest first, with their keys; they are kept elsewhere
        from now on.
        """
        waiting = list(self.queue.keyed())
        self.queue.clear()
        return waiting

    @property
    def all_min_max(self) -> Mapping[tuple[Path, str], MinMaxByKey]:
        """The extremes that are kept, by path and relation."""
        return {(each.path, relation): known for (each, relation), known in self._min_max.items()}

    def load(
        self,
        waiting: Iterable[tuple[Occurrence, Hashable]],
        unavailable: dict[Occurrence, int],
        step: StepContext,
    ) -> None:
        """Load occurrences that were kept elsewhere, with the masks of readers to which they are
        unavailable.
        """
        self.queue.clear()
        self.unavailable = unavailable
        self.arrival_count += 1
        for occurrence, key in waiting:
            self.queue.add(occurrence, key)
        if not self._expires:
            self._expire(step)

    def consume(self, occurrence: Occurrence, key: Hashable, bits: int) -> None:
        """Consume an occurrence for some readers; remove it when no reader is left."""
        lost = self.unavailable.get(occurrence, 0) | bits
        if lost & self.reader_mask == self.reader_mask:
            self.queue.remove(occurrence, key)
            self.unavailable.pop(occurrence, None)
        else:
            self.unavailable[occurrence] = lost
            self.tidy_up()

    def availability_masks(self) -> Iterable[int]:
        """Return the mask of readers to which each buffered occurrence is available."""
        lost, everyone = self.unavailable, self.reader_mask
        return [everyone & ~lost.get(each, 0) for each in self.present()]

    def drop_unavailable(self) -> None:
        """Remove the occurrences that are available to no reader."""
        everyone, lost = self.reader_mask, self.unavailable
        for each, key in list(self.queue.keyed()):
            if lost.get(each, 0) & everyone == everyone:
                self.queue.remove(each, key)
                del lost[each]

    def _add(self, occurrence: Occurrence, key: Hashable) -> None:
        self.queue.add(occurrence, key)
        for extreme in self._min_max.values():
            extreme.record(occurrence, key)
            if extreme.is_stale(self.queue.living):
                extreme.rebuild(self.queue.buckets())

    def _expire(self, step: StepContext) -> None:
        if (soonest := self.next_expiry()) is not None:
            step.schedule_expiry(self, soonest)
