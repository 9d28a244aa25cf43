"""Templates and the queries inside them as E-XML-QL text, which is read back as the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from tocsin.plan.explain.xml_patterns import Spaces
from tocsin.plan.xml.construction import Construct
from tocsin.plan.xml.row_terms import ChoiceValue, FunctionValue, OrderKey, TextValue, VariableValue
from tocsin.plan.xml.row_text import condition_text, operand_text, order_text, quote_text
from tocsin.plan.xml.templates import (
    AttributeValue,
    NestedQuery,
    OutputAttribute,
    OutputText,
    OutputValue,
    SkolemTerm,
    TemplateContent,
    TemplateElement,
    queries_in,
)

_DECLARATION = "xmlns:"


def construct_text(output: Construct, spaces: Spaces | None = None) -> str:
    """Return ORDER-BY and CONSTRUCT; the namespaces of queries inside get their prefixes from
    `spaces`.
    """
    if spaces is None:
        queries = (query for template in output.templates for query in queries_in(template))
        spaces = Spaces(pattern for query in queries for pattern in query.patterns)
    templates = " ".join(content_text(each, spaces) for each in output.templates)
    return f"{_order(output.order)}CONSTRUCT {templates}"


def content_text(content: TemplateContent, spaces: Spaces) -> str:
    """Return the text of a template's content."""
    match content:
        case TemplateElement(name, attributes, contents):
            kept = (each for each in attributes if not str(each.name).startswith(_DECLARATION))
            inside = "".join(content_text(each, spaces) for each in contents)
            return f"<{_name(name)}{''.join(map(_attribute, kept))}>{inside}</>"
        case NestedQuery():
            return _query(content, spaces)
        case OutputText(text):
            return spaces.constant(text)
        case OutputValue(variable):
            return variable
        case FunctionValue() | ChoiceValue() | TextValue() | VariableValue():
            return _computed(content)
        case _:
            assert_never(content)


def _query(query: NestedQuery, spaces: Spaces) -> str:
    items = [spaces.pattern(each) for each in query.patterns]
    items += [condition_text(each) for each in query.conditions]
    built = content_text(query.content, spaces)
    if isinstance(query.content, OutputText):
        built = quote_text(query.content.text)
    return f" WHERE {', '.join(items)} {_order(query.order)}CONSTRUCT {built} "


def _order(keys: Iterable[OrderKey]) -> str:
    text = ", ".join(map(order_text, keys))
    return f"ORDER-BY {text} " if text else ""


def _name(name: str | OutputValue) -> str:
    return name if isinstance(name, str) else name.variable


def _attribute(attribute: OutputAttribute) -> str:
    return f" {_name(attribute.name)}={_attribute_value(attribute.value)}"


def _attribute_value(value: AttributeValue) -> str:
    match value:
        case OutputText(text):
            return quote_text(text)
        case OutputValue(variable):
            return variable
        case SkolemTerm(function, variables):
            return f"{function}({', '.join(variables)})"
        case FunctionValue() | ChoiceValue() | TextValue() | VariableValue():
            return _computed(value)
        case _:
            assert_never(value)


def _computed(value: FunctionValue | ChoiceValue | TextValue | VariableValue) -> str:
    """Return a computed value: a call, or anything else in parentheses."""
    text = operand_text(value)
    return f"({text})" if isinstance(value, TextValue | VariableValue) else text
