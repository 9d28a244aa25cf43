"""WHERE and SELECT: values as expressions of the plan, and the placement of conditions.

Each condition of WHERE is placed at the lowest operator that has all the parts it names. An absence
has its absent part and the bounds of its window; a count has all events that it counted. A
condition on one event alone belongs to that event. An attribute's path begins with the name of its
part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from tocsin.errors import MeaningProblem, Problem
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.rule.names import as_instant, is_time, path_of
from tocsin.languages.rule.syntax import (
    Distance,
    Over,
    RuleArithmetic,
    RuleAttribute,
    RuleComparison,
    RuleConstant,
    ValueSyntax,
)
from tocsin.plan.nodes import expressions as plan
from tocsin.plan.nodes.composites import (
    Absence,
    BetweenWindow,
    Either,
    Fulfilling,
    Gathered,
    Join,
    Named,
    NamedCondition,
    Only,
    Part,
    PartAttribute,
    Related,
    Sliding,
    names_of,
    names_used_by,
    parts_of,
)
from tocsin.plan.nodes.expressions import Apart, Satisfies, names_aggregated_in
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.plan.semantics.computed_conditions import INSTANT_OF
from tocsin.values.scalars import Constant as Scalar
from tocsin.values.space import Metric, SpatialRelation
from tocsin.values.time import parse_instant

# Values as expressions.

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
            return plan.Value(Scalar.of(_read_time(text)))
        case _:
            raise _problem("a time is compared with a time", _TIME_FORM)


def _read_time(text: str) -> int:
    try:
        return parse_instant(text)
    except Problem as problem:
        raise _problem(problem.message, _TIME_FORM) from None


def _problem(message: str, hint: str) -> MeaningProblem:
    return MeaningProblem(message, code=CODE, hint=hint)


@dataclass(frozen=True, slots=True)
class WhereCondition:
    """A condition and the comparison that it comes from."""

    condition: NamedCondition
    comparison: RuleComparison

    @property
    def names(self) -> frozenset[str]:
        """The names of the parts in the condition."""
        return names_used_by(self.condition)

    @property
    def is_of_all(self) -> bool:
        """True if it aggregates several events."""
        condition = self.condition
        return isinstance(condition, Satisfies) and bool(names_aggregated_in(condition.expression))


def attach(part: Part, wanted: Sequence[WhereCondition], problems: ProblemCollector) -> Part:
    """Return the part with every condition in its place; add a problem for one without a place."""
    attachment = _ConditionPlacement(list(wanted))
    whole = attachment.part(part)
    for each in attachment.waiting:
        problems.add(CODE, each.comparison.left.spot, *_unrelated_parts(each.names))
    for each in attachment.uncertain:
        problems.add(CODE, each.comparison.left.spot, *_uncertain(each.names))
    return whole


class _ConditionPlacement:
    """One walk from the inside out."""

    def __init__(self, waiting: list[WhereCondition]) -> None:
        self.waiting = waiting
        self.uncertain: list[WhereCondition] = []

    def part(self, part: Part) -> Part:
        if not self.waiting:
            return part
        whole = with_parts(part, self.part)
        match whole:
            case Join(parts, conditions):
                found = self._take(visible(whole), _certain_all(parts))
                return replace(whole, conditions=(*conditions, *found)) if found else whole
            case Absence() | Gathered():
                return self._windowed(whole)
            case Named(name, inner):
                own = self._own(name, _is_measure(inner))
                return Only(whole, Fulfilling(own)) if own else whole
            case _:
                return whole

    def _windowed(self, whole: Absence | Gathered) -> Part:
        counted, *bounds = parts_of(whole)
        inside, around = names_of(counted), _union(map(visible, bounds))
        certain = _certain(counted) | _certain_all(bounds)
        between = isinstance(whole.window, BetweenWindow)
        found = self._take(inside | around, certain, None if between else inside)
        return replace(whole, conditions=(*whole.conditions, *found)) if found else whole

    def _take(
        self, known: frozenset[str], certain: frozenset[str], needed: frozenset[str] | None = None
    ) -> tuple[NamedCondition, ...]:
        """Take the waiting conditions that name known parts only, one of them a needed part."""
        found = [
            each
            for each in self.waiting
            if each.names <= known and (needed is None or each.names & needed)
        ]
        self.waiting = [each for each in self.waiting if each not in found]
        self.uncertain += [each for each in found if not each.names <= certain]
        return tuple(each.condition for each in found)

    def _own(self, name: str, slides: bool) -> tuple[NamedCondition, ...]:
        """Take the waiting conditions on a named part alone.

        Conditions on several events are taken for a measure only, and a measure takes no others.
        """
        found = [each for each in self.waiting if each.names == {name} and each.is_of_all is slides]
        self.waiting = [each for each in self.waiting if each not in found]
        return tuple(each.condition for each in found)


def _is_measure(part: Part) -> bool:
    """Return True if a part is a measure, maybe with another name and a condition of its own."""
    while isinstance(part, Named | Only):
        part = part.part
    return isinstance(part, Sliding)


def visible(part: Part) -> frozenset[str]:
    """Return the names that an occurrence of the part can have events for; not absent ones."""
    match part:
        case Named(name, inner):
            return visible(inner) | {name}
        case Absence():
            return _union(map(visible, parts_of(part)[1:]))
        case _:
            return _union(map(visible, parts_of(part)))


def _certain(part: Part) -> frozenset[str]:
    """Return the names that every occurrence of the part has events for."""
    match part:
        case Either(parts):
            return frozenset.intersection(*map(_certain, parts))
        case Named(name, inner):
            return _certain(inner) | {name}
        case Absence():
            return _certain_all(parts_of(part)[1:])
        case _:
            return _certain_all(parts_of(part))


def _certain_all(parts: Iterable[Part]) -> frozenset[str]:
    return _union(map(_certain, parts))


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)


def _unrelated_parts(names: frozenset[str]) -> tuple[str, str]:
    told = " and ".join(sorted(names)) or "nothing"
    return (
        f"{told} never stand together, so they cannot be compared",
        "join them; what is absent is compared with the steps around it only",
    )


def _uncertain(names: frozenset[str]) -> tuple[str, str]:
    return (
        f"{' or '.join(sorted(names))} has no event when the other side of OR happens",
        "name the whole of (a OR b), or make two rules",
    )
