"""Templates of CONSTRUCT: elements to be built out of the values of rows, and queries that stand
inside of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from tocsin.plan.xml.row_terms import (
    ChoiceValue,
    FunctionValue,
    OrderKey,
    RowCondition,
    TextValue,
    VariableValue,
    condition_variables,
    operand_variables,
)
from tocsin.plan.xml.xml_patterns import InVariable, SourcedPattern, pattern_variables

ComputedValue: TypeAlias = FunctionValue | ChoiceValue | TextValue | VariableValue
"""A value that is worked out: a text, or nothing where it is unknown."""


@dataclass(frozen=True, slots=True)
class OutputText:
    """A text as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class OutputValue:
    """The value of a variable: a deep copy of an element, the content, or a text; as a name, the
    text.
    """

    variable: str


@dataclass(frozen=True, slots=True)
class SkolemTerm:
    """An id made of values: equal values give equal ids everywhere; without variables there is one
    for a match.
    """

    function: str
    variables: tuple[str, ...]


AttributeValue: TypeAlias = OutputText | OutputValue | SkolemTerm | ComputedValue


@dataclass(frozen=True, slots=True)
class OutputAttribute:
    """An attribute of a template element; an element has each name once."""

    name: str | OutputValue
    value: AttributeValue


@dataclass(frozen=True, slots=True)
class TemplateElement:
    """An element to be built; names are as they are written out, prefix included, or what a
    variable is bound to.
    """

    name: str | OutputValue
    attributes: tuple[OutputAttribute, ...] = ()
    contents: tuple[TemplateContent, ...] = ()


@dataclass(frozen=True, slots=True)
class NestedQuery:
    """For each row of the patterns that agrees with the row around it and meets the conditions, the
    content.

    Variables of the row around are visible inside, not the reverse. A source that is a variable is
    bound outside, or by a pattern before.
    """

    patterns: tuple[SourcedPattern, ...]
    conditions: tuple[RowCondition, ...]
    order: tuple[OrderKey, ...]
    content: TemplateContent


TemplateContent: TypeAlias = (
    TemplateElement | OutputText | OutputValue | ComputedValue | NestedQuery
)


def template_variables(content: TemplateContent) -> Iterator[str]:
    """Every variable of the rows around that a template uses, as often as it stands there."""
    match content:
        case TemplateElement(name, attributes, contents):
            yield from name_variables(name)
            for attribute in attributes:
                yield from attribute_variables(attribute)
            for inner in contents:
                yield from template_variables(inner)
        case NestedQuery():
            yield from free_variables(content)
        case _:
            yield from value_variables(content)


def free_variables(query: NestedQuery) -> Iterator[str]:
    """The variables of a nested query that the rows around it bind: those that its own patterns do
    not bind first.

    A variable that both bind is among them, because the two must agree; which those are, the rows
    around it say.
    """
    for each in query.patterns:
        if isinstance(each.source, InVariable):
            yield each.source.variable
        yield from pattern_variables(each)
    for condition in query.conditions:
        yield from condition_variables(condition)
    yield from (key.variable for key in query.order)
    yield from template_variables(query.content)


def attribute_variables(attribute: OutputAttribute) -> Iterator[str]:
    """The variables of an attribute."""
    yield from name_variables(attribute.name)
    yield from value_variables(attribute.value)


def name_variables(name: str | OutputValue) -> Iterator[str]:
    """The variable of a name, where it is one."""
    if isinstance(name, OutputValue):
        yield name.variable


def value_variables(part: AttributeValue) -> Iterator[str]:
    """The variables of a value."""
    match part:
        case OutputText():
            pass
        case OutputValue(variable):
            yield variable
        case SkolemTerm(_, variables):
            yield from variables
        case FunctionValue() | ChoiceValue() | TextValue() | VariableValue():
            yield from operand_variables(part)
        case _:
            assert_never(part)


def has_skolem_term(template: TemplateElement) -> bool:
    """Whether the template's own attributes say what makes an element one."""
    return any(isinstance(each.value, SkolemTerm) for each in template.attributes)


def queries_in(content: TemplateContent) -> Iterator[NestedQuery]:
    """The nested queries of a template, outer ones first."""
    if isinstance(content, NestedQuery):
        yield content
        yield from queries_in(content.content)
    elif isinstance(content, TemplateElement):
        for inner in content.contents:
            yield from queries_in(inner)
