"""Warnings: patterns that are legal and probably not meant. They refuse nothing.

UNSATISFIABLE: the filters on one variable exclude each other, or one of them is true of no literal.
TAUTOLOGY: two variables of resources are to differ, which they do anyway.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal

from tocsin.errors import Problem
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.graph.syntax import GraphSubscription, spot_of
from tocsin.plan.nodes.graphs import (
    Comparison,
    Filter,
    FilterAll,
    FilterAny,
    FilterNot,
    GraphPattern,
    Injective,
    Variable,
    VariableComparison,
    conditions_of,
    vertex_text,
)
from tocsin.plan.semantics.implication import OPPOSITE, can_all_hold
from tocsin.values.terms import Family, Iri, LiteralValue, value_of

_EQUALITIES = ("=", "!=")
_COMPARE_VALUES = (
    "values are compared where one of the two has the class rdfs:Literal or a datatype, as in"
    " ?x a rdfs:Literal; resources that may be one, with the option injective none"
)
_UNORDERED = (Family.BOOLEAN, Family.OTHER)
_MIXED_TIMES = ({Family.INSTANT, Family.LOCAL_TIME}, {Family.DATE, Family.LOCAL_DATE})


def warnings_of(text: str, pattern: GraphPattern, subscription: GraphSubscription) -> list[Problem]:
    """Return a warning for each variable whose filters no literal meets.

    Optional and absent groups are not checked: they may be unsatisfiable.
    """
    problems = ProblemCollector(text)
    literals = _literal_variables(pattern)
    for name, filters in _filters_by_variable(pattern).items():
        if not _can_hold(filters, name in literals):
            where = [
                each
                for each in subscription.statements
                if each.filter and each.object.spot.text == f"?{name}"
            ]
            spot = (
                spot_of(where[-1].filter)
                if where and where[-1].filter
                else subscription.statements[0].spot
            )
            message = f"no literal meets all that is asked of ?{name}"
            problems.add(
                "UNSATISFIABLE",
                spot,
                message,
                "as it stands it never rings; join alternatives with ||",
            )
    for code, message in dict.fromkeys(_pointless(pattern)):
        problems.add(code, subscription.statements[0].spot, message, _COMPARE_VALUES)
    return problems.in_reading_order()


def _pointless(pattern: GraphPattern) -> Iterator[tuple[str, str]]:
    """Yield code and message of conditions between resources that have one answer for every event.

    Different variables are different resources, unless the option `injective` says otherwise, and
    resources have no order.
    """
    groups = (pattern.statements, *pattern.optionals, *pattern.absents)
    classes = {
        each.object: each.object_class
        for group in groups
        for each in group
        if isinstance(each.object, Variable)
    }
    for condition in _conjuncts(each for group in groups for each in conditions_of(group)):
        if not isinstance(condition, VariableComparison):
            continue
        left, relation, right = condition.left, condition.relation, condition.right
        kinds = [classes.get(each) for each in (left, right) if isinstance(each, Variable)]
        if any(each is not None and pattern.ontology.is_datatype(each) for each in kinds):
            continue
        told = f"?{left.name} {relation} {vertex_text(right)}"
        if relation not in _EQUALITIES:
            yield (
                "UNSATISFIABLE",
                f"{told} never holds: resources, which may be blank nodes, have no order",
            )
        elif len(kinds) == 2 and pattern.injective is not Injective.NONE:
            code, often = ("UNSATISFIABLE", "never") if relation == "=" else ("TAUTOLOGY", "always")
            yield code, f"{told} {often} holds: different variables are different resources"


def _filters_by_variable(pattern: GraphPattern) -> dict[str, list[Filter]]:
    found: dict[str, list[Filter]] = defaultdict(list)
    for each in pattern.statements:
        if each.filter is not None and isinstance(each.object, Variable):
            found[each.object.name].append(each.filter)
    return found


def _literal_variables(pattern: GraphPattern) -> frozenset[str]:
    """Return the variables whose images are literals."""
    return frozenset(
        each.object.name
        for each in pattern.statements
        if isinstance(each.object, Variable) and pattern.ontology.is_datatype(each.object_class)
    )


def _can_hold(filters: Iterable[Filter], is_literal: bool) -> bool:
    """Return False if no literal, and unless `is_literal` no resource, can meet all filters."""
    tests: list[tuple[str, LiteralValue]] = []
    for condition in _conjuncts(filters):
        match condition:
            case FilterAny(operands):
                if not any(_can_hold([operand], is_literal) for operand in operands):
                    return False
            case Comparison(relation, value):
                if isinstance(value, Iri):
                    if relation not in _EQUALITIES or (is_literal and relation == "="):
                        return False
                    continue
                known = value_of(value)
                if known is None:
                    return False
                tests.append((relation, known))
    return _can_be_met(tests)


def _conjuncts(filters: Iterable[Filter]) -> Iterator[Filter]:
    """Yield the conditions that must be TRUE, with a negated comparison as the opposite one.

    Of UNKNOWN both are UNKNOWN.
    """
    for condition in filters:
        match condition:
            case FilterAll(operands):
                yield from _conjuncts(operands)
            case FilterNot(FilterNot(operand)):
                yield from _conjuncts((operand,))
            case FilterNot(FilterAny(operands)):
                yield from _conjuncts(FilterNot(operand) for operand in operands)
            case FilterNot(Comparison(relation, value)):
                yield Comparison(OPPOSITE[relation], value)
            case FilterNot(VariableComparison(left, relation, right)):
                yield VariableComparison(left, OPPOSITE[relation], right)
            case _:
                yield condition


def _can_be_met(tests: list[tuple[str, LiteralValue]]) -> bool:
    families = {value.family for _, value in tests}
    if families in _MIXED_TIMES:
        return True  # times with and without a zone: some time may meet both tests
    if len(families) > 1:
        return False
    if not families & {*_UNORDERED}:
        usable = [(relation, value.content) for relation, value in tests if not _is_nan(value)]
        return len(usable) < len(tests) or can_all_hold(usable)
    if any(relation not in _EQUALITIES for relation, _ in tests):
        return False
    equal = [value for relation, value in tests if relation == "="]
    return not equal or all((value == equal[0]) == (relation == "=") for relation, value in tests)


def _is_nan(value: LiteralValue) -> bool:
    return isinstance(value.content, Decimal) and value.content.is_nan()
