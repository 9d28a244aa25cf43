"""Places on the globe: intersection, containment and distance.

With `space` and `regions` one of the modules that use shapely. Coordinates are longitude and
latitude in degrees. Edges are straight in them, as they are written, for every relation. Longitudes
a full turn apart are one, and so are all longitudes at a pole. A place that crosses the 180th
meridian goes on beyond 180 (170 to 190), or is cut there into several (170 to 180 and -180 to
-170): both are the same ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from tocsin.values.geodesy import Boxes, between_points, geodesic_lengths
from tocsin.values.globe_distance import Chains, Metres, Numbers, least_distances

Geometry: TypeAlias = BaseGeometry
Places: TypeAlias = npt.NDArray[np.object_]
Flags: TypeAlias = npt.NDArray[np.bool_]

TURN = 360.0
POLE = 90.0
FARTHEST_LONGITUDE = 360.0
"""Degrees east or west: a place may be written once around the globe in either direction, and be a
turn wide.
"""

_TURNS = (0, -1, 1, -2, 2)
_APART = 2e-9
"""Metres. Least distance between shapes that do not meet."""

_POINT, _LINE, _RING, _POLYGON = 0, 1, 2, 3


def on_globe(places: Any) -> Flags:
    """Return a flag per place: True if its coordinates exist on the globe. False for a missing
    place.
    """
    boxes: Boxes = shapely.bounds(places)
    with np.errstate(invalid="ignore"):
        inside = (np.abs(boxes) <= (FARTHEST_LONGITUDE, POLE, FARTHEST_LONGITUDE, POLE)).all(
            axis=-1
        )
        return np.asarray(inside & (boxes[..., 2] - boxes[..., 0] <= TURN))


def meet(places: Places, others: Places) -> Flags:
    """Return a flag per pair of places: True if they share a point. All must be on the globe."""
    boxes, other_boxes = shapely.bounds(places), shapely.bounds(others)
    found = _at_one_pole(boxes, other_boxes)
    first, last = _turns_between(boxes, other_boxes)
    for turns in _TURNS:
        asked = np.flatnonzero((first <= turns) & (turns <= last) & ~found)
        if len(asked):
            found[asked] = shapely.intersects(others[asked], turn_longitudes(places[asked], -turns))
    return found


def lie_inside(places: Places, others: Places) -> Flags:
    """Return a flag per pair: True if the place lies inside the other, boundary included.

    All must be on the globe.
    """
    boxes, other_boxes = shapely.bounds(places), shapely.bounds(others)
    first, last = _turns_between(boxes, other_boxes)
    plain = (first == 0) & (last == 0) & (np.abs(boxes[:, [1, 3]]).max(axis=1, initial=0) < POLE)
    found = np.zeros(len(places), np.bool_)
    found[plain] = shapely.covers(others[plain], places[plain])
    for k in np.flatnonzero((first <= last) & ~plain).tolist():
        found[k] = _is_inside(places[k], others[k], range(int(first[k]), int(last[k]) + 1))
    for k in np.flatnonzero((first > last) & _at_one_pole(boxes, other_boxes)).tolist():
        found[k] = _without_poles(places[k]).is_empty
    return found


def distances(places: Places, others: Places, limits: Metres | None = None) -> Metres:
    """Return the metres between each pair of places; 0 exactly if they meet. All must be on the
    globe.

    With limits, a distance may be any number on the same side of its limit as the true one.
    """
    found = np.zeros(len(places))
    apart = np.flatnonzero(~meet(places, others))
    points = _are_points(places[apart]) & _are_points(others[apart])
    plain, shaped = apart[points], apart[~points]
    if len(plain):
        ends = (shapely.get_coordinates(each[plain]) for each in (places, others))
        found[plain] = np.maximum(geodesic_lengths(*ends), _APART)
    if len(shaped):
        one, other = places[shaped], others[shaped]
        asked = None if limits is None else limits[shaped]
        mine, theirs = np.arange(len(shaped)), np.arange(len(shaped))
        found[shaped] = np.maximum(
            least_distances(chains_of(one), mine, chains_of(other), theirs, asked), _APART
        )
    return found


def distance_of_points(place: Geometry, other: Geometry) -> float | None:
    """Return the distance of two points, as `distances` does; None off the globe.

    Works without arrays, because pairs of events are mostly two points.
    """
    x, y, other_x, other_y = place.x, place.y, other.x, other.y
    if max(abs(x), abs(other_x)) > FARTHEST_LONGITUDE or max(abs(y), abs(other_y)) > POLE:
        return None
    if y == other_y and (abs(y) == POLE or any(x - TURN * turns == other_x for turns in _TURNS)):
        return 0.0
    return max(between_points(x, y, other_x, other_y), _APART)


def gather_parts(place: Geometry) -> Geometry:
    """Turn the parts of a place so that they lie in the smallest range of longitudes."""
    parts = _simple_parts(np.array([place], np.object_))[0]
    boxes = shapely.bounds(parts)
    gap, start = _widest_gap(boxes)
    if boxes[:, 2].max() - boxes[:, 0].min() <= TURN - gap:
        return place
    turns = np.floor((boxes[:, 0] - start) / TURN)
    return shapely.geometrycollections(
        [turn_longitudes(part, -each) for part, each in zip(parts, turns, strict=True)]
    )


def turn_longitudes(place: Any, turns: float) -> Any:
    """Shift a place, or each of an array, `turns` full turns to the east: the same ground."""
    if not turns:
        return place
    return shapely.transform(place, lambda coordinates: coordinates + np.array((TURN * turns, 0)))


def chains_of(places: Places) -> Chains:
    """Return the edges of places: of a polygon those of its rings, of a point the point itself."""
    parts, owners = _simple_parts(places)
    kinds = shapely.get_type_id(parts)
    areas = kinds == _POLYGON
    rings, of_area = shapely.get_rings(parts[areas], return_index=True)
    lines = np.concatenate((parts[~areas], rings))
    line_owners = np.concatenate((owners[~areas], owners[areas][of_area]))
    order = np.argsort(line_owners, kind="stable")
    corners, of_line = shapely.get_coordinates(lines[order], return_index=True)
    joined = of_line[1:] == of_line[:-1]
    alone = np.bincount(of_line, minlength=len(lines)) == 1
    starts = np.append(joined, False) | alone[of_line]
    ends = np.append(False, joined) | alone[of_line]
    edges = np.hstack((corners[starts], corners[ends]))
    return Chains.of(edges, line_owners[order][of_line[starts]], len(places))


def _at_one_pole(boxes: Boxes, others: Boxes) -> Flags:
    north = (boxes[:, 3] >= POLE) & (others[:, 3] >= POLE)
    return np.asarray(north | ((boxes[:, 1] <= -POLE) & (others[:, 1] <= -POLE)))


def _turns_between(boxes: Boxes, others: Boxes) -> tuple[Numbers, Numbers]:
    """Return the least and greatest number of eastward turns that bring the others to the first's
    longitudes.
    """
    first = np.ceil((boxes[:, 0] - others[:, 2]) / TURN)
    last = np.floor((boxes[:, 2] - others[:, 0]) / TURN)
    return first.astype(np.intp), last.astype(np.intp)


def _is_inside(place: Geometry, other: Geometry, turns: Sequence[int]) -> bool:
    (_, south, _, north), (_, other_south, _, other_north) = place.bounds, other.bounds
    if (north >= POLE > other_north) or (south <= -POLE < other_south):
        return False
    rest = _without_poles(place)
    ground = (
        shapely.union_all([turn_longitudes(other, each) for each in turns])
        if len(turns) > 1
        else turn_longitudes(other, turns[0])
    )
    return rest.is_empty or bool(shapely.covers(ground, rest))


def _without_poles(place: Geometry) -> Geometry:
    """Return a place without the points and edges that lie on a pole only."""
    parts = _simple_parts(np.array([place], np.object_))[0]
    left: list[Geometry] = []
    for part in parts:
        corners = shapely.get_coordinates(part)
        if shapely.get_type_id(part) == _POLYGON:
            left.append(part)
        elif len(corners) == 1:
            left += [part] if abs(corners[0, 1]) < POLE else []
        else:
            pairs = np.stack((corners[:-1], corners[1:]), axis=1)
            at_pole = (np.abs(pairs[:, :, 1]) >= POLE).all(axis=1) & (
                pairs[:, 0, 1] == pairs[:, 1, 1]
            )
            left += list(shapely.linestrings(pairs[~at_pole]))
    return left[0] if len(left) == 1 else shapely.geometrycollections(left)


def _are_points(places: Places) -> Flags:
    return np.asarray(shapely.get_type_id(places) == _POINT)


def _simple_parts(places: Places) -> tuple[Places, Numbers]:
    """Return the points, lines and polygons of places, in order, each with its place number."""
    parts, owners = places, np.arange(len(places))
    while (shapely.get_type_id(parts) > _POLYGON).any():
        parts, of_part = shapely.get_parts(parts, return_index=True)
        owners = owners[of_part]
    return parts, owners


def _widest_gap(boxes: Boxes) -> tuple[float, float]:
    """Return the widest range of longitudes without a box, and the longitude at which it ends."""
    starts = boxes[:, 0] % TURN
    order = np.argsort(starts, kind="stable")
    begins, ends = starts[order], (starts + boxes[:, 2] - boxes[:, 0])[order]
    reached = np.maximum.accumulate(ends)
    gaps = begins - np.append(reached[-1] - TURN, reached[:-1])
    widest = int(np.argmax(gaps))
    return float(gaps[widest]), float(begins[widest])
