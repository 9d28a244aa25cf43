"""What each form of a composite is in the plan. All joins are chronicle: oldest with oldest, each
used once.
"""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.errors import MeaningProblem
from tocsin.plan.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    End,
    EveryWindow,
    Join,
    Moment,
    Part,
    Policy,
    Precedes,
    Stands,
)
from tocsin.values.time import Duration, Instant, parse_duration

Options = Mapping[str, object]

_FORM = "write a number and its unit, as 30 min, or PT30M; a month or a year has no fixed length"
_LONGEST = 100 * 366 * 86_400_000_000

_B1, _F1, _B2, _F2 = (Moment(part, end) for part in (0, 1) for end in (End.START, End.FINISH))


def _same(one: Moment, other: Moment) -> tuple[Precedes, Precedes]:
    return (Precedes(one, other, or_equal=True), Precedes(other, one, or_equal=True))


ORDER: Mapping[str, tuple[Precedes, ...]] = {
    "Equals": (*_same(_F1, _F2), *_same(_B1, _B2)),
    "Before": (Precedes(_F1, _B2),),
    "UnBefore": (Precedes(_B2, _F1, or_equal=True),),
    "Meets": _same(_F1, _B2),
    "Overlaps": (Precedes(_F1, _F2), Precedes(_B2, _F1), Precedes(_B1, _B2)),
    "Starts": (Precedes(_F1, _F2), *_same(_B1, _B2)),
    "Finishes": (*_same(_F1, _F2), Precedes(_B2, _B1)),
    "During": (Precedes(_F1, _F2), Precedes(_B2, _B1)),
}
"""What each relation says of the order of begins and ends: from it follows who need not wait for
whom, and how long. The other six complements are alternatives, of which nothing follows.
"""


_INVERSES: Mapping[str, str] = {
    "After": "Before",
    "MetBy": "Meets",
    "OverlappedBy": "Overlaps",
    "StartedBy": "Starts",
    "FinishedBy": "Finishes",
    "Contains": "During",
}
"""Relations that are one of the seven with its sides exchanged."""


def one_of_seven(written: str) -> tuple[str, bool]:
    """A relation as one of the seven or its complement, and whether its sides are to be exchanged;
    the paper writes `intBefore` for what it means.
    """
    name = written.removeprefix("int")
    negated = "Un" if name.startswith("Un") else ""
    word = name.removeprefix("Un")
    return negated + _INVERSES.get(word, word), word in _INVERSES


def both(left: Part, right: Part) -> Part:
    """`A & B`: one of each, of different events, in any order."""
    return Join((left, right), policy=Policy.CHRONICLE)


def stands(left: Part, relation: str, right: Part, proper: bool) -> Part:
    """`A Before B`, and the other thirteen relations, with the order of bounds that follows from
    it.
    """
    return Join(
        (left, right), (*ORDER.get(relation, ()), Stands(0, relation, 1, proper)), Policy.CHRONICLE
    )


def silent_every(part: Part, length: Duration, origin: Instant | None) -> Part:
    """`not (A) (t)`: a window of the length without A, tested at regular times from the
    origin on.
    """
    return Absence(part, EveryWindow(length, origin), policy=Policy.CHRONICLE)


def silent_before(part: Part, length: Duration, anchor: Part) -> Part:
    """`not (A) (t anchored) Before B`: B without A in the time before it."""
    return Absence(part, BeforeWindow(anchor, length), policy=Policy.CHRONICLE)


def silent_after(part: Part, length: Duration, anchor: Part) -> Part:
    """`A Before not (B) (t anchored)`: A without B in the time after it."""
    return Absence(part, AfterWindow(anchor, length), policy=Policy.CHRONICLE)


def duration_of(written: str) -> Duration:
    """The microseconds of a duration with its unit; raises where it is zero, negative, or has
    months or years.
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
