"""Templates of CONSTRUCT, and construction by them: new XML out of rows (spec 4.5).

The same rows in the same order give the same texts. A template element has an identity: its name
and Skolem terms if it has any, else its position and the values of the variables in it, except
those in an element with a Skolem term of its own. Under one parent, equal identity is one element,
to which further rows add the children and attributes that it lacks. Children follow the order of
the template, then the order of the rows. Each outermost element is one output.

A nested query stands for the contents of its rows, one after the other. An unknown value leaves no
text, and an attribute of that value is left out. Work is counted: output that takes more steps or
characters than the limit is given up as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypeAlias, assert_never

from tocsin.events.views.canonical import XML_SPACE, escaped_text, escaped_value
from tocsin.events.views.names import is_xml_name
from tocsin.plan.bindings import Row, Rows
from tocsin.plan.xml.row_evaluation import (
    A_COMPARISON,
    CHARACTERS,
    Known,
    Spend,
    Values,
    WorkLimitExceeded,
    in_order,
    meets_condition,
    plain_text,
    value_of,
)
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

# Templates: elements built from the values of rows, and queries inside them.

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


MAX_STEPS = 100_000
"""Elements, texts, functions and rows of nested queries that one match may take to build: each is
work of about two microseconds, and so are `CHARACTERS` of a long value.
"""

MAX_OUTPUT = 4 << 20
"""Characters of all outputs of one match together."""

_DIGITS = 16

Ask: TypeAlias = Callable[[NestedQuery, Row], Iterable[Row]]
"""Rows of a nested query for a row around it, each with the bindings of that row."""


@dataclass(frozen=True, slots=True)
class Construct:
    """An output: the texts of the templates for the rows that meet the conditions, in order."""

    templates: tuple[TemplateElement, ...]
    conditions: tuple[RowCondition, ...] = ()
    order: tuple[OrderKey, ...] = ()


_Place: TypeAlias = tuple[int, ...]
"""Position in the templates: the numbers of the contents on the way to it."""


def ask_nothing(_: NestedQuery, __: Row) -> Iterable[Row]:
    """Raise GivenUp: there is no document that a nested query could read."""
    raise WorkLimitExceeded("nothing is there that a nested query could look at")


def construct(
    templates: Sequence[TemplateElement],
    rows: Rows,
    conditions: Sequence[RowCondition] = (),
    order: Sequence[OrderKey] = (),
    ask: Ask = ask_nothing,
) -> list[str]:
    """Return the output texts of the rows that meet the conditions.

    Raises GivenUp beyond the work limit, or for an invalid name.
    """
    work = _Construction(ask)
    kept = [
        row
        for row in rows
        if all(meets_condition(condition, row, work.spend) for condition in conditions)
    ]
    outputs = _Built("")
    for row in in_order(kept, order, work.spend):
        for number, template in enumerate(templates):
            work.add_element(outputs, (number,), template, row, dict(row))
    return ["".join(part) for part in _children_of(outputs)]


def skolem_value(function: str, arguments: Sequence[str]) -> str:
    """Return the id of a Skolem term.

    Each argument is hashed with its length, so that different lists of arguments never have the
    same input.
    """
    digest = sha256()
    for argument in arguments:
        encoded = argument.encode("utf-8")
        digest.update(b"%d:%b" % (len(encoded), encoded))
    return f"{function}-{digest.hexdigest()[:_DIGITS]}"


@dataclass(slots=True)
class _Built:
    """An element under construction: its children by their identity."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: dict[Hashable, tuple[_Place, _Built | str]] = field(default_factory=dict)


class _Construction:
    """Construction of the output of one match, with the steps and characters that are left."""

    __slots__ = ("_ask", "_characters", "_steps")

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._steps = MAX_STEPS
        self._characters = MAX_OUTPUT

    def spend(self, work: int) -> None:
        """Counts work of about as many microseconds."""
        self._take(work // A_COMPARISON, 0)

    def add_element(
        self, parent: _Built, place: _Place, template: TemplateElement, row: Row, values: Values
    ) -> None:
        """Add a row to the element with its identity, which is created if it is new."""
        name = _name(template.name, values)
        key = _identity(place, name, template, values)
        if key not in parent.children:
            parent.children[key] = (place, _Built(name))
            self._spend(2 * len(name) + 5)
        _, built = parent.children[key]
        assert isinstance(built, _Built)
        self._spend(0)
        self._add_attributes(built, template, values)
        for number, content in enumerate(template.contents):
            self._add(built, (*place, number), content, row, values)

    def _add_attributes(self, built: _Built, template: TemplateElement, values: Values) -> None:
        for attribute in template.attributes:
            name = _attribute_name(attribute.name, values)
            if name not in built.attributes:
                text = _attribute_text(attribute.value, values, self.spend)
                if text is not None:
                    built.attributes[name] = text
                    self._spend(len(name) + len(text) + 4)

    def _add(
        self, built: _Built, place: _Place, content: TemplateContent, row: Row, values: Values
    ) -> None:
        match content:
            case TemplateElement():
                self.add_element(built, place, content, row, values)
            case NestedQuery():
                for inner in self._ask(content, row):
                    self._spend(0)
                    self._add(built, (*place, 0), content.content, inner, dict(inner))
            case _:
                self._add_text(built, place, _content_text(content, values, self.spend))

    def _add_text(self, built: _Built, place: _Place, text: str) -> None:
        self._take(1 + len(text) // CHARACTERS, 0)
        if text and (place, text) not in built.children:
            built.children[place, text] = (place, text)
            self._spend(len(text))

    def _spend(self, characters: int) -> None:
        self._take(1, characters)

    def _take(self, steps: int, characters: int) -> None:
        self._steps -= steps
        self._characters -= characters
        if self._steps < 0:
            raise WorkLimitExceeded(f"what is built takes more than {MAX_STEPS:,} steps")
        if self._characters < 0:
            raise WorkLimitExceeded(f"what is built has more than {MAX_OUTPUT:,} characters")


def _identity(place: _Place, name: str, template: TemplateElement, values: Values) -> Hashable:
    terms = [each.value for each in template.attributes if isinstance(each.value, SkolemTerm)]
    if terms:
        return (name, tuple(_skolem_text(term, values) for term in terms))
    return (place, name, tuple(values.get(variable) for variable in _identifying(template)))


def _identifying(template: TemplateElement) -> Iterator[str]:
    """Yield the variables in an element, except those in elements with a Skolem term."""
    yield from name_variables(template.name)
    for attribute in template.attributes:
        yield from attribute_variables(attribute)
    for content in template.contents:
        if not isinstance(content, TemplateElement):
            yield from template_variables(content)
        elif not has_skolem_term(content):
            yield from _identifying(content)


def _name(name: str | OutputValue, values: Values) -> str:
    """Return the name of an element; raise GivenUp if the value is not an XML name."""
    if isinstance(name, str):
        return name
    text = _text_of(values.get(name.variable, "")).strip(XML_SPACE)
    if not is_xml_name(text):
        raise WorkLimitExceeded(
            f"{name.variable} is {text[:40]!r}, which is no XML name", "NotAnXmlName"
        )
    return text


def _attribute_name(name: str | OutputValue, values: Values) -> str:
    text = _name(name, values)
    if isinstance(name, OutputValue) and text == "xmlns":
        raise WorkLimitExceeded(
            f"{name.variable} is 'xmlns', which is no name of an attribute", "NotAnXmlName"
        )
    return text


def _attribute_text(part: AttributeValue, values: Values, spend: Spend) -> str | None:
    match part:
        case OutputText(text):
            return text
        case OutputValue(variable):
            return _text_of(values.get(variable, ""))
        case SkolemTerm():
            return _skolem_text(part, values)
        case FunctionValue() | ChoiceValue() | TextValue() | VariableValue():
            value = value_of(part, values, spend)
            return None if value is None else plain_text(value)
        case _:
            assert_never(part)


def _content_text(
    part: OutputText | OutputValue | FunctionValue | ChoiceValue | TextValue | VariableValue,
    values: Values,
    spend: Spend,
) -> str:
    match part:
        case OutputText(text):
            return escaped_text(text)
        case OutputValue(variable):
            given = values.get(variable, "")
            return str(given[0]) if isinstance(given, tuple) else escaped_text(str(given))
        case FunctionValue() | ChoiceValue() | TextValue() | VariableValue():
            value = value_of(part, values, spend)
            return "" if value is None else escaped_text(plain_text(value))
        case _:
            assert_never(part)


def _skolem_text(term: SkolemTerm, values: Values) -> str:
    given = (values.get(variable, "") for variable in term.variables)
    return skolem_value(
        term.function,
        [str(value[0]) if isinstance(value, tuple) else str(value) for value in given],
    )


def _text_of(value: Hashable) -> str:
    """Return the value for an attribute or a name: of markup, the text alone."""
    known: Known = value if isinstance(value, str | tuple) else str(value)
    return plain_text(known)


def _children_of(built: _Built) -> Iterator[list[str]]:
    """Yield the texts of each child: by template order; the sort keeps the order of rows."""
    for _, child in sorted(built.children.values(), key=lambda child: child[0]):
        yield [child] if isinstance(child, str) else list(_texts_of(child))


def _texts_of(built: _Built) -> Iterator[str]:
    yield f"<{built.name}"
    yield from (f' {name}="{escaped_value(value)}"' for name, value in built.attributes.items())
    yield ">"
    for texts in _children_of(built):
        yield from texts
    yield f"</{built.name}>"
