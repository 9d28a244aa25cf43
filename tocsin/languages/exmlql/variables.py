"""Variables: what is used is bound on every alternative, and no variable is a name here and content there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import assert_never

from tocsin.languages.exmlql.syntax import (
    Bind,
    BlockUse,
    Element,
    Group,
    Operation,
    PatternItem,
    Skolem,
    Subscription,
    Template,
    Timed,
    TimePart,
    XPathItem,
)
from tocsin.languages.texts import Problems, Spot


class Kind(Enum):
    """What a variable is bound to."""

    NAME = "the name of an element"
    ELEMENT = "an element"
    CONTENT = "the content of an element"
    ATTRIBUTE = "an attribute"


_APART = ((Kind.NAME, Kind.CONTENT), (Kind.NAME, Kind.ELEMENT), (Kind.ATTRIBUTE, Kind.ELEMENT))
"""Kinds that one variable cannot both have: their values are never equal."""


def check_variables(subscription: Subscription, problems: Problems) -> None:
    """Notes variables that are not bound where they are used, and those that are bound to what cannot be equal."""
    kinds = _check_kinds(subscription, problems)
    bound = _bound_always(subscription)
    single = variables_by_block(subscription)
    for condition in subscription.conditions:
        used = [condition.variable, *([condition.other] if condition.other else [])]
        names = {each.text for each in used}
        if not names <= bound and not any(names <= of_block for of_block in single.values()):
            for each in used:
                _check_bound(each, bound, kinds, problems)
    for template in subscription.construct.templates if subscription.construct else ():
        for variable, as_attribute in _used(template):
            _check_bound(variable, bound, kinds, problems)
            if as_attribute and Kind.ELEMENT in kinds.get(variable.text, ()):
                problems.add(
                    "VariableKindError",
                    variable,
                    f"{variable.text} is an element, and an attribute holds a text",
                    f"bind the text with CONTENT_AS {variable.text}, or write <name>{variable.text}</>",
                )


def variables_by_block(subscription: Subscription) -> Mapping[str, frozenset[str]]:
    """The variables of each labelled block; those of unlabelled patterns are under the empty label."""
    found: dict[str, frozenset[str]] = {}
    for item in subscription.blocks:
        label = item.label.text if item.label else ""
        found[label] = found.get(label, frozenset()) | {spot.text for spot, _ in _bindings(item)}
    return found


def _bound_always(subscription: Subscription) -> frozenset[str]:
    by_block = variables_by_block(subscription)
    if subscription.time is None:
        return frozenset().union(*by_block.values())
    return _bound(subscription.time, by_block)


def _bound(part: TimePart, by_block: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The variables that every occurrence binds; an absent part binds none."""
    match part:
        case BlockUse(spot):
            return by_block.get(spot.text, frozenset())
        case Group(inner):
            return _bound(inner, by_block)
        case Operation(operator, left, right):
            one, other = _bound(left, by_block), _bound(right, by_block)
            return one & other if operator.text == "|" else one | other
        case Timed(first, last, middle, absent):
            found = _bound(first, by_block)
            found |= frozenset() if isinstance(last, Spot) else _bound(last, by_block)
            return found if absent else found | _bound(middle, by_block)
        case _:
            assert_never(part)


def _check_bound(variable: Spot, bound: frozenset[str], kinds: Mapping[str, set[Kind]], problems: Problems) -> None:
    if variable.text in bound:
        return
    if variable.text in kinds:
        message = f"{variable.text} is not bound on every alternative"
        hint = f"bind {variable.text} in each of them, or write one subscription for each"
    else:
        message = f"nothing binds {variable.text}"
        hint = f"write {variable.text} as the content of an element in WHERE, as in <id>{variable.text}</>"
    problems.add("UnboundVariable", variable, message, hint)


def _check_kinds(subscription: Subscription, problems: Problems) -> dict[str, set[Kind]]:
    kinds: dict[str, set[Kind]] = {}
    for item in subscription.blocks:
        for variable, kind in _bindings(item):
            before = kinds.setdefault(variable.text, set())
            for one, other in _APART:
                if kind in (one, other) and (other if kind is one else one) in before:
                    problems.add(
                        "VariableKindError",
                        variable,
                        f"{variable.text} is {one.value} and {other.value}, which are never equal",
                        "use a variable of its own for each",
                    )
            before.add(kind)
    return kinds


def _bindings(item: PatternItem | XPathItem) -> Iterator[tuple[Spot, Kind]]:
    if isinstance(item, PatternItem):
        yield from _element_bindings(item.element, item.bind)
    elif item.bind is not None:
        yield _as_bound(item.bind)


def _element_bindings(element: Element, bind: Bind | None) -> Iterator[tuple[Spot, Kind]]:
    if element.tag.text.startswith("$") and len(element.tag.text) > 1:
        yield element.tag, Kind.NAME
    for attribute in element.attributes:
        if attribute.variable is not None:
            yield attribute.variable, Kind.ATTRIBUTE
    for variable in element.variables:
        yield variable, Kind.CONTENT
    for child, bound in element.children:
        yield from _element_bindings(child, bound)
    if bind is not None:
        yield _as_bound(bind)


def _as_bound(bind: Bind) -> tuple[Spot, Kind]:
    return bind.variable, Kind.ELEMENT if bind.how == "ELEMENT_AS" else Kind.CONTENT


def _used(template: Template) -> Iterator[tuple[Spot, bool]]:
    """The variables of a template, and whether each is the whole value of an attribute."""
    for attribute in template.attributes:
        if isinstance(attribute.value, Skolem):
            yield from ((variable, False) for variable in attribute.value.variables)
        elif isinstance(attribute.value, Spot):
            yield attribute.value, True
    for content in template.contents:
        if isinstance(content, Template):
            yield from _used(content)
        elif isinstance(content, Spot):
            yield content, False
