"""Relations of places, by the OPSL specification (4.5), decided by the shapes themselves.

On the globe it is brute force: no boxes, no bounds, no index. A shape is the ground that it covers:
turned by 360 degrees it is the same, and a pole is one point. A distance is searched: every edge is
walked in steps, and around the best steps in smaller ones, down to centimetres.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import pairwise
from typing import assert_never

import numpy as np
import numpy.typing as npt

from tocsin.values.geodesy import geodesic_lengths
from tocsin.values.space import Geometry, Metric, SpatialRelation, collection_of, moved_east

_TOLERANCE = 1e-9
"""Distances that differ by at most this are equal."""


def are_related(
    place: Geometry | None,
    relation: SpatialRelation,
    other: Geometry | None,
    distance: float,
    metric: Metric,
) -> bool:
    """True if a place stands in the relation to another; False if one is missing.

    Shapes include their boundaries.
    """
    if place is None or other is None:
        return False
    on_globe = metric is Metric.WGS84
    if on_globe and not (is_on_globe(place) and is_on_globe(other)):
        return relation is SpatialRelation.WITHIN  # WITHIN means: not farther
    match relation:
        case SpatialRelation.INSIDE:
            return lies_inside(place, other) if on_globe else bool(place.covered_by(other))
        case SpatialRelation.MEETS:
            return meets(place, other) if on_globe else not place.disjoint(other)
        case SpatialRelation.SAME_PLACE:
            centres = [_centre(each, metric) for each in (place, other)]
            return distance_of(centres[0], centres[1], metric) < distance
        case SpatialRelation.NEARER:
            return _order(place, other, distance, metric) < 0
        case SpatialRelation.AT:
            return _order(place, other, distance, metric) == 0
        case SpatialRelation.FARTHER:
            return _order(place, other, distance, metric) > 0
        case SpatialRelation.WITHIN:
            return _order(place, other, distance, metric) <= 0
        case _:
            assert_never(relation)


def place_of(places: Sequence[Geometry], metric: Metric = Metric.PLANAR) -> Geometry | None:
    """Return the convex hull of several places, on the globe after bringing them together.

    A single place stays as it is; None without places.
    """
    if len(places) <= 1:
        return places[0] if places else None
    together = collection_of(places)
    return (brought_together(together) if metric is Metric.WGS84 else together).convex_hull


def distance_of(place: Geometry, other: Geometry, metric: Metric) -> float:
    """Return the least distance between two shapes."""
    return float(place.distance(other)) if metric is Metric.PLANAR else distance(place, other)


def _order(place: Geometry, other: Geometry, distance: float, metric: Metric) -> int:
    """Return -1, 0 or 1: the places are nearer than the distance, at it, or farther."""
    apart = distance_of(place, other, metric)
    if apart > distance + _TOLERANCE:
        return 1
    return -1 if apart < distance - _TOLERANCE else 0


def _centre(place: Geometry, metric: Metric) -> Geometry:
    return (brought_together(place) if metric is Metric.WGS84 else place).centroid


# On the globe.

Floats = npt.NDArray[np.float64]
Edge = tuple[Floats, Floats]
"""Longitude and latitude of both ends."""

_MIN_SEPARATION = 2e-9
"""Metres: twice the tolerance of distances."""

_COPIES = (-2, -1, 0, 1, 2)
_STEPS = np.linspace(0, 1, 9)
_COARSE_STEPS = np.linspace(0, 1, 5)
_ZOOMS = 12
_DEGREE = 111_700.0
"""Metres: no degree of latitude or longitude is longer."""

_PAIRS_AT_ONCE = 1 << 12
"""Pairs of edges that are looked at together: those of two large shapes do not fit into memory."""

_LONGEST = 5.0
"""Degrees; longer edges are walked in pieces."""


def is_on_globe(place: Geometry) -> bool:
    """True if the coordinates of the place exist on the globe."""
    west, south, east, north = place.bounds
    return bool(
        west >= -360 and east <= 360 and south >= -90 and north <= 90 and east - west <= 360
    )


def meets(place: Geometry, other: Geometry) -> bool:
    """True if the two share a point of the ground."""
    return _shared_pole(place, other) or any(
        place.intersects(_turned(other, turns)) for turns in _COPIES
    )


def lies_inside(place: Geometry, other: Geometry) -> bool:
    """True if all of the place, except for a pole, is in some copy of the other.

    A pole of the place must be in the other, too.
    """
    copies = [_turned(other, turns) for turns in _COPIES]
    ground = reduce(lambda one, two: one.union(two), copies)
    if ground.covers(place):
        return True
    if not _shared_pole(place, other):
        return False
    _, other_south, _, other_north = other.bounds
    rest = [part.bounds for part in _parts(place.difference(ground))]
    return all(
        (south == 90 == other_north) or (north == -90 == other_south) for _, south, _, north in rest
    )


def distance(place: Geometry, other: Geometry) -> float:
    """Return the least distance in metres; 0 exactly if they meet, else above any tolerance."""
    return (
        0.0
        if meets(place, other)
        else max(_least(list(_edges(place)), list(_edges(other))), _MIN_SEPARATION)
    )


def brought_together(place: Geometry) -> Geometry:
    """Return the copies of its parts that span the fewest degrees of longitude.

    The place unchanged, if none span fewer.
    """
    parts = list(_parts(place))
    spans = [(part.bounds[0], part.bounds[2]) for part in parts]
    choices = []
    for start in (west % 360 for west, _ in spans):
        turns = [-int((west - start) // 360) for west, _ in spans]
        width = max(east + 360 * each for (_, east), each in zip(spans, turns, strict=True)) - start
        choices.append((width, start, turns))
    written = max(east for _, east in spans) - min(west for west, _ in spans)
    if written <= min(width for width, _, _ in choices):
        return place
    _, _, best = min(choices)
    return collection_of([_turned(part, each) for part, each in zip(parts, best, strict=True)])


def _turned(place: Geometry, turns: int) -> Geometry:
    return moved_east(place, 360.0 * turns)


def _shared_pole(place: Geometry, other: Geometry) -> bool:
    (_, south, _, north), (_, other_south, _, other_north) = place.bounds, other.bounds
    return bool(north == other_north == 90 or south == other_south == -90)


def _parts(place: Geometry) -> Iterator[Geometry]:
    if not hasattr(place, "geoms"):
        yield place
        return
    for part in place.geoms:
        yield from _parts(part)


def _edges(place: Geometry) -> Iterator[Edge]:
    """Yield all edges, long ones in pieces; a point is an edge from itself to itself."""
    for part in _parts(place):
        lines = [part.exterior, *part.interiors] if part.geom_type == "Polygon" else [part]
        for corners in (np.array(line.coords)[:, :2] for line in lines):
            if len(corners) == 1:
                yield (corners[0], corners[0])
            for start, end in pairwise(corners):
                count = max(1, int(np.ceil(np.abs(end - start).max() / _LONGEST)))
                stops = [start + (end - start) * n / count for n in range(count + 1)]
                yield from pairwise(stops)


def _least(edges: Sequence[Edge], others: Sequence[Edge]) -> float:
    """Return the least distance between two lists of edges: a coarse look at all pairs, a close one
    at each that may be nearer than the best so far.

    Any number of edges may meet in one point, so none is passed over for its rank.
    """
    ours, theirs = np.array(edges), np.array(others)
    count, best = len(others), np.inf
    for start in range(0, len(edges) * count, _PAIRS_AT_ONCE):
        numbers = np.arange(start, min(start + _PAIRS_AT_ONCE, len(edges) * count))
        coarse, floors = _bounds(ours[numbers // count], theirs[numbers % count])
        for at in np.argsort(coarse, kind="stable"):
            if floors[at] < best:
                one, two = divmod(start + int(at), count)
                best = min(best, _closest(edges[one], others[two]))
    return best


def _bounds(ours: Floats, theirs: Floats) -> tuple[Floats, Floats]:
    """The least distance of each pair of edges between a few points of both, and how far below it
    theirs may be.
    """
    shares, other_shares = (grid.ravel() for grid in np.meshgrid(_COARSE_STEPS, _COARSE_STEPS))
    along, other_along = ours[:, 1:] - ours[:, :1], theirs[:, 1:] - theirs[:, :1]
    points = ours[:, :1] + along * shares[:, None]
    other_points = theirs[:, :1] + other_along * other_shares[:, None]
    lengths = geodesic_lengths(points.reshape(-1, 2), other_points.reshape(-1, 2))
    coarse: Floats = lengths.reshape(len(ours), -1).min(axis=1)
    between_steps = (np.abs(along) + np.abs(other_along)).sum(axis=(1, 2))
    return coarse, coarse - _DEGREE * between_steps / (2 * (len(_COARSE_STEPS) - 1))


def _closest(edge: Edge, other: Edge) -> float:
    """Return the least distance between two edges.

    Walks the first in ever smaller steps, for each point along the whole second.
    """
    low, high, best = 0.0, 1.0, np.inf
    for _ in range(_ZOOMS):
        shares = low + (high - low) * _STEPS
        points = edge[0] + (edge[1] - edge[0]) * shares[:, None]
        found = _closest_to_points(points, other)
        step, at = (high - low) / (len(_STEPS) - 1), int(found.argmin())
        low, high = max(0.0, shares[at] - step), min(1.0, shares[at] + step)
        best = min(best, float(found[at]))
        if (edge[0] == edge[1]).all():
            break
    return best


def _closest_to_points(points: Floats, edge: Edge) -> Floats:
    """Return the least distance from each point to an edge."""
    low, high = np.zeros(len(points)), np.ones(len(points))
    best = np.full(len(points), np.inf)
    for _ in range(_ZOOMS):
        shares = low[:, None] + (high - low)[:, None] * _STEPS
        along = edge[0] + (edge[1] - edge[0]) * shares[..., None]
        lengths = geodesic_lengths(
            np.repeat(points, len(_STEPS), axis=0), along.reshape(-1, 2)
        ).reshape(shares.shape)
        step, at = (high - low) / (len(_STEPS) - 1), lengths.argmin(axis=1)
        chosen = shares[np.arange(len(points)), at]
        low, high = np.maximum(0.0, chosen - step), np.minimum(1.0, chosen + step)
        best = np.minimum(best, lengths.min(axis=1))
    return best
