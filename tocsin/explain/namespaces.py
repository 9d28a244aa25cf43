"""Misses that a namespace explains: the name exists, but in another namespace than the requested
one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.events.views.document import Element
from tocsin.events.views.graph import graph_in
from tocsin.knowledge.ontology import local_name
from tocsin.plan.nodes.graphs import ITSELF, GraphPattern
from tocsin.values.terms import THING, Iri

_WORD = re.compile(r"(?<![\w@$'\"-])(?:[\w-]+:)?([^\W\d][\w-]*)(?!\s*\()")
_LITERAL = re.compile(r"'[^']*'|\"[^\"]*\"")


def element_elsewhere(names: Iterable[str], elements: Iterable[Element]) -> str:
    """Return a sentence for the first name that elements have in another namespace; else ""."""
    wanted = {local_of(name): name for name in names}
    for element in elements:
        tag = str(element.tag)
        asked = wanted.get(local_of(tag))
        if asked is not None and asked != tag:
            return _difference_text(local_of(tag), namespace_of(tag), namespace_of(asked))
    return ""


def attribute_elsewhere(name: str, element: Element) -> str:
    """Return a sentence for an attribute that an element has in another namespace; else ""."""
    for other in element.attrib:
        if local_of(str(other)) == local_of(name) and str(other) != name:
            return _difference_text(local_of(name), namespace_of(str(other)), namespace_of(name))
    return ""


def xpath_elsewhere(expression: str, namespaces: Iterable[str], elements: Iterable[Element]) -> str:
    """Return a sentence for an XPath name that exists in an undeclared namespace; else ""."""
    words = set(_WORD.findall(_LITERAL.sub("", expression)))
    declared = set(namespaces)
    for element in elements:
        space, local = namespace_of(str(element.tag)), local_of(str(element.tag))
        if space and local in words and space not in declared:
            return _difference_text(local, space, "")
    return ""


def local_of(name: str) -> str:
    """Return an expanded name without its namespace."""
    return name.rpartition("}")[2]


def namespace_of(name: str) -> str:
    """Return the namespace of an expanded name; "" if it has none."""
    return name[1:].rpartition("}")[0] if name.startswith("{") else ""


def _difference_text(local: str, there: str, expected: str) -> str:
    if not there:
        return (
            f"there is a <{local}> in no namespace, and the pattern asks for one in {expected!r}:"
            " write it without prefix"
        )
    if not expected:
        way_out = f'begin with NAMESPACE p = "{there}" and write <p:{local}>'
        return (
            f"there is a <{local}> in the namespace {there!r}, and the pattern asks for one in"
            f" none: {way_out}"
        )
    return (
        f"there is a <{local}> in the namespace {there!r}, and the pattern asks for one in"
        f" {expected!r}"
    )


def graph_elsewhere(pattern: GraphPattern, event: Event) -> Iterator[str]:
    """Yield a sentence per term of a pattern that the event has in another namespace only."""
    try:
        graph = graph_in(event, pattern.ontology)
    except Problem:
        return
    properties = {prop for _, prop, _ in graph.arcs}
    classes = {each for kinds in graph.types.values() for each in kinds} - {THING}
    resources = {
        term.text
        for subject, _, end in graph.arcs
        for term in (subject, end)
        if isinstance(term, Iri)
    }
    ontology = pattern.ontology
    told: dict[str, None] = {}
    for each in pattern.statements:
        if each.property != ITSELF:
            told |= dict.fromkeys(
                _nearly("property", each.property, properties, ontology.superproperties)
            )
        for name in (each.subject_class, each.object_class):
            told |= dict.fromkeys(_nearly("class", name, classes, ontology.superclasses))
        for end in each.ends():
            if isinstance(end, Iri):
                told |= dict.fromkeys(
                    _nearly("resource", end.text, resources, lambda name: frozenset((name,)))
                )
    yield from told


def _nearly(
    kind: str, asked: str, there: set[str], above: Callable[[str], frozenset[str]]
) -> Iterator[str]:
    """Yield a sentence per known name with the same local name, unless the requested one is there.

    A name below the requested one counts as it.
    """
    if any(asked == each or asked in above(each) for each in there):
        return
    for other in sorted(there):
        if local_name(other) == local_name(asked):
            yield (
                f"the event has the {kind} <{other}>, and the pattern asks for <{asked}>: only the"
                " namespace differs"
            )
