"""Patterns to pattern elements. A `*` that only holds one element is not a node but a level of
depth.

A path of one name is an ordinary tag. Any other path stays one: the elements on the way are not
bound.
"""

from __future__ import annotations

from typing import assert_never

from tocsin.events.views.canonical import XML_SPACE
from tocsin.events.views.names import is_xml_name
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.exmlql.namespaces import Namespaces
from tocsin.languages.exmlql.problems import SYNTAX_CODE
from tocsin.languages.exmlql.syntax import (
    AttributeMatch,
    Bind,
    Element,
    PathMark,
    PathParts,
    PathStepName,
    PathUse,
    PatternItem,
    XPathItem,
)
from tocsin.languages.exmlql.xpath import check_xpath
from tocsin.plan.xml.paths import PathChoice, PathRepeat, PathSequence, PathStep, RegularPath
from tocsin.plan.xml.xml_patterns import (
    AttributeTest,
    BoundTo,
    Pattern,
    PatternElement,
    VariableBinding,
    XPathPattern,
)

_BINDS = {"ELEMENT_AS": BoundTo.ELEMENT, "CONTENT_AS": BoundTo.CONTENT}


class PatternReader:
    """Lowering of the patterns of one subscription."""

    def __init__(self, namespaces: Namespaces, problems: ProblemCollector) -> None:
        self._namespaces = namespaces
        self._problems = problems

    def pattern(self, item: PatternItem | XPathItem) -> Pattern:
        """Return the pattern of an item of WHERE."""
        if isinstance(item, PatternItem):
            return self.element(item)
        fault = check_xpath(item.expression, self._namespaces.uris)
        if fault is not None:
            self._problems.add(SYNTAX_CODE, item.spot, fault.message, fault.hint)
        return XPathPattern(
            item.expression,
            tuple(sorted(self._namespaces.uris.items())),
            tuple(_binding(item.bind)),
        )

    def element(self, item: PatternItem) -> PatternElement:
        """Return the pattern element of an item, for any source."""
        return self._element(item.element, item.bind, 0)

    def _element(self, element: Element, bind: Bind | None, rel: int) -> PatternElement:
        tag, path = element.tag, element.tag.path
        if len(element.texts) > 1:
            self._problems.add(
                SYNTAX_CODE,
                element.texts[1].spot,
                "an element has one text",
                "write all of it as one text, in double quotes",
            )
        bindings = [VariableBinding(BoundTo.NAME, tag.variable.text)] if tag.variable else []
        bindings += [VariableBinding(BoundTo.CONTENT, each.text) for each in element.variables]
        return PatternElement(
            self._step(path).name if isinstance(path, PathStepName) else None,
            rel,
            tuple(self._attribute(each) for each in element.attributes),
            element.texts[0].text.strip(XML_SPACE) if element.texts else None,
            (*bindings, *_binding(bind)),
            tuple(self._child(child, bound) for child, bound in element.children),
            None if path is None or isinstance(path, PathStepName) else self._path(path),
        )

    def _path(self, path: PathUse) -> RegularPath:
        match path:
            case PathStepName():
                return self._step(path)
            case PathParts(operator, parts):
                inner = tuple(map(self._path, parts))
                return PathSequence(inner) if operator == "." else PathChoice(inner)
            case PathMark(part, mark):
                return _repeat(self._path(part), mark)
            case _:
                assert_never(path)

    def _step(self, path: PathStepName) -> PathStep:
        """Return a step by its expanded name; a name in backticks may have dots."""
        text = path.spot.text
        if not text.startswith("`"):
            return PathStep(None if path.is_any else self._namespaces.expanded(path.spot))
        name = text[1:-1]
        if name.count(":") > 1 or not all(map(is_xml_name, name.split(":"))):
            self._problems.add(
                SYNTAX_CODE,
                path.spot,
                f"{name!r} is no XML name",
                "write a name between the backticks",
            )
        return PathStep(self._namespaces.expanded(SourceSpan(path.spot.offset, name)))

    def _child(self, element: Element, bind: Bind | None) -> PatternElement:
        rel = 1
        while _only_a_level(element, bind):
            rel += 1
            element, bind = element.children[0]
        return self._element(element, bind, rel)

    def _attribute(self, each: AttributeMatch) -> AttributeTest:
        variable = None if each.variable is None else each.variable.text
        if each.name.text.startswith("$"):
            return AttributeTest(None, each.text, variable, each.name.text)
        self._namespaces.refuse_declaration(each.name)
        return AttributeTest(self._namespaces.expanded(each.name), each.text, variable)


def _only_a_level(element: Element, bind: Bind | None) -> bool:
    """True if a `*` only adds a level between its parent and its one child (D4)."""
    tested = element.attributes or element.texts or element.variables or bind
    is_star = isinstance(element.tag.path, PathStepName) and element.tag.spot.text == "*"
    if not is_star or tested or len(element.children) != 1:
        return False
    inner = element.children[0][0].tag
    return inner.path is None or isinstance(inner.path, PathStepName)


def _binding(bind: Bind | None) -> list[VariableBinding]:
    return [] if bind is None else [VariableBinding(_BINDS[bind.how], bind.variable.text)]


def _repeat(part: RegularPath, mark: str) -> PathRepeat:
    """Return a part repeated, a repeat of a repeat as one: `a**` matches like `a*`."""
    if isinstance(part, PathRepeat):
        return PathRepeat(part.part, mark if mark == part.mark else "*")
    return PathRepeat(part, mark)
