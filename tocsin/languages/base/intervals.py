"""Relations of Allen in plans: seven of them, of which the others are the complement or have their
sides exchanged.
"""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.plan.nodes.composites import End, Moment, Precedes

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
