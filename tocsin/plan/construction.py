"""Construction: new XML out of rows (spec 4.5). The same rows in the same order give the same texts.

A template element has an identity: its name and Skolem terms where it has any, else its position and the values of the
variables in it, as far as they do not stand in an element with a Skolem term of its own. Under one parent, equal
identity is one element, to which further rows add the children and attributes that it lacks. Children follow the order
of the template, then the order of the rows. Each outermost element is one output.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import unescape
from typing import TypeAlias, assert_never

from tocsin.events.views.canonical import escaped_text, escaped_value
from tocsin.plan.blocks import ValueCondition, meets_condition
from tocsin.plan.rows import Rows

_DIGITS = 16
_TAG = re.compile(r"""<(?:[^<>"]|"[^"]*")*>""")


@dataclass(frozen=True, slots=True)
class OutputText:
    """A text as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class OutputValue:
    """The value of a variable: a deep copy of an element, the content, or a text."""

    variable: str


@dataclass(frozen=True, slots=True)
class SkolemTerm:
    """An id made of values: equal values give equal ids everywhere."""

    function: str
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OutputAttribute:
    """An attribute of a template element; an element has each name once."""

    name: str
    value: OutputText | OutputValue | SkolemTerm


@dataclass(frozen=True, slots=True)
class TemplateElement:
    """An element to be built; names are as they are written out, prefix included."""

    name: str
    attributes: tuple[OutputAttribute, ...] = ()
    contents: tuple[TemplateElement | OutputText | OutputValue, ...] = ()


@dataclass(frozen=True, slots=True)
class Construct:
    """An output: the texts that the templates give for those rows of a match that meet the conditions."""

    templates: tuple[TemplateElement, ...]
    conditions: tuple[ValueCondition, ...] = ()


_Values: TypeAlias = Mapping[str, Hashable]
_Place: TypeAlias = tuple[int, ...]
"""Where something stands in the templates: the numbers of the contents on the way to it."""


def construct(templates: Sequence[TemplateElement], rows: Rows, conditions: Sequence[ValueCondition] = ()) -> list[str]:
    """The output texts of the rows that meet the conditions."""
    outputs = _Built("")
    for row in rows:
        if all(meets_condition(condition, row) for condition in conditions):
            values = dict(row)
            for number, template in enumerate(templates):
                _add_element(outputs, (number,), template, values)
    return ["".join(part) for part in _children_of(outputs)]


def skolem_value(function: str, arguments: Sequence[str]) -> str:
    """The id of a Skolem term: each argument counts with its length, so that no two lists of arguments are alike."""
    digest = sha256()
    for argument in arguments:
        encoded = argument.encode("utf-8")
        digest.update(b"%d:%b" % (len(encoded), encoded))
    return f"{function}-{digest.hexdigest()[:_DIGITS]}"


def template_variables(template: TemplateElement) -> Iterator[str]:
    """Every variable that a template uses, as often as it stands there."""
    for attribute in template.attributes:
        yield from _used(attribute.value)
    for content in template.contents:
        if isinstance(content, TemplateElement):
            yield from template_variables(content)
        else:
            yield from _used(content)


@dataclass(slots=True)
class _Built:
    """An element under construction: children by what makes each of them one."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: dict[Hashable, tuple[_Place, _Built | str]] = field(default_factory=dict)


def _add_element(parent: _Built, place: _Place, template: TemplateElement, values: _Values) -> None:
    """Adds what a row says about an element to the one it is, or begins it."""
    key = _identity(place, template, values)
    _, built = parent.children.setdefault(key, (place, _Built(template.name)))
    assert isinstance(built, _Built)
    for attribute in template.attributes:
        if attribute.name not in built.attributes:
            built.attributes[attribute.name] = _attribute_text(attribute.value, values)
    for number, content in enumerate(template.contents):
        inner = (*place, number)
        if isinstance(content, TemplateElement):
            _add_element(built, inner, content, values)
        else:
            text = _content_text(content, values)
            built.children.setdefault((inner, text), (inner, text))


def _identity(place: _Place, template: TemplateElement, values: _Values) -> Hashable:
    terms = tuple(each.value for each in template.attributes if isinstance(each.value, SkolemTerm))
    if terms:
        return (template.name, tuple(_skolem_text(term, values) for term in terms))
    return (place, tuple(values.get(variable) for variable in _identifying(template)))


def _identifying(template: TemplateElement) -> Iterator[str]:
    """The variables in an element, those in elements with a Skolem term left out."""
    for attribute in template.attributes:
        yield from _used(attribute.value)
    for content in template.contents:
        if not isinstance(content, TemplateElement):
            yield from _used(content)
        elif not any(isinstance(each.value, SkolemTerm) for each in content.attributes):
            yield from _identifying(content)


def _used(part: OutputText | OutputValue | SkolemTerm) -> Iterator[str]:
    match part:
        case OutputText():
            pass
        case OutputValue(variable):
            yield variable
        case SkolemTerm(_, variables):
            yield from variables
        case _:
            assert_never(part)


def _attribute_text(part: OutputText | OutputValue | SkolemTerm, values: _Values) -> str:
    match part:
        case OutputText(text):
            return text
        case OutputValue(variable):
            return _plain(values.get(variable, ""))
        case SkolemTerm():
            return _skolem_text(part, values)
        case _:
            assert_never(part)


def _content_text(part: OutputText | OutputValue, values: _Values) -> str:
    if isinstance(part, OutputText):
        return escaped_text(part.text)
    value = values.get(part.variable, "")
    return str(value[0]) if isinstance(value, tuple) else escaped_text(str(value))


def _skolem_text(term: SkolemTerm, values: _Values) -> str:
    given = (values.get(variable, "") for variable in term.variables)
    return skolem_value(term.function, [str(value[0]) if isinstance(value, tuple) else str(value) for value in given])


def _plain(value: Hashable) -> str:
    """The value as an attribute holds it: of markup, the text alone."""
    if not isinstance(value, tuple):
        return str(value)
    return unescape(_TAG.sub("", str(value[0])))


def _children_of(built: _Built) -> Iterator[list[str]]:
    """The texts of each child: by template order; the sort keeps the order of rows."""
    for _, child in sorted(built.children.values(), key=lambda child: child[0]):
        yield [child] if isinstance(child, str) else list(_texts_of(child))


def _texts_of(built: _Built) -> Iterator[str]:
    yield f"<{built.name}"
    yield from (f' {name}="{escaped_value(value)}"' for name, value in built.attributes.items())
    yield ">"
    for texts in _children_of(built):
        yield from texts
    yield f"</{built.name}>"
