"""Variables that the patterns of WHERE bind: each with its place and kind."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from tocsin.languages.base.texts import Spot
from tocsin.languages.exmlql.syntax import Bind, Element, PatternItem, XPathItem


class Kind(Enum):
    """Kind of a variable's value."""

    NAME = "a name"
    ELEMENT = "an element"
    CONTENT = "the content of an element"
    ATTRIBUTE = "an attribute"


def item_bindings(item: PatternItem | XPathItem) -> Iterator[tuple[Spot, Kind]]:
    """Yield the variables of one item of WHERE, with their kinds."""
    if isinstance(item, PatternItem):
        yield from _element_bindings(item.element, item.bind)
    elif item.bind is not None:
        yield _as_bound(item.bind)


def _element_bindings(element: Element, bind: Bind | None) -> Iterator[tuple[Spot, Kind]]:
    if element.tag.variable is not None:
        yield element.tag.variable, Kind.NAME
    for attribute in element.attributes:
        if attribute.name.text.startswith("$"):
            yield attribute.name, Kind.NAME
        if attribute.variable is not None:
            yield attribute.variable, Kind.ATTRIBUTE
    for variable in element.variables:
        yield variable, Kind.CONTENT
    for child, bound in element.children:
        yield from _element_bindings(child, bound)
    if bind is not None:
        yield _as_bound(bind)


def _as_bound(bind: Bind) -> tuple[Spot, Kind]:
    return bind.variable, Kind.ELEMENT if bind.how == "ELEMENT_AS" else Kind.CONTENT
