"""Templates lowered. An outermost element declares the prefixes that are used in it; an attribute stands once."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.languages.exmlql.namespaces import Namespaces
from tocsin.languages.exmlql.problems import SYNTAX_CODE
from tocsin.languages.exmlql.syntax import ContentText, OutAttribute, Skolem, Template
from tocsin.languages.texts import Problems, Spot
from tocsin.plan.construction import OutputAttribute, OutputText, OutputValue, SkolemTerm, TemplateElement


def lowered_template(template: Template, namespaces: Namespaces, problems: Problems) -> TemplateElement:
    """An outermost template element."""
    prefixes = sorted({name.text.partition(":")[0] for name in _names(template) if ":" in name.text} - {"xml"})
    declared = tuple(
        OutputAttribute(f"xmlns:{prefix}", OutputText(namespaces.uris[prefix]))
        for prefix in prefixes
        if prefix in namespaces.uris
    )
    lowered = _element(template, namespaces, problems)
    return TemplateElement(lowered.name, (*declared, *lowered.attributes), lowered.contents)


def _element(template: Template, namespaces: Namespaces, problems: Problems) -> TemplateElement:
    namespaces.expanded(template.name)
    seen: set[str] = set()
    for attribute in template.attributes:
        namespaces.refuse_declaration(attribute.name)
        if namespaces.expanded(attribute.name) in seen:
            problems.add(
                SYNTAX_CODE,
                attribute.name,
                f"the attribute {attribute.name.text} stands twice",
                "leave one of them out",
            )
        seen.add(namespaces.expanded(attribute.name))
    return TemplateElement(
        template.name.text,
        tuple(OutputAttribute(each.name.text, _value(each)) for each in template.attributes),
        tuple(_content(each, namespaces, problems) for each in template.contents),
    )


def _value(attribute: OutAttribute) -> OutputText | OutputValue | SkolemTerm:
    match attribute.value:
        case Skolem(function, variables):
            return SkolemTerm(function.text, tuple(each.text for each in variables))
        case Spot(text=variable):
            return OutputValue(variable)
        case text:
            return OutputText(text)


def _content(
    content: Template | Spot | ContentText, namespaces: Namespaces, problems: Problems
) -> TemplateElement | OutputValue | OutputText:
    match content:
        case Template():
            return _element(content, namespaces, problems)
        case Spot(text=variable):
            return OutputValue(variable)
        case ContentText(text):
            return OutputText(text)


def _names(template: Template) -> Iterator[Spot]:
    yield template.name
    yield from (attribute.name for attribute in template.attributes)
    for content in template.contents:
        if isinstance(content, Template):
            yield from _names(content)
