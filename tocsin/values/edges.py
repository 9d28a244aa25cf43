"""Edges on the globe, straight in longitude and latitude, and their positions in space.

An edge is a curve that stays within a known `slack` of the straight chord between its ends. All
functions take arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tocsin.values.geodesy import LARGEST_RADIUS, Coordinates, position_in_space

Numbers: TypeAlias = npt.NDArray[np.intp]
Metres: TypeAlias = npt.NDArray[np.float64]
Shares: TypeAlias = npt.NDArray[np.float64]
"""Position on an edge: 0 at its start, 1 at its end."""

Edges: TypeAlias = npt.NDArray[np.float64]
"""One row per edge: longitude and latitude of its start and of its end. A point is an edge of
length 0.
"""

_LONGEST = 8.0
"""Degrees. Longer edges are cut first, since their slack would be too large to be useful."""

_POLE = 90.0


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """The edges of many shapes: those of shape k are the rows `starts[k]` to `starts[k + 1]`."""

    edges: Edges
    starts: Numbers

    @staticmethod
    def of(edges: Edges, owners: Numbers, shapes: int) -> Chains:
        """Build the chains from edges in the order of their shapes; `owners` holds the shape
        numbers.
        """
        spans = np.abs(edges[:, 2:] - edges[:, :2]).max(axis=1, initial=0)
        counts = np.maximum(np.ceil(spans / _LONGEST), 1).astype(np.intp)
        if (counts > 1).any():
            edges, parents = cut(edges, counts)
            owners = owners[parents]
        return Chains(edges, np.searchsorted(owners, np.arange(shapes + 1)))

    def sizes(self, shapes: Numbers) -> Numbers:
        """Return the number of edges of each of the shapes given."""
        return np.asarray(self.starts[shapes + 1] - self.starts[shapes])


@dataclass(frozen=True, slots=True, eq=False)
class Balls:
    """Balls in space around runs of consecutive edges; all runs but the last are equally long."""

    centres: npt.NDArray[np.float64]
    radii: Metres

    @staticmethod
    def around(edges: Edges, run: int) -> Balls:
        """Return the balls around runs of `run` edges."""
        starts = np.arange(0, len(edges), run)
        sizes = np.diff(np.append(starts, len(edges)))
        ends = np.stack((position_in_space(edges[:, :2]), position_in_space(edges[:, 2:])))
        centres = np.add.reduceat(ends.mean(axis=0), starts) / sizes[:, None]
        away = np.linalg.norm(ends - np.repeat(centres, sizes, axis=0), axis=2).max(axis=0)
        return Balls(centres, np.maximum.reduceat(away + slack(edges), starts))


def slack(edges: Edges) -> Metres:
    """Return the distance that each edge may stray from its chord.

    It is an eighth of the acceleration needed to run along it in a second.
    """
    latitudes = np.radians(edges[:, [1, 3]])
    sideways = np.radians(np.abs(edges[:, 2] - edges[:, 0]))
    upwards = np.abs(latitudes[:, 1] - latitudes[:, 0])
    crosses_equator = latitudes[:, 0] * latitudes[:, 1] < 0
    widest = np.where(crosses_equator, 1.0, np.cos(np.abs(latitudes).min(axis=1)))
    acceleration = upwards**2 + 2 * upwards * sideways + sideways**2 * widest
    return np.asarray(LARGEST_RADIUS / 8 * acceleration)


def points_at(edges: Edges, shares: Shares) -> Coordinates:
    """Return the point at a share of each edge. The ends are exact, and rounding never leads over a
    pole.
    """
    share = shares[:, None]
    points = edges[:, :2] * (1 - share) + edges[:, 2:] * share
    points[:, 1] = np.clip(points[:, 1], -_POLE, _POLE)
    return np.asarray(points)


def cut(edges: Edges, counts: Numbers) -> tuple[Edges, Numbers]:
    """Cut each edge into `counts` equal parts; return the parts and the edge number of each."""
    parents = np.repeat(np.arange(len(edges)), counts)
    nth = np.arange(len(parents)) - np.repeat(np.cumsum(counts) - counts, counts)
    whole = edges[parents]
    starts, ends = (
        points_at(whole, nth / counts[parents]),
        points_at(whole, (nth + 1) / counts[parents]),
    )
    return np.hstack((starts, ends)), parents


def nearest_shares(edges: Edges, others: Edges) -> tuple[Metres, Shares, Shares]:
    """Return, row by row, the gap between the chords of two edges, and the nearest shares of both.

    Least squares for two lines in space, then each share clipped to its edge in turn (C. Ericson,
    Real-Time Collision Detection, 5.1.9).
    """
    start, other_start = position_in_space(edges[:, :2]), position_in_space(others[:, :2])
    way, other_way = (
        position_in_space(edges[:, 2:]) - start,
        position_in_space(others[:, 2:]) - other_start,
    )
    apart = start - other_start
    a, e, b = _dot(way, way), _dot(other_way, other_way), _dot(way, other_way)
    c, f = _dot(way, apart), _dot(other_way, apart)
    share = np.clip(_ratio(b * f - c * e, a * e - b * b), 0, 1)
    other_share = np.clip(_ratio(b * share + f, e), 0, 1)
    share = np.clip(_ratio(b * other_share - c, a), 0, 1)
    gap = np.linalg.norm(apart + share[:, None] * way - other_share[:, None] * other_way, axis=1)
    return gap, share, other_share


def _dot(one: Any, other: Any) -> Any:
    return np.einsum("ij,ij->i", one, other)


def _ratio(above: Metres, below: Metres) -> Shares:
    """Divide; 0 if an edge has no length or two are parallel: then any share is as good."""
    return np.asarray(np.divide(above, below, out=np.zeros_like(above), where=below > 0))
