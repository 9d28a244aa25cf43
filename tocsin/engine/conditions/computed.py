"""Computed predicates: not indexed; each distinct one is evaluated once per event."""

from __future__ import annotations

from typing import Any

import numpy as np

from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.conditions.bitmap_matrix import AnswerMatrix
from tocsin.engine.conditions.probe_table import ProbeTable
from tocsin.engine.conditions.single_event import OneEvent
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Computed
from tocsin.plan.semantics.predicate_truth import predicate_truth
from tocsin.values.truth import Truth


class ComputedProbes:
    """For each predicate the probes of the truths that subscriptions need."""

    __slots__ = ("_predicates", "_table")

    def __init__(self, table: ProbeTable) -> None:
        self._table = table
        self._predicates: dict[Computed, dict[Truth, int]] = {}

    def __len__(self) -> int:
        return len(self._predicates)

    def probe(self, predicate: Computed, truth: Truth) -> int:
        """Return the probe for a truth of a predicate, new or known."""
        probes = self._predicates.setdefault(predicate, {})
        found = probes.get(truth)
        if found is None:
            found = probes[truth] = self._table.new(self, (predicate, truth))
        return found

    def drop(self, probe: int, key: Any) -> None:
        """Remove a probe."""
        predicate, truth = key
        del self._predicates[predicate][truth]
        if not self._predicates[predicate]:
            del self._predicates[predicate]

    def fill(self, batch: EventBatch, rows: AnswerMatrix, window: slice) -> None:
        """Write the rows of the events in the window."""
        if not self._predicates:
            return
        events = [batch.event(i) for i in range(window.start, window.stop)]
        for predicate, probes in self._predicates.items():
            truths = np.fromiter(
                (predicate_truth(predicate, event) for event in events), np.int8, len(events)
            )
            for truth, probe in probes.items():
                rows.put_flags(probe, truths == truth)

    def see(self, event: Event, one: OneEvent) -> None:
        """Mark the probes that one event satisfies."""
        for predicate, probes in self._predicates.items():
            probe = probes.get(predicate_truth(predicate, event))
            if probe is not None:
                one.see(probe)
