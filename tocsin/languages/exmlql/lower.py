"""From syntax to plan: what the text says about one document, and what comes out (forward, split).

Value conditions whose variables all stand in one block are part of that block; the others are about the joined rows.
"""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.languages.exmlql.lower_composites import Composition, composed
from tocsin.languages.exmlql.names import check_names
from tocsin.languages.exmlql.namespaces import Namespaces
from tocsin.languages.exmlql.patterns import PatternReader
from tocsin.languages.exmlql.problems import SYNTAX_CODE
from tocsin.languages.exmlql.rules import check_rules
from tocsin.languages.exmlql.syntax import ConditionItem, Subscription
from tocsin.languages.exmlql.templates import lowered_template
from tocsin.languages.exmlql.variables import check_variables, variables_by_block
from tocsin.languages.texts import Problems
from tocsin.plan.blocks import Pattern, ValueCondition, XmlBlock
from tocsin.plan.composites import Plan, Send
from tocsin.plan.construction import Construct, TemplateElement


def lowered(subscription: Subscription, problems: Problems) -> Plan | None:
    """The plan; None where there are problems."""
    namespaces = Namespaces(subscription.namespaces, problems)
    reader = PatternReader(namespaces, problems)
    patterns: dict[str, list[Pattern]] = {}
    for item in subscription.blocks:
        patterns.setdefault(item.label.text if item.label else "", []).append(reader.pattern(item))
    templates = subscription.construct.templates if subscription.construct else ()
    built = tuple(lowered_template(each, namespaces, problems) for each in templates)
    if not patterns:
        _refuse_without_pattern(subscription, problems)
        return None
    check_names(subscription, problems)
    check_variables(subscription, problems)
    check_rules(subscription, problems)
    if problems.found:
        return None
    return _plan(subscription, patterns, built, problems)


def _plan(
    subscription: Subscription,
    patterns: Mapping[str, list[Pattern]],
    templates: tuple[TemplateElement, ...],
    problems: Problems,
) -> Plan | None:
    blocks, rest = _blocks(subscription, patterns)
    if subscription.has_operator or len(blocks) > 1:
        output = Construct(templates, rest) if templates else None
        return composed(Composition(subscription, blocks, rest, output), problems)
    if subscription.within is not None:
        problems.add(
            SYNTAX_CODE, subscription.within, "WITHIN relates several events, and here is one", "leave WITHIN out"
        )
        return None
    block = next(iter(blocks.values()))
    return Plan(block, Construct(templates) if templates else Send())


def _blocks(
    subscription: Subscription, patterns: Mapping[str, list[Pattern]]
) -> tuple[dict[str, XmlBlock], tuple[ValueCondition, ...]]:
    """The blocks by label with the conditions of each, and the conditions that no block can decide alone."""
    variables = variables_by_block(subscription)
    own: dict[str, list[ValueCondition]] = {label: [] for label in patterns}
    rest: list[ValueCondition] = []
    for item in subscription.conditions:
        condition = _condition(item)
        names = {condition.variable, condition.other or condition.variable}
        homes = [label for label in patterns if names <= variables[label]]
        for label in homes:
            own[label].append(condition)
        if not homes:
            rest.append(condition)
    return {label: XmlBlock(tuple(each), tuple(own[label])) for label, each in patterns.items()}, tuple(rest)


def _condition(item: ConditionItem) -> ValueCondition:
    other = None if item.other is None else item.other.text
    return ValueCondition(item.variable.text, item.relation, item.constant, other)


def _refuse_without_pattern(subscription: Subscription, problems: Problems) -> None:
    first = subscription.conditions[0].variable
    problems.add(
        SYNTAX_CODE, first, "WHERE has no pattern", "a pattern binds the variables: WHERE <order><id>$x</></>, $x = 5"
    )
