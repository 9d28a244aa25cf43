"""Plan of each form of a composite. All joins are chronicle: oldest with oldest, each used once."""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.errors import MeaningProblem
from tocsin.languages.base.plan_parts import ORDER, one_of_seven
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    EveryWindow,
    Join,
    Part,
    Policy,
    Stands,
)
from tocsin.values.time import Duration, Instant, parse_duration

__all__ = [
    "ORDER",
    "Options",
    "both",
    "duration_of",
    "one_of_seven",
    "silent_after",
    "silent_before",
    "silent_every",
    "stands",
]

Options = Mapping[str, object]

_FORM = "write a number and its unit, as 30 min, or PT30M; a month or a year has no fixed length"
_LONGEST = 100 * 366 * 86_400_000_000


def both(left: Part, right: Part) -> Part:
    """Return `A & B`: one of each, of different events, in any order."""
    return Join((left, right), policy=Policy.CHRONICLE)


def stands(left: Part, relation: str, right: Part, proper: bool) -> Part:
    """Return `A Before B` or another of the fourteen relations, with the order of bounds it
    implies.
    """
    return Join(
        (left, right), (*ORDER.get(relation, ()), Stands(0, relation, 1, proper)), Policy.CHRONICLE
    )


def silent_every(part: Part, length: Duration, origin: Instant | None) -> Part:
    """Return `not (A) (t)`: recurring windows without A, of that length, counted from the origin
    on.
    """
    return Absence(part, EveryWindow(length, origin), policy=Policy.CHRONICLE)


def silent_before(part: Part, length: Duration, anchor: Part) -> Part:
    """Return `not (A) (t anchored) Before B`: B without A in the time before it."""
    return Absence(part, BeforeWindow(anchor, length), policy=Policy.CHRONICLE)


def silent_after(part: Part, length: Duration, anchor: Part) -> Part:
    """Return `A Before not (B) (t anchored)`: A without B in the time after it."""
    return Absence(part, AfterWindow(anchor, length), policy=Policy.CHRONICLE)


def duration_of(written: str) -> Duration:
    """Return a duration with its unit in microseconds.

    Raises if it is zero, negative, longer than a century, or has months or years.
    """
    try:
        length = parse_duration(written)
    except MeaningProblem:
        length = 0
    if not 0 < length <= _LONGEST:
        raise MeaningProblem(
            f"{written!r} is no duration", code="DURATION", token=written, hint=_FORM
        )
    return length
