"""Many regions at once: which of them each of many places stands in its relation to. With `space` the door to shapely.

Around each region lies a box, and a place outside of it cannot stand in the relation. A tree of boxes therefore offers
what to compare: perhaps too much, never too little. FARTHER holds far from everything: ask for WITHIN, and negate it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import shapely

from tocsin.values.geodesy import EVERYWHERE, Boxes, breadth, widened
from tocsin.values.space import DISTANCES, Geometry, Metric, Places, SpatialRelation, centre, related, related_in_plane

Numbers: TypeAlias = npt.NDArray[np.intp]
Flags: TypeAlias = npt.NDArray[np.bool_]

_SLACK = 1e-9
"""Of coordinates and distances: far more than rounding and tolerance take, far less than boxes are large."""

_PIECE = 4096
"""Places that are compared at a time."""

_SMALL = 800_000.0
_FAR = 1_000_000.0
_BULGE = 0.65
"""Laid flat, a shape bulges out of its box. Where shapes are small and the distance not far, all that is nearer to a
shape than d has a corner nearer than d and 0.58 of its breadth, and flat lengths are at most 1.05 of true ones."""

_KINDS = [(relation, by_metres) for relation in SpatialRelation for by_metres in (False, True)]
_KIND_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}


@dataclass(frozen=True, slots=True, eq=False)
class RegionTest:
    """A relation to a region; not FARTHER."""

    relation: SpatialRelation
    region: Geometry
    distance: float = 0.0
    metric: Metric = Metric.PLANAR

    @property
    def by_metres(self) -> bool:
        """Whether a distance on the globe decides."""
        return self.metric is Metric.WGS84 and self.relation in DISTANCES


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Places and tests by number, in the order of places, and how many exact comparisons it took to find them."""

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
        self._kinds = np.array([_KIND_NUMBERS[test.relation, test.by_metres] for test in tests], np.int64)
        self._present = np.unique(self._kinds)
        self._alive = np.ones(len(tests), np.bool_)
        self._forgotten = 0
        by_metres = np.array([test.by_metres for test in tests], np.bool_)
        chosen = ((np.flatnonzero(by_metres == metres), metres) for metres in (False, True))
        self._boxes = [BoxTree(self._around(which, metres), which, metres) for which, metres in chosen if len(which)]

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

    def holding(self, places: Places) -> Pairs:
        """Every place with every test that holds for it; what has no place stands in no relation.

        A piece of the places at a time, so that regions which many places lie in take no more room than the answer.
        """
        pieces = [self._holding(places[first : first + _PIECE]) for first in range(0, len(places), _PIECE)]
        if len(pieces) == 1:
            return pieces[0]
        nothing = np.empty(0, np.intp)
        return Pairs(
            np.concatenate([nothing, *(piece.places + number * _PIECE for number, piece in enumerate(pieces))]),
            np.concatenate([nothing, *(piece.tests for piece in pieces)]),
            sum(piece.compared for piece in pieces),
        )

    def _holding(self, places: Places) -> Pairs:
        offered = [boxes.offered(places) for boxes in self._boxes]
        at, tests = (np.concatenate(side) for side in zip(*offered, strict=True))
        if self._forgotten:
            living = self._alive[tests]
            at, tests = at[living], tests[living]
        holds = self._decided(places, at, tests)
        found_at, found = at[holds], tests[holds]
        if len(offered) > 1:
            order = np.argsort(found_at, kind="stable")
            found_at, found = found_at[order], found[order]
        return Pairs(found_at, found, len(tests))

    def _decided(self, places: Places, at: Numbers, tests: Numbers) -> Flags:
        """Region after region: one that is asked again at once is still at hand, which halves the time."""
        holds = np.zeros(len(tests), np.bool_)
        order = np.argsort(tests)
        kinds = self._kinds[tests[order]]
        for kind in self._present.tolist():
            mine = order if len(self._present) == 1 else order[kinds == kind]
            if len(mine):
                holds[mine] = self._of_kind(kind, places[at[mine]], tests[mine])
        return holds

    def _of_kind(self, kind: int, places: Places, tests: Numbers) -> Flags:
        """In the plane all at once; by metres one by one, because each place has a flat picture of its own."""
        relation, by_metres = _KINDS[kind]
        regions = self._regions[tests]
        distances = self._distances[tests] if relation in DISTANCES else np.zeros(1)
        if not by_metres:
            flags: Flags = related_in_plane(places, relation, regions, distances)
            return flags
        asked = zip(places, regions, distances.tolist(), strict=True)
        found = (related(place, relation, region, distance, Metric.WGS84) for place, region, distance in asked)
        return np.fromiter(found, np.bool_, len(tests))

    def _around(self, which: Numbers, by_metres: bool) -> Boxes:
        """The box around each of some tests: around the centre where centres are compared, else around the region."""
        kinds, regions, distances = self._kinds[which], self._regions[which], self._distances[which]
        centred = np.isin(kinds, [_KIND_NUMBERS[SpatialRelation.SAME_PLACE, each] for each in (False, True)])
        boxes: Boxes = shapely.bounds(np.where(centred, centre(regions), regions))
        if by_metres:
            return _metre_boxes(boxes, distances)
        touching = [_KIND_NUMBERS[relation, False] for relation in (SpatialRelation.INSIDE, SpatialRelation.MEETS)]
        padding = distances + _SLACK * (1 + distances + np.abs(boxes).max(axis=1))
        padding = np.where(np.isin(kinds, touching), 0.0, padding)[:, None]
        return np.clip(boxes + padding * (-1, -1, 1, 1), -EVERYWHERE, EVERYWHERE)


class BoxTree:
    """Boxes of tests; a place is offered the tests whose boxes its own box meets."""

    __slots__ = ("_by_metres", "_tests", "_tree")

    def __init__(self, boxes: Boxes, tests: Numbers, by_metres: bool) -> None:
        self._tree = shapely.STRtree(shapely.box(*boxes.T))
        self._tests = tests
        self._by_metres = by_metres

    def offered(self, places: Places) -> tuple[Numbers, Numbers]:
        """Places and tests to compare, by number."""
        asked = _grounds_by_metres(places) if self._by_metres else places
        at, boxes = self._tree.query(asked)
        return at, self._tests[boxes]


def _metre_boxes(boxes: Boxes, distances: npt.NDArray[np.float64]) -> Boxes:
    """Boxes widened by a distance and by what a shape bulges; everything where a shape or a distance is too large."""
    breadths = breadth(boxes)
    grown = widened(boxes, distances + _BULGE * breadths + 1)
    too_large = (breadths > _SMALL) | ((distances > _FAR) & (breadths > 0))
    grown[too_large] = (-EVERYWHERE, -EVERYWHERE, EVERYWHERE, EVERYWHERE)
    return grown


def _grounds_by_metres(places: Places) -> Places:
    """Points on the globe as they are; for everything else a box with what it bulges."""
    given = np.flatnonzero(~shapely.is_missing(places))
    boxes = shapely.bounds(places[given])
    plain = (
        (boxes[:, 0] == boxes[:, 2]) & (boxes[:, 1] == boxes[:, 3]) & (np.abs(boxes[:, :2]) <= (180, 90)).all(axis=1)
    )
    if plain.all():
        return places
    asked = places.copy()
    grown = _metre_boxes(boxes[~plain], np.zeros(int((~plain).sum())))
    asked[given[~plain]] = shapely.box(*grown.T)
    return asked
