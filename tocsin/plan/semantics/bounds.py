"""Lifetimes of stored occurrences, and windows of absolute time that are over.

The bound of a subscription's state is computed from its plan.

No later event can be in a window that is over (decision 0031).

Over means before the clock of the host, never before today: last year's events are replayed with
last year's clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tocsin.errors import MeaningProblem, StateProblem
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Change,
    DuringWindow,
    End,
    FixedWindow,
    Gathered,
    Join,
    Only,
    Part,
    Plan,
    Precedes,
    Sliding,
    Triggered,
    parts_of,
)
from tocsin.plan.nodes.expressions import Lasts
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.plan.semantics.condition_evaluation import holds_of_nothing
from tocsin.values.time import Duration, Instant, format_instant


@dataclass(frozen=True, slots=True)
class StateBound:
    """Lifetime of the occurrences that an operator stores at a slot.

    It is in microseconds after their end; None means for ever.
    """

    owner: Part
    slot: int
    lifetime: Duration | None


def bounds_of(part: Part) -> Iterator[StateBound]:
    """Yield the bound of every buffer of a plan."""
    match part:
        case Join(parts):
            for slot in range(len(parts)):
                yield StateBound(part, slot, join_lifetime(part, slot))
        case Absence(_, AfterWindow(_, length)):
            yield StateBound(part, 1, length)
        case Absence(_, BetweenWindow()):
            yield StateBound(part, 1, part.keep)
        case Absence(_, BeforeWindow()):
            yield StateBound(part, 0, part.keep)
        case Gathered(_, AfterWindow(_, length)):
            yield from (StateBound(part, slot, length) for slot in (0, 1))
        case Gathered(_, BetweenWindow()):
            yield from (StateBound(part, slot, part.keep) for slot in (0, 1))
        case Gathered(_, BeforeWindow()):
            yield StateBound(part, 0, part.keep)
        case Sliding():
            yield StateBound(part, 0, _sliding_lifetime(part))
        case Change():
            yield StateBound(part, 1, part.keep)
        case Triggered():
            yield from (StateBound(part, slot, part.keep) for slot in (0, 1))
        case _:
            pass
    for inner in parts_of(part):
        yield from bounds_of(inner)


def join_lifetime(join: Join, slot: int) -> Duration | None:
    """Return the time after its end in which an occurrence at a slot can still be completed.

    None means for ever.
    """
    others = [_wait_for(join, slot, other) for other in range(len(join.parts)) if other != slot]
    longest = None if None in others else max(each for each in others if each is not None)
    if join.keep is None:
        return longest
    return join.keep if longest is None else min(longest, join.keep)


def _wait_for(join: Join, slot: int, other: int) -> Duration | None:
    """Return the longest time from the end of `slot` to the end of `other`, or None."""
    limits = [
        max(0, -condition.gap)
        for condition in join.conditions
        if isinstance(condition, Precedes)
        and (condition.earlier.part, condition.earlier.end, condition.later.part)
        == (other, End.FINISH, slot)
    ]
    limits += [each.limit for each in join.conditions if isinstance(each, Lasts)]
    return min(limits, default=None)


def keeps_empty_keys(sliding: Sliding) -> bool:
    """True if a window aggregate must remember keys without events: it holds for no events."""
    return sliding.every is None and holds_of_nothing(sliding)


def _sliding_lifetime(sliding: Sliding) -> Duration | None:
    if not keeps_empty_keys(sliding):
        return sliding.over
    return None if sliding.keep is None else sliding.over + sliding.keep


def with_horizon(plan: Plan, horizon: Duration | None) -> Plan:
    """Return the plan with the horizon as bound for everything that has none of its own.

    Raises StateProblem if something stays unbounded.
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
    if isinstance(part, _Keeping) and part.keep is None and _is_open_ended(part):
        return replace(part, keep=_kept(part, horizon))
    return part


_Keeping = Join | Absence | Gathered | Sliding | Change | Triggered


def _kept(part: _Keeping, horizon: Duration | None) -> Duration | None:
    """Return the horizon, plus the length of a window before an occurrence."""
    around = part.window if isinstance(part, Absence | Gathered) else None
    if horizon is not None and isinstance(around, BeforeWindow):
        return horizon + around.length
    return horizon


def _is_open_ended(part: _Keeping) -> bool:
    if isinstance(part, Triggered | Change):
        return True
    if isinstance(part, Sliding):
        return keeps_empty_keys(part)
    if isinstance(part, Absence | Gathered):
        return isinstance(part.window, BetweenWindow | BeforeWindow)
    return any(join_lifetime(part, slot) is None for slot in range(len(part.parts)))


WINDOW_IN_PAST = "WindowInPast"
HINT = (
    "give a window that ends later; to replay events of that time, subscribe before the first of"
    " them"
)


@dataclass(frozen=True, slots=True)
class AbsoluteWindow:
    """The half-open window (start, start + length] that a subscription fixes in time."""

    start: Instant
    length: Duration

    @property
    def end(self) -> Instant:
        """Last instant of the window."""
        return self.start + self.length


def absolute_windows(part: Part) -> Iterator[AbsoluteWindow]:
    """Yield the windows of absolute time in a part, of absences and of restrictions."""
    match part:
        case Absence(_, FixedWindow(start, length)) | Only(_, DuringWindow(start, length)):
            yield AbsoluteWindow(start, length)
        case _:
            pass
    for inner in parts_of(part):
        yield from absolute_windows(inner)


def find_expired_window(part: Part, now: Instant) -> AbsoluteWindow | None:
    """Return the first window of a part that has ended by `now`, or None.

    With such a window the part can no longer occur.
    """
    return next((each for each in absolute_windows(part) if each.end <= now), None)


def past_window_problem(window: AbsoluteWindow, now: Instant) -> MeaningProblem:
    """Return the problem of a subscription with such a window."""
    ended, time = format_instant(window.end), format_instant(now)
    message = f"the window is over: it ended at {ended}, and the time here is {time}"
    return MeaningProblem(message, code=WINDOW_IN_PAST, hint=HINT)
