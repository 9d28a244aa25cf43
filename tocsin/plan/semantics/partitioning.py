"""The key of a composite: attributes by which its events can be parted without changing what it
means.

A path parts a pattern where all events of an occurrence have the same value there, and where what
happens under one value changes nothing under another: what is absent, counted, used up or chosen is
of the same value. Then events that have different values never meet, wherever they are served. An
event without a scalar at the path meets nobody; all such events are served together, as if they
had one value.

Where in doubt a path does not part a pattern. The same path has to be meant in all parts, so that
every event is in one share only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from tocsin.events.event import Path
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
class Parting:
    """The paths that part a pattern, each of them alone and all together; where there are none,
    why.
    """

    by: Key
    why_not: str = ""


def parting_of_plan(plan: Plan) -> Parting:
    """Return by what the events of a plan can be parted: by nothing where it constructs, since what
    is constructed may concern every other plan.
    """
    if isinstance(plan.output, Construct):
        return Parting((), _CONSTRUCTS)
    return parting_of(plan.pattern)


def parting_of(pattern: Part) -> Parting:
    """By what the events of a pattern can be parted."""
    reasons = {path: _why_not(pattern, path) for path in _candidates(pattern)}
    by = tuple(sorted(path for path, reason in reasons.items() if reason is None))
    if by:
        return Parting(by)
    reason = next((each for each in reasons.values() if each is not None), None)
    return Parting((), reason or (_BOUND if _share_variables(pattern) else NO_KEY))


def share_of_plan(plan: Plan, share: Share) -> Plan:
    """The plan as it is over the events of one share alone, whatever else it is told of."""
    return replace(plan, pattern=_restricted(plan.pattern, share))


def _restricted(part: Part, share: Share) -> Part:
    if isinstance(part, Atom):
        return Only(part, share)
    if isinstance(part, Change):  # its state is asked of the events of its part
        return replace(part, part=_restricted(part.part, share))
    return with_parts(part, lambda inner: _restricted(inner, share))


def _share_variables(part: Part) -> bool:
    """Whether two parts of an operator bind one variable, on which they have to agree."""
    inner = parts_of(part)
    together = () if isinstance(part, Either) else inner
    bound = Counter(variable for each in together for variable in variables_of(each))
    return max(bound.values(), default=0) > 1 or any(map(_share_variables, inner))


def _candidates(pattern: Part) -> list[Path]:
    """Paths of keys and of equalities between parts, each once, from the outside in."""
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
    """The equalities between the same attribute of two parts."""
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
    """Why a path does not part a part; None where it does."""
    if isinstance(part, Atom):
        return None
    reasons = (_why_not(inner, path) for inner in parts_of(part))
    inside = next((each for each in reasons if each is not None), None)
    return inside or _why_not_itself(part, path)


def _why_not_itself(part: Part, path: Path) -> str | None:
    """The same for the operator alone, whose parts are parted."""
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
    """What is absent or counted is joined to a bound of its window, and the bounds to each
    other.
    """
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
    """Whether equalities at the path lead from every part to every other; a name that several
    parts bind leads nowhere.
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
