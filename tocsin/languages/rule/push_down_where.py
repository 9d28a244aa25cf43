"""Push-down of WHERE: conditions on one event alone become part of its atom, where an index serves
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tocsin.languages.rule.lower import RuleLowering
from tocsin.languages.rule.printer import value_text
from tocsin.languages.rule.syntax import (
    Distance,
    Over,
    RuleArithmetic,
    RuleAttribute,
    RuleComparison,
    RuleConstant,
    RuleSyntax,
    ValueSyntax,
    values_in,
)
from tocsin.plan.nodes.atoms import AllOf, BooleanNode, Condition
from tocsin.plan.nodes.composites import Named, Part, parts_of
from tocsin.plan.nodes.rewriting import with_parts


def push_down_conditions(rule: RuleSyntax, lowering: RuleLowering) -> tuple[set[int], Part]:
    """Return the numbers of the remaining comparisons, and the part with the others inside."""
    part = lowering.part(rule.when)
    able = set(_named_conditions(part))
    own: dict[str, list[BooleanNode]] = {}
    rest: set[int] = set()
    for number, comparison in enumerate(rule.where):
        name = _only_name(comparison)
        if name in able:
            text = _selector_text(comparison)
            condition = lowering.names.made_condition(text, comparison.spot)
            own.setdefault(name, []).append(condition)
        else:
            rest.add(number)
    return rest, lowering.sources.replace(part, _narrowed(part, own) if own else part)


def _named_conditions(part: Part) -> Iterator[str]:
    """Yield the names of the events that are described by a condition."""
    if isinstance(part, Named) and isinstance(part.part, Condition):
        yield part.name
    for inner in parts_of(part):
        yield from _named_conditions(inner)


def _only_name(comparison: RuleComparison) -> str:
    """Return the one part whose attributes are compared with each other or constants, or ""."""
    values = [*values_in(comparison.left), *values_in(comparison.right)]
    if any(isinstance(each, Over | Distance) for each in values):
        return ""
    names = {each.name for each in values if isinstance(each, RuleAttribute)}
    return names.pop() if len(names) == 1 else ""


def _selector_text(comparison: RuleComparison) -> str:
    left, right = _unnamed(comparison.left), _unnamed(comparison.right)
    return f"{value_text(left)} {comparison.relation} {value_text(right)}"


def _unnamed(value: ValueSyntax) -> ValueSyntax:
    """Return the value without the name of its part, as a selector writes it."""
    match value:
        case RuleAttribute(_, path):
            return RuleAttribute(path, "")
        case RuleArithmetic(_, operands):
            return replace(value, operands=tuple(map(_unnamed, operands)))
        case RuleConstant() | Over() | Distance():
            return value


def _narrowed(part: Part, own: Mapping[str, list[BooleanNode]]) -> Part:
    whole = with_parts(part, lambda inner: _narrowed(inner, own))
    if isinstance(whole, Named) and whole.name in own and isinstance(whole.part, Condition):
        narrow = Condition(AllOf((whole.part.expression, *own[whole.name])))
        return replace(whole, part=narrow)
    return whole
