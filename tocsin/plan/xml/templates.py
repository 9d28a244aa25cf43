"""Templates of CONSTRUCT: elements built from the values of rows, and queries inside them."""

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
"""A computed value: a text, or nothing if it is unknown."""


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
    """An id made of values: equal values give equal ids everywhere.

    Without variables a match has one such id.
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
    """An element to be built; its name is given with its prefix, or by a variable."""

    name: str | OutputValue
    attributes: tuple[OutputAttribute, ...] = ()
    contents: tuple[TemplateContent, ...] = ()


@dataclass(frozen=True, slots=True)
class NestedQuery:
    """The content for each row of the patterns that agrees with the outer row and meets the
    conditions.

    Variables of the outer row are visible inside, not the reverse. A source that is a variable is
    bound outside, or by an earlier pattern.
    """

    patterns: tuple[SourcedPattern, ...]
    conditions: tuple[RowCondition, ...]
    order: tuple[OrderKey, ...]
    content: TemplateContent


TemplateContent: TypeAlias = (
    TemplateElement | OutputText | OutputValue | ComputedValue | NestedQuery
)


def template_variables(content: TemplateContent) -> Iterator[str]:
    """Yield the variables of outer rows that a template uses, one for each occurrence."""
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
    """Yield the variables of a nested query that outer rows may bind.

    A variable that its own patterns bind is among them, because both must agree; the outer rows
    decide which of them count.
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
    """Yield the variables of an attribute."""
    yield from name_variables(attribute.name)
    yield from value_variables(attribute.value)


def name_variables(name: str | OutputValue) -> Iterator[str]:
    """Yield the variable of a name, if it is one."""
    if isinstance(name, OutputValue):
        yield name.variable


def value_variables(part: AttributeValue) -> Iterator[str]:
    """Yield the variables of a value."""
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
    """True if a Skolem term in the template's own attributes gives the element its identity."""
    return any(isinstance(each.value, SkolemTerm) for each in template.attributes)


def queries_in(content: TemplateContent) -> Iterator[NestedQuery]:
    """Yield the nested queries of a template, outer ones first."""
    if isinstance(content, NestedQuery):
        yield content
        yield from queries_in(content.content)
    elif isinstance(content, TemplateElement):
        for inner in content.contents:
            yield from queries_in(inner)
