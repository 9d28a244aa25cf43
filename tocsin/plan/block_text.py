"""A block or a condition written out as E-XML-QL: what explains it, and reads as the same again."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.plan.blocks import (
    BoundTo,
    Pattern,
    PatternElement,
    ValueCondition,
    VariableBinding,
    XmlBlock,
    elements_of,
)

_AS = {BoundTo.ELEMENT: "ELEMENT_AS", BoundTo.CONTENT: "CONTENT_AS"}


def block_text(block: XmlBlock) -> str:
    """The block as a subscription of its own."""
    spaces = _Spaces(block)
    items = [spaces.pattern(pattern) for pattern in block.patterns]
    items += [condition_text(condition) for condition in block.conditions]
    return " ".join((*spaces.prolog(), "WHERE", ", ".join(items)))


def condition_text(condition: ValueCondition) -> str:
    """The condition; a constant is in quotes, which compares as a number all the same."""
    other = condition.other if condition.constant is None else _quoted(condition.constant)
    return f"{condition.variable} {condition.relation} {other}"


class _Spaces:
    """The namespaces of a block with a prefix for each: those of its XPath expressions, else n1, n2 and so on."""

    def __init__(self, block: XmlBlock) -> None:
        self._prefixes: dict[str, str] = {}
        for pattern in block.patterns:
            if not isinstance(pattern, PatternElement):
                self._prefixes |= {uri: prefix for prefix, uri in pattern.namespaces}
        for uri in (uri for pattern in block.patterns for uri in _uris(pattern)):
            self._prefixes.setdefault(uri, f"n{len(self._prefixes) + 1}")

    def prolog(self) -> list[str]:
        return [f"NAMESPACE {prefix} = {_quoted(uri)}" for uri, prefix in self._prefixes.items()]

    def pattern(self, pattern: Pattern) -> str:
        if isinstance(pattern, PatternElement):
            return self._element(pattern)
        return " ".join((f"XPATH {_quoted(pattern.expression)}", *_bound(pattern.bindings[:1])))

    def _element(self, element: PatternElement) -> str:
        """Variables of the content stand inside, so that behind the element there is room for one of the element."""
        named = [each.variable for each in element.bindings if each.what is BoundTo.NAME]
        content = [each.variable for each in element.bindings if each.what is BoundTo.CONTENT]
        whole = [each for each in element.bindings if each.what is BoundTo.ELEMENT]
        tag = named[0] if named else "$" if element.name is None else self._name(element.name)
        attributes = "".join(
            f" {self._name(test.name)}={test.variable if test.value is None else _quoted(test.value)}"
            for test in element.attributes
        )
        inside = ([] if element.text is None else [_quoted(element.text)]) + content
        inside += [self._child(child) for child in element.children]
        return " ".join((f"<{tag}{attributes}>{''.join(inside)}</>", *_bound(tuple(whole))))

    def _child(self, child: PatternElement) -> str:
        levels = child.rel - 1
        return f"{'<*>' * levels}{self._element(child)}{'</>' * levels} "

    def _name(self, name: str) -> str:
        uri, _, local = name.rpartition("}")
        return f"{self._prefixes[uri[1:]]}:{local}" if uri else local


def _uris(pattern: Pattern) -> Iterator[str]:
    """The namespaces of the names in a pattern, from left to right."""
    if isinstance(pattern, PatternElement):
        for element in elements_of(pattern):
            for name in (element.name or "", *(test.name for test in element.attributes)):
                if name.startswith("{"):
                    yield name[1:].partition("}")[0]


def _bound(bindings: tuple[VariableBinding, ...]) -> list[str]:
    return [f"{_AS[each.what]} {each.variable}" for each in bindings]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
