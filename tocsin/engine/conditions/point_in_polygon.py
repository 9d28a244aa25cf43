"""Points in plain polygons by a compiled loop; points on or near a border are left to shapely.

starts   for each test, the index of its border in shell_x and shell_y
shell_x  x0 x1 ... xn x0 | x0 x1 ...     closed borders, one after the other
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tocsin.engine.index.kernels import Flags, Floats, Ints, compiled, inlined
from tocsin.values.regions import Numbers, RegionTest, coordinates_of_points, shells_of
from tocsin.values.space import Places

OUTSIDE: Final = 0
INSIDE: Final = 1
UNSURE: Final = 2

_ROUNDING: Final = 3.3306690738754716e-16
"""Relative rounding error of the side of a line, per sum of its two products: (3 + 16 e) e.

e is half of the last bit (Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997, orient2d).
"""

_UNDERFLOW: Final = 1e-290
"""Below it products may have lost bits, which the bound does not cover."""


class PolygonBorders:
    """The borders of the tests for which points can be decided here, one after the other."""

    __slots__ = ("_starts", "_x", "_y")

    def __init__(self, tests: list[RegionTest]) -> None:
        self._starts, self._x, self._y = shells_of(tests)

    def classify(self, places: Places, at: Numbers, tests: Numbers) -> tuple[Flags, Numbers]:
        """Return a flag per pair of place and test, True if it holds for sure, and the unsure
        pairs.
        """
        verdicts = np.full(len(at), UNSURE, np.int8)
        if len(self._x):
            x, y = coordinates_of_points(places)
            classify_pairs(self._starts, self._x, self._y, x, y, at, tests, verdicts)
        return verdicts == INSIDE, np.flatnonzero(verdicts == UNSURE)


@compiled
def classify_pairs(
    starts: Ints,
    border_x: Floats,
    border_y: Floats,
    x: Floats,
    y: Floats,
    at: Ints,
    tests: Ints,
    verdicts: Ints,
) -> None:
    """Write for each pair the side of the point.

    A pair with a test without a border, or a place that is not a point (its coordinates are NaN),
    is left unchanged.
    """
    for pair in range(len(at)):
        here_x, here_y = x[at[pair]], y[at[pair]]
        first, end = starts[tests[pair]], starts[tests[pair] + 1]
        # a test without a border here, or a place that is not a point, stays unsure
        if first < end and not (np.isnan(here_x) or np.isnan(here_y)):
            verdicts[pair] = _side(border_x, border_y, first, end, here_x, here_y)


@inlined
def _side(shell_x: Floats, shell_y: Floats, first: int, end: int, x: float, y: float) -> int:
    """Return the side of a point; an end at the very height of the point counts as below it."""
    # even-odd rule: inside if a ray to the right crosses the border an odd number of times
    crossed = 0
    for corner in range(first, end - 1):
        from_x, from_y = shell_x[corner] - x, shell_y[corner]
        to_x, to_y = shell_x[corner + 1] - x, shell_y[corner + 1]
        # both ends above the ray, or both at or below it: the edge does not cross it
        if (from_y <= y) == (to_y <= y):
            # but the point may be a corner, or lie on a horizontal edge
            if from_y == y and (from_x == 0 or (to_y == y and (from_x < 0) != (to_x < 0))):
                return UNSURE
            continue
        one, other = from_x * (to_y - y), to_x * (from_y - y)
        # the sign says on which side of the edge the point lies
        turn = one - other
        # written with not, so that NaN is unsure, too
        if not abs(turn) > _ROUNDING * (abs(one) + abs(other)) + _UNDERFLOW:
            return UNSURE
        # the edge lies to the right of the point, on the ray
        if (turn > 0) == (to_y > from_y):
            crossed += 1
    return INSIDE if crossed % 2 else OUTSIDE
