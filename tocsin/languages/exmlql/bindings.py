"""Variables that the patterns of WHERE bind: each with its place and kind."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from tocsin.languages.base.texts import SourceSpan
from tocsin.languages.exmlql.syntax import Bind, Element, PatternItem, XPathItem


class BindingKind(Enum):
    """Kind of a variable's value."""

    NAME = "a name"
    ELEMENT = "an element"
    CONTENT = "the content of an element"
    ATTRIBUTE = "an attribute"


def item_bindings(item: PatternItem | XPathItem) -> Iterator[tuple[SourceSpan, BindingKind]]:
    """Yield the variables of one item of WHERE, with their kinds."""
    if isinstance(item, PatternItem):
        yield from _element_bindings(item.element, item.bind)
    elif item.bind is not None:
        yield _as_bound(item.bind)


def _element_bindings(
    element: Element, bind: Bind | None
) -> Iterator[tuple[SourceSpan, BindingKind]]:
    if element.tag.variable is not None:
        yield element.tag.variable, BindingKind.NAME
    for attribute in element.attributes:
        if attribute.name.text.startswith("$"):
            yield attribute.name, BindingKind.NAME
        if attribute.variable is not None:
            yield attribute.variable, BindingKind.ATTRIBUTE
    for variable in element.variables:
        yield variable, BindingKind.CONTENT
    for child, bound in element.children:
        yield from _element_bindings(child, bound)
    if bind is not None:
        yield _as_bound(bind)


def _as_bound(bind: Bind) -> tuple[SourceSpan, BindingKind]:
    return bind.variable, BindingKind.ELEMENT if bind.how == "ELEMENT_AS" else BindingKind.CONTENT
