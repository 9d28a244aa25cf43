"""Subscriptions that may trigger themselves: their constructed documents can match their own
pattern.

Decided at compile time from names alone, so that it may report too much: a document with the names
of a pattern is taken to fit it, whatever the values and the order; a constant text or attribute
that differs rules it out. The value of a variable is taken for a text, but a copied element
(ELEMENT_AS) for an element as its pattern says. XPath is taken to hold if the document has the
elements of its path; another expression, if it has any that it names. A regular path is taken to
lead anywhere below, to an element of any name that one of its steps has; patterns with another
source than the event are taken to hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from tocsin.events.views.canonical import XML_SPACE
from tocsin.plan.nodes.composites import Plan, atoms_of
from tocsin.plan.xml.construction import (
    Construct,
    NestedQuery,
    OutputText,
    OutputValue,
    TemplateContent,
    TemplateElement,
)
from tocsin.plan.xml.paths import steps_of
from tocsin.plan.xml.xml_patterns import (
    AttributeTest,
    BoundTo,
    Pattern,
    PatternElement,
    SourcedPattern,
    XmlBlock,
    XPathPattern,
    elements_of,
)
from tocsin.plan.xml.xpath.read import read_xpath
from tocsin.plan.xml.xpath.syntax import (
    Expression,
    Number,
    Path,
    XPathCall,
    XPathLiteral,
    XPathStep,
    parts_of,
)

_Copies: TypeAlias = Mapping[str, PatternElement]
"""Element that each variable is a copy of."""


def loops_in(plans: Mapping[str, Plan]) -> list[tuple[str, ...]]:
    """Return the subscriptions that construct for themselves, and circles of several."""
    makers = {id: plan for id, plan in plans.items() if isinstance(plan.output, Construct)}
    leads = {
        id: [other for other in makers if _may_set_going(plan, makers[other])]
        for id, plan in makers.items()
    }
    found: dict[frozenset[str], tuple[str, ...]] = {}
    for start in makers:
        way = _way_back(start, leads)
        if way:
            found.setdefault(frozenset(way), way)
    return list(found.values())


def _way_back(start: str, leads: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Return the shortest path from a subscription to itself; empty if it has none."""
    ways: list[tuple[str, ...]] = [(start,)]
    seen: set[str] = set()
    for way in ways:
        for following in leads[way[-1]]:
            if following == start:
                return way
            if following not in seen:
                seen.add(following)
                ways.append((*way, following))
    return ()


def _may_set_going(maker: Plan, other: Plan) -> bool:
    """True if a document of the one can be an event that matches a block of the other."""
    output = maker.output
    assert isinstance(output, Construct)
    copies = _copies(maker)
    blocks = [atom for atom in atoms_of(other.pattern) if isinstance(atom, XmlBlock)]
    return any(
        _may_meet(block, template, copies) for block in blocks for template in output.templates
    )


def _copies(plan: Plan) -> _Copies:
    elements = (
        each for block in _blocks(plan) for pattern in block.patterns for each in _elements(pattern)
    )
    return {
        binding.variable: element
        for element in elements
        for binding in element.bindings
        if binding.what is BoundTo.ELEMENT
    }


def _blocks(plan: Plan) -> Iterator[XmlBlock]:
    return (atom for atom in atoms_of(plan.pattern) if isinstance(atom, XmlBlock))


def _elements(pattern: Pattern) -> Iterator[PatternElement]:
    inner = pattern.pattern if isinstance(pattern, SourcedPattern) else pattern
    return elements_of(inner) if isinstance(inner, PatternElement) else iter(())


def _may_meet(block: XmlBlock, template: TemplateElement, copies: _Copies) -> bool:
    return all(_may_fit(pattern, template, copies) for pattern in block.patterns)


def _may_fit(pattern: Pattern, template: TemplateElement, copies: _Copies) -> bool:
    if isinstance(pattern, SourcedPattern):
        return True
    if isinstance(pattern, XPathPattern):
        names = set(_names_in(template, copies))
        return None in names or _may_select(
            read_xpath(pattern.expression, dict(pattern.namespaces)), names
        )
    return any(_fits(pattern, each, copies) for each in _inside(template)) or any(
        _fits_copy(pattern, copy) for copy in _copied(template, copies)
    )


def _fits(pattern: PatternElement, template: TemplateElement, copies: _Copies) -> bool:
    if not _has_name(pattern, template.name) or not _may_have_text(pattern, template):
        return False
    if not all(_may_have_attribute(test, template) for test in pattern.attributes):
        return False
    return all(_below(child, template, child.rel, copies) for child in pattern.children)


def _below(
    pattern: PatternElement, template: TemplateElement, levels: int, copies: _Copies
) -> bool:
    """True if an element `levels` below can fit; inside a copied element anything can."""
    contents = _contents(template)
    inner = [each for each in contents if isinstance(each, TemplateElement)]
    values = [each.variable for each in contents if isinstance(each, OutputValue)]
    found = [copies[variable] for variable in values if variable in copies]
    if pattern.path is not None:
        return bool(found) or any(_fits(pattern, each, copies) for each in _inside(template))
    if levels > 1:
        return bool(found) or any(_below(pattern, each, levels - 1, copies) for each in inner)
    return any(_fits(pattern, each, copies) for each in inner) or any(
        _fits_copy(pattern, each) for each in found
    )


def _fits_copy(pattern: PatternElement, copy: PatternElement) -> bool:
    """True if the pattern's first element can be the copied one, or one that its pattern names
    inside.
    """
    return any(each.name is None or _has_name(pattern, each.name) for each in elements_of(copy))


def _may_have_text(pattern: PatternElement, template: TemplateElement) -> bool:
    contents = _contents(template)
    texts = [each.text for each in contents if isinstance(each, OutputText)]
    has_values = any(not isinstance(each, OutputText | TemplateElement) for each in contents)
    return pattern.text is None or has_values or "".join(texts).strip(XML_SPACE) == pattern.text


def _may_have_attribute(test: AttributeTest, template: TemplateElement) -> bool:
    return any(
        _same_name(test.name, each.name) and _may_be(test, each.value)
        for each in template.attributes
    )


def _may_be(test: AttributeTest, value: object) -> bool:
    return test.value is None or not isinstance(value, OutputText) or value.text == test.value


def _has_name(pattern: PatternElement, given: object) -> bool:
    """True if an element of that name can be the image of the pattern's first element."""
    if pattern.path is None:
        return _same_name(pattern.name, given)
    return any(_same_name(step.name, given) for step in steps_of(pattern.path))


def _same_name(wanted: str | None, given: object) -> bool:
    """True if local names are equal; prefixes are ignored. A name from a variable may be any."""
    return wanted is None or not isinstance(given, str) or _local(wanted) == _local(given)


def _local(name: str) -> str:
    return name.rpartition("}")[2].rpartition(":")[2]


def _inside(template: TemplateElement) -> Iterator[TemplateElement]:
    yield template
    for content in _contents(template):
        if isinstance(content, TemplateElement):
            yield from _inside(content)


def _contents(template: TemplateElement) -> list[TemplateContent]:
    return [each for content in template.contents for each in _built(content)]


def _built(content: TemplateContent) -> Iterator[TemplateContent]:
    """Yield the contents of a template; a query is replaced by what it builds."""
    if isinstance(content, NestedQuery):
        yield from _built(content.content)
    else:
        yield content


def _copied(template: TemplateElement, copies: _Copies) -> Iterator[PatternElement]:
    for each in _inside(template):
        for content in _contents(each):
            if isinstance(content, OutputValue) and content.variable in copies:
                yield copies[content.variable]


def _names_in(template: TemplateElement, copies: _Copies) -> Iterator[str | None]:
    """Yield the local names of all elements in the document; None if one can have any name."""
    for each in _inside(template):
        yield _local(each.name) if isinstance(each.name, str) else None
    for copy in _copied(template, copies):
        yield from (None if each.name is None else _local(each.name) for each in elements_of(copy))


def _may_select(expression: Expression, names: set[str | None]) -> bool:
    if isinstance(expression, Path):
        has_names = all(name in names for name in _attributes_read(expression.steps))
        return has_names and (expression.base is None or _may_select(expression.base, names))
    if isinstance(expression, XPathCall) and expression.name == "not":
        return True
    inner = [each for each in parts_of(expression) if not isinstance(each, XPathLiteral | Number)]
    return not inner or any(_may_select(each, names) for each in inner)


def _attributes_read(steps: Iterable[XPathStep]) -> Iterator[str]:
    return (
        step.test.name
        for step in steps
        if step.axis != "attribute" and step.test.name not in ("", "*")
    )
