"""Least distance on the globe between shapes with edges straight in degrees; to 0.1 m.

Branch and bound: the gap between the chords of two edges, less the slack of both, is a lower bound
of their distance, and the way between any two of their points an upper one. Pairs of edges that
cannot be the nearest are dropped, the others are cut until their slack does not matter. The rest is
measured by geodesics.

An edge is straight in longitude and latitude: in space a curve that stays within a known `slack` of
the chord between its ends. Functions of edges take arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tocsin.values.geodesy import (
    LARGEST_RADIUS,
    Coordinates,
    geodesic_lengths,
    longest_way,
    position_in_space,
    shortest_way,
    vagueness,
)

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


Pairs: TypeAlias = tuple[Numbers, Numbers, Numbers]
"""The number of the query, the edge of ours, the edge of theirs."""

TOLERANCE = 0.05
"""Most error of a distance, in metres."""

_PARTS = 4
"""Parts that an edge is cut into in each round; the slack becomes 16 times smaller."""

_FEW = 64
_RUN = 16
_FINER = 4
"""Balls are around runs of `_RUN` edges at the lowest level, and of `_FINER` times more per level
above.
"""

_MAX_PAIRS = 1 << 18
_MOST_LEFT = 4096
"""Most pairs that are measured. If more than these may be the nearest, they are practically equally
far.
"""

_FAR = 200_000.0
"""Metres within which the points nearest in space are nearest on the ground, to a few centimetres.
"""

_ZOOMS = 9
_GRID = np.linspace(-0.5, 0.5, 5)


def least_distances(
    ours: Chains, mine: Numbers, theirs: Chains, other: Numbers, limits: Metres | None = None
) -> Metres:
    """Return the metres between shape `mine[k]` of ours and `other[k]` of theirs, for every k.

    The shapes must not meet. With limits, a distance may be any number on the same side of its
    limit as the true one.
    """
    work = np.minimum(ours.sizes(mine) * theirs.sizes(other), _MAX_PAIRS)
    found = np.empty(len(mine))
    start = 0
    while start < len(mine):
        within = int(np.searchsorted(np.cumsum(work[start:]), _MAX_PAIRS, side="right"))
        some = slice(start, start + max(1, within))
        search = _DistanceSearch(len(mine[some]), None if limits is None else limits[some])
        found[some] = search.run(ours, mine[some], theirs, other[some])
        start = some.stop
    return found


class _DistanceSearch:
    """One search for several distances at once, each between its bounds `least` and `best`."""

    __slots__ = ("best", "least", "limits")

    def __init__(self, count: int, limits: Metres | None) -> None:
        self.least, self.best = np.zeros(count), np.full(count, np.inf)
        self.limits = limits

    def run(self, ours: Chains, mine: Numbers, theirs: Chains, other: Numbers) -> Metres:
        """Return the distances."""
        asked, one, two = self._candidates(ours, mine, theirs, other)
        edges, others = ours.edges[one], theirs.edges[two]
        while len(asked):
            low, high, loose = _bounds(edges, others)
            left = self._narrow(asked, low, high)
            asked, edges, others, loose, low = (
                asked[left],
                edges[left],
                others[left],
                loose[left],
                low[left],
            )
            coarse = loose > np.maximum(TOLERANCE, 0.2 * vagueness(self.best[asked]))
            if not coarse.any():
                self._measure(asked, edges, others, low)
                break
            parents, edges, others = _cut_pairs(edges, others, coarse)
            asked = asked[parents]
        return (
            self.best
            if self.limits is None
            else np.where(self.least > self.limits, self.least, self.best)
        )

    def _candidates(self, ours: Chains, mine: Numbers, theirs: Chains, other: Numbers) -> Pairs:
        """Return the initial pairs of edges: all if there are few, else those in balls that may be
        nearest.
        """
        sizes, other_sizes = ours.sizes(mine), theirs.sizes(other)
        few = sizes * other_sizes <= _FEW
        firsts, other_firsts = ours.starts[mine], theirs.starts[other]
        found = [
            _combine(
                np.flatnonzero(few),
                *(each[few] for each in (firsts, sizes, other_firsts, other_sizes)),
            )
        ]
        for k in np.flatnonzero(~few).tolist():
            edges = ours.edges[firsts[k] : firsts[k] + sizes[k]]
            others = theirs.edges[other_firsts[k] : other_firsts[k] + other_sizes[k]]
            one, two = self._candidates_in_balls(k, edges, others)
            found.append((np.full(len(one), k), firsts[k] + one, other_firsts[k] + two))
        asked, one, two = (np.concatenate(column) for column in zip(*found, strict=True))
        return asked, one, two

    def _candidates_in_balls(self, k: int, edges: Edges, others: Edges) -> tuple[Numbers, Numbers]:
        """Return pairs of edges that may be nearest, from large balls to small ones.

        A ball is split only if it may hold the nearest edge.
        """
        run = _RUN
        while run * _RUN < max(len(edges), len(others)):
            run *= _FINER
        one, two = (
            grid.ravel() for grid in np.indices((-(-len(edges) // run), -(-len(others) // run)))
        )
        while True:
            balls, other_balls = Balls.around(edges, run), Balls.around(others, run)
            apart = np.linalg.norm(balls.centres[one] - other_balls.centres[two], axis=1)
            radii = balls.radii[one] + other_balls.radii[two]
            low, high = shortest_way(np.maximum(apart - radii, 0)), longest_way(apart + radii)
            left = self._narrow(np.full(len(one), k), low, high)
            one, two = one[left], two[left]
            finer = run // _FINER if run > _RUN else 1
            _, one, two = _combine(
                one, *_split(one, run, finer, len(edges)), *_split(two, run, finer, len(others))
            )
            if finer == 1:
                return one, two
            run = finer

    def _narrow(self, asked: Numbers, low: Metres, high: Metres) -> npt.NDArray[np.bool_]:
        """Update the bounds with those of the pairs; return a flag per pair: True if it is still
        needed.

        A pair is needed if it may be the nearest, and its distance is not yet decided against its
        limit.
        """
        np.minimum.at(self.best, asked, high)
        left = low <= self.best[asked]
        least = np.full(len(self.best), np.inf)
        np.minimum.at(least, asked[left], low[left])
        self.least = np.where(np.isinf(least), self.least, np.maximum(self.least, least))
        if self.limits is None:
            return np.asarray(left)
        is_open = (self.least <= self.limits) & (self.limits <= self.best)
        return np.asarray(left & is_open[asked])

    def _measure(self, asked: Numbers, edges: Edges, others: Edges, low: Metres) -> None:
        """Measure geodesics between the points nearest in space; if far away, search on the ground
        too.
        """
        first = np.argsort(low, kind="stable")[:_MOST_LEFT]
        asked, edges, others = asked[first], edges[first], others[first]
        _, share, other_share = nearest_shares(edges, others)
        lengths = geodesic_lengths(points_at(edges, share), points_at(others, other_share))
        np.minimum.at(self.best, asked, lengths)
        far = lengths > _FAR
        if far.any():
            self._zoom(asked[far], edges[far], others[far], share[far], other_share[far])

    def _zoom(
        self, asked: Numbers, edges: Edges, others: Edges, share: Shares, other_share: Shares
    ) -> None:
        """Measure geodesics between a grid of points on both edges, then on ever finer grids around
        the best.

        Edges are short against their distance, so between two points of a grid it differs by at
        most `bend`.
        """
        bend = _bend(edges, others)
        for width in 0.5 ** np.arange(_ZOOMS):
            shares, other_shares = _grid(edges, others, share, other_share, 2 * width)
            rows = np.repeat(np.arange(len(edges)), shares.shape[1])
            points = (
                points_at(edges[rows], shares.ravel()),
                points_at(others[rows], other_shares.ravel()),
            )
            lengths = geodesic_lengths(*points).reshape(shares.shape)
            nearest = np.arange(len(edges)), lengths.argmin(axis=1)
            np.minimum.at(self.best, asked, lengths[nearest])
            left = (lengths[nearest] - bend * width**2 <= self.best[asked]) & (
                bend * width**2 > TOLERANCE
            )
            share, other_share = shares[nearest][left], other_shares[nearest][left]
            asked, edges, others, bend = asked[left], edges[left], others[left], bend[left]
            if not len(asked):
                return


def _bounds(edges: Edges, others: Edges) -> tuple[Metres, Metres, Metres]:
    """Return the least and greatest possible distance of each pair of edges, and their slack."""
    gap, share, other_share = nearest_shares(edges, others)
    loose = slack(edges) + slack(others)
    one, other = (
        position_in_space(points_at(*at)) for at in ((edges, share), (others, other_share))
    )
    high = longest_way(np.linalg.norm(one - other, axis=1))
    return shortest_way(np.maximum(gap - loose, 0)), high, loose


def _cut_pairs(
    edges: Edges, others: Edges, coarse: npt.NDArray[np.bool_]
) -> tuple[Numbers, Edges, Edges]:
    """Cut the edges that make coarse pairs coarse; return the pair number and the parts of both."""
    mine, theirs = slack(edges), slack(others)
    counts = np.where(coarse & (4 * mine > theirs), _PARTS, 1)
    other_counts = np.where(coarse & (4 * theirs > mine), _PARTS, 1)
    parts, _ = cut(edges, counts)
    other_parts, _ = cut(others, other_counts)
    firsts, other_firsts = np.cumsum(counts) - counts, np.cumsum(other_counts) - other_counts
    parents, one, two = _combine(np.arange(len(edges)), firsts, counts, other_firsts, other_counts)
    return parents, parts[one], other_parts[two]


def _split(runs: Numbers, length: int, finer: int, edges: int) -> tuple[Numbers, Numbers]:
    """Split runs of `length` edges into finer ones; return first number and count."""
    firsts = runs * (length // finer)
    return firsts, np.minimum(length // finer, -(-edges // finer) - firsts)


def _combine(
    asked: Numbers, firsts: Numbers, sizes: Numbers, other_firsts: Numbers, other_sizes: Numbers
) -> Pairs:
    """Return the cross product of a run of ours with a run of theirs, query by query."""
    counts = sizes * other_sizes
    each = np.repeat(np.arange(len(asked)), counts)
    nth = np.arange(len(each)) - np.repeat(np.cumsum(counts) - counts, counts)
    one, two = np.divmod(nth, other_sizes[each])
    return asked[each], firsts[each] + one, other_firsts[each] + two


def _bend(edges: Edges, others: Edges) -> Metres:
    """Return the most by which the distance of two edges deviates from a linear one, end to end."""
    one, other = (position_in_space(each.reshape(-1, 2, 2)) for each in (edges, others))
    length = sum(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) for ends in (one, other))
    apart = np.linalg.norm(one[:, 0] - other[:, 0], axis=1)
    return np.asarray(8 * (slack(edges) + slack(others)) + length**2 / apart)


def _grid(
    edges: Edges, others: Edges, share: Shares, other_share: Shares, width: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return, for each pair of edges, shares of both around those given; a point has only one."""
    steps, other_steps = (
        np.zeros(1) if (each[:, :2] == each[:, 2:]).all() else width * _GRID
        for each in (edges, others)
    )
    shares = share[:, None] + np.repeat(steps, len(other_steps))
    other_shares = other_share[:, None] + np.tile(other_steps, len(steps))
    return np.clip(shares, 0, 1), np.clip(other_shares, 0, 1)
