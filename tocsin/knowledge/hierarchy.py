"""A hierarchy of names: a directed acyclic graph; the order is reflexive and transitive.

Equivalent names share one node, which goes by one of them, the canonical name. `above` gives
canonical names, `below` gives all: a canonical name is above another name iff the other is below
it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

Edge = tuple[str, str]
"""A name and one directly above it."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Parents by name, both canonical, and the canonical name of each alias.

    An unknown name has no parents and no children.
    """

    parents: Mapping[str, frozenset[str]]
    aliases: Mapping[str, str]
    _above: dict[str, frozenset[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _below: dict[str, frozenset[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _children: dict[str, set[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _others: dict[str, set[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        for child, parents in self.parents.items():
            for parent in parents:
                self._children.setdefault(parent, set()).add(child)
        for alias, name in self.aliases.items():
            self._others.setdefault(name, set()).add(alias)

    def __contains__(self, name: str) -> bool:
        return self.canonical(name) in self.parents

    def names(self) -> frozenset[str]:
        """Return all names, aliases included."""
        return frozenset(self.parents) | frozenset(self.aliases)

    def canonical(self, name: str) -> str:
        """Return the one name that stands for a name and its equivalents."""
        return self.aliases.get(name, name)

    def above(self, name: str) -> frozenset[str]:
        """Return the name itself, its canonical name, and the canonical names of all above it."""
        found = self._above.get(name)
        if found is None:
            found = self._above[name] = frozenset(
                (name, *_reached(self.canonical(name), self.parents))
            )
        return found

    def below(self, name: str) -> frozenset[str]:
        """Return the canonical name and all names below it, each with its aliases."""
        found = self._below.get(name)
        if found is None:
            places = _reached(self.canonical(name), self._children)
            found = self._below[name] = frozenset(
                places.union(*(self._others.get(each, ()) for each in places))
            )
        return found


def _reached(start: str, steps: Mapping[str, Iterable[str]]) -> set[str]:
    found, waiting = {start}, [start]
    while waiting:
        fresh = set(steps.get(waiting.pop(), ())) - found
        found |= fresh
        waiting += fresh
    return found


def fold_aliases(pairs: Iterable[Edge], preferred: Sequence[Container[str]] = ()) -> dict[str, str]:
    """Return the canonical name of each alias.

    Of equivalent names it is one of the first preferred kind, then the least.
    """
    leader: dict[str, str] = {}

    def rank(name: str) -> tuple[int, str]:
        return (
            next((place for place, kind in enumerate(preferred) if name in kind), len(preferred)),
            name,
        )

    def find(name: str) -> str:
        while name in leader:
            name = leader[name]
        return name

    for one, other in pairs:
        low, high = sorted((find(one), find(other)), key=rank)
        if low != high:
            leader[high] = low
    return {name: find(name) for name in leader}


def cycle_in(edges: Mapping[str, Iterable[str]]) -> list[str]:
    """Return a cycle as names upwards, the first one repeated at the end; else an empty list."""
    try:
        TopologicalSorter({name: sorted(edges[name]) for name in sorted(edges)}).prepare()
    except CycleError as found:
        names: list[str] = found.args[1][::-1]  # the sorter lists it downwards
        least = names.index(min(names))
        return [*names[least:-1], *names[:least], names[least]]
    return []
