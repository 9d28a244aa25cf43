"""A hierarchy of names with several parents each and no cycle; the order is reflexive and
transitive.

Names that are said to be equivalent stand at one place, which goes by one of them, the canonical
name. Looking up gives canonical names, looking down gives all: a canonical name is above another
name iff the other is below it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

Edge = tuple[str, str]
"""A name and one directly above it."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Parents by name, both canonical, and the canonical name of each alias. What it does not know
    stands alone.
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
        """Every name, aliases included."""
        return frozenset(self.parents) | frozenset(self.aliases)

    def canonical(self, name: str) -> str:
        """The one name that stands for a name and its equivalents."""
        return self.aliases.get(name, name)

    def above(self, name: str) -> frozenset[str]:
        """The name itself, and the canonical names of its place and of all above it."""
        found = self._above.get(name)
        if found is None:
            found = self._above[name] = frozenset(
                (name, *_reached(self.canonical(name), self.parents))
            )
        return found

    def below(self, name: str) -> frozenset[str]:
        """The name, and all below it, by every name they have."""
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


def folded(pairs: Iterable[Edge], preferred: Sequence[Container[str]] = ()) -> dict[str, str]:
    """The canonical name of each alias: of equivalent names one of the first preferred kind, then
    the least.
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
    """A cycle as the names along it, upwards, the first one again at the end; empty where there is
    none.
    """
    try:
        TopologicalSorter({name: sorted(edges[name]) for name in sorted(edges)}).prepare()
    except CycleError as found:
        names: list[str] = found.args[1][::-1]  # the sorter tells it from above to below
        least = names.index(min(names))
        return [*names[least:-1], *names[:least], names[least]]
    return []
