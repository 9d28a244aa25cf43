"""Evaluation of XML blocks: tries every mapping of the patterns, by the rules M1-M6 of the spec.

Regular paths go by the definition of each form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import TypeAlias, assert_never

from tocsin.events.event import Event, document_to_match
from tocsin.events.views.canonical import own_text
from tocsin.events.views.document import Element, XPath, attributes_in, parse_xml
from tocsin.plan.bindings import Row, Rows
from tocsin.plan.xml.construction import Ask, NestedQuery
from tocsin.plan.xml.paths import PathChoice, PathRepeat, PathSequence, PathStep, RegularPath
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.plan.xml.xml_patterns import (
    MAX_ROWS,
    AttributeTest,
    InDocument,
    InEvent,
    InVariable,
    Pattern,
    PatternElement,
    Source,
    SourcedPattern,
    XmlBlock,
    XmlValue,
    XPathPattern,
    bound_value,
    local_name,
    outermost_inside,
    text_value,
)
from tocsin.plan.xml.xpath.cost_bound import is_within_budget
from tocsin.plan.xml.xpath.read import read_xpath
from tocsin.plan.xml.xpath.shape import DocumentOutline, DocumentShape, outlined_shape
from tocsin.plan.xml.xpath.syntax import shorten
from tocsin.reference.row_values import meets, sort_rows

Node: TypeAlias = Element | None
"""An element; None is the node above the outermost elements."""
Outermost: TypeAlias = Sequence[Element]


Known: TypeAlias = dict[tuple[int, Node], set[Node]]
"""Nodes reached by parts of a path, cached by identity of the part: nested repeats reuse them."""


def find_reached(
    path: RegularPath, node: Node, outermost: Outermost, known: Known | None = None
) -> set[Node]:
    """Return all nodes to which the path leads from a node."""
    known = {} if known is None else known
    if (id(path), node) not in known:
        known[id(path), node] = _reached(path, node, outermost, known)
    return known[id(path), node]


def _reached(path: RegularPath, node: Node, outermost: Outermost, known: Known) -> set[Node]:
    match path:
        case PathStep(name):
            return {child for child in children(node, outermost) if name in (None, child.tag)}
        case PathSequence(parts):
            found = {node}
            for part in parts:
                found = _from_all(part, found, outermost, known)
            return found
        case PathChoice(parts):
            return {each for part in parts for each in find_reached(part, node, outermost, known)}
        case PathRepeat(part, "?"):
            return {node} | find_reached(part, node, outermost, known)
        case PathRepeat(part, mark):
            found = {node} if mark == "*" else set(find_reached(part, node, outermost, known))
            while not (further := _from_all(part, found, outermost, known)) <= found:
                found |= further
            return found
        case _:
            assert_never(path)


def children(node: Node, outermost: Outermost) -> Sequence[Element]:
    """Return the elements directly below a node."""
    return outermost if node is None else list(node)


def _from_all(
    path: RegularPath, nodes: Iterable[Node], outermost: Outermost, known: Known
) -> set[Node]:
    return {each for node in nodes for each in find_reached(path, node, outermost, known)}


_Bound = Mapping[str, XmlValue]
_Pairs = Sequence[tuple[str, XmlValue]]
_Positions = Mapping[Element, int]
Documents: TypeAlias = Callable[[str], Element | None]
"""Function from a name to the document of the event with that name; None if it has none."""


def holds(block: XmlBlock, event: Event) -> bool:
    """True if the block fits the event's document; False if the work limit is exceeded."""
    return bool(rows(block, event))


def rows(block: XmlBlock, event: Event) -> Rows:
    """Return one row for each way to fit the block, each once, in document order."""
    root = document_to_match(event)
    if root is None or not _is_decided(block, root):
        return ()
    found: dict[Row, None] = {}
    try:
        for values in _choices(block.patterns, {}, lambda _: root):
            row = _row(values)
            if len(found) == MAX_ROWS:
                break
            if all(meets(condition, row) for condition in block.conditions):
                found[row] = None
    except WorkLimitExceeded:
        return ()
    return tuple(found)


def make_evaluator(documents: Documents) -> Ask:
    """Return the function that answers nested queries, given the documents of the events."""

    def ask(query: NestedQuery, row: Row) -> Iterable[Row]:
        around = {name: value for name, value in row if isinstance(value, str | tuple)}
        found = {_row(values): None for values in _choices(query.patterns, around, documents)}
        kept = [
            each for each in found if all(meets(condition, each) for condition in query.conditions)
        ]
        return sort_rows(kept, query.order)

    return ask


def _row(values: _Bound) -> Row:
    return tuple(sorted(values.items()))


def _is_decided(block: XmlBlock, root: Element) -> bool:
    """True if every XPath expression is within its budget; else the block does not match."""
    paths = [each for each in block.patterns if isinstance(each, XPathPattern)]
    shape = outlined_shape(root, _outline(root)) if paths else None
    return shape is None or all(_is_cheap(each, shape) for each in paths)


def _outline(root: Element) -> DocumentOutline:
    numbers = {element: number for number, element in enumerate(root.iter())}
    above = [list(element.iterancestors()) for element in numbers]
    parents = [numbers[way[0]] if way else -1 for way in above]
    return DocumentOutline(
        [str(element.tag) for element in numbers], parents, [len(way) + 1 for way in above]
    )


def _is_cheap(pattern: XPathPattern, shape: DocumentShape) -> bool:
    namespaces = dict(pattern.namespaces)
    expression = shorten(read_xpath(pattern.expression, namespaces))
    return is_within_budget(expression, namespaces, shape, in_order=bool(pattern.bindings))


def _choices(patterns: Sequence[Pattern], bound: _Bound, documents: Documents) -> Iterator[_Bound]:
    """Yield every combination of ways to fit the patterns, ordered by the first, then the next."""
    if not patterns:
        yield bound
        return
    for pairs in _ways(patterns[0], bound, documents):
        values = _agreeing([*bound.items(), *pairs])
        if values is not None:
            yield from _choices(patterns[1:], values, documents)


def _ways(pattern: Pattern, bound: _Bound, documents: Documents) -> Iterator[_Pairs]:
    match pattern:
        case SourcedPattern(inner, source):
            return find_mappings(inner, _outermost(source, bound, documents))
        case PatternElement():
            return find_mappings(pattern, _outermost(InEvent(), bound, documents))
        case XPathPattern():
            return _selected(pattern, documents(""))
        case _:
            assert_never(pattern)


def _outermost(source: Source, bound: _Bound, documents: Documents) -> Sequence[Element]:
    match source:
        case InVariable(variable):
            return outermost_inside(bound[variable])
        case InDocument(_, text):
            return (parse_xml(text),)
        case InEvent(name):
            root = documents(name)
            return () if root is None else (root,)
        case _:
            assert_never(source)


def _selected(pattern: XPathPattern, root: Element | None) -> Iterator[_Pairs]:
    if root is None:
        return
    selected = XPath(pattern.expression, dict(pattern.namespaces)).select(root)
    if isinstance(selected, bool):
        if selected and not pattern.bindings:
            yield ()
        return
    for node in selected:
        yield [(each.variable, bound_value(each.what, node)) for each in pattern.bindings]


def find_mappings(pattern: PatternElement, outermost: Sequence[Element]) -> Iterator[_Pairs]:
    """Yield every mapping that keeps M1-M5.

    They are ordered by the positions of the images: of the first element, then of the next.
    """
    positions = {
        element: number
        for number, element in enumerate(each for root in outermost for each in root.iter())
    }
    for image in first_images(pattern, positions, outermost):
        yield from mappings(pattern, image, positions, outermost)


def first_images(
    pattern: PatternElement, positions: _Positions, outermost: Sequence[Element]
) -> list[Node]:
    """M5: return the nodes that the first element may map to, by its path."""
    if pattern.path is None:
        return list(positions)
    starts: list[Node] = [None, *positions]
    return _sorted(
        {node for start in starts for node in find_reached(pattern.path, start, outermost)},
        positions,
    )


def mappings(
    pattern: PatternElement, image: Node, positions: _Positions, outermost: Sequence[Element]
) -> Iterator[_Pairs]:
    """Yield the mappings that send the pattern's first element to the image."""
    if not fits(pattern, image):
        return
    choices = [
        [
            (below, pairs)
            for below in images_below(child, image, positions, outermost)
            for pairs in mappings(child, below, positions, outermost)
        ]
        for child in pattern.children
    ]
    for own in _own(pattern, image):
        for choice in product(*choices):
            if in_sibling_order([below for below, _ in choice if below is not image], positions):
                yield [*own, *(each for _, pairs in choice for each in pairs)]


def fits(each: PatternElement, image: Node) -> bool:
    """M1 and M4: True if the element itself fits.

    The node above the outermost elements (None) fits only without tests and bindings.
    """
    if image is None:
        return each.text is None and not each.attributes and not each.bindings
    if each.name is not None and each.name != image.tag:
        return False
    if each.text is not None and each.text != own_text(image):
        return False
    return all(attributes_for(test, image) for test in each.attributes)


def attributes_for(test: AttributeTest, image: Element) -> list[tuple[str, str]]:
    """Return the attributes of an element that pass a test, in document order."""
    return [
        (name, value)
        for name, value in attributes_in(image)
        if test.name in (None, name) and test.value in (None, value)
    ]


def images_below(
    child: PatternElement, image: Node, positions: _Positions, outermost: Sequence[Element]
) -> Sequence[Node]:
    """M2: return the nodes `rel` levels below, or reached by the path, in document order."""
    if child.path is not None:
        return _sorted(find_reached(child.path, image, outermost), positions)
    level: Sequence[Node] = [image]
    for _ in range(child.rel):
        level = [below for each in level for below in children(each, outermost)]
    return level


def in_sibling_order(images: Sequence[Node], positions: _Positions) -> bool:
    """M3: True if each ends before the next starts."""
    spans = [
        (positions[each], positions[each] + _size(each)) for each in images if each is not None
    ]
    return all(one[1] <= other[0] for one, other in pairwise(spans))


def _sorted(nodes: Iterable[Node], positions: _Positions) -> list[Node]:
    return sorted(nodes, key=lambda node: -1 if node is None else positions[node])


def _size(element: Element) -> int:
    return sum(1 for _ in element.iter())


def _own(each: PatternElement, image: Node) -> Iterator[_Pairs]:
    """Yield the bindings of the element itself.

    If a variable takes the names of attributes, one way per attribute.
    """
    if image is None:
        yield ()
        return
    bound = [(binding.variable, bound_value(binding.what, image)) for binding in each.bindings]
    for chosen in product(*(attributes_for(test, image) for test in each.attributes)):
        found = zip(each.attributes, chosen, strict=True)
        yield [
            *bound,
            *(pair for test, attribute in found for pair in _attribute_pairs(test, attribute)),
        ]


def _attribute_pairs(
    test: AttributeTest, attribute: tuple[str, str]
) -> Iterator[tuple[str, XmlValue]]:
    name, value = attribute
    if test.name_variable is not None:
        yield test.name_variable, local_name(name)
    if test.variable is not None:
        yield test.variable, text_value(value)


def _agreeing(bound: _Pairs) -> dict[str, XmlValue] | None:
    """M6: return the values of the variables, or None if one variable has two values."""
    values: dict[str, XmlValue] = {}
    for variable, value in bound:
        if values.setdefault(variable, value) != value:
            return None
    return values
