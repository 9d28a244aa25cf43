"""How long a stored part can still matter: the bound of a subscription's state, computed from its
plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tocsin.errors import StateProblem
from tocsin.plan.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    End,
    Join,
    Part,
    Plan,
    Precedes,
    Triggered,
    parts_of,
)
from tocsin.plan.rewriting import with_parts
from tocsin.values.time import Duration


@dataclass(frozen=True, slots=True)
class Bound:
    """A part whose occurrences are stored, by whom, and for how long after their end; None for
    ever.
    """

    owner: Part
    slot: int
    lifetime: Duration | None


def bounds_of(part: Part) -> Iterator[Bound]:
    """Every place of a plan where occurrences wait."""
    match part:
        case Join(parts):
            for slot in range(len(parts)):
                yield Bound(part, slot, join_lifetime(part, slot))
        case Absence(_, AfterWindow(_, length)):
            yield Bound(part, 1, length)
        case Absence(_, BetweenWindow()):
            yield Bound(part, 1, part.keep)
        case Absence(_, BeforeWindow()):
            yield Bound(part, 0, part.keep)
        case Triggered():
            yield from (Bound(part, slot, part.keep) for slot in (0, 1))
        case _:
            pass
    for inner in parts_of(part):
        yield from bounds_of(inner)


def join_lifetime(join: Join, slot: int) -> Duration | None:
    """How long after its end an occurrence at a slot can still be completed by a later one; None
    for ever.
    """
    others = [_wait_for(join, slot, other) for other in range(len(join.parts)) if other != slot]
    longest = None if None in others else max(each for each in others if each is not None)
    if join.keep is None:
        return longest
    return join.keep if longest is None else min(longest, join.keep)


def _wait_for(join: Join, slot: int, other: int) -> Duration | None:
    """How long after the end of `slot` an occurrence of `other` may end at the latest."""
    limits = [
        max(0, -condition.gap)
        for condition in join.conditions
        if isinstance(condition, Precedes)
        and (condition.earlier.part, condition.earlier.end, condition.later.part)
        == (other, End.FINISH, slot)
    ]
    return min(limits, default=None)


def with_horizon(plan: Plan, horizon: Duration | None) -> Plan:
    """The plan with a bound for everything that has none of its own; refused where there is none to
    give.
    """
    bounded = replace(plan, pattern=_bounded(plan.pattern, horizon))
    if any(bound.lifetime is None for bound in bounds_of(bounded.pattern)):
        raise StateProblem(
            "the state of this subscription cannot be bounded",
            code="UnboundedState",
            hint=(
                "set horizon to a duration, use a window, or, for |(A)B, the option"
                " max_event_duration"
            ),
        )
    return bounded


def _bounded(part: Part, horizon: Duration | None) -> Part:
    part = with_parts(part, lambda inner: _bounded(inner, horizon))
    if isinstance(part, Join | Absence | Triggered) and part.keep is None and _is_open_ended(part):
        return replace(part, keep=_kept(part, horizon))
    return part


def _kept(part: Join | Absence | Triggered, horizon: Duration | None) -> Duration | None:
    """What lies in a window before an occurrence is kept for the window on top of the horizon."""
    if horizon is not None and isinstance(part, Absence) and isinstance(part.window, BeforeWindow):
        return horizon + part.window.length
    return horizon


def _is_open_ended(part: Join | Absence | Triggered) -> bool:
    if isinstance(part, Triggered):
        return True
    if isinstance(part, Absence):
        return isinstance(part.window, BetweenWindow | BeforeWindow)
    return any(join_lifetime(part, slot) is None for slot in range(len(part.parts)))
