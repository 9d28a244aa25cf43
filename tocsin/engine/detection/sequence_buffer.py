"""Buffer of the first events of sequences, shared by all joins of two events that wait for the same
first event, under the same key and for equally long.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from tocsin.engine.detection.base import Operator, StepContext
from tocsin.engine.detection.min_max import MinMaxByKey, OrderBound
from tocsin.engine.detection.partition_keys import Key
from tocsin.engine.detection.queue import ExpiringQueue
from tocsin.engine.detection.shared_buffer import SharedBuffer
from tocsin.events.event import Path
from tocsin.plan.nodes.composites import PartAttribute
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Duration, Instant


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
