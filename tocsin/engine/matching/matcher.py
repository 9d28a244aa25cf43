"""The indexed matcher: every distinct predicate is decided once per batch, as a bit vector over its events.

A subscription is a small program over these bit vectors; one with a required predicate that no event of a block
satisfies is skipped. A few events go one by one through the same indexes instead. Adding or removing a subscription
touches only what it names, and removing it frees all that only it held.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from tocsin.engine.batch import EventBatch
from tocsin.engine.matching.anchors import Anchors
from tocsin.engine.matching.hits import Hits, Numbers, joined
from tocsin.engine.matching.indexes import Indexes
from tocsin.engine.matching.kernels import run_one, run_programs, scatter
from tocsin.engine.matching.keys import Keys
from tocsin.engine.matching.one import OneEvent
from tocsin.engine.matching.probes import lowered
from tocsin.engine.matching.programs import probe_of, program_of
from tocsin.engine.matching.rows import Rows
from tocsin.engine.matching.store import ProgramStore
from tocsin.engine.matching.work import Work
from tocsin.plan.atoms import Condition
from tocsin.plan.passes import prepared_expression

__all__ = ["Hits", "Matcher"]

BLOCK = 4096
"""Events whose answers are held at a time."""

FEW = 8
"""Up to so many events go one by one."""

_ROOM = 1 << 20


class Matcher:
    """Subscriptions by key."""

    __slots__ = ("_anchors", "_block", "_few", "_indexes", "_keys", "_one", "_programs", "_rows", "work")

    def __init__(self, *, block: int = BLOCK, few: int = FEW) -> None:
        self._block = block
        self._few = few
        self.work = Work()
        self._keys = Keys()
        self._indexes = Indexes(self.work)
        self._programs = ProgramStore()
        self._anchors = Anchors()
        self._rows = Rows()
        self._one = OneEvent()

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    @property
    def distinct_predicates(self) -> int:
        """How many different questions about an event the subscriptions ask."""
        return len(self._indexes.table)

    def key_of(self, slot: int) -> str:
        """The key of a slot."""
        return self._keys.key_of(slot)

    def keys_of(self, slots: Iterable[int]) -> list[str]:
        """The keys of slots, one by one."""
        return self._keys.keys_of(slots)

    def add(self, key: str, atom: Condition) -> None:
        """Adds a subscription; a key that is there is refused and nothing changes."""
        self._keys.require_new(key)
        formula = lowered(prepared_expression(atom.expression))
        program = program_of(formula, self._indexes.use)
        anchors = self._anchors.chosen(formula, self._indexes.number_of)
        slot = self._keys.add(key)
        self._programs.add(slot, program, anchors)
        self._anchors.add(slot, anchors)

    def remove(self, key: str) -> None:
        """Removes a subscription and all that only it held."""
        slot = self._keys.remove(key)
        instructions, anchors = self._programs.remove(slot)
        self._anchors.remove(slot, anchors)
        for instruction in instructions:
            if instruction >= 0:
                self._indexes.table.release(probe_of(instruction))

    def match(self, batch: EventBatch) -> Hits:
        """Which subscriptions ring for which events."""
        if batch.size <= self._few:
            hits = joined([self._match_one(batch, i) for i in range(batch.size)])
        else:
            windows = self._indexes.filled(batch, self._rows, self._block)
            hits = joined([self._match_block(window) for window in windows])
        self.work.events += batch.size
        self.work.predicate_evaluations += batch.size * self.distinct_predicates
        self.work.hits += len(hits)
        return hits

    def _match_one(self, batch: EventBatch, i: int) -> Hits:
        one, programs, table, anchors = self._one, self._programs, self._indexes.table, self._anchors
        self._indexes.see(batch, i, one, self._keys.capacity)
        found = np.empty(programs.live, np.int32)
        count, candidates = run_one(
            one.yes(),
            anchors.lists_of(table.capacity),
            anchors.slots.starts.array,
            anchors.slots.counts.array,
            anchors.slots.pool.array,
            programs.starts.array,
            programs.lengths.array,
            programs.code.array,
            programs.jumps.array,
            table.relations.array,
            table.attributes.array,
            table.limits.array,
            one.numbers,
            one.tied,
            one.seen,
            one.visited,
            one.generation,
            found,
        )
        self.work.candidates += candidates
        slots = found[:count]
        return Hits(np.full(count, i, np.int32), slots[np.argsort(programs.places.array[slots])])

    def _match_block(self, window: slice) -> Hits:
        size = window.stop - window.start
        tally = np.zeros(size, np.int64)
        found = list(self._found(tally))
        places = np.cumsum(tally) - tally
        slots = np.empty(tally.sum(), np.int32)
        for events_found, slots_found in found:
            scatter(events_found, slots_found, places, slots)
        return Hits(np.repeat(np.arange(window.start, window.stop, dtype=np.int32), tally), slots)

    def _found(self, tally: npt.NDArray[np.int64]) -> Iterator[tuple[Numbers, Numbers]]:
        """Pairs of event and slot in the order of subscriptions, in parts; `tally` counts them by event."""
        programs, rows = self._programs, self._rows
        order = programs.order.array
        words = rows.matrix.shape[1]
        play, (rest, kept) = np.empty(words, np.uint64), np.empty((2, programs.depth, words), np.uint64)
        at = 0
        while at < len(order):
            events, slots = np.empty(_ROOM, np.int32), np.empty(_ROOM, np.int32)
            at, count, candidates = run_programs(
                order,
                at,
                programs.starts.array,
                programs.lengths.array,
                programs.required.array,
                programs.code.array,
                programs.jumps.array,
                rows.numbers,
                rows.matrix,
                play,
                rest,
                kept,
                events,
                slots,
                tally,
            )
            self.work.candidates += candidates
            yield events[:count], slots[:count]
