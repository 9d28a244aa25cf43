"""One attribute's part of the probe table: a small number for kernels, and its number of probes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tocsin.engine.conditions.probe_table import ProbeIndex, ProbeTable


class AttributeProbes:
    """Creator of probes about one attribute; calls `on_last` when the last of them is removed."""

    __slots__ = ("_on_last", "_probes", "number", "table")

    def __init__(self, table: ProbeTable, number: int, on_last: Callable[[], None]) -> None:
        self.table = table
        self.number = number
        self._on_last = on_last
        self._probes = 0

    def new_probe(self, home: ProbeIndex, key: Any) -> int:
        """Create a probe; return its number."""
        self._probes += 1
        return self.table.new(home, key)

    def lose_probe(self) -> None:
        """Count one probe less."""
        self._probes -= 1
        if self._probes == 0:
            self._on_last()
