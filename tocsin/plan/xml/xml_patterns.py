"""XML blocks: conditions of a subscription on the document of one event (spec 4.3, M1-M6).

A block matches if its pattern elements can be mapped to elements of the document: with their names
(M1), each the given number of levels below its parent's image (M2), siblings in order (M3), texts
and attributes as given (M4), the first element anywhere (M5), repeated variables agreeing (M6).
Each mapping gives a row; equal rows count once, in document order. The patterns of one block have
each their own place in the document and share their variables.

An element with a regular path is mapped to the ends of the path: from its parent's image, or, as
the first element, from anywhere, even from above the outermost element. A path without steps ends
at its start, and an element mapped there is in no order with its siblings; above the outermost
element there is nothing to test or bind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias, assert_never

from tocsin.errors import LimitProblem, MeaningProblem
from tocsin.events.views.canonical import XML_SPACE, canonical, canonical_content, own_text
from tocsin.events.views.document import DocumentLimits, Element, parse_xml
from tocsin.plan.bindings import Rows, sole_value
from tocsin.plan.xml.paths import RegularPath
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded, number_in
from tocsin.plan.xml.row_terms import RowCondition

XmlValue: TypeAlias = str | tuple[str]
"""Value of a variable of a block: a text without white space around it, or, as a tuple of one,
markup in canonical form.

So values are equal exactly if they are equal as data (spec 2), for an element, the content of one,
an attribute or a name.
"""

MAX_ROWS = 10_000
"""Rows of a block in a document, and of its patterns at an element; the first ones count."""

_INSIDE = DocumentLimits(characters=1 << 24, depth=130, elements=200_000)
"""Limits of a copy out of a document; it may be longer than its original, because namespaces are
declared again.
"""


class BoundTo(Enum):
    """Aspect of an element that a variable is bound to."""

    NAME = "name"
    ELEMENT = "element"
    CONTENT = "content"


@dataclass(frozen=True, slots=True)
class VariableBinding:
    """A variable that is bound to an aspect of an element."""

    what: BoundTo
    variable: str


@dataclass(frozen=True, slots=True)
class AttributeTest:
    """The element has the attribute; with `value` exactly that value, with `variable` it is bound.

    Without a name it is any attribute, and `name_variable` is bound to its local name.
    """

    name: str | None
    value: str | None = None
    variable: str | None = None
    name_variable: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.variable is None):
            raise MeaningProblem(
                f"the attribute {self.name} has a value or a variable, one of them"
            )
        if (self.name is None) == (self.name_variable is None):
            raise MeaningProblem("an attribute has a name or a variable for it, one of them")


@dataclass(frozen=True, slots=True)
class PatternElement:
    """An element by its expanded name (None: any), `rel` levels below its parent's image, with its
    text.

    With a path, that alone gives its place: it has no name, and the levels do not count.
    """

    name: str | None
    rel: int = 0
    attributes: tuple[AttributeTest, ...] = ()
    text: str | None = None
    bindings: tuple[VariableBinding, ...] = ()
    children: tuple[PatternElement, ...] = ()
    path: RegularPath | None = None

    def __post_init__(self) -> None:
        if any(child.rel < 1 for child in self.children):
            raise MeaningProblem("a pattern child is one level or more below its parent")
        if self.path is not None and (self.name is not None or self.rel > 1):
            raise MeaningProblem("an element has a name or a path, one of them")


@dataclass(frozen=True, slots=True)
class XPathPattern:
    """The XPath expression selects something, or is true.

    Each element or text that it selects is one way to match.
    """

    expression: str
    namespaces: tuple[tuple[str, str], ...] = ()
    bindings: tuple[VariableBinding, ...] = ()


@dataclass(frozen=True, slots=True)
class InVariable:
    """Inside the value of a variable, which is an element or the content of one."""

    variable: str


@dataclass(frozen=True, slots=True)
class InDocument:
    """In a given document: its name, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class InEvent:
    """In the document of the event with the name; the empty name is that of the only event."""

    name: str = ""


Source: TypeAlias = InVariable | InDocument | InEvent


@dataclass(frozen=True, slots=True)
class SourcedPattern:
    """A pattern that is mapped to elements of another source than the event's document."""

    pattern: PatternElement
    source: Source


Pattern: TypeAlias = PatternElement | XPathPattern | SourcedPattern


@dataclass(frozen=True, slots=True)
class XmlBlock:
    """An atom: every pattern fits its document, with rows that agree and meet the conditions.

    Patterns of the event come first, and a source that is a variable is bound by an earlier
    pattern.
    """

    patterns: tuple[Pattern, ...]
    conditions: tuple[RowCondition, ...] = ()

    def __post_init__(self) -> None:
        if not self.patterns or isinstance(self.patterns[0], SourcedPattern):
            raise MeaningProblem("a block has one pattern about its event or more")
        if any(isinstance(each, PatternElement) and each.rel for each in self.patterns):
            raise MeaningProblem("the first element of a pattern is 0 levels below itself")
        require_bound_sources(self.patterns, frozenset())


@dataclass(frozen=True, slots=True)
class PatternNode:
    """A line of the node table (spec 4.3, figure 6).

    `level` is 1 if the level is known only while a document is read.
    """

    name: str | None
    rel: int
    level: int
    tests: int
    next: int | None


def node_table(pattern: PatternElement) -> tuple[PatternNode, ...]:
    """Return the pattern elements in document order, each with the number of the next."""
    elements = list(elements_of(pattern))
    last = len(elements) - 1
    return tuple(
        PatternNode(
            each.name,
            each.rel,
            int(each.rel > 1),
            _tests(each),
            number + 1 if number < last else None,
        )
        for number, each in enumerate(elements)
    )


def elements_of(pattern: PatternElement) -> Iterator[PatternElement]:
    """Yield the pattern's elements in document order."""
    yield pattern
    for child in pattern.children:
        yield from elements_of(child)


def paths_in(pattern: Pattern) -> int:
    """Return the number of elements of a pattern that have a regular path."""
    inner = pattern.pattern if isinstance(pattern, SourcedPattern) else pattern
    return (
        0
        if isinstance(inner, XPathPattern)
        else sum(each.path is not None for each in elements_of(inner))
    )


def require_bound_sources(patterns: tuple[Pattern, ...], bound: frozenset[str]) -> None:
    """Raise if a pattern reads a variable that no pattern before it binds."""
    for pattern in patterns:
        source = pattern.source if isinstance(pattern, SourcedPattern) else None
        if isinstance(source, InVariable) and source.variable not in bound:
            raise MeaningProblem(f"{source.variable} is asked before it is bound")
        bound |= frozenset(pattern_variables(pattern))


def pattern_variables(pattern: Pattern) -> Iterator[str]:
    """Yield the variables that a pattern binds, one for each occurrence."""
    if isinstance(pattern, SourcedPattern):
        yield from pattern_variables(pattern.pattern)
        return
    yield from (binding.variable for binding in pattern.bindings)
    if isinstance(pattern, PatternElement):
        for test in pattern.attributes:
            yield from (each for each in (test.name_variable, test.variable) if each is not None)
        for child in pattern.children:
            yield from pattern_variables(child)


def block_variables(block: XmlBlock) -> frozenset[str]:
    """Return the variables that a block binds."""
    return frozenset(
        variable for pattern in block.patterns for variable in pattern_variables(pattern)
    )


def element_value(element: Element) -> XmlValue:
    """Return the value of a whole element."""
    return (canonical(element),)


def content_value(element: Element) -> XmlValue:
    """Return the value of the content of an element."""
    return (canonical_content(element),) if len(element) else own_text(element)


def name_value(element: Element) -> XmlValue:
    """Return the value of an element's name, which is its local name."""
    return local_name(element.tag)


def local_name(name: object) -> str:
    """Return the name without its namespace."""
    return str(name).rpartition("}")[2]


def text_value(text: str) -> XmlValue:
    """Return the value of an attribute or of another text."""
    return text.strip(XML_SPACE)


def bound_value(what: BoundTo, node: Element | str) -> XmlValue:
    """Return the value of a variable; a text is its own element, content and name."""
    if isinstance(node, str):
        return text_value(node)
    match what:
        case BoundTo.NAME:
            return name_value(node)
        case BoundTo.ELEMENT:
            return element_value(node)
        case BoundTo.CONTENT:
            return content_value(node)
        case _:
            assert_never(what)


def outermost_inside(value: object) -> tuple[Element, ...]:
    """Return the outermost elements in a variable's value; a text has none."""
    if not isinstance(value, tuple):
        return ()
    try:
        return tuple(parse_xml(f"<inside>{value[0]}</inside>", _INSIDE))
    except LimitProblem as problem:
        raise WorkLimitExceeded(problem.message) from None


def bound_scalar(rows: Rows, variable: str) -> object:
    """Return the value of a variable for a comparison; a text of a document may be a number."""
    value = sole_value(rows, variable)
    number = number_in(value) if variable.startswith("$") and isinstance(value, str) else None
    if number is None:
        return value
    return int(number) if number == number.to_integral_value() else float(number)


def _tests(element: PatternElement) -> int:
    return (element.text is not None) + sum(test.value is not None for test in element.attributes)
