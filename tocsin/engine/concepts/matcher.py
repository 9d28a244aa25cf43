"""The matcher of concept tests: one index per TBox, used block by block.

The assertions of an event are read once per index. An event that cannot be read, or that
contradicts itself, matches nothing. Removing the last test of a TBox frees its index.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.concepts.facts import EventFacts
from tocsin.engine.concepts.index import BLOCK, ConceptIndex
from tocsin.engine.index.growable import INT64, Growable
from tocsin.engine.index.matcher_parts import Hits, Keys, WorkCounters, concatenate_hits
from tocsin.errors import EventProblem, Problem
from tocsin.events.event import Event
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.plan.bindings import Rows
from tocsin.plan.nodes.concepts import MAX_ROWS, ConceptTest
from tocsin.plan.semantics.assertions import (
    assertions_of,
    contradiction,
    correlation_rows,
    row_count,
    unknown_types,
)


class ConceptMatcher:
    """Concept tests by key."""

    __slots__ = (
        "_added",
        "_indexes",
        "_keys",
        "_places",
        "_tboxes",
        "_wide",
        "refused",
        "undecided",
        "warned",
        "work",
    )

    def __init__(self) -> None:
        self.work = WorkCounters()
        self.refused: dict[int, EventProblem] = {}
        """Events of the last batch, by index, that contradict themselves: they would match
        everything.
        """
        self.warned: list[tuple[int, EventProblem]] = []
        """Warnings about events of the last batch, given a TBox; the events are processed anyway.
        """
        self.undecided: list[tuple[int, str]] = []
        """Events of the last batch, and keys, with too many combinations of values to correlate by.
        """
        self._wide: dict[int, ConceptTest] = {}
        """Tests that correlate by several roles: their values multiply."""
        self._keys = Keys()
        self._indexes: dict[TBox, ConceptIndex] = {}
        self._tboxes: dict[int, TBox] = {}
        self._places = Growable(INT64)
        """Insertion number of each slot's test, which orders hits."""
        self._added = 0

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    @property
    def distinct_predicates(self) -> int:
        """Number of distinct parts of all tests."""
        return sum(index.distinct_parts for index in self._indexes.values())

    def key_of(self, slot: int) -> str:
        """Return the key of a slot."""
        return self._keys.key_of(slot)

    def keys_of(self, slots: Iterable[int]) -> list[str]:
        """Return the keys of slots, one by one."""
        return self._keys.keys_of(slots)

    def add(self, key: str, atom: ConceptTest) -> None:
        """Add a test; raise for a known key, and change nothing then."""
        slot = self._keys.add(key)
        self._tboxes[slot] = atom.tbox
        if len(atom.correlate) > 1:
            self._wide[slot] = atom
        self._added += 1
        while len(self._places) <= slot:
            self._places.append(0)
        self._places[slot] = self._added
        if atom.tbox not in self._indexes:
            self._indexes[atom.tbox] = ConceptIndex(self.work)
        self._indexes[atom.tbox].add(slot, atom)

    def remove(self, key: str) -> None:
        """Remove a test and all state that only it used."""
        slot = self._keys.remove(key)
        tbox = self._tboxes.pop(slot)
        self._wide.pop(slot, None)
        self._indexes[tbox].remove(slot)
        if not len(self._indexes[tbox]):
            del self._indexes[tbox]

    def match(self, batch: EventBatch) -> Hits:
        """Return the tests that match each event."""
        nothing = np.empty(0, np.int32)
        found = [Hits(nothing, nothing)]
        self.refused, self.warned = {}, []
        for tbox, index in self._indexes.items():
            for start in range(0, batch.size, BLOCK):
                events = range(start, min(start + BLOCK, batch.size))
                found.append(self._match_index(index, tbox, batch, events))
        hits = self._in_order(self._within_limits(concatenate_hits(found), batch))
        self.work.events += batch.size
        self.work.hits += len(hits)
        return hits

    def _within_limits(self, hits: Hits, batch: EventBatch) -> Hits:
        """Drop the hits with too many combinations of values to correlate by; list them as
        undecided.
        """
        self.undecided = []
        if not self._wide:
            return hits
        kept = np.ones(len(hits), bool)
        for number in np.flatnonzero(np.isin(hits.slots, list(self._wide))).tolist():
            index, slot = int(hits.events[number]), int(hits.slots[number])
            if row_count(self._wide[slot], batch.event(index)) > MAX_ROWS:
                self.undecided.append((index, self._keys.key_of(slot)))
                kept[number] = False
        return Hits(hits.events[kept], hits.slots[kept])

    def _in_order(self, hits: Hits) -> Hits:
        """Sort hits by event, then by insertion of the test."""
        order = np.lexsort((self._places.array[hits.slots], hits.events))
        return Hits(hits.events[order], hits.slots[order])

    def rows(self, atom: ConceptTest, event: Event) -> Rows:
        """Return the values of the roles to correlate by, for an event that matched."""
        return correlation_rows(atom, event)

    def _match_index(
        self, index: ConceptIndex, tbox: TBox, batch: EventBatch, events: Iterable[int]
    ) -> Hits:
        """Return the hits of one index for some events of a batch; skip unreadable ones."""
        readable: list[int] = []
        facts: list[EventFacts] = []
        for i in events:
            try:
                known = EventFacts(assertions_of(batch.event(i), tbox))
            except Problem:
                continue
            problem = None if known.is_plain else contradiction(known.stated, batch.event(i))
            if problem is not None:
                self.refused[i] = problem
                continue
            self.warned += [(i, each) for each in unknown_types(batch.event(i), tbox)]
            facts.append(known)
            readable.append(i)
        if not facts:
            return Hits(np.empty(0, np.int32), np.empty(0, np.int32))
        places, slots = index.match(facts)
        return Hits(np.array(readable, np.int32)[places], slots.astype(np.int32))
