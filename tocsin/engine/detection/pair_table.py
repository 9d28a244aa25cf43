"""All pairs under single use and their buffered events, in arrays that one loop serves.

A buffered event is kept once, however many pairs it waits for, and is released with the last of
them. Expired entries are dropped when their queue is visited, and everywhere at once when many may
have gathered.

Conditions between two intervals are comparisons of their bounds: one moment plus a slack is not
after another. Buffered events are ordered by their ends, so that comparisons also bound the search.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from tocsin.engine.detection.pair_kernel import (
    COUNT,
    EVENT,
    FREE,
    FREED,
    HEAD,
    LIVING,
    LONGEST,
    MY_END,
    MY_START,
    NEXT,
    NONE,
    THEIR_END,
    THEIR_START,
    TRIED,
    append,
    drop,
    expire,
    expire_all,
    take_in,
)
from tocsin.engine.index.growable import SlotAllocator, put
from tocsin.engine.index.kernels import to_python
from tocsin.plan.nodes.composites import End, Moment, Precedes, Stands
from tocsin.plan.semantics.occurrence import Occurrence, combine
from tocsin.values.allen import INVERSE, Allen, relation_of
from tocsin.values.time import Duration, Instant

TimeCondition = Precedes | Stands
"""Conditions that comparisons can express."""

Comparison = tuple[int, int, Duration]
"""The earlier moment, the later one, and the slack that is added to the earlier."""

FAR: Duration = 2**61
"""Bound of a slack: no two instants are further apart, and no sum is too great for the loop."""

_BOUNDS: Mapping[Allen, tuple[Comparison, ...]] = {
    Allen.EQUALS: ((0, 2, 0), (2, 0, 0), (1, 3, 0), (3, 1, 0)),
    Allen.BEFORE: ((1, 2, 1),),
    Allen.MEETS: ((1, 2, 0), (2, 1, 0)),
    Allen.OVERLAPS: ((0, 2, 1), (2, 1, 1), (1, 3, 1)),
    Allen.STARTS: ((0, 2, 0), (2, 0, 0), (1, 3, 1)),
    Allen.FINISHES: ((2, 0, 1), (1, 3, 0), (3, 1, 0)),
    Allen.DURING: ((2, 0, 1), (1, 3, 1)),
}
"""`tocsin.values.allen.BOUNDS` for begin and end of the first interval, 0 and 1, and of the second,
2 and 3.
"""

_PROPER: tuple[Comparison, ...] = ((0, 1, 1), (2, 3, 1))
_OF_INSTANTS = (Allen.EQUALS, Allen.BEFORE, Allen.AFTER)


def comparisons_of(condition: TimeCondition, slot: int) -> tuple[tuple[Comparison, ...], bool]:
    """Return the comparisons for occurrences new at a slot, and True if not all of them may hold.
    The negation of one comparison is expressed as another.
    """
    match condition:
        case Precedes(earlier, later, gap, or_equal):
            slack = gap if or_equal else gap + 1  # instants are whole numbers
            slack = max(-FAR, min(slack, FAR))
            return ((_moment(earlier, slot), _moment(later, slot), slack),), False
        case Stands(part, name, other, proper):
            relation, negated = relation_of(name)
            bounds = _BOUNDS[INVERSE.get(relation, relation)]
            if proper and relation not in _OF_INSTANTS:
                bounds += _PROPER
            one, two = (part, other) if relation not in INVERSE else (other, part)
            moments = (*_interval(one, slot), *_interval(two, slot))
            compared = tuple([(moments[a], moments[b], slack) for a, b, slack in bounds])
            if negated and len(compared) == 1:
                ((a, b, slack),) = compared
                return ((b, a, 1 - slack),), False
            return compared, negated


def _moment(moment: Moment, slot: int) -> int:
    return _interval(moment.part, slot)[moment.end is End.FINISH]


def _interval(part: int, slot: int) -> tuple[int, int]:
    return (MY_START, MY_END) if part == slot else (THEIR_START, THEIR_END)


MAX_PAIRS_IN_PYTHON = 32
"""Most pairs that are served without the compiled loop, which is no faster for few and takes a
while to load.
"""

# rows of the smallest table that is not empty
_MIN_CAPACITY = 64
Owner = TypeVar("Owner")
_Numbers = npt.NDArray[np.int64]

_take_in_in_python = to_python(take_in)
_expire_all_in_python = to_python(expire_all)


class PairStore(Generic[Owner]):
    """Pairs by number, each with its owner. An event reaches many of them at once: its queues are
    put into `reached_queues`, then they are served together.
    """

    __slots__ = (
        "_comparisons",
        "_condition_ranges",
        "_conditions",
        "_counters",
        "_entries",
        "_event_slots",
        "_events",
        "_found",
        "_freed",
        "_identities",
        "_latest",
        "_living_before",
        "_longest",
        "_next_identity",
        "_occurrences",
        "_owners",
        "_pair_slots",
        "_pairs",
        "_queues",
        "expired_before",
        "reached_queues",
    )

    def __init__(self) -> None:
        self.reached_queues: list[int] = []
        """Queues that the event of this step has reached, in any order."""
        self.expired_before: Instant = -FAR
        """Instant of the last `forget_before`: entries that had expired by then are hidden."""
        self._owners: list[Owner | None] = []
        self._pair_slots = SlotAllocator()
        self._occurrences: list[Occurrence | None] = []
        self._event_slots = SlotAllocator()
        self._identities: dict[tuple[str, str], list[int]] = {}
        self._next_identity = 0
        self._condition_ranges: dict[tuple[tuple[TimeCondition, ...], int], tuple[int, int]] = {}
        self._queues = _rows(0, 7)
        self._pairs = _rows(0, 2)
        self._conditions = _rows(0, 3)
        self._comparisons = _rows(0, 3)
        self._entries = _rows(0, 4)
        self._events = _rows(0, 4)
        self._found = _rows(0, 2)
        self._freed = np.zeros(0, np.int64)
        self._counters = np.array([NONE, 0, 0, 0], np.int64)
        self._latest: Instant = -FAR
        self._longest: Duration = 0
        self._living_before = 0

    def add(
        self,
        owner: Owner,
        conditions: tuple[TimeCondition, ...],
        lifetimes: Sequence[Duration],
        waits: Sequence[bool],
    ) -> int:
        """Add a pair and return its number."""
        pair = self._pair_slots.allocate()
        put(self._owners, pair, owner)
        self._pairs = _grow(self._pairs, pair + 1)
        self._queues = _grow(self._queues, 2 * pair + 2)
        self._pairs[pair] = NONE, 0
        for slot in (0, 1):
            lifetime = min(lifetimes[slot], FAR)
            asked = self._conditions_at(conditions, slot)
            self._queues[2 * pair + slot] = (NONE, NONE, 0, lifetime, waits[slot], *asked)
        self._longest = max(self._longest, *lifetimes)
        if pair == MAX_PAIRS_IN_PYTHON:
            _load_loops()
        return pair

    def remove(self, pair: int) -> None:
        """Remove a pair, with all that is buffered for it."""
        for queue in (2 * pair, 2 * pair + 1):
            while (entry := int(self._queues[queue, HEAD])) != NONE:
                drop(queue, entry, *self._chains)
            self._release()
        self._owners[pair] = None
        self._pair_slots.release(pair)

    @property
    def event_count(self) -> int:
        """Number of events that are kept."""
        return len(self._event_slots)

    def tried(self, pair: int) -> int:
        """Return the number of buffered events that were checked for a pair."""
        return int(self._pairs[pair, TRIED])

    def buffered_count_of(self, pair: int) -> int:
        """Return the number of events buffered for a pair, at both slots."""
        return sum(self._length(queue) for queue in (2 * pair, 2 * pair + 1))

    def waiting(self, queue: int) -> Iterator[Occurrence]:
        """Yield the occurrences buffered in a queue, oldest first."""
        self._length(queue)
        entry = int(self._queues[queue, HEAD])
        while entry != NONE:
            occurrence = self._occurrences[self._entries[entry, EVENT]]
            assert occurrence is not None
            yield occurrence
            entry = int(self._entries[entry, NEXT])

    def restore(self, queue: int, occurrence: Occurrence) -> None:
        """Buffer an occurrence that was buffered before a restart."""
        self._make_room(1)
        event = self._number(occurrence)
        append(queue, event, self._queues, self._entries, self._events, self._counters)

    def serve(self, new: Occurrence, step: int) -> list[tuple[Owner, Occurrence]]:
        """Return the pairs that the event of this step completes, each with its owner."""
        arrivals = np.array(self.reached_queues, np.int64)
        self.abandon()
        self._make_room(len(arrivals))
        event = self._number(new)
        count = (_take_in_in_python if len(self._owners) <= MAX_PAIRS_IN_PYTHON else take_in)(
            arrivals,
            event,
            step,
            self._queues,
            self._pairs,
            self._conditions,
            self._comparisons,
            self._entries,
            self._events,
            self._counters,
            self._found,
            self._freed,
        )
        wholes: dict[int, Occurrence] = {}
        found: list[tuple[Owner, Occurrence]] = []
        for queue, partner in self._found[:count].tolist():
            whole = wholes.get(partner)
            if whole is None:
                whole = wholes[partner] = self._combine(partner, new)
            owner = self._owners[queue >> 1]
            assert owner is not None
            found.append((owner, whole))
        self._release()
        return found

    def owners_over_limit(self, limit: int) -> list[Owner]:
        """Return the owners for whose pairs more than `limit` events are buffered."""
        if self._counters[LONGEST] <= limit:
            return []
        self._counters[LONGEST] = 0
        owners = enumerate(self._owners)
        return [
            each
            for pair, each in owners
            if each is not None and self.buffered_count_of(pair) > limit
        ]

    def abandon(self) -> None:
        """Forget the queues that the event of this step has reached."""
        self.reached_queues.clear()

    def forget_before(self, now: Instant) -> None:
        """Drop events that nothing which ends at `now` or later can complete. The arrays are swept
        only if many may have gathered.
        """
        self.expired_before = max(self.expired_before, now)
        living = int(self._counters[LIVING])
        if living > 2 * self._living_before + _MIN_CAPACITY or (
            living and now - self._longest > self._latest
        ):
            queues, *rest = self._chains
            (_expire_all_in_python if len(self._owners) <= MAX_PAIRS_IN_PYTHON else expire_all)(
                now, queues[: 2 * len(self._owners)], *rest
            )
            self._release()
            self._living_before = int(self._counters[LIVING])

    @property
    def _chains(self) -> tuple[_Numbers, _Numbers, _Numbers, _Numbers, _Numbers]:
        """The arrays that are needed to change a queue."""
        return self._queues, self._entries, self._events, self._counters, self._freed

    def _length(self, queue: int) -> int:
        expire(queue, self.expired_before, *self._chains)
        self._release()
        return int(self._queues[queue, COUNT])

    def _combine(self, partner: int, new: Occurrence) -> Occurrence:
        """Return both combined. Atoms bind nothing here: one occurrence serves all owners."""
        other = self._occurrences[partner]
        assert other is not None
        whole = combine((other, new))
        assert whole is not None
        return whole

    def _number(self, occurrence: Occurrence) -> int:
        """Return a number for an occurrence, valid while something holds it."""
        event = self._event_slots.allocate()
        put(self._occurrences, event, occurrence)
        self._events = _grow(self._events, event + 1)
        if len(self._freed) < len(self._events):
            self._freed = np.zeros(len(self._events), np.int64)
        identity = self._identities.get(occurrence.members[0].identity)
        if identity is None:
            self._next_identity += 1
            identity = [self._next_identity, 0]
            self._identities[occurrence.members[0].identity] = identity
        identity[1] += 1
        self._events[event] = occurrence.start, occurrence.end, identity[0], 0
        self._latest = max(self._latest, occurrence.end)
        return event

    def _release(self) -> None:
        """Release the events that nothing holds."""
        count = int(self._counters[FREED])
        if not count:
            return
        self._counters[FREED] = 0
        for event in self._freed[:count].tolist():
            occurrence = self._occurrences[event]
            assert occurrence is not None
            identity = self._identities[occurrence.members[0].identity]
            identity[1] -= 1
            if not identity[1]:
                del self._identities[occurrence.members[0].identity]
            self._occurrences[event] = None
            self._event_slots.release(event)

    def _make_room(self, count: int) -> None:
        """Make room for `count` more entries, and as many pairs found."""
        had = len(self._entries)
        if had - int(self._counters[LIVING]) < count:
            self._entries = _grow(self._entries, had + count)
            self._entries[had:, NEXT] = np.arange(had + 1, len(self._entries) + 1)
            self._entries[-1, NEXT] = self._counters[FREE]
            self._counters[FREE] = had
        if len(self._found) < count:
            self._found = _rows(2 * count, 2)

    def _conditions_at(self, conditions: tuple[TimeCondition, ...], slot: int) -> tuple[int, int]:
        """Return the position and the number of the conditions as a slot checks them; they are
        added if missing.
        """
        known = self._condition_ranges.get((conditions, slot))
        if known is None:
            first = len(self._conditions)
            for each in conditions:
                compared, negated = comparisons_of(each, slot)
                row = len(self._comparisons), len(compared), negated
                self._conditions = np.append(self._conditions, [row], 0)
                self._comparisons = np.concatenate(
                    (self._comparisons, np.array(compared, np.int64))
                )
            known = self._condition_ranges[conditions, slot] = (first, len(conditions))
        return known


def _load_loops() -> None:
    """Compile the loops, or read them from disk, before an event has to wait for that."""
    counters, freed = np.zeros(4, np.int64), np.zeros(1, np.int64)
    widths = (7, 2, 3, 3, 4, 4)
    queues, pairs, conditions, comparisons, entries, events = (_rows(1, each) for each in widths)
    asked = (queues, pairs, conditions, comparisons)
    take_in(freed[:0], 0, 0, *asked, entries, events, counters, _rows(1, 2), freed)
    expire_all(0, queues[:0], entries, events, counters, freed)


def _rows(count: int, width: int) -> _Numbers:
    return np.zeros((count, width), np.int64)


def _grow(rows: _Numbers, count: int) -> _Numbers:
    """Return the rows with room for `count`: twice as many as needed if there was too little."""
    if len(rows) >= count:
        return rows
    more = _rows(max(_MIN_CAPACITY, 2 * count), rows.shape[1])
    more[: len(rows)] = rows
    return more
