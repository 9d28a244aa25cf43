"""Patterns evaluated the plain way, by neither the engine's nor the reference's means: a judge of
both.

Every node of a document, the one above its outermost elements included, is tried for every element
of a pattern. Where a path leads is decided by a regular expression over the names on the way,
written as one text. Values are taken from lxml's own canonical XML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from tocsin.plan.xml.paths import PathChoice, PathRepeat, PathSequence, PathStep, RegularPath
from tocsin.plan.xml.row_terms import RowAll, RowAny, RowCondition, RowNot, ValueCondition
from tocsin.plan.xml.xml_patterns import (
    BoundTo,
    InDocument,
    InEvent,
    InVariable,
    Pattern,
    PatternElement,
    SourcedPattern,
)

Value = str | tuple[str]
Values = dict[str, Value]
Node = etree._Element | None


@dataclass
class Forest:
    """The outermost elements of something, and where every node stands."""

    outermost: Sequence[etree._Element]
    nodes: list[Node] = field(init=False)

    def __post_init__(self) -> None:
        self.nodes = [None, *(element for root in self.outermost for element in root.iter())]

    def way(self, above: Node, below: Node) -> str | None:
        """The names on the way down from one node to another; None where it does not lie below."""
        names: list[str] = []
        while below is not above:
            if below is None:
                return None
            names.append(str(below.tag))
            below = None if below in self.outermost else below.getparent()
        return "".join(f"{name}/" for name in reversed(names))


def plain_rows(
    patterns: Sequence[Pattern], root: etree._Element | None, around: Values | None = None
) -> list[Values]:
    """Every row, each once, by the places of the first pattern's elements, then of the next
    one's.
    """
    found: list[Values] = [dict(around or {})]
    for pattern in patterns:
        found = [
            both
            for row in found
            for new in _ways(pattern, row, root)
            if (both := _both(row, new)) is not None
        ]
    once: list[Values] = []
    for row in found:
        if row not in once:
            once.append(row)
    return once


def plain_truth(condition: RowCondition, row: Values) -> bool:
    """Whether a condition without functions is met; no value here is ever unknown."""
    match condition:
        case ValueCondition(variable, relation, constant, other):
            return _compared(row[variable], relation, constant if other is None else row[other])
        case RowNot(inner):
            return not plain_truth(inner, row)
        case RowAll(inner):
            return all(plain_truth(each, row) for each in inner)
        case RowAny(inner):
            return any(plain_truth(each, row) for each in inner)
    raise AssertionError(condition)


def _ways(pattern: Pattern, row: Values, root: etree._Element | None) -> list[Values]:
    inner, forest = pattern, Forest([] if root is None else [root])
    if isinstance(pattern, SourcedPattern):
        inner = pattern.pattern
        match pattern.source:
            case InVariable(variable):
                value = row[variable]
                inside = value[0] if isinstance(value, tuple) else ""
                forest = Forest(list(etree.fromstring(f"<w>{inside}</w>")))
            case InDocument(_, text):
                forest = Forest([etree.fromstring(text)])
            case InEvent():
                pass
    assert isinstance(inner, PatternElement)
    starts = forest.nodes if inner.path is not None else forest.nodes[1:]
    images = [
        node
        for node in starts
        if inner.path is None
        or any(_leads(inner.path, forest.way(above, node)) for above in forest.nodes)
    ]
    return [values for image in images for values in _at(inner, image, forest)]


def _at(pattern: PatternElement, image: Node, forest: Forest) -> Iterator[Values]:
    """The rows of all mappings that send the pattern to the image, in document order."""
    for own in _own(pattern, image):
        yield from _children(pattern.children, image, forest, own, _after(image, forest))


def _children(
    children: Sequence[PatternElement], image: Node, forest: Forest, row: Values, free: int
) -> Iterator[Values]:
    """The rows with each way to place the children one behind the other; from node number `free` on
    there is room.
    """
    if not children:
        yield row
        return
    child, *rest = children
    for number, node in enumerate(forest.nodes):
        way = forest.way(image, node)
        if way is None or not _below(child, way) or (node is not image and number < free):
            continue
        end = free if node is image else number + _size(node)
        for inner in _at(child, node, forest):
            both = _both(row, inner)
            if both is not None:
                yield from _children(rest, image, forest, both, end)


def _below(child: PatternElement, way: str) -> bool:
    if child.path is not None:
        return _leads(child.path, way)
    return way.count("/") == child.rel


def _leads(path: RegularPath, way: str | None) -> bool:
    return way is not None and re.fullmatch(_expression(path), way) is not None


def _expression(path: RegularPath) -> str:
    match path:
        case PathStep(None):
            return "[^/]+/"
        case PathStep(name):
            return re.escape(f"{name}/")
        case PathSequence(parts):
            return "".join(map(_expression, parts))
        case PathChoice(parts):
            return f"(?:{'|'.join(map(_expression, parts))})"
        case PathRepeat(part, mark):
            return f"(?:{_expression(part)}){mark}"
    raise AssertionError(path)


def _own(pattern: PatternElement, image: Node) -> Iterator[Values]:
    """What the element itself binds, if it is as the pattern says."""
    if image is None:
        if not (pattern.attributes or pattern.bindings or pattern.text is not None):
            yield {}
        return
    if pattern.name not in (None, image.tag):
        return
    if pattern.text is not None and pattern.text != "".join(image.xpath("text()")).strip():
        return
    rows: list[Values] = [{}]
    for binding in pattern.bindings:
        rows = _with(rows, [{binding.variable: _value(binding.what, image)}])
    for test in pattern.attributes:
        bound: list[Values] = []
        for name, value in image.items():
            if test.name in (None, name) and test.value in (None, value):
                named: Values = {test.name_variable: str(name)} if test.name_variable else {}
                both = _both(named, {test.variable: str(value)} if test.variable else {})
                bound += [] if both is None else [both]
        rows = _with(rows, bound)
    yield from rows


def _with(rows: list[Values], new: list[Values]) -> list[Values]:
    return [both for row in rows for each in new if (both := _both(row, each)) is not None]


def _value(what: BoundTo, element: etree._Element) -> Value:
    if what is BoundTo.NAME:
        return str(element.tag)
    text = etree.canonicalize(etree.tostring(element, encoding="unicode", with_tail=False))
    if what is BoundTo.ELEMENT:
        return (text,)
    inside = text[text.index(">") + 1 : text.rindex("<")]
    return (inside,) if len(element) else (element.text or "").strip()


def _both(one: Values, other: Values) -> Values | None:
    if any(one[name] != other[name] for name in one.keys() & other.keys()):
        return None
    return {**one, **other}


def _after(image: Node, forest: Forest) -> int:
    return forest.nodes.index(image) + 1


def _size(node: Node) -> int:
    assert node is not None
    return len(list(node.iter()))


def _compared(left: Value, relation: str, right: Value) -> bool:
    tests: dict[str, Callable[[Any, Any], bool]] = {
        "=": lambda one, other: one == other,
        "!=": lambda one, other: one != other,
        "<": lambda one, other: one < other,
        "<=": lambda one, other: one <= other,
        ">": lambda one, other: one > other,
        ">=": lambda one, other: one >= other,
    }
    numbers = [
        float(each) if isinstance(each, str) and re.fullmatch(r"\d+(\.\d+)?", each) else None
        for each in (left, right)
    ]
    if None not in numbers:
        return tests[relation](*numbers)
    return relation in ("=", "!=") and tests[relation](left, right)
