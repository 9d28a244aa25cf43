"""Detection by batches: what the compiled loops can serve of a network is in tables while batches
come, and in the nodes else.

The loops run over a whole batch first. Then the steps are taken in which something was found, or
which other nodes want; all other events are passed over. Within a step a group that was served by
the loops is stood in for by a node that brings what they found, so that everything is told in the
same order as without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from tocsin.engine.detection.base import Step
from tocsin.engine.detection.batch.compile import Program, program_of
from tocsin.engine.detection.batch.runtime import TablesAtWork, Wanted
from tocsin.engine.detection.batch.tables import Odd
from tocsin.engine.detection.sharing import SharedGraph
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Atom
from tocsin.values.time import Instant

FEW = 256
"""Fewer events are served one by one as quickly, where nothing is in tables yet."""

A_FEW = 64
"""Fewer events are served one by one more quickly, even where all is in tables."""

MOST_PAIRS = 1_000_000
"""A batch that may bring about more is cut."""

_MOVED_AT_ONCE = 4
"""To move what waits into tables and back takes about as long as a batch of a quarter as many
events saves.
"""

_Steps = Iterator[tuple[Event, Iterable[Atom]]]


class BatchDetector:
    """Serves batches for the nodes of a graph, which put what they find into a step.

    What it costs to move what waits is weighed against what was saved, or lost, by tables so far:
    the `_credit`, in events.
    """

    def __init__(self, graph: SharedGraph, step: Step) -> None:
        self._graph = graph
        self._step = step
        self._program: Program | None = None
        self._is_stale = True
        self._at_work: TablesAtWork | None = None
        self._credit = 0
        self._is_outdated = False
        self.is_replaying = False
        """Whether the loops are ahead, and steps are taken for what they found."""
        self.batches = 0
        """How many batches the loops have served."""

    @property
    def is_at_work(self) -> bool:
        """Whether what waits is in tables."""
        return self._at_work is not None

    @property
    def kept(self) -> int:
        """How many occurrences wait in tables, those of shared lines once."""
        return 0 if self._at_work is None else self._at_work.tables.waiting

    def note_change(self) -> None:
        """Subscriptions come or go: what waits is back in the nodes, and who can be served is to be
        found anew.
        """
        self._is_stale = True
        self.give_back()

    def give_back(self) -> None:
        """What waits is in the nodes again, once the steps of a batch that runs are taken."""
        if self.is_replaying:
            self._is_outdated = True
        elif self._at_work is not None:
            at_work, self._at_work = self._at_work, None
            at_work.give_back()

    def forget_before(self, now: Instant) -> None:
        """Drops what no event that ends at `now` or later can complete."""
        if self._at_work is not None:
            self._at_work.tables.forget_before(now)

    def sift(self, wanted: Wanted) -> _Steps:
        """The events of a batch for which a step is to be taken, each before the next is asked for:
        something was found, or other nodes want them. What the loops cannot take is given as it
        came.
        """
        parts: list[Wanted] = [[each for each in wanted if each[0].interval is not None]]
        while parts:
            part = parts.pop()
            at_work = self._tables_for(len(part))
            if at_work is None:
                yield from part
                continue
            firsts, atoms = at_work.atoms_of(part)
            if len(part) > 1 and at_work.tables.may_find(atoms) > MOST_PAIRS:
                middle = len(part) // 2
                parts += (part[middle:], part[:middle])
                continue
            try:
                found, within = at_work.run(part, firsts, atoms)
            except Odd:
                self._credit = -at_work.tables.waiting
                self.give_back()
                yield from part
                continue
            self.batches += 1
            self.is_replaying = True
            try:
                steps = at_work.steps_of(found, firsts, atoms, within)
                for number in np.flatnonzero(steps).tolist():
                    for asked, node, first in found.get(number, ()):
                        asked.found.append((node, first))
                    yield part[number]
            finally:
                self._end_batch(at_work)

    def _end_batch(self, at_work: TablesAtWork) -> None:
        self.is_replaying = False
        at_work.drop_found()
        if self._is_outdated:
            self._is_outdated = False
            self.give_back()

    def _tables_for(self, count: int) -> TablesAtWork | None:
        """Tables for so many events, if they are worth it."""
        if self._at_work is not None and count < A_FEW:
            self._credit -= A_FEW - count
            if -self._credit * _MOVED_AT_ONCE > self._at_work.tables.waiting:
                self.give_back()
                return None
        if self._at_work is not None and self._at_work.tables.is_worn:
            self.give_back()
        if self._at_work is None and count >= FEW:
            self._start(count)
        return self._at_work if count else None

    def _start(self, count: int) -> None:
        """Moves what waits into tables, if it can be served and so many events are worth it."""
        nodes = self._graph.nodes.values()
        if self._is_stale:
            self._program, self._is_stale = program_of(nodes), False
        if self._program is None or any(node.is_endless for node in nodes):
            return
        self._credit += count
        waiting = sum(line.kept for line in self._program.lines)
        if self._credit * _MOVED_AT_ONCE < waiting:
            return
        try:
            self._at_work = TablesAtWork(self._program, self._graph, self._step)
            self._credit = 0
        except Odd:
            self._credit = -waiting
