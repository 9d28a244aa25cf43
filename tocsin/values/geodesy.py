"""The WGS84 ellipsoid: geodesics, positions in space, and bounds between the two.

The only module that uses pyproj. Longitude comes first, in degrees; lengths are in metres.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tocsin.lazy_import import LazyModule

if TYPE_CHECKING:
    import pyproj
else:
    pyproj = LazyModule("pyproj")

Coordinates = npt.NDArray[np.float64]
"""One row of longitude and latitude per point."""

Boxes = npt.NDArray[np.float64]
"""One row per box: least x, least y, greatest x, greatest y."""

Metres = npt.NDArray[np.float64]

LARGEST_RADIUS = 6_399_594.0
LEAST_RADIUS = 6_335_439.0
"""Radii of curvature, in metres: the largest at the poles, the least along the meridian at the
equator.
"""

LONGEST_GEODESIC = 20_003_932.0
"""Metres from pole to pole."""

EVERYWHERE = 1e300
"""Bound on every coordinate."""

_SEMI_MAJOR = 6_378_137.0
_ECCENTRICITY_SQUARED = 0.006_694_379_990_141_316
_NEARLY_OPPOSITE = 0.98
_CAUTION = 1.01
_NEAR_POLE = 1.55


def between_points(
    longitude: float, latitude: float, other_longitude: float, other_latitude: float
) -> float:
    """Return the metres of the geodesic between two points."""
    return float(_ellipsoid().inv(longitude, latitude, other_longitude, other_latitude)[2])


def geodesic_lengths(points: Coordinates, others: Coordinates) -> Metres:
    """Return the metres of the geodesics between points, row by row."""
    if not len(points):
        return np.empty(0)
    return np.asarray(_ellipsoid().inv(points[:, 0], points[:, 1], others[:, 0], others[:, 1])[2])


def position_in_space(points: Coordinates) -> npt.NDArray[np.float64]:
    """Return the positions of points in space, in metres from the centre of the ellipsoid."""
    longitude, latitude = np.radians(points[..., 0]), np.radians(points[..., 1])
    up = np.sin(latitude)
    normal = _SEMI_MAJOR / np.sqrt(1 - _ECCENTRICITY_SQUARED * up**2)
    outwards = normal * np.cos(latitude)
    axes = (
        outwards * np.cos(longitude),
        outwards * np.sin(longitude),
        (1 - _ECCENTRICITY_SQUARED) * normal * up,
    )
    return np.stack(axes, axis=-1)


def shortest_way(chords: Metres) -> Metres:
    """Return a lower bound of the geodesic length for each chord (largest radius of curvature)."""
    return np.asarray(2 * LARGEST_RADIUS * np.arcsin(np.minimum(chords / (2 * LARGEST_RADIUS), 1)))


def longest_way(chords: Metres) -> Metres:
    """Return an upper bound of the geodesic length for each chord (least radius of curvature)."""
    share = chords / (2 * LEAST_RADIUS)
    near = 2 * LEAST_RADIUS * np.arcsin(np.minimum(share, _NEARLY_OPPOSITE))
    return np.asarray(np.where(share < _NEARLY_OPPOSITE, near, LONGEST_GEODESIC))


def vagueness(lengths: Metres) -> Metres:
    """Return the width of the bounds: how much shorter a geodesic may be than `longest_way` of its
    chord.
    """
    angles = np.minimum(lengths / (2 * LEAST_RADIUS), np.arcsin(_NEARLY_OPPOSITE))
    return np.asarray(lengths - shortest_way(2 * LEAST_RADIUS * np.sin(angles)))


def widen(boxes: Boxes, metres: Metres) -> Boxes:
    """Grow boxes of degrees to hold every point within `metres` of a point of the box.

    Longitudes may go beyond 180; they mean the same as those a turn away. A box over a pole spans
    all longitudes.
    """
    angle = np.minimum(_CAUTION * metres / LEAST_RADIUS, np.pi)
    highest = np.radians(np.abs(boxes[:, [1, 3]]).max(axis=1, initial=0))
    polar = ~(highest + angle < _NEAR_POLE)
    reach = np.degrees(
        np.arcsin(np.sin(np.where(polar, 0, angle)) / np.cos(np.where(polar, 0, highest)))
    )
    grown: Boxes = boxes + np.column_stack((-reach, -np.degrees(angle), reach, np.degrees(angle)))
    grown[polar, 0], grown[polar, 2] = -180, 180
    return grown


@cache
def _ellipsoid() -> Any:
    return pyproj.Geod(ellps="WGS84")
