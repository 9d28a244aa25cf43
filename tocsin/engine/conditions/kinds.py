"""Probes for the kind of a value; IS NULL tests for the kind NULL."""

from __future__ import annotations

from typing import Any

from tocsin.engine.columns.batch import Column
from tocsin.engine.conditions.attribute_probes import AttributeProbes
from tocsin.engine.conditions.bitmap_matrix import AnswerMatrix
from tocsin.engine.conditions.single_event import OneEvent
from tocsin.values.scalars import Kind


class KindProbes:
    """At most one probe per kind."""

    __slots__ = ("_attribute", "_probes")

    def __init__(self, attribute: AttributeProbes) -> None:
        self._attribute = attribute
        self._probes: dict[Kind, int] = {}

    def probe(self, kind: Kind) -> int:
        """Return the probe for a kind, new or known."""
        found = self._probes.get(kind)
        if found is None:
            found = self._probes[kind] = self._attribute.new_probe(self, kind)
        return found

    def drop(self, probe: int, key: Any) -> None:
        """Remove a probe."""
        del self._probes[key]
        self._attribute.lose_probe()

    def fill(self, column: Column, rows: AnswerMatrix, window: slice) -> None:
        """Write the rows of the events in the window."""
        for kind, probe in self._probes.items():
            rows.put_flags(probe, column.kinds[window] == kind)

    def see(self, kind: Kind, one: OneEvent) -> None:
        """Mark the probe that one event with a value of the kind satisfies."""
        probe = self._probes.get(kind)
        if probe is not None:
            one.see(probe)
