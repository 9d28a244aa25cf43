"""How places relate, by the definitions of the OPSL specification (4.5); the shapes answer for
themselves.

On the globe they answer for the ground that they cover.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from tocsin.reference import globe
from tocsin.values.space import Geometry, Metric, SpatialRelation, collection_of

_TOLERANCE = 1e-9
"""Distances that differ by no more are equal."""


def are_related(
    place: Geometry | None,
    relation: SpatialRelation,
    other: Geometry | None,
    distance: float,
    metric: Metric,
) -> bool:
    """Whether a place stands in the relation to another; nowhere stands in none. Shapes have their
    boundaries.
    """
    if place is None or other is None:
        return False
    on_globe = metric is Metric.WGS84
    if on_globe and not (globe.is_on_globe(place) and globe.is_on_globe(other)):
        return relation is SpatialRelation.WITHIN  # which means: not farther
    match relation:
        case SpatialRelation.INSIDE:
            return globe.lies_inside(place, other) if on_globe else bool(place.covered_by(other))
        case SpatialRelation.MEETS:
            return globe.meets(place, other) if on_globe else not place.disjoint(other)
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
    """The place of several places: their convex hull, on the globe where they lie together. One is
    what it is.
    """
    if len(places) <= 1:
        return places[0] if places else None
    together = collection_of(places)
    return (globe.brought_together(together) if metric is Metric.WGS84 else together).convex_hull


def distance_of(place: Geometry, other: Geometry, metric: Metric) -> float:
    """The least distance between two shapes."""
    return float(place.distance(other)) if metric is Metric.PLANAR else globe.distance(place, other)


def _order(place: Geometry, other: Geometry, distance: float, metric: Metric) -> int:
    """-1 where the places are nearer than the distance, 0 where they are so far apart, 1 where they
    are farther.
    """
    apart = distance_of(place, other, metric)
    if apart > distance + _TOLERANCE:
        return 1
    return -1 if apart < distance - _TOLERANCE else 0


def _centre(place: Geometry, metric: Metric) -> Geometry:
    return (globe.brought_together(place) if metric is Metric.WGS84 else place).centroid
