"""XML blocks: what a subscription says about the document of one event (spec 4.3, M1-M6).

A block matches when its pattern elements can be mapped to elements of the document: with their
names (M1), each the told number of levels below its parent's image (M2), siblings in order (M3),
texts and attributes as told (M4), the first element anywhere (M5), repeated variables agreeing
(M6). Each mapping gives a row; equal rows count once, in document order. The patterns of one block
have each their own place in the document and share their variables.

An element with a regular path is mapped to where the path leads: from its parent's image, or, as
the first element, from anywhere, be it from above the outermost element. A path of no steps leads
to where it starts, and what is mapped there stands in no order to its siblings; above the outermost
element there is nothing to test or bind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias, assert_never

from tocsin.errors import EventProblem, LimitProblem, MeaningProblem
from tocsin.events.event import Event
from tocsin.events.views.canonical import XML_SPACE, canonical, canonical_content, own_text
from tocsin.events.views.document import DocumentLimits, Element, parse_xml
from tocsin.plan.bindings import Rows, sole_value
from tocsin.plan.xml.paths import RegularPath
from tocsin.plan.xml.row_functions import GivenUp, number_in
from tocsin.plan.xml.row_terms import RowCondition

XmlValue: TypeAlias = str | tuple[str]
"""What a variable of a block is bound to: a text without white space around it, or, as a tuple of
one, markup in canonical form. So values are equal exactly when they are as data (spec 2), whether a
part is an element, the content of one, an attribute or a name.
"""

MAX_ROWS = 10_000
"""A block has at most so many rows in a document, and so have its patterns at an element: the first
ones.
"""

_INSIDE = DocumentLimits(characters=1 << 24, depth=130, elements=200_000)
"""What is copied out of a document may be longer than it was: namespaces are declared again."""


class BoundTo(Enum):
    """What of an element a variable is bound to."""

    NAME = "name"
    ELEMENT = "element"
    CONTENT = "content"


@dataclass(frozen=True, slots=True)
class VariableBinding:
    """A variable that is bound to something of an element."""

    what: BoundTo
    variable: str


@dataclass(frozen=True, slots=True)
class AttributeTest:
    """The element has the attribute; where `value` is given it is exactly that, where `variable`
    is, it binds it.

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
    """An element by its expanded name (None: any), so many levels below its parent's image, its own
    text as told.

    Where a path is given, that and nothing else says where it is: it has no name, and the levels do
    not count.
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
    """The XPath expression selects something, or is true; each element or text that it selects is
    one way to match.
    """

    expression: str
    namespaces: tuple[tuple[str, str], ...] = ()
    bindings: tuple[VariableBinding, ...] = ()


@dataclass(frozen=True, slots=True)
class InVariable:
    """Inside of what a variable is bound to, which is an element or the content of one."""

    variable: str


@dataclass(frozen=True, slots=True)
class InDocument:
    """In a document that is told beforehand: its name, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class InEvent:
    """In the document of the event that goes by the name; the empty name is that of the
    only event.
    """

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
    """An atom: every pattern fits the document or its own source, with rows that agree and meet the
    conditions.

    What is said of the event comes first, and a source that is a variable is bound before it is
    asked.
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
    """A line of the node table (spec 4.3, figure 6): `level` is 1 where it is known only while a
    document is read.
    """

    name: str | None
    rel: int
    level: int
    tests: int
    next: int | None


def node_table(pattern: PatternElement) -> tuple[PatternNode, ...]:
    """The pattern elements in document order, each with the number of the next."""
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
    """The pattern's elements in document order."""
    yield pattern
    for child in pattern.children:
        yield from elements_of(child)


def paths_in(pattern: Pattern) -> int:
    """How many elements of a pattern have a regular path."""
    inner = pattern.pattern if isinstance(pattern, SourcedPattern) else pattern
    return (
        0
        if isinstance(inner, XPathPattern)
        else sum(each.path is not None for each in elements_of(inner))
    )


def require_bound_sources(patterns: tuple[Pattern, ...], bound: frozenset[str]) -> None:
    """Raises where a pattern looks inside a variable that no pattern before it binds."""
    for pattern in patterns:
        source = pattern.source if isinstance(pattern, SourcedPattern) else None
        if isinstance(source, InVariable) and source.variable not in bound:
            raise MeaningProblem(f"{source.variable} is asked before it is bound")
        bound |= frozenset(pattern_variables(pattern))


def pattern_variables(pattern: Pattern) -> Iterator[str]:
    """The variables that a pattern binds, each as often as it stands there."""
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
    """The variables that a block binds."""
    return frozenset(
        variable for pattern in block.patterns for variable in pattern_variables(pattern)
    )


def document_to_match(event: Event) -> Element | None:
    """The event's document, or None where it is malformed: then no block matches, and hosts tell
    the reason.
    """
    try:
        return event.document
    except (EventProblem, LimitProblem):
        return None


def element_value(element: Element) -> XmlValue:
    """The value of a whole element."""
    return (canonical(element),)


def content_value(element: Element) -> XmlValue:
    """The value of what is inside an element."""
    return (canonical_content(element),) if len(element) else own_text(element)


def name_value(element: Element) -> XmlValue:
    """The value of an element's name, which is its local name."""
    return local_name(element.tag)


def local_name(name: object) -> str:
    """The name without its namespace."""
    return str(name).rpartition("}")[2]


def text_value(text: str) -> XmlValue:
    """The value of an attribute or of another text."""
    return text.strip(XML_SPACE)


def bound_value(what: BoundTo, node: Element | str) -> XmlValue:
    """The value of what a variable is bound to; a text is its own element, content and name."""
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
    """The outermost elements of what a variable is bound to; a text has none."""
    if not isinstance(value, tuple):
        return ()
    try:
        return tuple(parse_xml(f"<inside>{value[0]}</inside>", _INSIDE))
    except LimitProblem as problem:
        raise GivenUp(problem.message) from None


def bound_scalar(rows: Rows, variable: str) -> object:
    """What the rows bind to a variable, to be compared; a text of a document is a number where it
    reads as one.
    """
    value = sole_value(rows, variable)
    number = number_in(value) if variable.startswith("$") and isinstance(value, str) else None
    if number is None:
        return value
    return int(number) if number == number.to_integral_value() else float(number)


def _tests(element: PatternElement) -> int:
    return (element.text is not None) + sum(test.value is not None for test in element.attributes)
