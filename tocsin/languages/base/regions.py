"""Regions: any valid polygon or multipolygon, holes included. Others are refused with the reason.

A region of the catalog is complete WKT or GeoJSON.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tocsin.errors import MeaningProblem, Problem
from tocsin.values.globe import FARTHEST_LONGITUDE, POLE, TURN
from tocsin.values.space import Geometry, Metric, format_place, parse_place

Point = tuple[float, float]

_AREAS = ("Polygon", "MultiPolygon")
_WORD = re.compile(r"\s*(?:MULTI)?POLYGON\b", re.IGNORECASE)
_RING = re.compile(r"\(([^()]+)\)")
_FAULT = re.compile(r"the place is not a valid geometry: ([^\[]*)(?:\[(.*)\])?")
_REASONS = {
    "Self-intersection": "its boundary crosses itself",
    "Ring Self-intersection": "its boundary touches itself",
    "Too few points in geometry component": "a ring has fewer than three different vertices",
    "Invalid Coordinate": "a coordinate is not finite",
    "Hole lies outside shell": "a hole lies outside",
    "Holes are nested": "a hole lies in another hole",
    "Interior is disconnected": "its holes cut it into pieces",
    "Nested shells": "one of its polygons lies in another",
    "Duplicate Rings": "it has the same ring twice",
}
_CODE = "RegionInvalid"
_FORM = "write POLYGON((0 0, 10 0, 10 10, 0 10, 0 0)), corner after corner around the region"


def region_of(value: object, metric: Metric = Metric.PLANAR) -> str:
    """Return the WKT of a region given as WKT or GeoJSON; raise RegionInvalid with the reason."""
    try:
        place = parse_place(value)
    except Problem as problem:
        raise _invalid(_ring_fault(value) or _reason(problem)) from None
    if place.geom_type not in _AREAS:
        raise _invalid(f"a region is a polygon or a multipolygon, got a {place.geom_type}")
    if metric is Metric.WGS84:
        _refuse_off_globe(place)
    return format_place(place)


def _refuse_off_globe(place: Geometry) -> None:
    west, south, east, north = place.bounds
    wrong = next((each for each in (south, north) if abs(each) > POLE), None)
    if wrong is not None:
        swapped = max(abs(west), abs(east)) <= POLE
        raise MeaningProblem(
            f"the latitude {wrong:g} is not between -90 and 90",
            code=_CODE,
            hint=(
                "longitude comes first: 8.5 47.4 lies in Zurich"
                if swapped
                else "drop the option crs for a plane"
            ),
        )
    if max(abs(west), abs(east)) > FARTHEST_LONGITUDE or east - west > TURN:
        raise MeaningProblem(
            f"longitudes from {west:g} to {east:g} are more than once around the globe",
            code=_CODE,
            hint=(
                "write longitudes from -180 to 180, or on beyond 180 across the 180th meridian: 170"
                " to 190"
            ),
        )


def _ring_fault(value: object) -> str:
    """Return the fault of the first invalid polygon ring, naming the cause; "" if each is valid."""
    for ring in rings_of(value):
        corners = list(dict.fromkeys(ring))
        if not all(map(math.isfinite, (number for corner in corners for number in corner))):
            return "a coordinate is not finite"
        if len(corners) < 3:
            return "a ring has fewer than three different vertices"
        if _collinear(corners):
            return "the vertices of a ring lie on one line"
        if ring[0] != ring[-1]:
            return "a ring does not end where it starts"
    return ""


def rings_of(value: object) -> Iterator[list[Point]]:
    """Yield the vertices of each polygon ring of a region; nothing for anything else."""
    if isinstance(value, str) and _WORD.match(value):
        for found in _RING.finditer(value):
            yield from _points(corner.split() for corner in found[1].split(","))
    elif isinstance(value, Mapping):
        geometry = value.get("geometry") if value.get("type") == "Feature" else value
        if isinstance(geometry, Mapping) and geometry.get("type") in _AREAS:
            yield from _listed_rings(geometry.get("coordinates"), 0)


def _listed_rings(value: object, depth: int) -> Iterator[list[Point]]:
    """Yield the polygon rings in nested lists of GeoJSON.

    GeoJSON has at most three levels of lists above a vertex; deeper lists are ignored.
    """
    if not isinstance(value, Sequence) or isinstance(value, str) or depth > 3:
        return
    if value and isinstance(value[0], Sequence) and _is_corner(value[0]):
        yield from _points(value)
    else:
        for inner in value:
            yield from _listed_rings(inner, depth + 1)


def _points(corners: Iterable[Any]) -> Iterator[list[Point]]:
    """Yield the vertices as numbers; nothing if one is not a pair (reported elsewhere)."""
    try:
        yield [(float(corner[0]), float(corner[1])) for corner in corners]
    except (TypeError, ValueError, LookupError, OverflowError):
        return


def _is_corner(value: Sequence[object]) -> bool:
    return len(value) > 0 and isinstance(value[0], int | float)


def _collinear(corners: Sequence[Point]) -> bool:
    """True if all vertices lie on one line; computed exactly."""
    exact = [(Fraction(x), Fraction(y)) for x, y in corners]
    (x0, y0), *rest = exact
    return all(
        (x1 - x0) * (y2 - y0) == (x2 - x0) * (y1 - y0) for (x1, y1), (x2, y2) in pairwise(rest)
    )


def _reason(problem: Problem) -> str:
    fault = _FAULT.fullmatch(problem.message)
    if fault is None:
        return problem.message
    reason = _REASONS.get(fault[1].strip(), fault[1].strip().lower())
    return f"{reason} near ({fault[2]})" if fault[2] else reason


def _invalid(reason: str) -> MeaningProblem:
    return MeaningProblem(reason, code=_CODE, hint=_FORM)
