"""A block as E-XML-QL text, which explains it and is read back as the same block."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import assert_never

from tocsin.plan.xml.paths import path_text, steps_of
from tocsin.plan.xml.row_text import condition_text, quote_text
from tocsin.plan.xml.xml_patterns import (
    AttributeTest,
    BoundTo,
    InDocument,
    InEvent,
    InVariable,
    Pattern,
    PatternElement,
    Source,
    SourcedPattern,
    VariableBinding,
    XmlBlock,
    XPathPattern,
    elements_of,
)

_WORDS = re.compile(r"[a-z0-9]\w*(?: [a-z0-9]\w*)*")
"""Texts that are unambiguous without quotes; words in capitals may be reserved."""

_AS = {BoundTo.ELEMENT: "ELEMENT_AS", BoundTo.CONTENT: "CONTENT_AS"}


def block_text(block: XmlBlock) -> str:
    """Return the block as a subscription of its own."""
    spaces = Spaces(block.patterns)
    items = [spaces.pattern(pattern) for pattern in block.patterns]
    items += [condition_text(condition) for condition in block.conditions]
    return " ".join((*spaces.prolog(), "WHERE", ", ".join(items)))


def _event_text(event: InEvent) -> str:
    """Return the label of an event."""
    return f" {event.name}" if event.name else ""


class Spaces:
    """Namespaces of patterns with a prefix for each: those given, those of XPath, else n1, n2 and
    so on.
    """

    def __init__(
        self,
        patterns: Iterable[Pattern],
        given: Mapping[str, str] | None = None,
        *,
        bare: bool = False,
        event_text: Callable[[InEvent], str] = _event_text,
    ) -> None:
        """With `bare`, plain words are written without quotes; `event_text` writes the label of an
        event.
        """
        self._bare = bare
        self._event_text = event_text
        self._prefixes: dict[str, str] = dict(given or {})
        self._kept = list(patterns)
        for pattern in self._kept:
            if isinstance(pattern, XPathPattern):
                self._prefixes |= {uri: prefix for prefix, uri in pattern.namespaces}
        for uri in (uri for pattern in self._kept for uri in _uris(pattern)):
            self._prefixes.setdefault(uri, self._new_prefix())

    def prolog(self) -> list[str]:
        """Return the lines that declare the prefixes."""
        return [f"NAMESPACE {prefix} = {quote_text(uri)}" for uri, prefix in self._prefixes.items()]

    def pattern(self, pattern: Pattern) -> str:
        """Return a pattern as it is written."""
        match pattern:
            case PatternElement():
                return self._element(pattern)
            case SourcedPattern(inner, source):
                return self._element(inner) + self._source(source)
            case XPathPattern(expression, _, bindings):
                return " ".join((f"XPATH {quote_text(expression)}", *_bound(bindings[:1])))
            case _:
                assert_never(pattern)

    def constant(self, text: str) -> str:
        """Return a text between tags."""
        return text if self._bare and _WORDS.fullmatch(text) else quote_text(text)

    def _source(self, source: Source) -> str:
        """Return the text behind a pattern with a source other than the only event."""
        match source:
            case InVariable(variable):
                return f" IN {variable}"
            case InDocument(name):
                return f" IN {quote_text(name)}"
            case InEvent():
                return self._event_text(source)
            case _:
                assert_never(source)

    def _new_prefix(self) -> str:
        taken = set(self._prefixes.values())
        return next(name for number in count(1) if (name := f"n{number}") not in taken)

    def _element(self, element: PatternElement) -> str:
        """Return an element with variables of its content inside.

        Behind the element there is room for one variable bound to the element.
        """
        named = [each.variable for each in element.bindings if each.what is BoundTo.NAME]
        content = [each.variable for each in element.bindings if each.what is BoundTo.CONTENT]
        whole = [each for each in element.bindings if each.what is BoundTo.ELEMENT]
        tag = named[0] if named else self.tag(element)
        attributes = "".join(map(self._attribute, element.attributes))
        inside = ([] if element.text is None else [self.constant(element.text)]) + content
        inside += [self._child(child) for child in element.children]
        return " ".join((f"<{tag}{attributes}>{''.join(inside)}</>", *_bound(tuple(whole))))

    def tag(self, element: PatternElement) -> str:
        """Return the name or path of an element."""
        if element.path is not None:
            return path_text(element.path, self._step)
        return "$" if element.name is None else self._step(element.name)

    def _step(self, name: str) -> str:
        """Return a name in a path, in backticks if it has a dot, which would separate steps."""
        text = self._name(name)
        return f"`{text}`" if "." in text else text

    def _attribute(self, test: AttributeTest) -> str:
        name = test.name_variable if test.name is None else self._name(test.name)
        return f" {name}={test.variable if test.value is None else quote_text(test.value)}"

    def _child(self, child: PatternElement) -> str:
        levels = child.rel - 1
        return f"{'<*>' * levels}{self._element(child)}{'</>' * levels} "

    def _name(self, name: str) -> str:
        uri, _, local = name.rpartition("}")
        return f"{self._prefixes[uri[1:]]}:{local}" if uri else local


def _uris(pattern: Pattern) -> Iterator[str]:
    """Yield the namespaces of the names in a pattern, from left to right."""
    inner = pattern.pattern if isinstance(pattern, SourcedPattern) else pattern
    if isinstance(inner, PatternElement):
        for element in elements_of(inner):
            steps = [] if element.path is None else [step.name for step in steps_of(element.path)]
            for name in (element.name, *steps, *(test.name for test in element.attributes)):
                if name and name.startswith("{"):
                    yield name[1:].partition("}")[0]


def _bound(bindings: tuple[VariableBinding, ...]) -> list[str]:
    return [f"{_AS[each.what]} {each.variable}" for each in bindings]
