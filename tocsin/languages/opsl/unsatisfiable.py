"""UNSATISFIABLE: parts that never happen, because of predicates, windows or distances that nothing
meets. Each warning is certain.

Warnings for an atom in braces come from its own language, placed in the whole text.
"""

from __future__ import annotations

from collections.abc import Iterable

from tocsin.events.views.epcis import PLACES
from tocsin.languages.base.context import Context
from tocsin.languages.base.embedded import shift_problem
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.opsl.atoms import condition_of, path_of
from tocsin.languages.opsl.limits import OpslLimits
from tocsin.languages.opsl.quantities import distance_of, duration_of
from tocsin.languages.opsl.syntax import (
    After,
    Atomic,
    Fixed,
    OpslAttribute,
    OpslComparison,
    OpslEmbeddedAtom,
    Spatial,
    WindowedOperand,
)
from tocsin.plan.explain.conditions import selector_text
from tocsin.plan.nodes.atoms import attribute_paths, predicates_of
from tocsin.plan.passes.contradictions import contradictions
from tocsin.plan.semantics.coordinate_checks import tests_off_the_globe
from tocsin.plan.semantics.implication import Literal
from tocsin.values.ranges import TURNED
from tocsin.values.space import Metric

FARTHEST = 20_004_000.0
"""Upper bound in metres of the distance between two places on the globe."""

_CODE = "UNSATISFIABLE"
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
                _CODE,
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
        problems.add(_CODE, _spot_of(node, literals[-1]), message, hint)
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
            _CODE, duration, message, "write how long it is: 60s; for the same time write |(A)B"
        )


def _warn_of_distance(
    written: SourceSpan, relation: str, metric: Metric, problems: ProblemCollector
) -> None:
    distance = distance_of(written.text)
    if relation == "<" and distance == 0:
        problems.add(
            _CODE,
            written,
            "no distance is less than 0",
            "write a positive number; OVLP(A)B is to touch",
        )
    if relation in (">", "=") and metric is Metric.WGS84 and distance >= FARTHEST:
        message = f"no two places on the globe are {distance:,.0f} m apart"
        problems.add(_CODE, written, message, "write metres: half around the globe are 20,003,931")


def _text(attribute: OpslAttribute) -> str:
    return f"${attribute.variable};{attribute.path.text}{'[*]' if attribute.is_each else ''}"
