"""Space. A place is a valid, non-empty geometry of finite coordinates.

With `globe` and `regions` one of the modules that use shapely. In the plane and on the globe alike,
edges are straight in the coordinates in which they are written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import shapely
from shapely.geometry.base import BaseGeometry

from tocsin.errors import MeaningProblem
from tocsin.values import globe
from tocsin.values.limits import PLACE_LIMITS, limit_problem

Geometry: TypeAlias = BaseGeometry
Places: TypeAlias = npt.NDArray[np.object_]
"""Geometries in an array; None for a missing place."""

_NUMBER = r"-?\d{1,15}+(?:\.\d{1,18}+)?+"
_PLAIN = rf"POINT ?\({_NUMBER} {_NUMBER}\)"
_PLAIN_POINT = re.compile(_PLAIN, re.ASCII)
_PLAIN_POINTS = re.compile(rf"(?:{_PLAIN}\n)*+{_PLAIN}", re.ASCII)
_PLAIN_MEMBERS = {"type", "coordinates"}
_PLAIN_LIMIT = 1e15
_FEW = 8

_STEPS = {"(": 1, ")": -1}

TOLERANCE = 1e-9
"""Distances that differ by at most this are equal."""


HALF_TURN = 180.0
"""Degrees of longitude: a place of at most this width needs no turning on the globe."""


class SpatialRelation(Enum):
    """Relation of a place to another. Shapes are closed: touching counts."""

    INSIDE = "inside"
    MEETS = "meets"
    SAME_PLACE = "same place"
    NEARER = "nearer than"
    AT = "at distance"
    FARTHER = "farther than"
    WITHIN = "at most"


class Metric(Enum):
    """Meaning of distances: units of the plane, or metres on WGS84 with longitude first."""

    PLANAR = "planar"
    WGS84 = "wgs84"


DISTANCES = frozenset(SpatialRelation) - {SpatialRelation.INSIDE, SpatialRelation.MEETS}
"""Relations that depend on a distance, and hence on the metric."""


def parse_place(value: object) -> Geometry:
    """Return the geometry of a WKT string or a GeoJSON object; raise if it is empty.

    A Feature counts as its geometry.
    """
    geometry = read_place(value)
    if geometry is None:
        raise MeaningProblem("a place is not empty")
    return geometry


def read_place(value: object) -> Geometry | None:
    """Return the geometry, as `parse_place`, but None if it is empty.

    For events: `POINT EMPTY` or a Feature without a geometry is not a place.
    """
    if isinstance(value, str):
        if _PLAIN_POINT.fullmatch(value):
            return shapely.from_wkt(value)
        return _checked(_from_wkt(value))
    if isinstance(value, Mapping):
        # RFC 7946, 3.2
        is_unlocated = value.get("type") == "Feature" and value.get("geometry", value) is None
        return None if is_unlocated else _checked(_from_geojson(value))
    raise MeaningProblem(f"a place is a WKT string or a GeoJSON object, got {type(value).__name__}")


def is_plain_point(value: object) -> bool:
    """True if the value is certainly a valid point, seen without parsing: few digits, two
    coordinates.
    """
    if isinstance(value, str):
        return _PLAIN_POINT.fullmatch(value) is not None
    return (
        type(value) is dict
        and value.keys() == _PLAIN_MEMBERS
        and _is_pair(value["type"], value["coordinates"])
    )


def parse_places(values: Sequence[object]) -> Places:
    """Return the geometries of many values, None for missing ones.

    Plain points, the usual case, are parsed together.
    """
    together = _plain_points(values) if len(values) > _FEW else None
    if together is not None:
        return together
    found: Places = np.full(len(values), None)
    for at, value in enumerate(values):
        if value is not None:
            found[at] = read_place(value)
    return found


def as_places(given: Sequence[Geometry | None]) -> Places:
    """Return geometries as an array."""
    places: Places = np.fromiter(given, np.object_, len(given))
    return places


def width(place: Geometry) -> float:
    """Return the distance from the least first coordinate of a place to the greatest."""
    west, _, east, _ = place.bounds
    return float(east - west)


def collection_of(places: Sequence[Geometry]) -> Geometry:
    """Return all places as one geometry."""
    return shapely.geometrycollections(list(places))


def moved_east(place: Geometry, degrees: float) -> Geometry:
    """Return the place with `degrees` added to every first coordinate."""
    return shapely.transform(place, lambda corners: corners + np.array((degrees, 0.0)))


def have_places(places: Places) -> npt.NDArray[np.bool_]:
    """Return a flag per entry: True if it is a place."""
    return np.asarray(~shapely.is_missing(places))


def format_place(place: Geometry) -> str:
    """Return the geometry as WKT.

    Coordinates read back the same; near zero they are exact to 16 digits past the point.
    """
    return str(shapely.to_wkt(place, rounding_precision=-1, trim=True))


def geojson_text(place: Geometry) -> str:
    """Return the geometry as the text of a GeoJSON object, coordinates unchanged."""
    return str(shapely.to_geojson(place))


def extent(places: Sequence[Geometry], metric: Metric = Metric.PLANAR) -> Geometry | None:
    """Return the convex hull of several places; one alone unchanged, None without places.

    On the globe places are turned together first, so that a hull across the 180th meridian is
    small.
    """
    if len(places) < 2:
        return places[0] if places else None
    together = collection_of(places)
    return shapely.convex_hull(globe.gather_parts(together) if metric is Metric.WGS84 else together)


def centre(place: Any) -> Any:
    """Return the centre of gravity of a place, or of each of an array, in the plane."""
    return shapely.centroid(place)


def centre_on_globe(place: Geometry) -> Geometry:
    """Return the centre of gravity of a place on the globe, its parts brought together."""
    return shapely.centroid(globe.gather_parts(place))


def are_related(
    place: Geometry,
    relation: SpatialRelation,
    other: Geometry,
    distance: float = 0.0,
    metric: Metric = Metric.PLANAR,
) -> bool:
    """True if a place stands in the relation to another.

    INSIDE counts the boundary; SAME_PLACE compares centres; of NEARER, AT and FARTHER exactly one
    holds; WITHIN is not FARTHER. The metric defines distances and, on the globe, equal longitudes;
    there, a place with coordinates off the globe stands in no relation but WITHIN.
    """
    if metric is Metric.PLANAR:
        return bool(related_in_plane(place, relation, other, distance))
    if relation in DISTANCES and place.geom_type == other.geom_type == "Point":
        apart = globe.distance_of_points(place, other)
        return (
            relation is SpatialRelation.WITHIN
            if apart is None
            else bool(_compares(apart, relation, distance))
        )
    one, two = as_places([place]), as_places([other])
    return bool(related_on_globe(one, relation, two, np.array([distance]))[0])


def related_in_plane(places: Any, relation: SpatialRelation, others: Any, distances: Any) -> Any:
    """Return `are_related` in the plane, for one pair of places or for arrays: a flag per pair."""
    match relation:
        case SpatialRelation.INSIDE:
            return shapely.covers(others, places)
        case SpatialRelation.MEETS:
            return shapely.intersects(others, places)
        case SpatialRelation.SAME_PLACE:
            return _compares(shapely.distance(centre(places), centre(others)), relation, distances)
        case _:
            return _compares(shapely.distance(places, others), relation, distances)


def related_on_globe(
    places: Places, relation: SpatialRelation, others: Places, distances: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Return `are_related` on the globe, for arrays: a flag per pair."""
    known = globe.on_globe(places) & globe.on_globe(others)
    if not known.all():
        found = np.full(len(places), relation is SpatialRelation.WITHIN)
        found[known] = related_on_globe(places[known], relation, others[known], distances[known])
        return found
    match relation:
        case SpatialRelation.INSIDE:
            return globe.lie_inside(places, others)
        case SpatialRelation.MEETS:
            return globe.meet(places, others)
        case SpatialRelation.SAME_PLACE:
            places, others = (
                as_places([centre_on_globe(each) for each in some]) for some in (places, others)
            )
    return np.asarray(_compares(globe.distances(places, others, distances), relation, distances))


def distance_between(place: Geometry, other: Geometry, metric: Metric = Metric.PLANAR) -> float:
    """Return the least distance between two closed shapes; 0 exactly if they meet.

    On the globe it is correct to 0.1 m.
    """
    if metric is Metric.PLANAR:
        return float(shapely.distance(place, other))
    return float(globe.distances(as_places([place]), as_places([other]))[0])


def _compares(found: Any, relation: SpatialRelation, distance: Any) -> Any:
    match relation:
        case SpatialRelation.SAME_PLACE:
            return found < distance
        case SpatialRelation.NEARER:
            return found < distance - TOLERANCE
        case SpatialRelation.FARTHER:
            return found > distance + TOLERANCE
        case SpatialRelation.WITHIN:
            return np.logical_not(found > distance + TOLERANCE)
        case _:
            return abs(found - distance) <= TOLERANCE


def _plain_points(values: Sequence[Any]) -> Places | None:
    """Return the geometries if all values are plain points of one form, else None."""
    kinds = set(map(type, values))
    if kinds == {str}:
        lines = "\n".join(values)
        if not _PLAIN_POINTS.fullmatch(lines) or lines.count("\n") != len(values) - 1:
            return None
        numbers = lines.replace("POINT", "").replace("(", "").replace(")", "").split()
        # reads four times as fast
        return points(pa.array(numbers).cast(pa.float64()).to_numpy().reshape(-1, 2))
    if kinds == {dict} and all(map(is_plain_point, values)):
        return points(np.array([value["coordinates"] for value in values], np.float64))
    return None


def points(coordinates: npt.NDArray[np.float64]) -> Places:
    """Return points of pairs of coordinates."""
    made: Places = shapely.points(coordinates)
    return made


def _is_pair(kind: object, coordinates: object) -> bool:
    return (
        kind == "Point"
        and type(coordinates) is list
        and len(coordinates) == 2
        and all(
            type(each) in (int, float) and -_PLAIN_LIMIT < each < _PLAIN_LIMIT
            for each in coordinates
        )
    )


def _from_wkt(text: str) -> Geometry:
    most = PLACE_LIMITS.depth
    if text.count("(") > most and _depth(text) > most:
        raise MeaningProblem(f"the place nests deeper than {most} levels")
    _refuse_many(text.count(",") + 1)
    if "\0" in text:
        raise MeaningProblem(f"{text[:80]!r} is not WKT: it has a NUL character")
    try:
        with np.errstate(all="ignore"):  # a coordinate past the range of floats is refused below
            return shapely.from_wkt(text)
    except (shapely.errors.ShapelyError, NotImplementedError) as error:
        raise MeaningProblem(
            f"{text[:80]!r} is not WKT: {error}", hint="write it like POINT (1 2)"
        ) from None


def _from_geojson(value: Mapping[str, Any]) -> Geometry:
    geometry = value.get("geometry") if value.get("type") == "Feature" else value
    try:
        text = json.dumps(geometry)
        if text.count('"geometries"') > PLACE_LIMITS.depth:
            raise MeaningProblem(f"a place has at most {PLACE_LIMITS.depth} collections")
        _refuse_many(text.count("["))
        return shapely.from_geojson(text)
    except (shapely.errors.ShapelyError, TypeError, ValueError, RecursionError) as error:
        raise MeaningProblem(
            f"not a GeoJSON geometry: {error}",
            hint='write it like {"type": "Point", "coordinates": [1, 2]}',
        ) from None


def _refuse_many(positions: int) -> None:
    if positions > PLACE_LIMITS.positions:
        raise limit_problem(
            f"a place has at most {PLACE_LIMITS.positions:,} positions", "simplify or split it"
        )


def _checked(geometry: Geometry | None) -> Geometry | None:
    """Return the geometry; None if it is empty. Raises if it is not finite or not valid."""
    if geometry is None or geometry.is_empty:
        return None
    if not np.isfinite(shapely.get_coordinates(geometry, include_z=geometry.has_z)).all():
        raise MeaningProblem("a place has finite coordinates")
    if not geometry.is_valid:
        raise MeaningProblem(
            f"the place is not a valid geometry: {shapely.is_valid_reason(geometry)}"
        )
    return geometry


def _depth(text: str) -> int:
    """Return the nesting depth of brackets. WKT has no strings, so every bracket counts."""
    steps = (_STEPS.get(char, 0) for char in text)
    return max(accumulate(steps, initial=0))
