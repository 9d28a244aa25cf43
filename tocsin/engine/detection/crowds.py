"""Crowds: equal subscriptions with all nodes in common; and when crowds that came apart may become
one.

A subscription that comes while something waits for its equals has nodes of its own, since it must
not ring for what was before. Once its nodes hold what theirs hold, nothing will ever tell the two
apart: what a node does next is decided by what a snapshot of it says, or a restart would change the
answers. So they are put together then, whatever the policy; where the policy has them choose
differently for ever, they stay apart for ever.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tocsin.engine.detection.node import Node, State
from tocsin.engine.detection.scope import Scopes
from tocsin.plan.composites import Part
from tocsin.plan.occurrence import Occurrence

Name = tuple[int, Part, int]
"""Owner (the number of a crowd, or 0 for all), part and generation."""

_LEAST_PAUSE = 64
_LETTERS_A_STEP = 1_000
"""A step is given for so many letters of what was compared, so that comparing never costs more than
the steps themselves.
"""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Equal subscriptions that came while nothing waited for any of them, or whose nodes came to
    hold the same: they have all nodes in common, names included, and whatever is used up is used up
    for each of them.
    """

    root: Node
    names: list[Name]
    scopes: Scopes


class Crowds:
    """The crowds of equal subscriptions that are apart, in the order of their coming."""

    __slots__ = ("_all", "_next_tries")

    def __init__(self) -> None:
        self._all: dict[Part, list[Crowd]] = {}
        self._next_tries: dict[Part, int] = {}

    def __len__(self) -> int:
        return len(self._all)

    def newest(self, pattern: Part) -> Crowd | None:
        """The crowd that came last."""
        known = self._all.get(pattern)
        return known[-1] if known else None

    def of_root(self, root: Node) -> Crowd | None:
        """The crowd with this very root."""
        return next((each for each in self._all.get(root.part, ()) if each.root is root), None)

    def add(self, crowd: Crowd, step: int) -> None:
        """Another crowd; after a while it is compared with those that are there, unless windows
        that come again follow a clock of its own.
        """
        pattern = crowd.root.part
        known = self._all.setdefault(pattern, [])
        known.append(crowd)
        if len(known) > 1 and not _has_clock(crowd.root):
            self._next_tries.setdefault(pattern, step + _LEAST_PAUSE)

    def remove(self, root: Node) -> None:
        """The last of a crowd is gone."""
        left = [each for each in self._all.get(root.part, ()) if each.root is not root]
        if left:
            self._all[root.part] = left
        else:
            self._all.pop(root.part, None)
        if len(left) < 2:
            self._next_tries.pop(root.part, None)

    def due(self, step: int) -> list[Part]:
        """The patterns whose crowds are to be compared."""
        return [pattern for pattern, next_try in self._next_tries.items() if next_try <= step]

    def equals(self, pattern: Part, nodes: dict[Name, Node], step: int) -> list[list[Crowd]]:
        """The crowds of a pattern, those that hold the same together."""
        writer, letters = _StateWriter(), 0
        groups: dict[str, list[Crowd]] = {}
        for crowd in self._all[pattern]:
            state = _state_of(crowd, nodes, writer)
            letters += len(state)
            groups.setdefault(state, []).append(crowd)
        self._next_tries[pattern] = step + max(_LEAST_PAUSE, letters // _LETTERS_A_STEP)
        return list(groups.values())


class _StateWriter:
    """Writes what tells occurrences apart within one process: events are the very objects."""

    def write(self, occurrence: Occurrence) -> State:
        """The occurrence as something to compare."""
        return {
            "members": [id(member) for member in occurrence.members],
            "span": (occurrence.start, occurrence.end),
            "names": {name: self.write(each) for name, each in sorted(occurrence.names.items())},
            "absences": occurrence.absences,
            "rows": occurrence.rows,
        }


def _state_of(crowd: Crowd, nodes: dict[Name, Node], writer: _StateWriter) -> str:
    """All that a crowd holds; equal texts are equal states."""
    held: Iterable[object] = (nodes[name].snapshot(writer) for name in crowd.names)
    return repr((*held, crowd.scopes.snapshot()))


def _has_clock(node: Node) -> bool:
    return node.is_endless or any(map(_has_clock, node.inner))
