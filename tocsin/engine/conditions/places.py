"""The index for places: a tree of regions, so that an event is compared only with regions near it.

Adding and removing are cheap. Regions added since the tree was built go to a second, small tree.
Trees are built when events arrive; the two are merged when the small one has outgrown the square
root of the total, or half of the large one is removed. Points in plain polygons are decided by a
compiled loop; points on or near a border are left to shapely.

    starts   for each test, the index of its border in shell_x and shell_y
    shell_x  x0 x1 ... xn x0 | x0 x1 ...     closed borders, one after the other
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tocsin.engine.conditions.answers import AnswerMatrix, OneEvent, PostingAnswers
from tocsin.engine.conditions.probes import ProbeTable
from tocsin.engine.index.kernels import Flags, Floats, Ints, compiled, inlined
from tocsin.engine.index.matcher_parts import WorkCounters
from tocsin.plan.nodes.atoms import PlaceIs, region_of
from tocsin.values.regions import (
    Numbers,
    PlaceTestPairs,
    RegionTest,
    RegionTree,
    coordinates_of_points,
    shells_of,
)
from tocsin.values.space import Places, have_places

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


_ANY_PLACE = None
"""Key of the probe that every event with a place satisfies."""

_SMALL = 64
"""The small tree may grow to this size, for any total."""


class RegionProbeTree:
    """A tree over the tests of some probes."""

    __slots__ = ("_borders", "_positions", "probes", "tree")

    def __init__(self, tests: dict[int, RegionTest]) -> None:
        self.tree = RegionTree(list(tests.values()))
        self._borders = PolygonBorders(list(tests.values()))
        self.probes = np.fromiter(tests, np.int32, len(tests))
        self._positions = {probe: position for position, probe in enumerate(tests)}

    def find_true_tests(self, places: Places) -> PlaceTestPairs:
        """Return every place with every test that holds for it."""
        return self.tree.holding(places, self._borders.classify)

    def forget(self, probe: int) -> None:
        """Remove a probe; its number may be reused."""
        self.tree.forget(self._positions.pop(probe))


class PlaceProbes:
    """Probes by their condition on a place."""

    __slots__ = ("_any", "_large", "_new", "_probes", "_small", "_table", "_tests", "_work")

    def __init__(self, table: ProbeTable, work: WorkCounters) -> None:
        self._table = table
        self._work = work
        self._any: int | None = None
        self._probes: dict[PlaceIs, int] = {}
        self._tests: dict[int, RegionTest] = {}
        self._new: dict[int, RegionTest] = {}
        self._large: RegionProbeTree | None = None
        self._small: RegionProbeTree | None = None

    def __len__(self) -> int:
        return len(self._probes) + (self._any is not None)

    def probe(self, predicate: PlaceIs) -> int:
        """Return the probe for a relation to a region, new or known."""
        found = self._probes.get(predicate)
        if found is None:
            test = RegionTest(
                predicate.relation,
                region_of(predicate.region),
                predicate.distance,
                predicate.metric,
            )
            found = self._probes[predicate] = self._table.new(self, predicate)
            self._tests[found] = self._new[found] = test
            self._small = None
        return found

    def probe_of_any(self) -> int:
        """Return the probe for having a place."""
        if self._any is None:
            self._any = self._table.new(self, _ANY_PLACE)
        return self._any

    def drop(self, probe: int, key: Any) -> None:
        """Remove a probe."""
        if key is _ANY_PLACE:
            self._any = None
            return
        del self._probes[key], self._tests[probe]
        if self._new.pop(probe, None) is not None:
            self._small = None
        elif self._large is not None:
            self._large.forget(probe)
        if not self._tests:
            self._large = self._small = None

    def fill(self, places: Places, rows: AnswerMatrix) -> None:
        """Write the answers of a block of events with these places.

        Each event has a list of probes of its own.
        """
        if self._any is not None:
            rows.put_flags(self._any, have_places(places))
        found = list(self._holding(places))
        events = np.concatenate([np.empty(0, np.intp), *(at for at, _ in found)])
        if not len(events):
            return
        probes = np.concatenate([probes for _, probes in found])
        if len(found) > 1:
            order = np.argsort(events, kind="stable")
            events, probes = events[order], probes[order]
        counts = np.bincount(events, minlength=len(places)).astype(np.int32)
        codes = np.arange(len(places), dtype=np.int32)
        PostingAnswers(codes, np.cumsum(counts) - counts, counts, probes).fill(
            rows, slice(0, len(places))
        )

    def see(self, place: Places, one: OneEvent) -> None:
        """Mark the probes that one event with the place satisfies."""
        if place[0] is None:
            return
        if self._any is not None:
            one.see(self._any)
        for _, probes in self._holding(place):
            one.see_all(probes)

    def _holding(
        self, places: Places
    ) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.int32]]]:
        self._plant()
        for grove in (self._large, self._small):
            if grove is not None:
                pairs = grove.find_true_tests(places)
                self._work.place_checks += pairs.compared
                yield pairs.places, grove.probes[pairs.tests]

    def _plant(self) -> None:
        """Build missing trees."""
        gone, size = (
            (0, 0) if self._large is None else (self._large.tree.forgotten, len(self._large.tree))
        )
        if len(self._new) > max(_SMALL, isqrt(len(self._tests))) or 2 * gone > size:
            self._large = RegionProbeTree(self._tests) if self._tests else None
            self._new, self._small = {}, None
        elif self._new and self._small is None:
            self._small = RegionProbeTree(self._new)
