"""Scopes of named parts: the operators between the several places of one occurrence.

The scope root of a name with several places is the lowest operator above all of them; the operators
between the places and the root are its scope. Equal parts are one part: a plan is a graph, not a
tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tocsin.plan.nodes.composites import Either, Named, Part, parts_of


@dataclass(frozen=True, slots=True)
class Scope:
    """The operators between the places of a name and its root, the root included.

    An operator is `required` if there is no alternative between it and the root: if it fails, the
    root fails.
    """

    root: Part
    operators: frozenset[Part]
    required: frozenset[Part]


def scopes_of(pattern: Part) -> Mapping[str, Scope]:
    """Return the scope of every name with two places or more."""
    graph = _Graph()
    graph.number_of(pattern)
    return {
        part.name: graph.scope(places)
        for part, places in zip(graph.parts, graph.users, strict=True)
        if isinstance(part, Named) and len(places) > 1
    }


class _Graph:
    """The parts of a pattern, numbered from the inside out: the slow hash of a part is needed once,
    for its number.
    """

    __slots__ = ("_above", "_heights", "_numbers", "parts", "users")

    def __init__(self) -> None:
        self._numbers: dict[Part, int] = {}
        self._above: dict[int, frozenset[int]] = {}
        self._heights: list[int] = []
        self.parts: list[Part] = []
        self.users: list[list[int]] = []
        """Users of each part, one entry for every place of the part."""

    def number_of(self, part: Part) -> int:
        """Return the number of a part, greater than those of all parts inside it."""
        number = self._numbers.get(part)
        if number is not None:
            return number
        inner = [self.number_of(each) for each in parts_of(part)]
        number = self._numbers[part] = len(self.parts)
        self.parts.append(part)
        self.users.append([])
        self._heights.append(1 + max((self._heights[each] for each in inner), default=0))
        for each in inner:
            self.users[each].append(number)
        return number

    def scope(self, places: Sequence[int]) -> Scope:
        """Return the scope of a name with these places: its root is the lowest operator above all
        of them.
        """
        above = [self._ancestors(place) for place in places]
        common = [part for part in frozenset.intersection(*above) if not self._is_name(part)]
        root = min(common, key=lambda part: (self._heights[part], part))
        inside = {part for part in frozenset.union(*above) if root in self._ancestors(part)}
        operators = {part for part in inside if not self._is_name(part)}
        alternatives = {part for part in operators if isinstance(self.parts[part], Either)}
        required = {part for part in operators if alternatives.isdisjoint(self._ancestors(part))}
        return Scope(self.parts[root], self._those(operators), self._those(required))

    def _ancestors(self, part: int) -> frozenset[int]:
        """Return the part and everything above it."""
        known = self._above.get(part)
        if known is None:
            known = self._above[part] = frozenset({part}).union(
                *map(self._ancestors, self.users[part])
            )
        return known

    def _is_name(self, part: int) -> bool:
        return isinstance(self.parts[part], Named)

    def _those(self, numbers: Iterable[int]) -> frozenset[Part]:
        return frozenset(self.parts[number] for number in numbers)
