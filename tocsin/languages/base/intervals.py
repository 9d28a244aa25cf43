"""Allen relations in plans: seven of them; the others are complements or have their sides
exchanged.
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
"""Order of starts and ends that each relation implies.

From it follows which part need not wait for which, and for what time. The other six complements are
alternatives, which imply no order.
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
    """Return a relation as one of the seven or its complement, and True if its sides swap.

    The paper writes `intBefore` for the same relation.
    """
    name = written.removeprefix("int")
    negated = "Un" if name.startswith("Un") else ""
    word = name.removeprefix("Un")
    return negated + _INVERSES.get(word, word), word in _INVERSES
