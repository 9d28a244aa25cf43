"""One attribute's share of the probe table: a small number for the kernels, and how many probes ask
about it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tocsin.engine.conditions.probe_table import ProbeIndex, ProbeTable


class Attribute:
    """Hands out probes about one attribute, and says when the last of them is gone."""

    __slots__ = ("_on_last", "_probes", "number", "table")

    def __init__(self, table: ProbeTable, number: int, on_last: Callable[[], None]) -> None:
        self.table = table
        self.number = number
        self._on_last = on_last
        self._probes = 0

    def new_probe(self, home: ProbeIndex, key: Any) -> int:
        """The number of a new probe."""
        self._probes += 1
        return self.table.new(home, key)

    def lose_probe(self) -> None:
        """One of the probes is gone."""
        self._probes -= 1
        if self._probes == 0:
            self._on_last()
