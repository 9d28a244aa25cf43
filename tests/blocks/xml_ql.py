"""CONSTRUCT evaluated the plain way, as a separate evaluator of the XML-QL translation (spec 4.5).

It works the other way round from the product: for one parent it looks at all its rows at once, groups them by the
identity of each child in the template, and builds a tree of lxml elements from the groups, outside in. It knows nothing
of partly built elements. A child that several places of a template could make one is not in its reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from lxml import etree

from tocsin.plan.blocks import XmlValue
from tocsin.plan.templates import OutputAttribute, OutputText, OutputValue, SkolemTerm, TemplateElement

Values = dict[str, XmlValue]


def evaluated(templates: Sequence[TemplateElement], rows: Sequence[Values]) -> list[str]:
    """The output documents as canonical XML."""
    return [
        etree.canonicalize(etree.tostring(element, encoding="unicode"))
        for template in templates
        for group in _groups(template, rows)
        for element in [_element(template, group)]
    ]


def _groups(template: TemplateElement, rows: Sequence[Values]) -> list[list[Values]]:
    """The rows of each element that the template gives, in the order of their first rows."""
    groups: dict[tuple[object, ...], list[Values]] = {}
    for row in rows:
        groups.setdefault(_identity(template, row), []).append(row)
    return list(groups.values())


def _element(template: TemplateElement, rows: Sequence[Values]) -> etree._Element:
    element = etree.Element(template.name)
    for attribute in template.attributes:
        element.set(attribute.name, _attribute(attribute, rows[0]))
    for content in template.contents:
        if isinstance(content, TemplateElement):
            for group in _groups(content, rows):
                element.append(_element(content, group))
        elif isinstance(content, OutputText):
            _append(element, content.text)
        else:
            for value in dict.fromkeys(row[content.variable] for row in rows):
                _append(element, value)
    return element


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
    if terms:
        return tuple(row[variable] for term in terms for variable in term.variables)
    return tuple(_values_inside(template, row))


def _values_inside(template: TemplateElement, row: Values) -> list[object]:
    found: list[object] = []
    for attribute in template.attributes:
        if isinstance(attribute.value, OutputValue):
            found.append(row[attribute.value.variable])
    for content in template.contents:
        if isinstance(content, OutputValue):
            found.append(row[content.variable])
        elif isinstance(content, TemplateElement) and not _terms(content):
            found += _values_inside(content, row)
    return found


def _terms(template: TemplateElement) -> list[SkolemTerm]:
    return [each.value for each in template.attributes if isinstance(each.value, SkolemTerm)]


def _attribute(attribute: OutputAttribute, row: Values) -> str:
    if isinstance(attribute.value, OutputText):
        return attribute.value.text
    if isinstance(attribute.value, OutputValue):
        value = row[attribute.value.variable]
        return value if isinstance(value, str) else "".join(map(str, etree.fromstring(f"<v>{value[0]}</v>").itertext()))
    arguments = [_as_text(row[variable]) for variable in attribute.value.variables]
    hashed = sha256("".join(f"{len(each.encode())}:{each}" for each in arguments).encode()).hexdigest()
    return f"{attribute.value.function}-{hashed[:16]}"


def _as_text(value: XmlValue) -> str:
    return value if isinstance(value, str) else value[0]
