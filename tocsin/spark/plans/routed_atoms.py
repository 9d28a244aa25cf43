"""The composites of a match task: which atoms they need. Nothing is detected, that is for shards.

Without operators a composite takes a tenth of the memory in every Python worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tocsin.engine.detection.inspection import shortest_window
from tocsin.engine.detection.scheduling.network import Network
from tocsin.engine.detection.scheduling.steps import Emissions
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import MAX_EMPTY_WINDOWS, Part, atoms_of, parts_of
from tocsin.values.time import Duration


class RoutedAtoms(Network):
    """The network of an engine that only matches atoms."""

    __slots__ = ("_patterns", "_windows", "users")

    def __init__(self) -> None:
        super().__init__()
        self.users: dict[Atom, dict[str, None]] = {}
        """The composites that need an atom, by atom."""
        self._patterns: dict[str, Part] = {}
        self._windows: dict[str, Duration] = {}

    def add(self, key: str, pattern: Part) -> list[Atom]:
        """Add a composite; return the atoms that are new."""
        self._patterns[key] = pattern
        length = shortest_window(_all_parts(pattern))
        if length is not None:
            self._windows[key] = length
        atoms = dict.fromkeys(atoms_of(pattern))
        new = [atom for atom in atoms if atom not in self.users]
        for atom in atoms:
            self.users.setdefault(atom, {})[key] = None
        return new

    def remove(self, key: str) -> list[Atom]:
        """Remove a composite; return the atoms that no other one needs."""
        self._windows.pop(key, None)
        atoms = dict.fromkeys(atoms_of(self._patterns.pop(key)))
        for atom in atoms:
            del self.users[atom][key]
        unused = [atom for atom in atoms if not self.users[atom]]
        for atom in unused:
            del self.users[atom]
        return unused

    def event(self, event: Event, atoms: Iterable[Atom]) -> Emissions:
        """Raise: shards detect composites."""
        raise AssertionError("a match task detects no composites")

    @property
    def shortest_pause(self) -> Duration | None:
        """Length of a pause without events from which on empty recurring windows may be emitted as
        one; None if no window recurs.
        """
        return MAX_EMPTY_WINDOWS * min(self._windows.values()) if self._windows else None


def _all_parts(part: Part) -> Iterator[Part]:
    yield part
    for inner in parts_of(part):
        yield from _all_parts(inner)
