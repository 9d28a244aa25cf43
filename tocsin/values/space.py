"""Space: the only door to shapely. A place is a valid, non-empty geometry with finite coordinates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from tocsin.errors import MeaningProblem
from tocsin.values.geodesy import between_points, flattened_around

Geometry: TypeAlias = BaseGeometry

MAX_DEPTH = 32
"""How deep collections may nest: GEOS reads them by recursion and would end the process on a hostile text."""

_STEPS = {"(": 1, ")": -1}

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
    """The geometry as WKT. Coordinates read back the same; near zero they are exact to 16 digits past the point."""
    return str(shapely.to_wkt(place, rounding_precision=-1, trim=True))


def extent(places: Sequence[Geometry]) -> Geometry | None:
    """The ground that places cover together: one place itself, points and several places their convex hull."""
    if len(places) == 1 and places[0].geom_type != "MultiPoint":
        return places[0]
    return shapely.convex_hull(shapely.geometrycollections(list(places))) if places else None


def centre(place: Geometry) -> Geometry:
    """The centre of gravity of a place."""
    return shapely.centroid(place)


def related(
    place: Geometry,
    relation: SpatialRelation,
    other: Geometry,
    distance: float = 0.0,
    metric: Metric = Metric.PLANAR,
) -> bool:
    """Whether a place stands in the relation to another.

    INSIDE counts the boundary; SAME_PLACE compares centres; of NEARER, AT and FARTHER exactly one holds. The metric
    says what a distance is; what lies inside what, or meets it, is the same in both.
    """
    match relation:
        case SpatialRelation.INSIDE:
            return bool(shapely.covers(other, place))
        case SpatialRelation.MEETS:
            return bool(shapely.intersects(other, place))
        case SpatialRelation.SAME_PLACE:
            return distance_between(centre(place), centre(other), metric) < distance
        case _:
            return _compares(distance_between(place, other, metric), relation, distance)


def distance_between(place: Geometry, other: Geometry, metric: Metric = Metric.PLANAR) -> float:
    """The least distance between two closed shapes; 0 exactly where they meet."""
    if metric is Metric.PLANAR:
        return float(shapely.distance(place, other))
    if shapely.intersects(place, other):
        return 0.0
    if place.geom_type == other.geom_type == "Point":
        return between_points(place.x, place.y, other.x, other.y)
    middle = shapely.centroid(place)
    flatten = flattened_around(middle.x, middle.y)
    return float(shapely.distance(shapely.transform(place, flatten), shapely.transform(other, flatten)))


def _compares(found: float, relation: SpatialRelation, distance: float) -> bool:
    if relation is SpatialRelation.NEARER:
        return found < distance - TOLERANCE
    if relation is SpatialRelation.FARTHER:
        return found > distance + TOLERANCE
    return abs(found - distance) <= TOLERANCE


def _from_wkt(text: str) -> Geometry:
    if text.count("(") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise MeaningProblem(f"the place nests deeper than {MAX_DEPTH} levels")
    if "\0" in text:
        raise MeaningProblem(f"{text[:80]!r} is not WKT: it has a NUL character")
    try:
        with np.errstate(all="ignore"):  # a coordinate past the range of floats is refused below
            return shapely.from_wkt(text)
    except (shapely.errors.ShapelyError, NotImplementedError) as error:
        raise MeaningProblem(f"{text[:80]!r} is not WKT: {error}", hint="write it like POINT (1 2)") from None


def _from_geojson(value: Mapping[str, Any]) -> Geometry:
    geometry = value.get("geometry") if value.get("type") == "Feature" else value
    try:
        text = json.dumps(geometry)
        if text.count('"geometries"') > MAX_DEPTH:
            raise MeaningProblem(f"a place has at most {MAX_DEPTH} collections")
        return shapely.from_geojson(text)
    except (shapely.errors.ShapelyError, TypeError, ValueError, RecursionError) as error:
        raise MeaningProblem(
            f"not a GeoJSON geometry: {error}", hint='write it like {"type": "Point", "coordinates": [1, 2]}'
        ) from None


def _checked(geometry: Geometry | None) -> Geometry:
    if geometry is None or geometry.is_empty:
        raise MeaningProblem("a place is not empty")
    if not np.isfinite(shapely.get_coordinates(geometry, include_z=geometry.has_z)).all():
        raise MeaningProblem("a place has finite coordinates")
    if not geometry.is_valid:
        raise MeaningProblem(f"the place is not a valid geometry: {shapely.is_valid_reason(geometry)}")
    return geometry


def _depth(text: str) -> int:
    """How deep brackets nest. WKT has no strings, so every bracket counts."""
    steps = (_STEPS.get(char, 0) for char in text)
    return max(accumulate(steps, initial=0))
