"""Conditions between two intervals as comparisons of their bounds, for a loop over numbers: one
moment plus a slack is not after another.

Buffered events are ordered by their ends, so that comparisons also bound the search.
"""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.engine.detection.pair_kernel import MY_END, MY_START, THEIR_END, THEIR_START
from tocsin.plan.nodes.composites import End, Moment, Precedes, Stands
from tocsin.values.allen import INVERSE, Allen, relation_of
from tocsin.values.time import Duration

TimeCondition = Precedes | Stands
"""Conditions that comparisons can express."""

Comparison = tuple[int, int, Duration]
"""The earlier moment, the later one, and the slack that is added to the earlier."""

FAR: Duration = 2**61
"""Bound of a slack: no two instants are further apart, and no sum is too great for the loop."""

_BOUNDS: Mapping[Allen, tuple[Comparison, ...]] = {
    Allen.EQUALS: ((0, 2, 0), (2, 0, 0), (1, 3, 0), (3, 1, 0)),
    Allen.BEFORE: ((1, 2, 1),),
    Allen.MEETS: ((1, 2, 0), (2, 1, 0)),
    Allen.OVERLAPS: ((0, 2, 1), (2, 1, 1), (1, 3, 1)),
    Allen.STARTS: ((0, 2, 0), (2, 0, 0), (1, 3, 1)),
    Allen.FINISHES: ((2, 0, 1), (1, 3, 0), (3, 1, 0)),
    Allen.DURING: ((2, 0, 1), (1, 3, 1)),
}
"""`tocsin.values.allen.BOUNDS` for begin and end of the first interval, 0 and 1, and of the second,
2 and 3.
"""

_PROPER: tuple[Comparison, ...] = ((0, 1, 1), (2, 3, 1))
_OF_INSTANTS = (Allen.EQUALS, Allen.BEFORE, Allen.AFTER)


def comparisons_of(condition: TimeCondition, slot: int) -> tuple[tuple[Comparison, ...], bool]:
    """Return the comparisons for occurrences new at a slot, and True if not all of them may hold.
    The negation of one comparison is expressed as another.
    """
    match condition:
        case Precedes(earlier, later, gap, or_equal):
            slack = gap if or_equal else gap + 1  # instants are whole numbers
            slack = max(-FAR, min(slack, FAR))
            return ((_moment(earlier, slot), _moment(later, slot), slack),), False
        case Stands(part, name, other, proper):
            relation, negated = relation_of(name)
            bounds = _BOUNDS[INVERSE.get(relation, relation)]
            if proper and relation not in _OF_INSTANTS:
                bounds += _PROPER
            one, two = (part, other) if relation not in INVERSE else (other, part)
            moments = (*_interval(one, slot), *_interval(two, slot))
            compared = tuple([(moments[a], moments[b], slack) for a, b, slack in bounds])
            if negated and len(compared) == 1:
                ((a, b, slack),) = compared
                return ((b, a, 1 - slack),), False
            return compared, negated


def _moment(moment: Moment, slot: int) -> int:
    return _interval(moment.part, slot)[moment.end is End.FINISH]


def _interval(part: int, slot: int) -> tuple[int, int]:
    return (MY_START, MY_END) if part == slot else (THEIR_START, THEIR_END)
