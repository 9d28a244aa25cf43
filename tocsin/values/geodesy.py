"""The WGS84 ellipsoid: geodesics, positions in space and what they say about each other; the only
door to pyproj.

Longitude comes first, in degrees; lengths are in metres.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tocsin.lazy_import import Deferred

if TYPE_CHECKING:
    import pyproj
else:
    pyproj = Deferred("pyproj")

Coordinates = npt.NDArray[np.float64]
"""One row of longitude and latitude for each point."""

Boxes = npt.NDArray[np.float64]
"""One row for each: least x, least y, greatest x, greatest y."""

Metres = npt.NDArray[np.float64]

LARGEST_RADIUS = 6_399_594.0
LEAST_RADIUS = 6_335_439.0
"""Of curvature: at the poles, and along the meridian at the equator."""

LONGEST_GEODESIC = 20_003_932.0
"""From pole to pole."""

EVERYWHERE = 1e300
"""No coordinate is larger."""

_SEMI_MAJOR = 6_378_137.0
_ECCENTRICITY_SQUARED = 0.006_694_379_990_141_316
_NEARLY_OPPOSITE = 0.98
_CAUTION = 1.01
_NEAR_POLE = 1.55


def between_points(
    longitude: float, latitude: float, other_longitude: float, other_latitude: float
) -> float:
    """The length of the geodesic between two points."""
    return float(_ellipsoid().inv(longitude, latitude, other_longitude, other_latitude)[2])


def geodesic_lengths(points: Coordinates, others: Coordinates) -> Metres:
    """The lengths of the geodesics between points, row by row."""
    if not len(points):
        return np.empty(0)
    return np.asarray(_ellipsoid().inv(points[:, 0], points[:, 1], others[:, 0], others[:, 1])[2])


def position_in_space(points: Coordinates) -> npt.NDArray[np.float64]:
    """Where points lie in space, in metres from the centre of the ellipsoid."""
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
    """No geodesic between two points with a chord so long is shorter: it curves at least like the
    flattest part.
    """
    return np.asarray(2 * LARGEST_RADIUS * np.arcsin(np.minimum(chords / (2 * LARGEST_RADIUS), 1)))


def longest_way(chords: Metres) -> Metres:
    """No geodesic between two points with a chord so long is longer: it curves at most like the
    roundest part.
    """
    share = chords / (2 * LEAST_RADIUS)
    near = 2 * LEAST_RADIUS * np.arcsin(np.minimum(share, _NEARLY_OPPOSITE))
    return np.asarray(np.where(share < _NEARLY_OPPOSITE, near, LONGEST_GEODESIC))


def vagueness(lengths: Metres) -> Metres:
    """By how much a way may be shorter than told, if all that is known is that its chord allows for
    one so long.
    """
    angles = np.minimum(lengths / (2 * LEAST_RADIUS), np.arcsin(_NEARLY_OPPOSITE))
    return np.asarray(lengths - shortest_way(2 * LEAST_RADIUS * np.sin(angles)))


def widen(boxes: Boxes, metres: Metres) -> Boxes:
    """Boxes of degrees that hold each point which lies at most so many metres from a point of the
    box given.

    Longitudes may go beyond 180, which are the same as those a turn away; a box over a pole has all
    of them.
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
