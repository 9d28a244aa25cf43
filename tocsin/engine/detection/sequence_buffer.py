"""What may be followed: one line for all joins of two events that wait for the same first event,
under the same key and for equally long.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from tocsin.engine.detection.base import Node, Step
from tocsin.engine.detection.min_max import Extreme, Screen
from tocsin.engine.detection.partition_keys import Key
from tocsin.engine.detection.queue import Queue
from tocsin.engine.detection.shared_buffer import Line
from tocsin.events.event import Path
from tocsin.plan.nodes.composites import PartAttribute
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Duration, Instant


class FirstLine(Line):
    """What may be followed, parted by key."""

    __slots__ = ("_expires", "_extremes", "queue")

    def __init__(self, source: Node, key: Key, lifetime: Duration, address: Hashable) -> None:
        super().__init__(source, key, lifetime, address)
        self.queue = Queue(lifetime)
        self._expires = False
        self._extremes: dict[tuple[PartAttribute, str], Extreme] = {}

    @property
    def kept(self) -> int:
        """How many wait to be followed."""
        return self.queue.living

    def extreme(self, screen: Screen) -> Extreme:
        """The extremes that an order asks for, kept for all who ask."""
        asked = (screen.attribute, screen.relation)
        if asked not in self._extremes:
            self._extremes[asked] = Extreme(screen)
            self._extremes[asked].renew(self.queue.buckets())
        return self._extremes[asked]

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """Keeps the occurrence; without the attributes of its key it can pair with nothing."""
        queue = self.queue
        queue.forget_before(step.now)
        key = self.key(occurrence)
        if key is not None:
            self._add(occurrence, key)
            self.arrived += 1
            if queue.living > step.queue_limit:
                step.overfull.update(self.overfull(step.queue_limit))
            if not self._expires:
                self._expire(step)

    def forget_before(self, now: Instant) -> None:
        """Drops what waited in vain."""
        self.queue.forget_before(now)
        self.tidy_up()

    def next_expiry(self) -> Instant | None:
        """When the first that waits here has waited in vain."""
        soonest = self.queue.next_expiry()
        self._expires = soonest is not None
        return soonest

    def waiting(self) -> Iterator[Occurrence]:
        """All that wait, oldest first."""
        return iter(self.queue)

    def present(self) -> Iterator[Occurrence]:
        """All that wait, by key."""
        return (each for _, bucket in self.queue.buckets() for each in bucket)

    def waiting_at(self, key: Hashable, now: Instant) -> Sequence[Occurrence]:
        """What waits under a key, oldest first, but for what has waited in vain."""
        waiting = self.queue.waiting(key)
        if waiting and waiting[0].end + self.lifetime < now:
            self.queue.forget_before(now)
            waiting = self.queue.waiting(key)
        return waiting

    def replace(self, occurrences: list[Occurrence], step: Step) -> None:  # type: ignore[override]
        """Has these wait, and nothing else."""
        self.queue.clear()
        for each in occurrences:
            self._add(each, self.key(each))
        if not self._expires:
            self._expire(step)

    def give_away(self) -> list[tuple[Occurrence, Hashable]]:
        """All that wait, oldest first, with their keys; they wait elsewhere from now on."""
        waiting = list(self.queue.keyed())
        self.queue.clear()
        return waiting

    @property
    def extremes(self) -> Mapping[tuple[Path, str], Extreme]:
        """The extremes that are kept, by what they are asked for."""
        return {(each.path, relation): known for (each, relation), known in self._extremes.items()}

    def take_back(
        self,
        waiting: Iterable[tuple[Occurrence, Hashable]],
        lost: dict[Occurrence, int],
        step: Step,
    ) -> None:
        """What waited elsewhere waits here again; `lost` is known of it."""
        self.queue.clear()
        self.lost = lost
        self.arrived += 1
        for occurrence, key in waiting:
            self.queue.add(occurrence, key)
        if not self._expires:
            self._expire(step)

    def use_up(self, occurrence: Occurrence, key: Hashable, bits: int) -> None:
        """Some have lost one that waits; who is the last to lose it takes it out."""
        lost = self.lost.get(occurrence, 0) | bits
        if lost & self.everyone == self.everyone:
            self.queue.remove(occurrence, key)
            self.lost.pop(occurrence, None)
        else:
            self.lost[occurrence] = lost
            self.tidy_up()

    def had(self) -> Iterable[int]:
        """Of all that wait the bits of those who still have it."""
        lost, everyone = self.lost, self.everyone
        return [everyone & ~lost.get(each, 0) for each in self.present()]

    def drop_lost(self) -> None:
        """Takes out what nobody has any more."""
        everyone, lost = self.everyone, self.lost
        for each, key in list(self.queue.keyed()):
            if lost.get(each, 0) & everyone == everyone:
                self.queue.remove(each, key)
                del lost[each]

    def _add(self, occurrence: Occurrence, key: Hashable) -> None:
        self.queue.add(occurrence, key)
        for extreme in self._extremes.values():
            extreme.note(occurrence, key)
            if extreme.is_stale(self.queue.living):
                extreme.renew(self.queue.buckets())

    def _expire(self, step: Step) -> None:
        if (soonest := self.next_expiry()) is not None:
            step.expire(self, soonest)
