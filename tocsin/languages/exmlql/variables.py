"""Variables: each use is bound in every alternative, and no variable is both a name and content.

A query inside a template sees the variables around it and adds its own; the outer level does not
see those.

A pattern with IN a variable belongs to the blocks that bind it. A pattern with IN a document
belongs to the blocks that share a variable with it, or, if none does, to every block: so its rows
are joined with theirs in every case that matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from tocsin.errors import Problem
from tocsin.events.views.document import parse_xml
from tocsin.languages.base.reading import Definition, DocumentDefinition
from tocsin.languages.base.texts import ProblemCollector, SourceSpan, nearest
from tocsin.languages.exmlql.syntax import (
    Bind,
    BlockUse,
    Built,
    CallUse,
    ConstantUse,
    ContentText,
    Element,
    ExmlqlSubscription,
    Nested,
    Operation,
    OrderBy,
    PartGroup,
    PatternItem,
    SourceUse,
    Template,
    TimePart,
    VariableUse,
    WindowedPart,
    XPathItem,
    variables_in,
)
from tocsin.plan.xml.xml_patterns import InDocument

# Patterns with IN: their blocks and their documents.


def patterns_by_label(subscription: ExmlqlSubscription) -> dict[str, list[PatternItem]]:
    """Return the patterns with IN of each block, by label, each after the binding of its source."""
    bound = own_variables(subscription)
    found: dict[str, list[PatternItem]] = {label: [] for label in bound}
    for to_every in (False, True):
        while _attach_some(subscription.sourced, bound, found, to_every):
            pass
    return found


def own_variables(subscription: ExmlqlSubscription) -> dict[str, set[str]]:
    """Return the variables of each block's own patterns, by label; unlabelled ones under ""."""
    found: dict[str, set[str]] = {}
    for item in subscription.blocks:
        label = item.label.text if item.label else ""
        found.setdefault(label, set()).update(spot.text for spot, _ in item_bindings(item))
    return found


def _attach_some(
    items: tuple[PatternItem, ...],
    bound: dict[str, set[str]],
    found: dict[str, list[PatternItem]],
    to_every: bool,
) -> bool:
    """Attach the patterns that can be attached now; return True if there was one."""
    changed = False
    for item in items:
        variables = {spot.text for spot, _ in item_bindings(item)}
        assert item.source is not None
        asked = item.source.variable
        nowhere = not any(item in each for each in found.values())
        for label, names in bound.items():
            if item in found[label]:
                continue
            fits = (
                asked.text in names if asked else bool(variables & names) or (to_every and nowhere)
            )
            if fits:
                found[label].append(item)
                names.update(variables)
                changed = True
    return changed


class Documents:
    """Documents that a subscription may name, from its definitions."""

    def __init__(self, definitions: Mapping[str, Definition], problems: ProblemCollector) -> None:
        self._definitions = definitions
        self._problems = problems

    def source(self, use: SourceUse) -> InDocument:
        """Return the document; add a problem at its name if it is undefined or malformed."""
        name, definition = use.document, self._definitions.get(use.document)
        if not isinstance(definition, DocumentDefinition):
            known = [
                each
                for each, one in self._definitions.items()
                if isinstance(one, DocumentDefinition)
            ]
            self._problems.add(
                "UnknownDocument", use.spot, f"there is no document {name!r}", _way_out(name, known)
            )
            return InDocument(name, "")
        try:
            parse_xml(definition.text)
        except Problem as problem:
            hint = problem.hint or "define it anew, as well-formed XML"
            self._problems.add(
                "MalformedDocument", use.spot, f"the document {name!r}: {problem.message}", hint
            )
        return InDocument(name, definition.text)


def _way_out(name: str, known: list[str]) -> str:
    if meant := nearest(name, known):
        return f'did you mean "{meant}"?'
    listed = f"the documents are: {', '.join(sorted(known))}; " if known else ""
    return (
        f'{listed}define it beside the subscription: {{"define": "{name}", "xml":'
        ' "<...>...</...>"}'
    )


def in_query_order(
    patterns: tuple[PatternItem, ...], bound: frozenset[str]
) -> tuple[PatternItem, ...]:
    """Return the patterns of a nested query, each after the binding of its variable.

    Patterns in variables that are never bound come last.
    """
    waiting, ordered, known = list(patterns), list[PatternItem](), set(bound)
    while waiting:
        ready = [
            each
            for each in waiting
            if _queried_variable(each) is None or _queried_variable(each) in known
        ]
        if not ready:
            return (*ordered, *waiting)
        ordered.append(ready[0])
        waiting.remove(ready[0])
        known |= {spot.text for spot, _ in item_bindings(ready[0])}
    return tuple(ordered)


def _queried_variable(item: PatternItem) -> str | None:
    return item.source.variable.text if item.source and item.source.variable else None


# Variables that the patterns of WHERE bind.


class BindingKind(Enum):
    """Kind of a variable's value."""

    NAME = "a name"
    ELEMENT = "an element"
    CONTENT = "the content of an element"
    ATTRIBUTE = "an attribute"


def item_bindings(item: PatternItem | XPathItem) -> Iterator[tuple[SourceSpan, BindingKind]]:
    """Yield the variables of one item of WHERE, with their kinds."""
    if isinstance(item, PatternItem):
        yield from _element_bindings(item.element, item.bind)
    elif item.bind is not None:
        yield _as_bound(item.bind)


def _element_bindings(
    element: Element, bind: Bind | None
) -> Iterator[tuple[SourceSpan, BindingKind]]:
    if element.tag.variable is not None:
        yield element.tag.variable, BindingKind.NAME
    for attribute in element.attributes:
        if attribute.name.text.startswith("$"):
            yield attribute.name, BindingKind.NAME
        if attribute.variable is not None:
            yield attribute.variable, BindingKind.ATTRIBUTE
    for variable in element.variables:
        yield variable, BindingKind.CONTENT
    for child, bound in element.children:
        yield from _element_bindings(child, bound)
    if bind is not None:
        yield _as_bound(bind)


def _as_bound(bind: Bind) -> tuple[SourceSpan, BindingKind]:
    return bind.variable, BindingKind.ELEMENT if bind.how == "ELEMENT_AS" else BindingKind.CONTENT


_INCOMPATIBLE_KINDS = (
    (BindingKind.NAME, BindingKind.CONTENT),
    (BindingKind.NAME, BindingKind.ELEMENT),
    (BindingKind.ATTRIBUTE, BindingKind.ELEMENT),
)
"""Kinds that one variable cannot both have: their values are never equal."""

_Kinds = Mapping[str, frozenset[BindingKind]]


@dataclass(frozen=True, slots=True)
class _VariableScope:
    """Variables that can be used, and the kinds of all that are bound somewhere."""

    bound: frozenset[str]
    kinds: _Kinds


def check_variables(subscription: ExmlqlSubscription, problems: ProblemCollector) -> None:
    """Add problems of unbound variables, and of variables bound to values that cannot be equal."""
    kinds = _check_kinds(subscription.patterns, {}, problems)
    scope = _VariableScope(_bound_always(subscription), kinds)
    check = _Check(problems)
    by_block = variables_by_block(subscription)
    check.sources(
        subscription.sourced, _VariableScope(frozenset().union(*by_block.values()), kinds)
    )
    for condition in (each.condition for each in subscription.conditions):
        used = list(variables_in(condition))
        names = {each.text for each in used}
        if not any(names <= of_block for of_block in by_block.values()):
            check.bound(used, scope)
    check.order(subscription.order, scope)
    for template in subscription.construct.templates if subscription.construct else ():
        check.built(template, scope)


def variables_by_block(subscription: ExmlqlSubscription) -> Mapping[str, frozenset[str]]:
    """Return the variables of each block by label, with its sources; unlabelled ones under ""."""
    found = own_variables(subscription)
    for label, items in patterns_by_label(subscription).items():
        found[label].update(spot.text for item in items for spot, _ in item_bindings(item))
    return {label: frozenset(names) for label, names in found.items()}


class _Check:
    """Checks of the variables in use, scope by scope."""

    def __init__(self, problems: ProblemCollector) -> None:
        self._problems = problems
        self._inside: set[str] = set()

    def built(self, content: Built, scope: _VariableScope) -> None:
        """Check the variables of a template's content."""
        match content:
            case Template():
                self._template(content, scope)
            case Nested():
                self._nested(content, scope)
            case SourceSpan():
                self.bound([content], scope)
            case CallUse() | VariableUse() | ConstantUse():
                self.bound(variables_in(content), scope)
            case ContentText():
                pass
            case _:
                assert_never(content)

    def bound(self, variables: Iterable[SourceSpan], scope: _VariableScope) -> None:
        """Add a problem for each variable that is not bound."""
        for variable in variables:
            if variable.text not in scope.bound:
                self._unbound(variable, scope.kinds)

    def order(self, order: OrderBy | None, scope: _VariableScope) -> None:
        """Check the variables of ORDER-BY."""
        self.bound([key.variable for key in order.keys] if order else (), scope)

    def sources(self, items: Iterable[PatternItem], scope: _VariableScope) -> None:
        """Check the variables after IN: bound, and to an element or its content."""
        for item in items:
            variable = item.source.variable if item.source else None
            if variable is None:
                continue
            self.bound([variable], scope)
            kinds = scope.kinds.get(variable.text, frozenset())
            if kinds and kinds.isdisjoint((BindingKind.ELEMENT, BindingKind.CONTENT)):
                self._problems.add(
                    "VariableKindError",
                    variable,
                    f"{variable.text} is {next(iter(kinds)).value}, and IN looks inside of an"
                    " element",
                    f"bind an element with ELEMENT_AS {variable.text}, or its content with"
                    f" CONTENT_AS {variable.text}",
                )

    def _template(self, template: Template, scope: _VariableScope) -> None:
        self._name(template.name, scope)
        for attribute in template.attributes:
            self._name(attribute.name, scope)
            if isinstance(attribute.value, SourceSpan):
                self.bound([attribute.value], scope)
                self._no_element(attribute.value, scope, "an attribute holds a text")
            elif not isinstance(attribute.value, str):
                self.bound(variables_in(attribute.value), scope)
        for content in template.contents:
            self.built(content, scope)

    def _name(self, name: SourceSpan, scope: _VariableScope) -> None:
        if name.text.startswith("$"):
            self.bound([name], scope)
            self._no_element(name, scope, "a name is a text")

    def _no_element(self, variable: SourceSpan, scope: _VariableScope, reason: str) -> None:
        if BindingKind.ELEMENT in scope.kinds.get(variable.text, ()):
            self._problems.add(
                "VariableKindError",
                variable,
                f"{variable.text} is an element, and {reason}",
                f"bind the text with CONTENT_AS {variable.text}, or write <name>{variable.text}</>",
            )

    def _nested(self, nested: Nested, around: _VariableScope) -> None:
        kinds = _check_kinds(nested.patterns, around.kinds, self._problems)
        own = frozenset(spot.text for item in nested.patterns for spot, _ in item_bindings(item))
        scope = _VariableScope(around.bound | own, kinds)
        known = around.bound
        for item in in_query_order(nested.patterns, around.bound):
            self.sources((item,), _VariableScope(known, kinds))
            known |= frozenset(spot.text for spot, _ in item_bindings(item))
        for condition in nested.conditions:
            self.bound(variables_in(condition.condition), scope)
        self.order(nested.order, scope)
        self.built(nested.content, scope)
        self._inside |= own

    def _unbound(self, variable: SourceSpan, kinds: _Kinds) -> None:
        if variable.text in kinds:
            message = f"{variable.text} is not bound on every alternative"
            hint = f"bind {variable.text} in each of them, or write one subscription for each"
        elif variable.text in self._inside:
            message = f"{variable.text} is bound by a query inside, and is known only there"
            hint = (
                "CONSTRUCT of a query inside builds one thing: put an element around all that it"
                " should build"
            )
        else:
            message = f"nothing binds {variable.text}"
            hint = (
                f"write {variable.text} as the content of an element in WHERE, as in"
                f" <id>{variable.text}</>"
            )
        self._problems.add("UnboundVariable", variable, message, hint)


def _bound_always(subscription: ExmlqlSubscription) -> frozenset[str]:
    by_block = variables_by_block(subscription)
    if subscription.time is None:
        return frozenset().union(*by_block.values())
    return _bound(subscription.time, by_block)


def _bound(part: TimePart, by_block: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return the variables that every occurrence binds; an absent part binds none."""
    match part:
        case BlockUse(spot):
            return by_block.get(spot.text, frozenset())
        case PartGroup(inner):
            return _bound(inner, by_block)
        case Operation(operator, left, right):
            one, other = _bound(left, by_block), _bound(right, by_block)
            return one & other if operator.text == "|" else one | other
        case WindowedPart(first, last, middle, absent):
            found = _bound(first, by_block)
            found |= frozenset() if isinstance(last, SourceSpan) else _bound(last, by_block)
            return found if absent else found | _bound(middle, by_block)
        case _:
            assert_never(part)


def _check_kinds(
    items: Iterable[PatternItem | XPathItem], around: _Kinds, problems: ProblemCollector
) -> _Kinds:
    """Return the kinds of all variables, with those around.

    Adds a problem if a variable has two that are never equal.
    """
    kinds = dict(around)
    for item in items:
        for variable, kind in item_bindings(item):
            before = kinds.get(variable.text, frozenset())
            for one, other in _INCOMPATIBLE_KINDS:
                if kind in (one, other) and (other if kind is one else one) in before:
                    problems.add(
                        "VariableKindError",
                        variable,
                        f"{variable.text} is {one.value} and {other.value}, which are never equal",
                        "use a variable of its own for each",
                    )
            kinds[variable.text] = before | {kind}
    return kinds
