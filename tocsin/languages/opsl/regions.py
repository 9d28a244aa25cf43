"""Regions written in the text; their rings may be open."""

from __future__ import annotations

from collections.abc import Sequence

from tocsin.languages.base.regions import region_of
from tocsin.languages.opsl.syntax import Polygon
from tocsin.values.space import Metric


def written_region(polygon: Polygon, metric: Metric = Metric.PLANAR) -> str:
    """Return the WKT of a region written in the text; raise RegionInvalid with the reason."""
    bodies = (f"({', '.join(map(_closed_ring, rings))})" for rings in polygon.polygons)
    return region_of(f"{polygon.spot.text} {_listed(polygon.spot.text, list(bodies))}", metric)


def _listed(word: str, bodies: Sequence[str]) -> str:
    return f"({', '.join(bodies)})" if word == "MULTIPOLYGON" else bodies[0]


def _closed_ring(ring: Sequence[tuple[str, str]]) -> str:
    ends = [tuple(map(float, corner)) for corner in (ring[0], ring[-1])]
    corners = ring if len(ring) > 1 and ends[0] == ends[1] else (*ring, ring[0])
    return f"({', '.join(f'{x} {y}' for x, y in corners)})"
