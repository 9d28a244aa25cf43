"""Plan of each form of OPSL: ten temporal and twelve spatial forms, in tables by their glyphs.

Windows on a duration are half-open, (start, start + t]; windows between two parts are open at both
ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tocsin.plan.nodes.composites import (
    Absence,
    AfterInstant,
    AfterWindow,
    AtRegion,
    BetweenWindow,
    DuringWindow,
    End,
    FixedWindow,
    Join,
    Moment,
    Near,
    Only,
    Part,
    Precedes,
)
from tocsin.values.space import Metric, SpatialRelation
from tocsin.values.time import Duration, Instant

FIXED: Mapping[str, Callable[[Part, Instant, Duration], Part]] = {
    "!": lambda part, start, length: Absence(part, FixedWindow(start, length)),
    "=|": lambda part, start, length: Only(part, DuringWindow(start, length)),
    "|=": lambda part, start, length: Only(part, AfterInstant(start + length)),
}
"""`(T;t)B` by operator: the operand, the start of the window and its length."""

AFTER: Mapping[str, Callable[[Part, Part, Duration], Part]] = {
    "!": lambda first, part, length: Absence(part, AfterWindow(first, length)),
    "=|": lambda first, part, length: Join(
        (first, part), (_follows(0, 1), _ends_within(1, 0, length))
    ),
    "|=": lambda first, part, length: Join((first, part), (_follows(0, 1, length),)),
}
"""`(A;t)B` by operator: the part that opens the window, the operand, and the window's length."""

BETWEEN: Mapping[str, Callable[[Part, Part, Part], Part]] = {
    "!": lambda first, last, part: Absence(part, BetweenWindow(first, last)),
    "=|": lambda first, last, part: Join((first, last, part), (_follows(0, 2), _follows(2, 1))),
    "|=": lambda first, last, part: Join((first, last, part), (_follows(0, 1), _follows(1, 2))),
}
"""`(A;B)C` by operator: the parts that open and close the window, and the operand."""

RELATIONS: Mapping[str, SpatialRelation] = {
    "@": SpatialRelation.INSIDE,
    "IN": SpatialRelation.INSIDE,
    "OVLP": SpatialRelation.MEETS,
    "SPL": SpatialRelation.SAME_PLACE,
    "DIST<": SpatialRelation.NEARER,
    "DIST=": SpatialRelation.AT,
    "DIST>": SpatialRelation.FARTHER,
}
"""The spatial operators, DIST with its comparison."""


def concurrent(other: Part, part: Part, tolerance: Duration, longest: Duration | None) -> Part:
    """Return `|(A)B`: they share time, or miss it by at most the tolerance.

    With a longest duration, an occurrence that ends later than that and the tolerance together
    cannot be concurrent. Without it, one may last for ever: only the horizon bounds the wait.
    """
    conditions = (_starts_before_end(1, 0, tolerance), _starts_before_end(0, 1, tolerance))
    return Join((other, part), conditions, keep=None if longest is None else tolerance + longest)


def at_region(
    part: Part, relation: SpatialRelation, region: str, distance: float, metric: Metric
) -> Part:
    """Return a spatial form with a region."""
    return Only(part, AtRegion(relation, region, distance, metric))


def near(
    other: Part, part: Part, relation: SpatialRelation, distance: float, metric: Metric
) -> Part:
    """Return a spatial form with a part: the operand has the relation to the other part."""
    return Join((other, part), (Near(1, relation, 0, distance, metric),))


def _follows(earlier: int, later: int, gap: Duration = 0) -> Precedes:
    return Precedes(Moment(earlier, End.FINISH), Moment(later, End.START), gap)


def _ends_within(part: int, after: int, length: Duration) -> Precedes:
    return Precedes(Moment(part, End.FINISH), Moment(after, End.FINISH), -length, or_equal=True)


def _starts_before_end(part: int, other: int, tolerance: Duration) -> Precedes:
    return Precedes(Moment(part, End.START), Moment(other, End.FINISH), -tolerance, or_equal=True)
