"""Many regions at once: which of them each of many places stands in its relation to. With `space`
the door to shapely.

Around each region lies a box, and a place outside of it cannot stand in the relation. A tree of
boxes therefore offers what to compare: perhaps too much, never too little. FARTHER holds far from
everything: ask for WITHIN, and negate it.

On the globe a box that crosses the 180th meridian is two, and every place is looked for at
longitudes from -180 to 180.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import shapely

from tocsin.values.geodesy import EVERYWHERE, Boxes, widen
from tocsin.values.globe import on_globe
from tocsin.values.space import (
    DISTANCES,
    Geometry,
    Metric,
    Places,
    SpatialRelation,
    as_places,
    centre,
    centre_on_globe,
    related_in_plane,
    related_on_globe,
)

Numbers: TypeAlias = npt.NDArray[np.intp]
Flags: TypeAlias = npt.NDArray[np.bool_]

Coordinates: TypeAlias = npt.NDArray[np.float64]
Judge: TypeAlias = Callable[[Places, Numbers, Numbers], tuple[Flags, Numbers]]
"""Of places, and pairs of place and test by number: which hold for sure, and which are not sure."""

_SLACK = 1e-9
"""Of coordinates and distances: far more than rounding and tolerance take, far less than boxes are
large.
"""

_PIECE = 4096
"""Places that are compared at a time."""

_HALF_TURN, _TURN, _POLE = 180.0, 360.0, 90.0
_MARGIN = 1.0
"""Metres by which boxes on the globe are larger than they need be, so that rounding loses nothing.
"""

_KINDS = [(relation, metric) for relation in SpatialRelation for metric in Metric]
_KIND_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}


@dataclass(frozen=True, slots=True, eq=False)
class RegionTest:
    """A relation to a region; not FARTHER."""

    relation: SpatialRelation
    region: Geometry
    distance: float = 0.0
    metric: Metric = Metric.PLANAR


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Places and tests by number, in the order of places, and how many exact comparisons it took to
    find them.
    """

    places: Numbers
    tests: Numbers
    compared: int


class RegionTree:
    """Tests that are decided together; one can be forgotten, none added."""

    __slots__ = ("_alive", "_boxes", "_distances", "_forgotten", "_kinds", "_present", "_regions")

    def __init__(self, tests: Sequence[RegionTest]) -> None:
        self._regions: Places = np.array([test.region for test in tests], np.object_)
        shapely.prepare(self._regions)
        self._distances = np.array([test.distance for test in tests], np.float64)
        self._kinds = np.array(
            [_KIND_NUMBERS[test.relation, test.metric] for test in tests], np.int64
        )
        self._present = np.unique(self._kinds)
        self._alive = np.ones(len(tests), np.bool_)
        self._forgotten = 0
        on_globe = np.array([test.metric is Metric.WGS84 for test in tests], np.bool_)
        self._boxes: list[BoxTree | GlobeTree] = []
        if not on_globe.all():
            self._boxes.append(self._tree_of_plane(np.flatnonzero(~on_globe)))
        if on_globe.any():
            self._boxes.append(self._tree_of_globe(np.flatnonzero(on_globe)))

    def __len__(self) -> int:
        return len(self._alive)

    @property
    def forgotten(self) -> int:
        """How many tests take up room in vain."""
        return self._forgotten

    def forget(self, test: int) -> None:
        """The test never holds again."""
        self._alive[test] = False
        self._regions[test] = None
        self._forgotten += 1

    def holding(self, places: Places, judge: Judge | None = None) -> Pairs:
        """Every place with every test that holds for it; what has no place stands in no relation.
        A judge, where there is one, is asked first.

        A piece of the places at a time, so that regions which many places lie in take no more room
        than the answer.
        """
        pieces = [
            self._holding(places[first : first + _PIECE], judge)
            for first in range(0, len(places), _PIECE)
        ]
        if len(pieces) == 1:
            return pieces[0]
        nothing = np.empty(0, np.intp)
        return Pairs(
            np.concatenate(
                [nothing, *(piece.places + number * _PIECE for number, piece in enumerate(pieces))]
            ),
            np.concatenate([nothing, *(piece.tests for piece in pieces)]),
            sum(piece.compared for piece in pieces),
        )

    def _holding(self, places: Places, judge: Judge | None) -> Pairs:
        offered = [boxes.offered(places) for boxes in self._boxes]
        at, tests = (np.concatenate(side) for side in zip(*offered, strict=True))
        if self._forgotten:
            living = self._alive[tests]
            at, tests = at[living], tests[living]
        if judge is None:
            holds = self._decided(places, at, tests)
        else:
            holds, unsure = judge(places, at, tests)
            if len(unsure):
                holds[unsure] = self._decided(places, at[unsure], tests[unsure])
        found_at, found = at[holds], tests[holds]
        if len(offered) > 1:
            order = np.argsort(found_at, kind="stable")
            found_at, found = found_at[order], found[order]
        return Pairs(found_at, found, len(tests))

    def _decided(self, places: Places, at: Numbers, tests: Numbers) -> Flags:
        """Region after region: one that is asked again at once is still at hand, which halves the
        time.
        """
        holds = np.zeros(len(tests), np.bool_)
        order = np.argsort(tests)
        kinds = self._kinds[tests[order]]
        for kind in self._present.tolist():
            mine = order if len(self._present) == 1 else order[kinds == kind]
            if len(mine):
                holds[mine] = self._of_kind(kind, places[at[mine]], tests[mine])
        return holds

    def _of_kind(self, kind: int, places: Places, tests: Numbers) -> Flags:
        relation, metric = _KINDS[kind]
        regions = self._regions[tests]
        if metric is Metric.WGS84:
            return related_on_globe(places, relation, regions, self._distances[tests])
        distances = self._distances[tests] if relation in DISTANCES else np.zeros(1)
        flags: Flags = related_in_plane(places, relation, regions, distances)
        return flags

    def _tree_of_plane(self, which: Numbers) -> BoxTree:
        """Around the centre where centres are compared, else around the region."""
        kinds, regions, distances = self._kinds[which], self._regions[which], self._distances[which]
        centred = kinds == _KIND_NUMBERS[SpatialRelation.SAME_PLACE, Metric.PLANAR]
        boxes: Boxes = shapely.bounds(np.where(centred, centre(regions), regions))
        touching = [
            _KIND_NUMBERS[each, Metric.PLANAR]
            for each in (SpatialRelation.INSIDE, SpatialRelation.MEETS)
        ]
        padding = distances + _SLACK * (1 + distances + np.abs(boxes).max(axis=1))
        padding = np.where(np.isin(kinds, touching), 0.0, padding)[:, None]
        return BoxTree(np.clip(boxes + padding * (-1, -1, 1, 1), -EVERYWHERE, EVERYWHERE), which)

    def _tree_of_globe(self, which: Numbers) -> GlobeTree:
        kinds, regions, distances = self._kinds[which], self._regions[which], self._distances[which]
        compares_distance = np.isin(
            kinds, [_KIND_NUMBERS[each, Metric.WGS84] for each in DISTANCES]
        )
        centred = kinds == _KIND_NUMBERS[SpatialRelation.SAME_PLACE, Metric.WGS84]
        shapes = as_places(
            [
                centre_on_globe(each) if by_centre else each
                for each, by_centre in zip(regions, centred, strict=True)
            ]
        )
        boxes = widen(shapely.bounds(shapes), np.where(compares_distance, distances, 0.0) + _MARGIN)
        boxes[~on_globe(shapes)] = (-_TURN, -_POLE, _TURN, _POLE)
        return GlobeTree(boxes, which)


def shells_of(tests: Sequence[RegionTest]) -> tuple[Numbers, Coordinates, Coordinates]:
    """The borders of those regions that are one polygon without holes and are asked in the plane
    what lies inside or meets them, which for a point is the same: where each begins, and all
    corners. Other tests have none.
    """
    regions = np.array([test.region for test in tests], np.object_)
    asked = [
        test.metric is Metric.PLANAR
        and test.relation in (SpatialRelation.INSIDE, SpatialRelation.MEETS)
        for test in tests
    ]
    is_polygon = shapely.get_type_id(regions) == shapely.GeometryType.POLYGON
    plain = np.array(asked, np.bool_) & is_polygon & (shapely.get_num_interior_rings(regions) == 0)
    counts = np.where(plain, shapely.get_num_coordinates(regions), 0)
    x, y = shapely.get_coordinates(regions[plain]).T
    starts = np.concatenate((np.zeros(1, np.intp), np.cumsum(counts, dtype=np.intp)))
    return starts, np.ascontiguousarray(x), np.ascontiguousarray(y)


def coordinates_of_points(places: Places) -> tuple[Coordinates, Coordinates]:
    """Where points lie; NaN for what is not one point."""
    return shapely.get_x(places), shapely.get_y(places)


class BoxTree:
    """Boxes of tests in the plane; a place is offered the tests whose boxes its own box meets."""

    __slots__ = ("_tests", "_tree")

    def __init__(self, boxes: Boxes, tests: Numbers) -> None:
        self._tree = shapely.STRtree(shapely.box(*boxes.T))
        self._tests = tests

    def offered(self, places: Places) -> tuple[Numbers, Numbers]:
        """Places and tests to compare, by number."""
        at, boxes = self._tree.query(places)
        return at, self._tests[boxes]


class GlobeTree:
    """As `BoxTree`, on the globe; a place that the globe does not have is offered every test."""

    __slots__ = ("_tests", "_tree")

    def __init__(self, boxes: Boxes, tests: Numbers) -> None:
        halves, owners = _unrolled(boxes)
        self._tree = shapely.STRtree(shapely.box(*halves.T))
        self._tests = tests[owners]

    def offered(self, places: Places) -> tuple[Numbers, Numbers]:
        """Places and tests to compare, by number, in the order of places."""
        given = np.flatnonzero(~shapely.is_missing(places))
        boxes = shapely.bounds(places[given])
        boxes[~on_globe(places[given])] = (-_TURN, -_POLE, _TURN, _POLE)
        halves, owners = _unrolled(boxes)
        at, found = self._tree.query(shapely.box(*halves.T))
        pairs = np.unique(np.column_stack((given[owners[at]], self._tests[found])), axis=0)
        return pairs[:, 0], pairs[:, 1]


def _unrolled(boxes: Boxes) -> tuple[Boxes, Numbers]:
    """The boxes at longitudes from -180 to 180, in one or two pieces, and the number of the box
    that each is of.

    What touches a pole is there at every longitude.
    """
    polar = np.abs(boxes[:, [1, 3]]).max(axis=1, initial=0) >= _POLE
    around = polar | (boxes[:, 2] - boxes[:, 0] >= _TURN)
    west = np.where(around, -_HALF_TURN, (boxes[:, 0] + _HALF_TURN) % _TURN - _HALF_TURN)
    east = np.where(around, _HALF_TURN, west + boxes[:, 2] - boxes[:, 0])
    first = np.column_stack((west, boxes[:, 1], np.minimum(east, _HALF_TURN), boxes[:, 3]))
    over = np.flatnonzero(east >= _HALF_TURN)
    beyond = np.where(around, _HALF_TURN, east - _TURN)[over]
    second = np.column_stack(
        (np.full(len(over), -_HALF_TURN), boxes[over, 1], beyond, boxes[over, 3])
    )
    return np.concatenate((first, second)), np.concatenate((np.arange(len(boxes)), over))
