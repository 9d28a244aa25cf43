"""Relations of places, by the OPSL specification (4.5), decided by the shapes themselves.

On the globe a shape is the ground that it covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from tocsin.reference import globe
from tocsin.values.space import Geometry, Metric, SpatialRelation, collection_of

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
    if on_globe and not (globe.is_on_globe(place) and globe.is_on_globe(other)):
        return relation is SpatialRelation.WITHIN  # WITHIN means: not farther
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
    """Return the convex hull of several places, on the globe after bringing them together.

    A single place stays as it is; None without places.
    """
    if len(places) <= 1:
        return places[0] if places else None
    together = collection_of(places)
    return (globe.brought_together(together) if metric is Metric.WGS84 else together).convex_hull


def distance_of(place: Geometry, other: Geometry, metric: Metric) -> float:
    """Return the least distance between two shapes."""
    return float(place.distance(other)) if metric is Metric.PLANAR else globe.distance(place, other)


def _order(place: Geometry, other: Geometry, distance: float, metric: Metric) -> int:
    """Return -1, 0 or 1: the places are nearer than the distance, at it, or farther."""
    apart = distance_of(place, other, metric)
    if apart > distance + _TOLERANCE:
        return 1
    return -1 if apart < distance - _TOLERANCE else 0


def _centre(place: Geometry, metric: Metric) -> Geometry:
    return (globe.brought_together(place) if metric is Metric.WGS84 else place).centroid
