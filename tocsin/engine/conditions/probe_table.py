"""The probe table: every distinct probe has one number and a count of its uses; at zero uses all of
it is given back.

Number 0 is the probe that is never answered yes. Adding a probe touches no other.
"""

from __future__ import annotations

from typing import Any, Protocol

from tocsin.engine.index.growable import BYTE, FLOAT64, INT32, Growable

NEVER = 0
LOOKED_UP = 0
"""The relation of every probe that is not a comparison with a limit."""

RELATIONS = {"<": 1, "<=": 2, ">": 3, ">=": 4}


class ProbeIndex(Protocol):
    """The index that holds a probe."""

    def drop(self, probe: int, key: Any) -> None:
        """Forgets a probe that nobody uses any more."""
        ...


class ProbeTable:
    """What is known of each probe by number; the typed columns are read by the kernels."""

    __slots__ = ("_free", "attributes", "homes", "keys", "limits", "places", "relations", "uses")

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._free: list[int] = []
        self.homes: list[ProbeIndex | None] = [None]
        self.keys: list[Any] = [None]
        self.uses, self.places, self.attributes = Growable(INT32), Growable(INT32), Growable(INT32)
        self.relations, self.limits = Growable(BYTE), Growable(FLOAT64)
        for column in (self.uses, self.places, self.attributes, self.relations, self.limits):
            column.append(0)

    def __len__(self) -> int:
        """How many probes are in use."""
        return len(self.uses) - 1 - len(self._free)

    @property
    def capacity(self) -> int:
        """One more than the highest probe number."""
        return len(self.uses)

    def new(self, home: ProbeIndex, key: Any) -> int:
        """The number of a new probe that nobody uses yet."""
        if self._free:
            probe = self._free.pop()
            self.homes[probe], self.keys[probe] = home, key
            return probe
        self.homes.append(home)
        self.keys.append(key)
        self.uses.append(0)
        self.places.append(0)
        self.attributes.append(0)
        self.limits.append(0)
        return self.relations.append(LOOKED_UP)

    def compare(self, probe: int, attribute: int, relation: str, limit: float, place: int) -> None:
        """Makes a probe a comparison of an attribute with a limit, at a place of its index."""
        self.attributes[probe] = attribute
        self.relations[probe] = RELATIONS[relation]
        self.limits[probe] = limit
        self.places[probe] = place

    def release(self, probe: int) -> None:
        """One use less."""
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
        self._free.append(probe)
        if not len(self):
            self._clear()
