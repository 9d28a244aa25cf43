"""XML blocks: what a subscription says about the document of one event (spec 4.3, M1-M6).

A block matches when its pattern elements can be mapped to elements of the document: with their names (M1), each the
told number of levels below its parent's image (M2), siblings in order (M3), texts and attributes as told (M4), the
first element anywhere (M5), repeated variables agreeing (M6). Each mapping gives a row; equal rows count once, in
document order. The patterns of one block have each their own place in the document and share their variables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from operator import eq, ge, gt, le, lt, ne
from typing import Any, TypeAlias, assert_never

from tocsin.errors import EventProblem, LimitProblem, MeaningProblem
from tocsin.events.event import Event
from tocsin.events.views.canonical import XML_SPACE, canonical, canonical_content, own_text
from tocsin.events.views.document import Element
from tocsin.plan.rows import Row, Rows, sole_value

XmlValue: TypeAlias = str | tuple[str]
"""What a variable of a block is bound to: a text without white space around it, or, as a tuple of one, markup in
canonical form. So values are equal exactly when they are as data (spec 2), whether a part is an element, the content of
one, an attribute or a name."""

MAX_ROWS = 10_000
"""A block has at most so many rows in a document, and so have its patterns at an element: the first ones."""

CONDITIONS: Mapping[str, Callable[[Any, Any], bool]] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")


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
    """The element has the attribute; where `value` is given it is exactly that, where `variable` is, it binds it."""

    name: str
    value: str | None = None
    variable: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.variable is None):
            raise MeaningProblem(f"the attribute {self.name} has a value or a variable, one of them")


@dataclass(frozen=True, slots=True)
class PatternElement:
    """An element by its expanded name (None: any), so many levels below its parent's image, its own text as told."""

    name: str | None
    rel: int = 0
    attributes: tuple[AttributeTest, ...] = ()
    text: str | None = None
    bindings: tuple[VariableBinding, ...] = ()
    children: tuple[PatternElement, ...] = ()

    def __post_init__(self) -> None:
        if any(child.rel < 1 for child in self.children):
            raise MeaningProblem("a pattern child is one level or more below its parent")


@dataclass(frozen=True, slots=True)
class XPathPattern:
    """The XPath expression selects something, or is true; each element or text that it selects is one way to match."""

    expression: str
    namespaces: tuple[tuple[str, str], ...] = ()
    bindings: tuple[VariableBinding, ...] = ()


Pattern: TypeAlias = PatternElement | XPathPattern


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """A variable compares with a constant or with another variable; as numbers where both are decimal numbers.

    Other values are only equal or not: an ordering between them is false.
    """

    variable: str
    relation: str
    constant: str | None = None
    other: str | None = None

    def __post_init__(self) -> None:
        if self.relation not in CONDITIONS:
            raise MeaningProblem(f"a relation is one of {' '.join(CONDITIONS)}, got {self.relation}")
        if (self.constant is None) == (self.other is None):
            raise MeaningProblem("a condition compares with a constant or with a variable, one of them")


@dataclass(frozen=True, slots=True)
class XmlBlock:
    """An atom: every pattern fits the document, with rows that agree and meet the conditions."""

    patterns: tuple[Pattern, ...]
    conditions: tuple[ValueCondition, ...] = ()

    def __post_init__(self) -> None:
        if not self.patterns:
            raise MeaningProblem("a block has one pattern or more")
        if any(isinstance(each, PatternElement) and each.rel for each in self.patterns):
            raise MeaningProblem("the first element of a pattern is 0 levels below itself")


@dataclass(frozen=True, slots=True)
class PatternNode:
    """A line of the node table (spec 4.3, figure 6): `level` is 1 where it is known only while a document is read."""

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
        PatternNode(each.name, each.rel, int(each.rel > 1), _tests(each), number + 1 if number < last else None)
        for number, each in enumerate(elements)
    )


def elements_of(pattern: PatternElement) -> Iterator[PatternElement]:
    """The pattern's elements in document order."""
    yield pattern
    for child in pattern.children:
        yield from elements_of(child)


def pattern_variables(pattern: Pattern) -> Iterator[str]:
    """The variables that a pattern binds, each as often as it stands there."""
    yield from (binding.variable for binding in pattern.bindings)
    if isinstance(pattern, PatternElement):
        yield from (test.variable for test in pattern.attributes if test.variable is not None)
        for child in pattern.children:
            yield from pattern_variables(child)


def block_variables(block: XmlBlock) -> frozenset[str]:
    """The variables that a block binds."""
    return frozenset(variable for pattern in block.patterns for variable in pattern_variables(pattern))


def document_to_match(event: Event) -> Element | None:
    """The event's document, or None where it is malformed: then no block matches, and hosts tell the reason."""
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
    return str(element.tag).rpartition("}")[2]


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


def meets_condition(condition: ValueCondition, row: Row) -> bool:
    """Whether the row has the variables and their values compare as told."""
    values = dict(row)
    left = values.get(condition.variable)
    right = condition.constant if condition.other is None else values.get(condition.other)
    if left is None or right is None:
        return False
    numbers = _decimal(left), _decimal(right)
    if None not in numbers:
        return CONDITIONS[condition.relation](*numbers)
    return condition.relation in ("=", "!=") and CONDITIONS[condition.relation](left, right)


def bound_scalar(rows: Rows, variable: str) -> object:
    """What the rows bind to a variable, to be compared; a text of a document is a number where it reads as one."""
    value = sole_value(rows, variable)
    number = _decimal(value) if variable.startswith("$") else None
    if number is None:
        return value
    return int(number) if number == number.to_integral_value() else float(number)


def _decimal(value: object) -> Decimal | None:
    text = value.strip(XML_SPACE) if isinstance(value, str) else ""
    return Decimal(text) if _DECIMAL.fullmatch(text) else None


def _tests(element: PatternElement) -> int:
    return (element.text is not None) + sum(test.value is not None for test in element.attributes)
