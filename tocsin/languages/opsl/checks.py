"""Warnings: texts that are legal and probably not meant. They refuse nothing.

`DurationWithoutUnit`: a bare number is milliseconds. `LongWayRound`: on the globe, an edge of a
region spans more than half of it, instead of crossing the 180th meridian. `UNSATISFIABLE`: a part
never happens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise, product

from tocsin.errors import Problem
from tocsin.languages.base.context import Context, RegionDefinition
from tocsin.languages.base.regions import Point, region_of, rings_of
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.opsl.limits import OpslLimits
from tocsin.languages.opsl.regions import written_region
from tocsin.languages.opsl.syntax import (
    After,
    CatalogName,
    Fixed,
    OpslSubscription,
    Polygon,
    Spatial,
    WindowedOperand,
    nodes_of,
)
from tocsin.languages.opsl.unsatisfiable import warn_of_comparisons, warn_unsatisfiable
from tocsin.values.globe import TURN
from tocsin.values.space import HALF_TURN, Metric, parse_place

_BARE = re.compile(r"\d+")
_SECOND = 1_000


def warnings_of(
    text: str, subscription: OpslSubscription, metric: Metric, context: Context, limits: OpslLimits
) -> list[Problem]:
    """Return the warnings of a text; empty if a region of it cannot be read."""
    try:
        problems = ProblemCollector(text)
        for spot in _durations(subscription):
            _warn_of_bare_duration(spot, problems)
        if metric is Metric.WGS84:
            for spot, region in _regions(subscription, context):
                _warn_of_long_way(spot, region, problems)
        warn_unsatisfiable(_nodes(subscription), metric, context, limits, problems)
        if metric is Metric.PLANAR:
            _warn_of_disjoint_regions(subscription, context, problems)
        warn_of_comparisons(subscription.comparisons, problems)
        return problems.in_reading_order()
    except Problem:
        return []


def _durations(subscription: OpslSubscription) -> Iterator[SourceSpan]:
    for node in _nodes(subscription):
        if isinstance(node, WindowedOperand) and isinstance(node.window, Fixed | After):
            yield node.window.duration


def _warn_of_bare_duration(spot: SourceSpan, problems: ProblemCollector) -> None:
    """Warn of a duration without a unit, except 0, which is the same in every unit."""
    if not _BARE.fullmatch(spot.text) or int(spot.text) == 0:
        return
    number = spot.text
    message = f"{number} has no unit and is taken for milliseconds"
    meant = "" if int(number) % _SECOND else f" or {int(number) // _SECOND}s"
    problems.add(
        "DurationWithoutUnit",
        spot,
        message,
        f"write {number}s for seconds, {number}ms{meant} if they are meant",
    )


def _regions(subscription: OpslSubscription, context: Context) -> Iterator[tuple[SourceSpan, str]]:
    for node in _nodes(subscription):
        if isinstance(node, Spatial):
            yield from _region(node, context)


def _region(node: Spatial, context: Context) -> Iterator[tuple[SourceSpan, str]]:
    """Yield place and WKT of a spatial operator's region; nothing if it has a part instead."""
    if isinstance(node.place, Polygon):
        yield node.place.spot, written_region(node.place)
    elif isinstance(node.place, CatalogName):
        definition = context.definitions.get(node.place.name)
        if isinstance(definition, RegionDefinition):
            yield node.place.spot, region_of(definition.region)


def _warn_of_disjoint_regions(
    subscription: OpslSubscription, context: Context, problems: ProblemCollector
) -> None:
    """Warn of `@(R)@(S)A` whose regions have no point in common.

    Called for planar coordinates only: on the globe a region can be written in more than one way.
    """
    for node in _nodes(subscription):
        for outer, inner in _nested_regions(node, context):
            if parse_place(outer[1]).disjoint(parse_place(inner[1])):
                message = (
                    f"{outer[0].text} and {inner[0].text} have no point in common, so that nothing"
                    " lies in both"
                )
                hint = "write || between two parts where either region will do"
                problems.add("UNSATISFIABLE", inner[0], message, hint)


def _nested_regions(
    node: object, context: Context
) -> Iterator[tuple[tuple[SourceSpan, str], tuple[SourceSpan, str]]]:
    """Yield the region of an operator with each nested one that concerns the same part."""
    if not isinstance(node, Spatial) or node.operator not in _TOUCHING:
        return
    inner = node.operand
    while isinstance(inner, Spatial) and inner.operator in _TOUCHING:
        if "@" in (node.operator, inner.operator):
            yield from product(_region(node, context), _region(inner, context))
        inner = inner.operand


_TOUCHING = ("@", "OVLP")
"""Operators under which a part has a point in common with the region; one of the two must contain
it.
"""


def _warn_of_long_way(spot: SourceSpan, region: str, problems: ProblemCollector) -> None:
    """Warn of an edge over more than half the globe.

    An edge all around the globe is allowed: it is the border of a cap around a pole.
    """
    edges = (edge for ring in rings_of(region) for edge in pairwise(ring))
    wide = next((edge for edge in edges if HALF_TURN < abs(edge[1][0] - edge[0][0]) < TURN), None)
    if wide is not None:
        west, east = sorted(corner[0] for corner in wide)
        problems.add("LongWayRound", spot, *_long_way(wide, west, east))


def _long_way(edge: tuple[Point, Point], west: float, east: float) -> tuple[str, str]:
    message = (
        f"the edge from longitude {edge[0][0]:g} to {edge[1][0]:g} goes the long way round, as it"
        " is written"
    )
    return message, f"across the 180th meridian write {east:g} to {west + TURN:g}"


def _nodes(subscription: OpslSubscription) -> Iterator[object]:
    for body in (subscription.main, *(each.definition for each in subscription.bindings)):
        yield from nodes_of(body)
