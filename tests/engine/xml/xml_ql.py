"""CONSTRUCT evaluated the plain way, as a separate evaluator of the XML-QL translation (spec 4.5).

It works the other way round from the product: for one parent it looks at all its rows at once,
groups them by the identity of each child in the template, and builds a tree of lxml elements from
the groups, outside in. It knows nothing of partly built elements. A child that several places of a
template could make one is not in its reach. A query inside of a template is asked of every row by
the plain evaluator of patterns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from hashlib import sha256

from lxml import etree

from tests.engine.xml.plain_patterns import plain_rows, plain_truth
from tocsin.plan.xml.construction import (
    NestedQuery,
    OutputAttribute,
    OutputText,
    OutputValue,
    SkolemTerm,
    TemplateContent,
    TemplateElement,
)
from tocsin.plan.xml.row_terms import OrderKey
from tocsin.plan.xml.xml_patterns import XmlValue

Values = dict[str, XmlValue]


def evaluated(
    templates: Sequence[TemplateElement],
    rows: Sequence[Values],
    order: Sequence[OrderKey] = (),
    root: etree._Element | None = None,
) -> list[str]:
    """The output documents as canonical XML; `root` is what queries inside of templates look at."""
    ordered = _ordered(rows, order)
    return [
        etree.canonicalize(etree.tostring(element, encoding="unicode"))
        for template in templates
        for group in _groups(template, ordered)
        for element in [_element(template, group, root)]
    ]


def _ordered(rows: Sequence[Values], order: Sequence[OrderKey]) -> list[Values]:
    """Numbers by value, then texts; the last key first, so that the first one decides."""
    found = list(rows)
    for key in reversed(order):
        numbers = [row for row in found if _is_number(row[key.variable])]
        texts = [row for row in found if not _is_number(row[key.variable])]
        numbers.sort(key=lambda row: float(_as_plain(row[key.variable])), reverse=key.descending)
        texts.sort(key=lambda row: _as_plain(row[key.variable]), reverse=key.descending)
        found = texts + numbers if key.descending else numbers + texts
    return found


def _is_number(value: XmlValue) -> bool:
    return isinstance(value, str) and value.isdigit()


def _asked(query: NestedQuery, rows: Sequence[Values], root: etree._Element | None) -> list[Values]:
    """The rows of a query for each of the rows around it, one after the other."""
    found: list[Values] = []
    for row in rows:
        inner = plain_rows(query.patterns, root, row)
        kept = [
            each
            for each in inner
            if all(plain_truth(condition, each) for condition in query.conditions)
        ]
        found += _ordered(kept, query.order)
    return found


def _groups(template: TemplateElement, rows: Sequence[Values]) -> list[list[Values]]:
    """The rows of each element that the template gives, in the order of their first rows."""
    groups: dict[tuple[object, ...], list[Values]] = {}
    for row in rows:
        groups.setdefault(_identity(template, row), []).append(row)
    return list(groups.values())


def _element(
    template: TemplateElement, rows: Sequence[Values], root: etree._Element | None
) -> etree._Element:
    element = etree.Element(_name(template.name, rows[0]))
    for row in rows:
        for attribute in template.attributes:
            if _name(attribute.name, row) not in element.attrib:
                element.set(_name(attribute.name, row), _attribute(attribute, row))
    for content in template.contents:
        _fill(element, content, rows, root)
    return element


def _fill(
    element: etree._Element,
    content: TemplateContent,
    rows: Sequence[Values],
    root: etree._Element | None,
) -> None:
    match content:
        case NestedQuery():
            _fill(element, content.content, _asked(content, rows, root), root)
        case TemplateElement():
            for group in _groups(content, rows):
                element.append(_element(content, group, root))
        case OutputText(text):
            _append(element, text if rows else "")
        case OutputValue(variable):
            for value in dict.fromkeys(row[variable] for row in rows):
                _append(element, value)
        case _:
            raise AssertionError(content)


def _name(name: str | OutputValue, row: Values) -> str:
    return name if isinstance(name, str) else _as_plain(row[name.variable])


def _append(element: etree._Element, value: XmlValue) -> None:
    holder = etree.Element("holder")
    if isinstance(value, str):
        holder.text = value
    else:
        holder = etree.fromstring(f"<holder>{value[0]}</holder>")
    if len(element):
        element[-1].tail = (element[-1].tail or "") + (holder.text or "")
    else:
        element.text = (element.text or "") + (holder.text or "")
    element.extend(list(holder))


def _identity(template: TemplateElement, row: Values) -> tuple[object, ...]:
    terms = _terms(template)
    name = _name(template.name, row)
    if terms:
        return (name, *(row[variable] for term in terms for variable in term.variables))
    return (name, *(row.get(variable) for variable in _inside(template)))


def _inside(content: TemplateContent, outermost: bool = True) -> list[str]:
    """The variables in a part of a template, but not those of elements with a Skolem term of their
    own inside of it.

    Of a query all of its variables: those that are its own have no value in the rows around it.
    """
    match content:
        case OutputValue(variable):
            return [variable]
        case TemplateElement() if outermost or not _terms(content):
            names = [content.name, *(each.name for each in content.attributes)]
            values = [each.value for each in content.attributes]
            found = [each.variable for each in (*names, *values) if isinstance(each, OutputValue)]
            return found + [
                name for inner in content.contents for name in _inside(inner, outermost=False)
            ]
        case NestedQuery():
            return sorted(_everything(content))
        case _:
            return []


def _everything(part: object) -> set[str]:
    """Every text in a node that is a variable's name, wherever it stands."""
    if isinstance(part, str):
        return {part} if part.startswith("$") else set()
    if isinstance(part, tuple):
        return {name for each in part for name in _everything(each)}
    if is_dataclass(part):
        return {name for each in fields(part) for name in _everything(getattr(part, each.name))}
    return set()


def _terms(template: TemplateElement) -> list[SkolemTerm]:
    return [each.value for each in template.attributes if isinstance(each.value, SkolemTerm)]


def _attribute(attribute: OutputAttribute, row: Values) -> str:
    if isinstance(attribute.value, OutputText):
        return attribute.value.text
    if isinstance(attribute.value, OutputValue):
        value = row[attribute.value.variable]
        return (
            value
            if isinstance(value, str)
            else "".join(map(str, etree.fromstring(f"<v>{value[0]}</v>").itertext()))
        )
    arguments = [_as_text(row[variable]) for variable in attribute.value.variables]
    hashed = sha256(
        "".join(f"{len(each.encode())}:{each}" for each in arguments).encode()
    ).hexdigest()
    return f"{attribute.value.function}-{hashed[:16]}"


def _as_plain(value: XmlValue) -> str:
    return (
        value
        if isinstance(value, str)
        else "".join(map(str, etree.fromstring(f"<v>{value[0]}</v>").itertext()))
    )


def _as_text(value: XmlValue) -> str:
    return value if isinstance(value, str) else value[0]
