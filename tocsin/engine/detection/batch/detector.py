"""Detection by batches: the state that the compiled loops can serve is in tables while batches
come, and in the operators otherwise.

The loops run over a whole batch first. What they find for subscriptions is returned as it is. Steps
are taken only for the events that other operators consume, alone or in a pair; all other events are
skipped. Within a step, a group that the loops served is replaced by a stand-in that emits the
pairs, so that everything is emitted in the same order as without the loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from tocsin.engine.detection.base import StepContext
from tocsin.engine.detection.batch.compile import BatchProgram, compile_batch_program
from tocsin.engine.detection.batch.emitters import FoundRow
from tocsin.engine.detection.batch.runtime import BatchRuntime, Wanted
from tocsin.engine.detection.batch.tables import UnsupportedBatch
from tocsin.engine.detection.sharing import SharedGraph
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Atom
from tocsin.values.time import Instant

MIN_EVENTS_TO_LOAD = 256
"""Least events of a batch for which tables are loaded: fewer are served one by one as quickly."""

MIN_EVENTS_TO_STAY = 64
"""Least events of a batch for which loaded tables pay: fewer are served one by one more quickly."""

MAX_PAIRS = 1_000_000
"""Most pairs that a batch may produce; one that may produce more is split, as the results have to
fit into memory.
"""

_MAX_MOVED_AT_ONCE = 4
"""Buffered events that are moved into tables and back in the time that a batch saves per event."""

BatchSteps = Iterator[tuple[Sequence[FoundRow], Event, Iterable[Atom]]]
"""Events that need a step, with their atoms, each after the occurrences found up to it."""


class BatchDetector:
    """Server of batches for the operators of a graph, which emit the results into a step.

    It weighs the cost of moving buffered state against what tables have saved, or lost, until now:
    the `_credit`, in events.
    """

    def __init__(self, graph: SharedGraph, step: StepContext) -> None:
        self._graph = graph
        self._step = step
        self._program: BatchProgram | None = None
        self._is_stale = True
        self._runtime: BatchRuntime | None = None
        self._credit = 0
        self._is_outdated = False
        self.is_replaying = False
        """True if the loops are ahead, and steps are being taken for their results."""
        self.batches = 0
        """Number of batches that the loops have served."""

    @property
    def is_at_work(self) -> bool:
        """True if the buffered state is in tables."""
        return self._runtime is not None

    @property
    def buffered_count(self) -> int:
        """Number of occurrences buffered in tables, those of shared buffers once."""
        return 0 if self._runtime is None else self._runtime.tables.waiting

    def invalidate(self) -> None:
        """Move the state back and have the program rebuilt: subscriptions were added or removed."""
        self._is_stale = True
        self.unload_to_operators()

    def unload_to_operators(self) -> None:
        """Move the state back into the operators; during a batch, once its steps are taken."""
        if self.is_replaying:
            self._is_outdated = True
        elif self._runtime is not None:
            at_work, self._runtime = self._runtime, None
            at_work.unload()

    def forget_before(self, now: Instant) -> None:
        """Drop events in tables that no event which ends at `now` or later can complete."""
        if self._runtime is not None:
            self._runtime.tables.forget_before(now)

    def detect_batch(self, wanted: Wanted) -> BatchSteps:
        """Run the batch path over events in canonical order; yield those that still need a step,
        each after what was found up to it. Take the step of each before asking for the next. Events
        that the loops cannot take are all yielded; the last event always is.
        """
        parts: list[Wanted] = [[each for each in wanted if each[0].interval is not None]]
        while parts:
            part = parts.pop()
            at_work = self._tables_for(len(part))
            if at_work is None:
                yield from _as_steps(part)
                continue
            firsts, atoms = at_work.atoms_of(part)
            if len(part) > 1 and at_work.tables.may_find(atoms) > MAX_PAIRS:
                middle = len(part) // 2
                parts += (part[middle:], part[:middle])
                continue
            try:
                consumed, found, within = at_work.run(part, firsts, atoms)
            except UnsupportedBatch:
                self._credit = -at_work.tables.waiting
                self.unload_to_operators()
                yield from _as_steps(part)
                continue
            self.batches += 1
            self.is_replaying = True
            try:
                steps = at_work.select_steps(consumed, firsts, atoms, within)
                for number in np.flatnonzero(steps).tolist():
                    for asked, node, first in consumed.get(number, ()):
                        asked.found.append((node, first))
                    event, its_atoms = part[number]
                    yield found.take_until(event.order[0]), event, its_atoms
            finally:
                self._end_batch(at_work)

    def _end_batch(self, at_work: BatchRuntime) -> None:
        self.is_replaying = False
        at_work.drop_found()
        if self._is_outdated:
            self._is_outdated = False
            self.unload_to_operators()

    def _tables_for(self, count: int) -> BatchRuntime | None:
        """Return the tables for a batch of `count` events; None if they are not worth it."""
        if self._runtime is not None and count < MIN_EVENTS_TO_STAY:
            self._credit -= MIN_EVENTS_TO_STAY - count
            if -self._credit * _MAX_MOVED_AT_ONCE > self._runtime.tables.waiting:
                self.unload_to_operators()
                return None
        if self._runtime is not None and self._runtime.tables.needs_rebuild:
            self.unload_to_operators()
        if self._runtime is None and count >= MIN_EVENTS_TO_LOAD:
            self._start(count)
        return self._runtime if count else None

    def _start(self, count: int) -> None:
        """Load the tables, if the program allows it and `count` events are worth it."""
        nodes = self._graph.operators.values()
        if self._is_stale:
            self._program, self._is_stale = compile_batch_program(nodes), False
        if self._program is None or any(node.is_endless for node in nodes):
            return
        self._credit += count
        waiting = sum(line.buffered_count for line in self._program.lines)
        if self._credit * _MAX_MOVED_AT_ONCE < waiting:
            return
        try:
            self._runtime = BatchRuntime(self._program, self._graph, self._step)
            self._credit = 0
        except UnsupportedBatch:
            self._credit = -waiting


def _as_steps(part: Wanted) -> BatchSteps:
    """Yield events that all need a step."""
    for event, atoms in part:
        yield (), event, atoms
