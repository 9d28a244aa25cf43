"""Crowds: equal subscriptions with all nodes in common; and when crowds that came apart may become
one.

A subscription that comes while something waits for its equals has nodes of its own, since it must
not ring for what was before. Once its nodes hold what theirs hold, nothing will ever tell the two
apart: what a node does next is decided by what a snapshot of it says, or a restart would change the
answers. So they are put together then, whatever the policy; where the policy has them choose
differently for ever, they stay apart for ever.
"""

from __future__ import annotations

from collections.abc import Container, Hashable
from dataclasses import dataclass

from tocsin.engine.detection.base import Node
from tocsin.engine.detection.comparison import Comparison
from tocsin.engine.detection.scope import Scopes
from tocsin.plan.nodes.composites import Part
from tocsin.plan.semantics.bounds import bounds_of
from tocsin.values.time import Duration, Instant

_LEAST_PAUSE = 64
_LOOKS_A_STEP = 8
"""A step is given for so many looks at what waits, so that comparing costs little beside the steps
themselves.
"""
_LOOKS_TO_MOVE = 64
"""To give back one that waits in tables is the work of so many looks at it."""

_TRIES = 4
"""Within a lifetime those whose past is over are compared so often at most."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Equal subscriptions that came while nothing waited for any of them, or whose nodes came to
    hold the same: they have all nodes in common, from the inside out, and whatever is used up is
    used up for each of them.
    """

    nodes: tuple[Node, ...]
    scopes: Scopes
    came: Instant

    @property
    def root(self) -> Node:
        """The node of the whole pattern."""
        return self.nodes[-1]

    @property
    def is_empty(self) -> bool:
        """Whether a newcomer would see nothing of what was before."""
        return self.scopes.is_empty and all(node.is_empty for node in self.nodes)


@dataclass(frozen=True, slots=True)
class Cost:
    """What it took to compare: looks at what waits, and how much of that had to be moved first."""

    looks: int
    moved: int


@dataclass(slots=True)
class _Apart:
    """When the crowds of a pattern are compared next: all of them once the steps since the last
    time have paid for it, and sooner, at a time, those who came a `lifetime` ago or before, as what
    waited then is over for all. Where these differ nevertheless, they are left alone for longer and
    longer.
    """

    lifetime: Duration
    next_step: int
    next_time: Instant
    pause: Duration

    def is_due(self, now: Instant, step: int) -> bool:
        """Whether it is time."""
        return step >= self.next_step or now >= self.next_time

    def compared(self, crowds: list[Crowd], now: Instant, step: int) -> list[Crowd]:
        """The crowds that are compared now."""
        if step >= self.next_step:
            return crowds
        return [each for each in crowds if each.came + self.lifetime <= now]

    def note_newcomer(self, now: Instant) -> None:
        """Another came."""
        self.pause = self.lifetime
        self.next_time = min(self.next_time, now + self.lifetime)

    def note_try(
        self, crowds: list[Crowd], now: Instant, step: int, cost: Cost, *, in_vain: bool
    ) -> None:
        """They were compared."""
        self.pause = 2 * self.pause if in_vain else self.lifetime
        ripe = [each.came + self.lifetime for each in crowds if each.came + self.lifetime > now]
        soonest = min([*ripe, now + self.pause])
        gap = self.lifetime if cost.moved else self.lifetime // _TRIES
        self.next_time = max(soonest, now + gap)
        if step >= self.next_step:
            self.next_step = step + max(_LEAST_PAUSE, cost.looks // _LOOKS_A_STEP)


class Crowds:
    """The crowds of equal subscriptions that are apart, in the order of their coming."""

    __slots__ = ("_all", "_apart")

    def __init__(self) -> None:
        self._all: dict[Part, list[Crowd]] = {}
        self._apart: dict[Part, _Apart] = {}

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
        if pattern in self._apart:
            self._apart[pattern].note_newcomer(crowd.came)
        elif len(known) > 1 and not _has_clock(crowd.root):
            lifetime = 1 + sum(bound.lifetime or 0 for bound in bounds_of(pattern))
            next_step = step + _LEAST_PAUSE
            self._apart[pattern] = _Apart(lifetime, next_step, crowd.came + lifetime, lifetime)

    def remove(self, pattern: Part, roots: Container[Node]) -> None:
        """Crowds of a pattern, with these roots, are gone."""
        left = [each for each in self._all.get(pattern, ()) if each.root not in roots]
        if left:
            self._all[pattern] = left
        else:
            self._all.pop(pattern, None)
        if len(left) < 2:
            self._apart.pop(pattern, None)

    def due(self, now: Instant, step: int) -> list[Part]:
        """The patterns whose crowds are to be compared."""
        return [pattern for pattern, each in self._apart.items() if each.is_due(now, step)]

    def equals(self, pattern: Part, now: Instant, step: int, moved: int) -> list[list[Crowd]]:
        """The crowds of a pattern, those that hold the same together; `moved` were given back to be
        compared.
        """
        comparison, apart = Comparison(), self._apart[pattern]
        crowds = apart.compared(self._all[pattern], now, step)
        outlines: dict[Hashable, list[Crowd]] = {}
        for crowd in crowds:
            outline = tuple([node.outline(comparison) for node in crowd.nodes])
            outlines.setdefault(outline, []).append(crowd)
        groups: dict[Hashable, list[Crowd]] = {}
        for number, alike in enumerate(outlines.values()):
            for crowd in alike:
                held = _held_by(crowd, comparison) if len(alike) > 1 else None
                groups.setdefault((number, held), []).append(crowd)
        cost = Cost(comparison.work + moved * _LOOKS_TO_MOVE, moved)
        in_vain = len(groups) == len(crowds)
        apart.note_try(self._all[pattern], now, step, cost, in_vain=in_vain)
        return list(groups.values())


def _held_by(crowd: Crowd, comparison: Comparison) -> Hashable:
    """All that a crowd holds."""
    held = [node.held(comparison) for node in crowd.nodes]
    return (*held, repr(crowd.scopes.snapshot()))


def _has_clock(node: Node) -> bool:
    return node.is_endless or any(map(_has_clock, node.inner))
