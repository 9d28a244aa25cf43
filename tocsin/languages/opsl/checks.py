"""Warnings: texts that are legal and probably not meant. They refuse nothing.

`DurationWithoutUnit`: a bare number is milliseconds. `LongWayRound`: on the globe, an edge of a
region spans more than half of it, instead of crossing the 180th meridian. `UNSATISFIABLE`: a part
never happens, because of predicates, windows or distances that nothing meets; each is certain.
Warnings for an atom in braces come from its own language, placed in the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise, product

from tocsin.errors import Problem
from tocsin.events.views.epcis import PLACES
from tocsin.languages.base.reading import Context, RegionDefinition
from tocsin.languages.base.regions import Point, region_of, rings_of
from tocsin.languages.base.texts import ProblemCollector, SourceSpan, shift_problem
from tocsin.languages.opsl.names import condition_of, path_of, written_region
from tocsin.languages.opsl.quantities import distance_of, duration_of
from tocsin.languages.opsl.read import OpslLimits
from tocsin.languages.opsl.syntax import (
    After,
    Atomic,
    CatalogName,
    Fixed,
    OpslAttribute,
    OpslComparison,
    OpslEmbeddedAtom,
    OpslSubscription,
    Polygon,
    Spatial,
    WindowedOperand,
    nodes_of,
)
from tocsin.plan.explain.atoms import selector_text
from tocsin.plan.nodes.atoms import attribute_paths, predicates_of
from tocsin.plan.passes.contradictions import contradictions
from tocsin.plan.semantics.implication import TURNED, Literal, tests_off_the_globe
from tocsin.values.globe import TURN
from tocsin.values.space import HALF_TURN, Metric, parse_place

# UNSATISFIABLE.

FARTHEST = 20_004_000.0
"""Upper bound in metres of the distance between two places on the globe."""

_UNSATISFIABLE = "UNSATISFIABLE"
_ORDERS = {
    "=": frozenset((0,)),
    "!=": frozenset((-1, 1)),
    "<>": frozenset((-1, 1)),
    "<": frozenset((-1,)),
    "<=": frozenset((-1, 0)),
    ">": frozenset((1,)),
    ">=": frozenset((0, 1)),
}


def warn_unsatisfiable(
    nodes: Iterable[object],
    metric: Metric,
    context: Context,
    limits: OpslLimits,
    problems: ProblemCollector,
) -> None:
    """Add warnings for parts that never happen, in a text without problems."""
    for node in nodes:
        match node:
            case Atomic():
                _warn_of_predicates(node, limits, problems)
                _warn_of_objects(node, problems)
            case OpslEmbeddedAtom():
                text = problems.text[node.start : node.end]
                found = context.warn_of_atom(node.language, text)
                problems.found.extend(
                    shift_problem(each, problems.text, node.start) for each in found
                )
            case WindowedOperand(operator="=|", window=Fixed() | After() as window):
                _warn_of_window(window.duration, problems)
            case Spatial(distance=SourceSpan() as distance, comparison=SourceSpan() as comparison):
                _warn_of_distance(distance, comparison.text, metric, problems)


def warn_of_comparisons(comparisons: Iterable[OpslComparison], problems: ProblemCollector) -> None:
    """Add warnings for comparisons of WHERE that exclude each other, and for those of objects.

    Only comparisons between the same two attributes are checked against each other.
    """
    left_over: dict[frozenset[str], frozenset[int]] = {}
    for each in comparisons:
        for side in (each.left, each.right):
            if not side.is_each and (name := side.path.text.removeprefix(".")) in PLACES:
                message = (
                    f"{name} is an object in EPCIS events, and an object compares with nothing"
                )
                problems.add(
                    "LIST_COMPARISON", side.spot, message, f"write ${side.variable};.{name}.id"
                )
        sides = [_text(each.left), _text(each.right)]
        relation = each.relation.text if sides == sorted(sides) else TURNED[each.relation.text]
        key = frozenset(sides)
        before = left_over.get(key, frozenset((-1, 0, 1)))
        left_over[key] = before & _ORDERS[relation]
        if before and not left_over[key]:
            message = f"{sides[0]} and {sides[1]} cannot stand in all of these relations"
            problems.add(
                _UNSATISFIABLE,
                each.relation,
                message,
                "as it stands it never rings; drop one of the comparisons",
            )


def _warn_of_predicates(node: Atomic, limits: OpslLimits, problems: ProblemCollector) -> None:
    condition = condition_of(node, ProblemCollector(problems.text), limits)
    for literals in contradictions(condition.expression):
        told = " and ".join(dict.fromkeys(map(selector_text, literals)))
        message = f"{told} {'are' if len(literals) > 1 else 'is'} never true of one event"
        hint = "as it stands it never happens; join two parts with || where either will do"
        problems.add(_UNSATISFIABLE, _spot_of(node, literals[-1]), message, hint)
    for predicate, message in tests_off_the_globe(condition.expression):
        hint = "write degrees; of a pair the latitude is the one that is at most 90"
        problems.add("IMPOSSIBLE_COORDINATE", _spot_of(node, predicate), message, hint)


def _warn_of_objects(node: Atomic, problems: ProblemCollector) -> None:
    for each in node.predicates:
        if each.attribute.text in PLACES:
            message = (
                f"{each.attribute.text} is an object in EPCIS events, and an object compares with"
                " nothing"
            )
            problems.add(
                "LIST_COMPARISON", each.attribute, message, f"write {each.attribute.text}.id"
            )


def _spot_of(node: Atomic, literal: Literal) -> SourceSpan:
    """Return the place of the last predicate about the literal's attribute."""
    paths = {path for predicate in predicates_of(literal) for path in attribute_paths(predicate)}
    spots = [each.attribute for each in node.predicates if path_of(each.attribute.text) in paths]
    return spots[-1] if spots else node.spot


def _warn_of_window(duration: SourceSpan, problems: ProblemCollector) -> None:
    if duration_of(duration.text) == 0:
        message = "a window of no length leaves out its start, so that nothing happens in it"
        problems.add(
            _UNSATISFIABLE,
            duration,
            message,
            "write how long it is: 60s; for the same time write |(A)B",
        )


def _warn_of_distance(
    written: SourceSpan, relation: str, metric: Metric, problems: ProblemCollector
) -> None:
    distance = distance_of(written.text)
    if relation == "<" and distance == 0:
        problems.add(
            _UNSATISFIABLE,
            written,
            "no distance is less than 0",
            "write a positive number; OVLP(A)B is to touch",
        )
    if relation in (">", "=") and metric is Metric.WGS84 and distance >= FARTHEST:
        message = f"no two places on the globe are {distance:,.0f} m apart"
        problems.add(
            _UNSATISFIABLE, written, message, "write metres: half around the globe are 20,003,931"
        )


def _text(attribute: OpslAttribute) -> str:
    return f"${attribute.variable};{attribute.path.text}{'[*]' if attribute.is_each else ''}"


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
