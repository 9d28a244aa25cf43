"""The baseline of geofences: shapely's tree of regions, asked for all positions in one call.
Geometry is ready-made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import shapely

Coordinates = npt.NDArray[np.float64]


class BareTree:
    """Regions in a tree, and positions to ask it about."""

    def __init__(self, rings: Coordinates, points: Coordinates) -> None:
        self._points: Any = shapely.points(points)
        self._tree = shapely.STRtree(shapely.polygons(rings))
        self._tree.query(self._points[:1])  # which builds it

    def pairs(self) -> npt.NDArray[np.intp]:
        """All pairs of position and region, as two rows."""
        found: npt.NDArray[np.intp] = self._tree.query(self._points, predicate="intersects")
        return found
