"""Least distance on the globe between shapes with edges straight in degrees; to 0.1 m.

Branch and bound: the gap between the chords of two edges, less the slack of both, is a lower bound
of their distance, and the way between any two of their points an upper one. Pairs of edges that
cannot be the nearest are dropped, the others are cut until their slack does not matter. The rest is
measured by geodesics.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tocsin.values.edges import (
    Balls,
    Chains,
    Edges,
    Metres,
    Numbers,
    Shares,
    cut,
    nearest_shares,
    points_at,
    slack,
)
from tocsin.values.geodesy import (
    geodesic_lengths,
    longest_way,
    position_in_space,
    shortest_way,
    vagueness,
)

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
