"""How places relate, by the definitions of the OPSL specification (4.5); the shapes answer for themselves."""

from __future__ import annotations

from typing import assert_never

from tocsin.values.space import Geometry, Metric, SpatialRelation, distance_between

_TOLERANCE = 1e-9
"""Distances that differ by no more are equal."""


def are_related(
    place: Geometry | None, relation: SpatialRelation, other: Geometry | None, distance: float, metric: Metric
) -> bool:
    """Whether a place stands in the relation to another; nowhere stands in none. Shapes have their boundaries."""
    if place is None or other is None:
        return False
    match relation:
        case SpatialRelation.INSIDE:
            return bool(place.covered_by(other))
        case SpatialRelation.MEETS:
            return not place.disjoint(other)
        case SpatialRelation.SAME_PLACE:
            return _distance(place.centroid, other.centroid, metric) < distance
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


def _order(place: Geometry, other: Geometry, distance: float, metric: Metric) -> int:
    """-1 where the places are nearer than the distance, 0 where they are so far apart, 1 where they are farther."""
    apart = _distance(place, other, metric)
    if apart > distance + _TOLERANCE:
        return 1
    return -1 if apart < distance - _TOLERANCE else 0


def _distance(place: Geometry, other: Geometry, metric: Metric) -> float:
    return float(place.distance(other)) if metric is Metric.PLANAR else distance_between(place, other, metric)
