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


@cache
def _ellipsoid() -> Any:
    return Geod(ellps="WGS84")


@lru_cache(maxsize=1024)
def _flattening(longitude: float, latitude: float) -> Any:
    plane = f"+proj=aeqd +lon_0={longitude} +lat_0={latitude} +datum=WGS84 +units=m"
    return Transformer.from_crs("EPSG:4326", plane, always_xy=True)
