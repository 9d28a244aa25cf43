"""Distances in metres on the WGS84 ellipsoid; the only door to pyproj. Longitude comes first, in degrees.

Between points a distance is the geodesic. Where a shape takes part, both are laid flat around the middle of the first,
which keeps distances from there exact and is close for shapes that are small against the globe.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from pyproj import Geod, Transformer

Coordinates = npt.NDArray[np.float64]
"""One row of longitude and latitude for each point."""

Boxes = npt.NDArray[np.float64]
"""One row for each: least x, least y, greatest x, greatest y."""

QUARTER_OF_GLOBE = 10_000_000.0
"""From the equator to a pole, in metres."""

EVERYWHERE = 1e300
"""No coordinate is larger."""

_LEAST_RADIUS = 6_335_000.0
_LARGEST_DEGREE = 111_700.0
_CAUTION = 1.01
_NEAR_POLE = 1.55
_MOST_ANGLE = 4.0


def between_points(longitude: float, latitude: float, other_longitude: float, other_latitude: float) -> float:
    """The length of the geodesic between two points."""
    return float(_ellipsoid().inv(longitude, latitude, other_longitude, other_latitude)[2])


def flattened_around(longitude: float, latitude: float) -> Callable[[Coordinates], Coordinates]:
    """How to lay coordinates flat, in metres, around a point."""
    transformer = _flattening(round(longitude, 6), round(latitude, 6))

    def flatten(coordinates: Coordinates) -> Coordinates:
        x, y = transformer.transform(coordinates[:, 0], coordinates[:, 1])
        return np.column_stack((x, y))

    return flatten


def widened(boxes: Boxes, metres: npt.NDArray[np.float64]) -> Boxes:
    """Boxes of degrees that hold each point which lies at most so many metres from a point of the box given.

    Across a pole or the 180th meridian a box has all longitudes; beyond the degrees of the globe it has everything.
    """
    angle = np.minimum(_CAUTION * metres / _LEAST_RADIUS, _MOST_ANGLE)
    highest = np.radians(np.abs(boxes[:, [1, 3]]).max(axis=1, initial=0))
    polar = ~(highest + angle < _NEAR_POLE)
    reach = np.degrees(np.arcsin(np.sin(np.where(polar, 0, angle)) / np.cos(np.where(polar, 0, highest))))
    around = polar | (boxes[:, 0] - reach < -180) | (boxes[:, 2] + reach > 180)
    grown: Boxes = boxes + np.column_stack((-reach, -np.degrees(angle), reach, np.degrees(angle)))
    grown[around, 0], grown[around, 2] = -EVERYWHERE, EVERYWHERE
    grown[~_on_globe(boxes)] = (-EVERYWHERE, -EVERYWHERE, EVERYWHERE, EVERYWHERE)
    return grown


def breadth(boxes: Boxes) -> npt.NDArray[np.float64]:
    """No two points of a box lie so many metres apart."""
    metres: npt.NDArray[np.float64] = _LARGEST_DEGREE * np.hypot(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])
    return metres


def _on_globe(boxes: Boxes) -> npt.NDArray[np.bool_]:
    return np.asarray((np.abs(boxes) <= (180, 90, 180, 90)).all(axis=1))


@cache
def _ellipsoid() -> Any:
    return Geod(ellps="WGS84")


@lru_cache(maxsize=1024)
def _flattening(longitude: float, latitude: float) -> Any:
    """Said as a pipeline: looking the plane up as a reference system takes ten times as long."""
    to_plane = f"+proj=aeqd +lon_0={longitude} +lat_0={latitude} +ellps=WGS84 +units=m"
    return Transformer.from_pipeline(f"+proj=pipeline +step +proj=unitconvert +xy_in=deg +xy_out=rad +step {to_plane}")
