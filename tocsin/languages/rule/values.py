"""Values of WHERE and SELECT as expressions of the plan: an attribute's path begins with the name
of its part.
"""

from __future__ import annotations

from typing import assert_never

from tocsin.errors import MeaningProblem, Problem
from tocsin.languages.rule.paths import as_instant, is_time, path_of
from tocsin.languages.rule.syntax import (
    Distance,
    Over,
    RuleArithmetic,
    RuleAttribute,
    RuleComparison,
    RuleConstant,
    ValueSyntax,
)
from tocsin.plan.nodes import expression as plan
from tocsin.plan.nodes.composites import NamedCondition, PartAttribute, Related
from tocsin.plan.nodes.measures import Apart, Satisfies
from tocsin.plan.semantics.text_functions import INSTANT_OF
from tocsin.values.scalars import Constant as Scalar
from tocsin.values.space import Metric, SpatialRelation
from tocsin.values.time import parse_instant

NUMERIC = ("SUM", "AVG", "MIN", "MAX")
CODE = "WhereError"

_DISTANCES = {
    "<": (SpatialRelation.NEARER, False),
    "<=": (SpatialRelation.WITHIN, False),
    "=": (SpatialRelation.AT, False),
    ">": (SpatialRelation.FARTHER, False),
    ">=": (SpatialRelation.NEARER, True),
    "<>": (SpatialRelation.AT, True),
}
_MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TIME_FORM = "write it like '2026-01-31T08:00:00Z', with a zone"


def condition_of(comparison: RuleComparison, metric: Metric) -> NamedCondition:
    """Return the condition of a comparison between parts; raise if its sides cannot be compared."""
    left, relation, right = comparison.left, comparison.relation, comparison.right
    if isinstance(right, Distance):
        left, relation, right = right, _MIRRORED[relation], left
    if isinstance(left, Distance):
        return _lower_distance(left, relation, right, metric)
    plain = isinstance(left, RuleAttribute) and isinstance(right, RuleAttribute)
    if plain and relation in ("=", "<>") and _is_time(left) is _is_time(right):
        return Related(_side(left), relation, _side(right))
    return Satisfies(plan.Call(relation, _sides(left, right)))


def expression_of(value: ValueSyntax) -> plan.Expression:
    """Return the expression of a value."""
    match value:
        case RuleAttribute(name, path):
            return plan.Attribute((name, *path_of(path)))
        case RuleConstant():
            return plan.Value(Scalar.of(value.value))
        case RuleArithmetic(operator, operands):
            return plan.Call(operator, tuple(map(expression_of, operands)))
        case Over(function, name, path):
            steps = path_of(path) if path else ()
            return plan.Call(function, (plan.Attribute((name, *steps)),))
        case Distance():
            raise _problem(
                "a distance is compared with a number, and nothing else is done with it",
                "write DISTANCE(a, b) < 500",
            )
        case _:
            assert_never(value)


def _lower_distance(left: Distance, relation: str, right: ValueSyntax, metric: Metric) -> Apart:
    if not isinstance(right, RuleConstant) or right.kind != "number":
        raise _problem("a distance is compared with a number", "write DISTANCE(a, b) < 500")
    assert isinstance(right.value, int | float)
    if right.value < 0:
        raise _problem("a distance is not negative", "write 0 or a positive number")
    found, negated = _DISTANCES[relation]
    return Apart(left.left, found, left.right, float(right.value), metric, negated)


def _side(attribute: ValueSyntax) -> PartAttribute:
    assert isinstance(attribute, RuleAttribute)
    path = path_of(attribute.path)
    return PartAttribute(attribute.name, as_instant(path) if is_time(path) else path)


def _sides(left: ValueSyntax, right: ValueSyntax) -> tuple[plan.Expression, plan.Expression]:
    """Return both sides for a comparison: if one is a time of the envelope, both are instants."""
    if not (_is_time(left) or _is_time(right)):
        return expression_of(left), expression_of(right)
    return _instant(left), _instant(right)


def _is_time(value: ValueSyntax) -> bool:
    match value:
        case RuleAttribute(_, path) | Over("FIRST" | "LAST" | "MIN" | "MAX", _, path):
            return is_time(path_of(path))
        case _:
            return False


def _instant(value: ValueSyntax) -> plan.Expression:
    match value:
        case RuleAttribute(name, path) if _is_time(value):
            return plan.Attribute((name, *as_instant(path_of(path))))
        case Over(function, name, path) if _is_time(value):
            return plan.Call(function, (plan.Attribute((name, *as_instant(path_of(path)))),))
        case RuleAttribute() | Over("FIRST" | "LAST"):
            return plan.Call(INSTANT_OF, (expression_of(value),))
        case RuleConstant(value=str(text)):
            return plan.Value(Scalar.of(_read(text)))
        case _:
            raise _problem("a time is compared with a time", _TIME_FORM)


def _read(text: str) -> int:
    try:
        return parse_instant(text)
    except Problem as problem:
        raise _problem(problem.message, _TIME_FORM) from None


def _problem(message: str, hint: str) -> MeaningProblem:
    return MeaningProblem(message, code=CODE, hint=hint)
