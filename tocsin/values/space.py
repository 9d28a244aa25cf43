"""Space: the only door to shapely. A place is a valid, non-empty geometry with finite coordinates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, TypeAlias

import shapely
from shapely.geometry.base import BaseGeometry

from tocsin.errors import MeaningProblem

Geometry: TypeAlias = BaseGeometry

TOLERANCE = 1e-9
"""Distances closer than this are equal."""


class SpatialRelation(Enum):
    """How a place relates to another. Shapes are closed: touching counts."""

    INSIDE = "inside"
    MEETS = "meets"
    SAME_PLACE = "same place"
    NEARER = "nearer than"
    AT = "at distance"
    FARTHER = "farther than"


class Metric(Enum):
    """What distances mean: units of the plane, or metres on the WGS84 ellipsoid with longitude first."""

    PLANAR = "planar"
    WGS84 = "wgs84"


def parse_place(value: object) -> Geometry:
    """The geometry of a WKT string or a GeoJSON object (a Feature counts as its geometry)."""
    if isinstance(value, str):
        geometry = _from_wkt(value)
    elif isinstance(value, Mapping):
        geometry = _from_geojson(value)
    else:
        raise MeaningProblem(f"a place is a WKT string or a GeoJSON object, got {type(value).__name__}")
    return _checked(geometry)


def format_place(place: Geometry) -> str:
    """The geometry as WKT with the shortest digits that give the same coordinates back."""
    return str(shapely.to_wkt(place, rounding_precision=-1, trim=True))


def hull(places: Iterable[Geometry]) -> Geometry | None:
    """The convex hull of places together; None for none."""
    known = list(places)
    return shapely.convex_hull(shapely.geometrycollections(known)) if known else None


def related(place: Geometry, relation: SpatialRelation, other: Geometry, distance: float = 0.0) -> bool:
    """Whether a place stands in the relation to another, in the plane.

    INSIDE counts the boundary; SAME_PLACE compares centres; of NEARER, AT and FARTHER exactly one holds.
    """
    match relation:
        case SpatialRelation.INSIDE:
            return bool(shapely.covers(other, place))
        case SpatialRelation.MEETS:
            return bool(shapely.intersects(other, place))
        case SpatialRelation.SAME_PLACE:
            return bool(shapely.distance(shapely.centroid(place), shapely.centroid(other)) < distance)
        case _:
            return _compares(float(shapely.distance(place, other)), relation, distance)


def _compares(found: float, relation: SpatialRelation, distance: float) -> bool:
    if relation is SpatialRelation.NEARER:
        return found < distance - TOLERANCE
    if relation is SpatialRelation.FARTHER:
        return found > distance + TOLERANCE
    return abs(found - distance) <= TOLERANCE


def _from_wkt(text: str) -> Geometry:
    try:
        return shapely.from_wkt(text)
    except shapely.errors.ShapelyError as error:
        raise MeaningProblem(f"{text[:80]!r} is not WKT: {error}", hint="write it like POINT (1 2)") from None


def _from_geojson(value: Mapping[str, Any]) -> Geometry:
    geometry = value.get("geometry") if value.get("type") == "Feature" else value
    try:
        return shapely.from_geojson(json.dumps(geometry))
    except (shapely.errors.ShapelyError, TypeError, ValueError) as error:
        raise MeaningProblem(
            f"not a GeoJSON geometry: {error}", hint='write it like {"type": "Point", "coordinates": [1, 2]}'
        ) from None


def _checked(geometry: Geometry | None) -> Geometry:
    if geometry is None or geometry.is_empty:
        raise MeaningProblem("a place is not empty")
    if not shapely.get_coordinates(geometry).size or not _all_finite(geometry):
        raise MeaningProblem("a place has finite coordinates")
    if not geometry.is_valid:
        raise MeaningProblem(f"the place is not a valid geometry: {shapely.is_valid_reason(geometry)}")
    return geometry


def _all_finite(geometry: Geometry) -> bool:
    coordinates = shapely.get_coordinates(geometry)
    return bool(((coordinates - coordinates) == 0).all())
