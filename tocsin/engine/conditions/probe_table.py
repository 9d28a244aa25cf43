"""The probe table: every distinct probe has a number and a use count; unused probes are freed.

Number 0 is the probe that never holds. Adding a probe touches no other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from tocsin.engine.index.growable import BYTE, FLOAT64, INT32, Growable, SlotAllocator, put

NEVER = 0
LOOKED_UP = 0
"""The relation of every probe that is not a comparison with a limit."""

RELATIONS = {"<": 1, "<=": 2, ">": 3, ">=": 4}


class ProbeIndex(Protocol):
    """The index that holds a probe."""

    def drop(self, probe: int, key: Any) -> None:
        """Remove an unused probe."""
        ...


class ProbeTable:
    """Data of each probe by number; kernels read the typed columns."""

    __slots__ = (
        "_numbers",
        "attributes",
        "homes",
        "keys",
        "limits",
        "places",
        "relations",
        "uses",
    )

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._numbers = SlotAllocator()
        self.homes: list[ProbeIndex | None] = []
        self.keys: list[Any] = []
        self.uses, self.places, self.attributes = Growable(INT32), Growable(INT32), Growable(INT32)
        self.relations, self.limits = Growable(BYTE), Growable(FLOAT64)
        self.new(None, None)

    def __len__(self) -> int:
        """Return the number of probes in use."""
        return len(self._numbers) - 1

    @property
    def capacity(self) -> int:
        """One more than the highest probe number."""
        return self._numbers.capacity

    def new(self, home: ProbeIndex | None, key: Any) -> int:
        """Add a probe without uses; return its number. Only NEVER is in no index."""
        probe = self._numbers.allocate()
        put(self.homes, probe, home)
        put(self.keys, probe, key)
        for column in (self.uses, self.places, self.attributes, self.relations, self.limits):
            put(column, probe, 0)
        return probe

    def compare(self, probe: int, attribute: int, relation: str, limit: float, place: int) -> None:
        """Make a probe a comparison of an attribute with a limit, at a position of its index."""
        self.attributes[probe] = attribute
        self.relations[probe] = RELATIONS[relation]
        self.limits[probe] = limit
        self.places[probe] = place

    def release(self, probe: int) -> None:
        """Count one use less; remove the probe with its last use."""
        if probe == NEVER:
            return
        self.uses[probe] -= 1
        if self.uses[probe]:
            return
        home = self.homes[probe]
        assert home is not None
        home.drop(probe, self.keys[probe])
        self.homes[probe] = self.keys[probe] = None
        self.relations[probe] = LOOKED_UP
        self._numbers.release(probe)
        if not len(self):
            self._clear()


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
