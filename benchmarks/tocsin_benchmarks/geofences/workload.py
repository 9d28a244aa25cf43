"""The geofence workload: star-shaped regions strewn over a map, and ships that report positions
anywhere on it.

The regions cover the map twice over whatever their number, so that a position lies in two of them
on average.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tocsin.plan.nodes.atoms import Condition, Equals
from tocsin.plan.nodes.composites import AtRegion, Only, Plan
from tocsin.plan.passes import prepared
from tocsin.values.scalars import Constant
from tocsin.values.space import SpatialRelation

SIDE = 1_000.0
COVERED = 2.0
CORNERS = 24
SHIP = Condition(Equals(("kind",), Constant.of("ship")))

Coordinates = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GeofenceWorkload:
    """The same seed gives the same regions and positions."""

    regions: int
    positions: int
    seed: int

    def rings(self) -> Coordinates:
        """The corners of each region: around a centre, at distances that vary by two fifths."""
        draw = np.random.default_rng(self.seed)
        centres = draw.uniform(0, SIDE, (self.regions, 1, 2))
        angles = (np.arange(CORNERS) + draw.uniform(0, 0.8, (self.regions, CORNERS))) * (
            2 * np.pi / CORNERS
        )
        radius = SIDE * np.sqrt(COVERED / np.pi / self.regions)
        radii = radius * draw.uniform(0.6, 1.4, (self.regions, CORNERS))
        corners = centres + np.stack((radii * np.cos(angles), radii * np.sin(angles)), axis=-1)
        return np.round(np.concatenate((corners, corners[:, :1]), axis=1), 4)

    def texts(self) -> Iterator[str]:
        """The regions as WKT."""
        for ring in self.rings().tolist():
            yield f"POLYGON (({', '.join(f'{x:.4f} {y:.4f}' for x, y in ring)}))"

    def plans(self) -> dict[str, Plan]:
        """One subscription for each region, a ship is inside; in OPSL `@(POLYGON(...))(STRING: kind
        = "ship")`.
        """
        asked = (Only(SHIP, AtRegion(SpatialRelation.INSIDE, text)) for text in self.texts())
        return {f"fence {number}": prepared(Plan(part)) for number, part in enumerate(asked)}

    def points(self) -> Coordinates:
        """Where the ships are."""
        return np.round(
            np.random.default_rng(self.seed + 1).uniform(0, SIDE, (self.positions, 2)), 4
        )

    def lines(self) -> list[bytes]:
        """The positions as events, a thousand of them in each second."""
        return [
            json.dumps(
                {
                    "id": f"p{number}",
                    "source": "ais",
                    "type": "position",
                    "time": (
                        f"2026-01-01T00:{number // 60_000:02}"
                        f":{number // 1000 % 60:02}.{number % 1000:03}Z"
                    ),
                    "place": f"POINT ({x:.4f} {y:.4f})",
                    "data": {"kind": "ship"},
                }
            ).encode()
            for number, (x, y) in enumerate(self.points().tolist())
        ]
