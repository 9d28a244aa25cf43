"""Patterns lowered to pattern elements. A `*` that only holds one element is no node: it puts that a level lower."""

from __future__ import annotations

from tocsin.events.views.canonical import XML_SPACE
from tocsin.languages.exmlql.namespaces import Namespaces
from tocsin.languages.exmlql.problems import SYNTAX_CODE
from tocsin.languages.exmlql.syntax import AttributeMatch, Bind, Element, PatternItem, XPathItem
from tocsin.languages.exmlql.xpath import check_xpath
from tocsin.languages.texts import Problems
from tocsin.plan.blocks import AttributeTest, BoundTo, Pattern, PatternElement, VariableBinding, XPathPattern

_BINDS = {"ELEMENT_AS": BoundTo.ELEMENT, "CONTENT_AS": BoundTo.CONTENT}


class PatternReader:
    """Lowers the patterns of one subscription."""

    def __init__(self, namespaces: Namespaces, problems: Problems) -> None:
        self._namespaces = namespaces
        self._problems = problems

    def pattern(self, item: PatternItem | XPathItem) -> Pattern:
        """The pattern of an item of WHERE."""
        if isinstance(item, PatternItem):
            return self._element(item.element, item.bind, 0)
        fault = check_xpath(item.expression, self._namespaces.uris)
        if fault is not None:
            self._problems.add(SYNTAX_CODE, item.spot, fault.message, fault.hint)
        return XPathPattern(item.expression, tuple(sorted(self._namespaces.uris.items())), tuple(_binding(item.bind)))

    def _element(self, element: Element, bind: Bind | None, rel: int) -> PatternElement:
        tag = element.tag
        if len(element.texts) > 1:
            self._problems.add(
                SYNTAX_CODE,
                element.texts[1].spot,
                "an element has one text",
                "write all of it as one text, in double quotes",
            )
        bindings = [VariableBinding(BoundTo.NAME, tag.text)] if tag.text.startswith("$") and len(tag.text) > 1 else []
        bindings += [VariableBinding(BoundTo.CONTENT, each.text) for each in element.variables]
        return PatternElement(
            None if tag.text[0] in "*$" else self._namespaces.expanded(tag),
            rel,
            tuple(self._attribute(each) for each in element.attributes),
            element.texts[0].text.strip(XML_SPACE) if element.texts else None,
            (*bindings, *_binding(bind)),
            tuple(self._child(child, bound) for child, bound in element.children),
        )

    def _child(self, element: Element, bind: Bind | None) -> PatternElement:
        rel = 1
        while _only_a_level(element, bind):
            rel += 1
            element, bind = element.children[0]
        return self._element(element, bind, rel)

    def _attribute(self, each: AttributeMatch) -> AttributeTest:
        self._namespaces.refuse_declaration(each.name)
        variable = None if each.variable is None else each.variable.text
        return AttributeTest(self._namespaces.expanded(each.name), each.text, variable)


def _only_a_level(element: Element, bind: Bind | None) -> bool:
    """Whether a `*` says nothing but that there is a level between (D4)."""
    tested = element.attributes or element.texts or element.variables or bind
    return element.tag.text == "*" and len(element.children) == 1 and not tested


def _binding(bind: Bind | None) -> list[VariableBinding]:
    return [] if bind is None else [VariableBinding(_BINDS[bind.how], bind.variable.text)]
