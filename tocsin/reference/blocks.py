"""What an XML block means: every mapping of its patterns, tried one after the other, by the rules M1-M6 of the spec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product

from tocsin.events.event import Event
from tocsin.events.views.canonical import own_text
from tocsin.events.views.document import Element, XPath
from tocsin.plan.blocks import (
    MAX_ROWS,
    Pattern,
    PatternElement,
    XmlBlock,
    XmlValue,
    XPathPattern,
    bound_value,
    document_to_match,
    meets_condition,
    text_value,
)
from tocsin.plan.rows import Row, Rows
from tocsin.plan.xpath.read import read_xpath
from tocsin.plan.xpath.shape import Outline, Shape, outlined_shape
from tocsin.plan.xpath.work import is_within_budget
from tocsin.plan.xpath.write import shortened

_Bound = Sequence[tuple[str, XmlValue]]
_Positions = Mapping[Element, int]


def holds(block: XmlBlock, event: Event) -> bool:
    """Whether the block fits the event's document."""
    return bool(rows(block, event))


def rows(block: XmlBlock, event: Event) -> Rows:
    """One row for each way to fit the block, each once, in document order."""
    root = document_to_match(event)
    if root is None or not _is_decided(block, root):
        return ()
    found: dict[Row, None] = {}
    for bound in _choices(block.patterns, root):
        values = _agreeing(bound)
        if len(found) == MAX_ROWS:
            break
        if values is not None:
            row = tuple(sorted(values.items()))
            if all(meets_condition(condition, row) for condition in block.conditions):
                found[row] = None
    return tuple(found)


def _is_decided(block: XmlBlock, root: Element) -> bool:
    """Whether every XPath expression is within its budget; else the block is undecided, and does not match."""
    paths = [each for each in block.patterns if isinstance(each, XPathPattern)]
    shape = outlined_shape(root, _outline(root)) if paths else None
    return shape is None or all(_is_cheap(each, shape) for each in paths)


def _outline(root: Element) -> Outline:
    numbers = {element: number for number, element in enumerate(root.iter())}
    above = [list(element.iterancestors()) for element in numbers]
    parents = [numbers[way[0]] if way else -1 for way in above]
    return Outline([str(element.tag) for element in numbers], parents, [len(way) + 1 for way in above])


def _is_cheap(pattern: XPathPattern, shape: Shape) -> bool:
    namespaces = dict(pattern.namespaces)
    expression = shortened(read_xpath(pattern.expression, namespaces))
    return is_within_budget(expression, namespaces, shape, in_order=bool(pattern.bindings))


def _choices(patterns: Sequence[Pattern], root: Element) -> Iterator[_Bound]:
    """Every combination of ways to fit the patterns, by the place of the first, then of the next."""
    if not patterns:
        yield ()
        return
    for bound in _ways(patterns[0], root):
        for rest in _choices(patterns[1:], root):
            yield (*bound, *rest)


def _ways(pattern: Pattern, root: Element) -> Iterator[_Bound]:
    if isinstance(pattern, XPathPattern):
        return _selected(pattern, root)
    return _mapped(pattern, root)


def _selected(pattern: XPathPattern, root: Element) -> Iterator[_Bound]:
    selected = XPath(pattern.expression, dict(pattern.namespaces)).select(root)
    if isinstance(selected, bool):
        if selected and not pattern.bindings:
            yield ()
        return
    for node in selected:
        yield [(each.variable, bound_value(each.what, node)) for each in pattern.bindings]


def _mapped(pattern: PatternElement, root: Element) -> Iterator[_Bound]:
    """Every mapping that keeps M1-M5, by the positions of the images: first of the first element, then of the next."""
    positions = {element: number for number, element in enumerate(root.iter())}
    for element in positions:
        yield from _mappings(pattern, element, positions)


def _mappings(pattern: PatternElement, image: Element, positions: _Positions) -> Iterator[_Bound]:
    """The mappings that send the pattern's first element to the image."""
    if not _fits(pattern, image):
        return
    own = list(_bound(pattern, image))
    choices = [
        [(below, bound) for below in _levels_below(image, child.rel) for bound in _mappings(child, below, positions)]
        for child in pattern.children
    ]
    for choice in product(*choices):
        if _in_order([below for below, _ in choice], positions):
            yield [*own, *(each for _, bound in choice for each in bound)]


def _fits(each: PatternElement, image: Element) -> bool:
    """M1 and M4."""
    if each.name is not None and each.name != image.tag:
        return False
    if each.text is not None and each.text != own_text(image):
        return False
    return all(
        image.get(test.name) is not None and test.value in (None, image.get(test.name)) for test in each.attributes
    )


def _levels_below(image: Element, rel: int) -> list[Element]:
    """M2: the descendants exactly so many levels below, in document order."""
    level = [image]
    for _ in range(rel):
        level = [child for each in level for child in each]
    return level


def _in_order(images: Sequence[Element], positions: _Positions) -> bool:
    """M3: each ends before the next starts."""
    return all(positions[one] + _size(one) <= positions[other] for one, other in pairwise(images))


def _size(element: Element) -> int:
    return sum(1 for _ in element.iter())


def _bound(each: PatternElement, image: Element) -> Iterator[tuple[str, XmlValue]]:
    for binding in each.bindings:
        yield binding.variable, bound_value(binding.what, image)
    for test in each.attributes:
        if test.variable is not None:
            yield test.variable, text_value(str(image.get(test.name)))


def _agreeing(bound: _Bound) -> dict[str, XmlValue] | None:
    """M6: the values of the variables, or None where one has two."""
    values: dict[str, XmlValue] = {}
    for variable, value in bound:
        if values.setdefault(variable, value) != value:
            return None
    return values
