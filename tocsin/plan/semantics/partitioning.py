"""Partition key of a composite: attributes by which its events can be partitioned without changing
its meaning.

A path is a partition key if all events of an occurrence have the same value there, and events with
other values change nothing: absent, counted, consumed and chosen events have the same value. Then
events with different values never meet, on any host. An event without a scalar at the path joins no
other; all such events are in one partition, as if they had one value.

In doubt a path is not a partition key. The same path must be meant in all parts, so that every
event is in one partition only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Change,
    Either,
    EveryWindow,
    FixedWindow,
    Gathered,
    Join,
    Key,
    Keyed,
    Named,
    Only,
    Part,
    Plan,
    Policy,
    Related,
    Share,
    Sliding,
    Triggered,
    names_of,
    parts_of,
    variables_of,
)
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.plan.xml.construction import Construct
from tocsin.values.scalars import Path

NO_KEY = "no attribute is the same in all its parts"

_EXCLUSIVE = "policy exclusive uses up what waits, whatever its key"
_RECENT = "policy recent chooses among more than two parts before it compares them"
_UNBOUNDED = "a window that no part bounds is one for all keys"
_TOGETHER = "what it counts or compares over time is of all keys together"
_TRIGGERED = "what a detection sends may have any key"
_UNJOINED = "no equality joins all its parts"
_CONSTRUCTS = "what it constructs is matched again, wherever anybody wants it"
_BOUND = "its parts share what they bind, and one event may bind several values"


@dataclass(frozen=True, slots=True)
class PartitionKey:
    """Paths that partition a pattern, each alone and all together; without any, the reason."""

    by: Key
    why_not: str = ""


def partition_key_of_plan(plan: Plan) -> PartitionKey:
    """Return the partition key of a plan.

    A plan that constructs has none, because its documents may concern every other plan.
    """
    if isinstance(plan.output, Construct):
        return PartitionKey((), _CONSTRUCTS)
    return partition_key_of(plan.pattern)


def partition_key_of(pattern: Part) -> PartitionKey:
    """Return the partition key of a pattern, or the reason why it has none."""
    reasons = {path: _why_not(pattern, path) for path in _candidates(pattern)}
    by = tuple(sorted(path for path, reason in reasons.items() if reason is None))
    if by:
        return PartitionKey(by)
    reason = next((each for each in reasons.values() if each is not None), None)
    return PartitionKey((), reason or (_BOUND if _share_variables(pattern) else NO_KEY))


def plan_for_partition(plan: Plan, share: Share) -> Plan:
    """Return the plan restricted to the events of one partition, whatever other events it gets."""
    return replace(plan, pattern=_restricted(plan.pattern, share))


def _restricted(part: Part, share: Share) -> Part:
    if isinstance(part, Atom):
        return Only(part, share)
    if isinstance(part, Change):  # its state is tested on the events of its part
        return replace(part, part=_restricted(part.part, share))
    return with_parts(part, lambda inner: _restricted(inner, share))


def _share_variables(part: Part) -> bool:
    """True if two parts of an operator bind the same variable, on which they must agree."""
    inner = parts_of(part)
    together = () if isinstance(part, Either) else inner
    bound = Counter(variable for each in together for variable in variables_of(each))
    return max(bound.values(), default=0) > 1 or any(map(_share_variables, inner))


def _candidates(pattern: Part) -> list[Path]:
    """Return the paths of keys and of equalities between parts, each once, from the outside in."""
    return list(dict.fromkeys(_paths_in(pattern)))


def _paths_in(part: Part) -> Iterator[Path]:
    match part:
        case Join() | Absence() | Gathered():
            yield from part.by
            yield from (each.left.path for each in _equalities(part.conditions))
        case Sliding() | Change():
            yield from part.by
        case Only(_, Keyed(by)):
            yield from by
    for inner in parts_of(part):
        yield from _paths_in(inner)


def _equalities(conditions: Iterable[object]) -> Iterator[Related]:
    """Yield the equalities between the same attribute of two parts."""
    for each in conditions:
        if (
            isinstance(each, Related)
            and each.relation == "="
            and each.left.path == each.right.path
            and not each.left.variable
            and not each.right.variable
        ):
            yield each


def _why_not(part: Part, path: Path) -> str | None:
    """Return the reason why a path does not partition a part; None if it does."""
    if isinstance(part, Atom):
        return None
    reasons = (_why_not(inner, path) for inner in parts_of(part))
    inside = next((each for each in reasons if each is not None), None)
    return inside or _why_not_itself(part, path)


def _why_not_itself(part: Part, path: Path) -> str | None:
    """Return the reason for the operator alone, whose parts the path partitions; None if there is
    no such reason.
    """
    match part:
        case Named() | Only() | Either():
            return None
        case Join() | Absence() | Gathered() | Sliding() | Change() if path in part.by:
            return None
        case Join(parts):
            return _why_not_join(part, parts, path)
        case Absence(_, FixedWindow() | EveryWindow()):
            return _UNBOUNDED
        case Absence() | Gathered():
            return _why_not_window(part, path)
        case Sliding() | Change():
            return _TOGETHER
        case Triggered():
            return _TRIGGERED
        case _:
            assert isinstance(part, Atom), part
            return None


def _why_not_join(join: Join, parts: Sequence[Part], path: Path) -> str | None:
    if join.policy is Policy.EXCLUSIVE:
        return _EXCLUSIVE
    if join.policy is Policy.RECENT and len(parts) > 2:
        return _RECENT
    return None if _are_joined(parts, join.conditions, path) else _UNJOINED


def _why_not_window(part: Absence | Gathered, path: Path) -> str | None:
    """Return the reason for a window; None if equalities link the counted part and all bounds."""
    on_each = part.conditions_on_absent if isinstance(part, Absence) else part.conditions_on_each
    match part.window:
        case AfterWindow(bound) | BeforeWindow(bound):
            return None if _are_joined((part.part, bound), on_each, path) else _UNJOINED
        case BetweenWindow(first, last):
            if part.policy is Policy.EXCLUSIVE:
                return _EXCLUSIVE
            bounds = part.conditions_on_bounds
            is_parted = _are_joined((first, last), bounds, path) and _are_joined(
                (part.part, first, last), (*bounds, *on_each), path
            )
            return None if is_parted else _UNJOINED
        case FixedWindow() | EveryWindow():
            return _UNBOUNDED
        case _:
            assert_never(part.window)


def _are_joined(parts: Sequence[Part], conditions: Iterable[object], path: Path) -> bool:
    """True if equalities at the path link every part to every other.

    A name that several parts bind links nothing.
    """
    names = [names_of(part) for part in parts]
    groups = [{slot} for slot in range(len(parts))]
    for each in _equalities(conditions):
        homes = [
            {slot for slot, mine in enumerate(names) if side.name in mine}
            for side in (each.left, each.right)
        ]
        if each.left.path == path and all(len(home) == 1 for home in homes):
            joined = homes[0] | homes[1]
            touched = [group for group in groups if group & joined]
            groups = [group for group in groups if group not in touched]
            groups.append(set().union(*touched))
    return len(groups) == 1
