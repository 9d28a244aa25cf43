"""Lowering of templates. An outermost element declares the prefixes used in it; an attribute occurs
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.exmlql.bindings import item_bindings
from tocsin.languages.exmlql.namespaces import Namespaces
from tocsin.languages.exmlql.patterns import PatternReader
from tocsin.languages.exmlql.problems import SYNTAX_CODE
from tocsin.languages.exmlql.sources import Documents, in_query_order
from tocsin.languages.exmlql.syntax import (
    Built,
    CallUse,
    ConstantUse,
    ContentText,
    Nested,
    OrderBy,
    OutAttribute,
    PatternItem,
    Template,
    VariableUse,
    XPathItem,
)
from tocsin.languages.exmlql.term_transformer import is_function
from tocsin.languages.exmlql.terms import TermReader
from tocsin.plan.xml.row_terms import OrderKey
from tocsin.plan.xml.templates import (
    AttributeValue,
    NestedQuery,
    OutputAttribute,
    OutputText,
    OutputValue,
    SkolemTerm,
    TemplateContent,
    TemplateElement,
)
from tocsin.plan.xml.xml_patterns import InEvent, InVariable, Source, SourcedPattern


@dataclass(frozen=True, slots=True)
class TemplateReader:
    """Lowering of the templates of one subscription.

    `event_of` gives the name of the event that a pattern without IN reads.
    """

    namespaces: Namespaces
    patterns: PatternReader
    terms: TermReader
    documents: Documents
    problems: ProblemCollector
    event_of: Callable[[PatternItem], str]

    def outermost(self, template: Template, bound: frozenset[str]) -> TemplateElement:
        """Return an outermost template element, given the variables that rows bind."""
        prefixes = sorted(
            {name.text.partition(":")[0] for name in _names(template) if ":" in name.text} - {"xml"}
        )
        declared = tuple(
            OutputAttribute(f"xmlns:{prefix}", OutputText(self.namespaces.uris[prefix]))
            for prefix in prefixes
            if prefix in self.namespaces.uris
        )
        lowered = self._element(template, bound)
        return TemplateElement(lowered.name, (*declared, *lowered.attributes), lowered.contents)

    def _element(self, template: Template, bound: frozenset[str]) -> TemplateElement:
        seen: set[str] = set()
        for attribute in template.attributes:
            self.namespaces.refuse_declaration(attribute.name)
            name = (
                attribute.name.text
                if _is_variable(attribute.name)
                else self.namespaces.expanded(attribute.name)
            )
            if name in seen:
                message = f"the attribute {attribute.name.text} stands twice"
                self.problems.add(SYNTAX_CODE, attribute.name, message, "leave one of them out")
            seen.add(name)
        return TemplateElement(
            self._name(template.name),
            tuple(
                OutputAttribute(self._name(each.name), self._value(each))
                for each in template.attributes
            ),
            tuple(self._content(each, bound) for each in template.contents),
        )

    def _name(self, name: SourceSpan) -> str | OutputValue:
        if _is_variable(name):
            return OutputValue(name.text)
        self.namespaces.expanded(name)
        return name.text

    def _value(self, attribute: OutAttribute) -> AttributeValue:
        match attribute.value:
            case CallUse() as call if not is_function(call):
                return self._skolem(call)
            case CallUse() | ConstantUse() | VariableUse() as value:
                return self.terms.operand(value)
            case SourceSpan(text=variable):
                return OutputValue(variable)
            case text:
                return OutputText(text)

    def _skolem(self, call: CallUse) -> SkolemTerm:
        """Return a Skolem term; its arguments must be variables.

        A computed value must be bound to a variable first.
        """
        names: list[str] = []
        for argument in call.arguments:
            if isinstance(argument, VariableUse):
                names.append(argument.spot.text)
            else:
                hint = f"write {call.function.text}($a, $b), or one of the functions"
                message = (
                    f"{call.function.text} is no function, and an id is made of variables alone"
                )
                self.problems.add(SYNTAX_CODE, call.function, message, hint)
        return SkolemTerm(call.function.text, tuple(names))

    def _content(self, content: Built, bound: frozenset[str]) -> TemplateContent:
        match content:
            case Template():
                return self._element(content, bound)
            case SourceSpan(text=variable):
                return OutputValue(variable)
            case ContentText(text):
                return OutputText(text)
            case Nested():
                return self._nested(content, bound)
            case _:
                return self.terms.operand(content)

    def _nested(self, nested: Nested, bound: frozenset[str]) -> NestedQuery:
        for item in nested.items:
            if isinstance(item, XPathItem):
                hint = "write a pattern, or move XPATH to the outermost WHERE"
                self.problems.add(
                    SYNTAX_CODE,
                    item.spot,
                    "XPATH looks at an event, not inside of a template",
                    hint,
                )
        if not nested.patterns:
            hint = "a pattern binds the variables, as in WHERE <a>$x</> IN $v CONSTRUCT <b>$x</>"
            self.problems.add(SYNTAX_CODE, nested.spot, "WHERE has no pattern", hint)
        own = frozenset(spot.text for item in nested.patterns for spot, _ in item_bindings(item))
        return NestedQuery(
            tuple(self._sourced(each) for each in in_query_order(nested.patterns, bound)),
            tuple(self.terms.condition(each.condition) for each in nested.conditions),
            order_keys(nested.order),
            self._content(nested.content, bound | own),
        )

    def _sourced(self, item: PatternItem) -> SourcedPattern:
        source: Source
        if item.source is None:
            source = InEvent(self.event_of(item))
        elif item.source.variable is not None:
            source = InVariable(item.source.variable.text)
        else:
            source = self.documents.source(item.source)
        return SourcedPattern(self.patterns.element(item), source)


def order_keys(order: OrderBy | None) -> tuple[OrderKey, ...]:
    """Return the keys of ORDER-BY; empty without one."""
    return tuple(OrderKey(key.variable.text, key.descending) for key in order.keys) if order else ()


def _is_variable(name: SourceSpan) -> bool:
    return name.text.startswith("$")


def _names(content: Built) -> Iterator[SourceSpan]:
    """Yield the names of a template, from left to right."""
    if isinstance(content, Template):
        yield content.name
        yield from (attribute.name for attribute in content.attributes)
        for inner in content.contents:
            yield from _names(inner)
    elif isinstance(content, Nested):
        yield from _names(content.content)
