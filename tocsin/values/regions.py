"""Many regions at once: index of the tests that each of many places meets.

With `globe` and `space` one of the modules that use shapely. Around each region lies a box, and a
place outside of it cannot meet the test. A tree of boxes offers candidates: perhaps too many, never
too few. FARTHER holds far from everything: test WITHIN, and negate it.

On the globe a box that crosses the 180th meridian is two, and every place is searched at longitudes
from -180 to 180.
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
"""A quick check of candidate pairs (place, test): a flag per pair, and the pairs it cannot decide.
"""

_SLACK = 1e-9
"""Relative margin of boxes: far more than rounding and tolerance, far less than box sizes."""

_PIECE = 4096
"""Places compared at a time; bounds the memory of candidates."""

_HALF_TURN, _TURN, _POLE = 180.0, 360.0, 90.0
_MARGIN = 1.0
"""Metres by which boxes on the globe are enlarged, so that rounding loses nothing."""

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
class PlaceTestPairs:
    """Places and tests by number, in the order of places, and the number of candidates compared."""

    places: Numbers
    tests: Numbers
    compared: int


class RegionTree:
    """A fixed set of tests that are decided together; tests can be forgotten, not added."""

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
        """Number of forgotten tests, which still take up memory."""
        return self._forgotten

    def forget(self, test: int) -> None:
        """Remove a test; it never holds again."""
        self._alive[test] = False
        self._regions[test] = None
        self._forgotten += 1

    def holding(self, places: Places, judge: Judge | None = None) -> PlaceTestPairs:
        """Return every place with every test that holds for it; a missing place meets no test.

        If there is a judge, it decides first. Places are processed in pieces, which bounds the
        memory even if regions contain many places.
        """
        pieces = [
            self._holding(places[first : first + _PIECE], judge)
            for first in range(0, len(places), _PIECE)
        ]
        if len(pieces) == 1:
            return pieces[0]
        nothing = np.empty(0, np.intp)
        return PlaceTestPairs(
            np.concatenate(
                [nothing, *(piece.places + number * _PIECE for number, piece in enumerate(pieces))]
            ),
            np.concatenate([nothing, *(piece.tests for piece in pieces)]),
            sum(piece.compared for piece in pieces),
        )

    def _holding(self, places: Places, judge: Judge | None) -> PlaceTestPairs:
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
        return PlaceTestPairs(found_at, found, len(tests))

    def _decided(self, places: Places, at: Numbers, tests: Numbers) -> Flags:
        """Return a flag per pair. Sorted by region: repeated use of one region halves the time."""
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
        """Build the tree of planar boxes: around the centre for SAME_PLACE, else the region."""
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
    """Return the borders of single polygons without holes: start of each test, x, y.

    Only for planar INSIDE and MEETS tests, which for a point are the same. Other tests have no
    corners.
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
    """Return the coordinates of points; NaN for anything that is not one point."""
    return shapely.get_x(places), shapely.get_y(places)


class BoxTree:
    """Tree of planar boxes; a place is offered the tests whose boxes meet its own box."""

    __slots__ = ("_tests", "_tree")

    def __init__(self, boxes: Boxes, tests: Numbers) -> None:
        self._tree = shapely.STRtree(shapely.box(*boxes.T))
        self._tests = tests

    def offered(self, places: Places) -> tuple[Numbers, Numbers]:
        """Return the candidate pairs: places and tests by number."""
        at, boxes = self._tree.query(places)
        return at, self._tests[boxes]


class GlobeTree:
    """As `BoxTree`, on the globe; a place with coordinates off the globe is offered every test."""

    __slots__ = ("_tests", "_tree")

    def __init__(self, boxes: Boxes, tests: Numbers) -> None:
        halves, owners = _unrolled(boxes)
        self._tree = shapely.STRtree(shapely.box(*halves.T))
        self._tests = tests[owners]

    def offered(self, places: Places) -> tuple[Numbers, Numbers]:
        """Return the candidate pairs: places and tests by number, in the order of places."""
        given = np.flatnonzero(~shapely.is_missing(places))
        boxes = shapely.bounds(places[given])
        boxes[~on_globe(places[given])] = (-_TURN, -_POLE, _TURN, _POLE)
        halves, owners = _unrolled(boxes)
        at, found = self._tree.query(shapely.box(*halves.T))
        pairs = np.unique(np.column_stack((given[owners[at]], self._tests[found])), axis=0)
        return pairs[:, 0], pairs[:, 1]


def _unrolled(boxes: Boxes) -> tuple[Boxes, Numbers]:
    """Return the boxes at longitudes from -180 to 180, in one or two pieces, and each piece's box
    number.

    A box that touches a pole spans every longitude.
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
