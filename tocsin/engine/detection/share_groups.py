"""Share groups: equal subscriptions with all operators in common; and the schedule on which groups
are compared and merged.

A subscription that is added while state is buffered for its equals has operators of its own, since
it must not ring for the past. Once its operators hold what theirs hold, the two can never differ
again: the next output of an operator is decided by what a snapshot of it says, or a restart would
change the answers. So they are merged then, whatever the policy; if the policy makes them choose
differently for ever, they stay apart for ever.
"""

from __future__ import annotations

from collections.abc import Container, Hashable
from dataclasses import dataclass

from tocsin.engine.detection.base import Operator, StateComparison
from tocsin.engine.detection.scope import Scopes
from tocsin.plan.nodes.composites import Part
from tocsin.plan.semantics.bounds import bounds_of
from tocsin.values.time import Duration, Instant

# steps between two comparisons at least, even if the last one cost little
_LEAST_PAUSE = 64
_LOOKS_A_STEP = 8
"""Looks at buffered occurrences that one step pays for, so that comparing costs little next to the
steps themselves.
"""
_LOOKS_TO_MOVE = 64
"""Looks that count for moving one occurrence out of batch tables."""

_TRIES = 4
"""Most comparisons per lifetime of groups whose past is over."""


@dataclass(frozen=True, slots=True)
class ShareGroup:
    """Equal subscriptions that share all operators, inputs first. Added to empty state, or merged
    when their states became equal; what is consumed is consumed for each of them.
    """

    operators: tuple[Operator, ...]
    scopes: Scopes
    added_at: Instant

    @property
    def root(self) -> Operator:
        """Operator of the whole pattern."""
        return self.operators[-1]

    @property
    def is_empty(self) -> bool:
        """True if a new subscription would see nothing of the past."""
        return self.scopes.is_empty and all(node.is_empty for node in self.operators)


@dataclass(frozen=True, slots=True)
class MergeCost:
    """Cost of a comparison: looks at buffered occurrences, and the number that had to be moved
    first.
    """

    looks: int
    moved: int


@dataclass(slots=True)
class _MergeSchedule:
    """Schedule for comparing the groups of a pattern. All are compared once the steps since the
    last time have paid for it. Sooner, at a given time, those are that were added a `lifetime` ago
    or before, as the state of that time has expired for all. If these differ nevertheless, the
    pause doubles.
    """

    lifetime: Duration
    next_step: int
    next_time: Instant
    pause: Duration

    def is_due(self, now: Instant, step: int) -> bool:
        """True if it is time to compare."""
        return step >= self.next_step or now >= self.next_time

    def compared_groups(
        self, crowds: list[ShareGroup], now: Instant, step: int
    ) -> list[ShareGroup]:
        """Return the groups to compare now."""
        if step >= self.next_step:
            return crowds
        return [each for each in crowds if each.added_at + self.lifetime <= now]

    def record_addition(self, now: Instant) -> None:
        """Schedule a comparison for a group added now."""
        self.pause = self.lifetime
        self.next_time = min(self.next_time, now + self.lifetime)

    def record_attempt(
        self, groups: list[ShareGroup], now: Instant, step: int, cost: MergeCost, *, in_vain: bool
    ) -> None:
        """Schedule the next comparison after this one; later if it was in vain."""
        self.pause = 2 * self.pause if in_vain else self.lifetime
        ripe = [
            each.added_at + self.lifetime for each in groups if each.added_at + self.lifetime > now
        ]
        soonest = min([*ripe, now + self.pause])
        gap = self.lifetime if cost.moved else self.lifetime // _TRIES
        self.next_time = max(soonest, now + gap)
        if step >= self.next_step:
            self.next_step = step + max(_LEAST_PAUSE, cost.looks // _LOOKS_A_STEP)


class ShareGroups:
    """Share groups by pattern, in the order in which they were added."""

    __slots__ = ("_all", "schedules")

    def __init__(self) -> None:
        self._all: dict[Part, list[ShareGroup]] = {}
        self.schedules: dict[Part, _MergeSchedule] = {}

    def __len__(self) -> int:
        return len(self._all)

    def newest(self, pattern: Part) -> ShareGroup | None:
        """Return the group that was added last; None without any."""
        known = self._all.get(pattern)
        return known[-1] if known else None

    def of_root(self, root: Operator) -> ShareGroup | None:
        """Return the group with this very root; None without one."""
        return next((each for each in self._all.get(root.part, ()) if each.root is root), None)

    def add(self, group: ShareGroup, step: int) -> None:
        """Add a group. It is compared with those of the same pattern later, unless recurring
        windows give each a clock of its own.
        """
        pattern = group.root.part
        known = self._all.setdefault(pattern, [])
        known.append(group)
        if pattern in self.schedules:
            self.schedules[pattern].record_addition(group.added_at)
        elif len(known) > 1 and not _has_clock(group.root):
            lifetime = 1 + sum(bound.lifetime or 0 for bound in bounds_of(pattern))
            next_step = step + _LEAST_PAUSE
            self.schedules[pattern] = _MergeSchedule(
                lifetime, next_step, group.added_at + lifetime, lifetime
            )

    def remove(self, pattern: Part, roots: Container[Operator]) -> None:
        """Remove the groups of a pattern that have these roots."""
        left = [each for each in self._all.get(pattern, ()) if each.root not in roots]
        if left:
            self._all[pattern] = left
        else:
            self._all.pop(pattern, None)
        if len(left) < 2:
            self.schedules.pop(pattern, None)

    def due(self, now: Instant, step: int) -> list[Part]:
        """Return the patterns whose groups are to be compared."""
        return [pattern for pattern, each in self.schedules.items() if each.is_due(now, step)]

    def equals(self, pattern: Part, now: Instant, step: int, moved: int) -> list[list[ShareGroup]]:
        """Return the groups of a pattern that are compared now, those with equal state together;
        `moved` counts the occurrences moved out of batch tables for it.
        """
        comparison, apart = StateComparison(), self.schedules[pattern]
        crowds = apart.compared_groups(self._all[pattern], now, step)
        outlines: dict[Hashable, list[ShareGroup]] = {}
        for crowd in crowds:
            outline = tuple([node.state_fingerprint(comparison) for node in crowd.operators])
            outlines.setdefault(outline, []).append(crowd)
        groups: dict[Hashable, list[ShareGroup]] = {}
        for number, alike in enumerate(outlines.values()):
            for crowd in alike:
                held = _state_key_of(crowd, comparison) if len(alike) > 1 else None
                groups.setdefault((number, held), []).append(crowd)
        cost = MergeCost(comparison.work + moved * _LOOKS_TO_MOVE, moved)
        in_vain = len(groups) == len(crowds)
        apart.record_attempt(self._all[pattern], now, step, cost, in_vain=in_vain)
        return list(groups.values())


def _state_key_of(group: ShareGroup, comparison: StateComparison) -> Hashable:
    """Return a key of the whole state of a group."""
    held = [node.state_key(comparison) for node in group.operators]
    return (*held, repr(group.scopes.snapshot()))


def _has_clock(node: Operator) -> bool:
    return node.is_endless or any(map(_has_clock, node.inputs))
