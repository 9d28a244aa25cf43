"""Shape of a document: the numbers that bound the cost of an XPath expression in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tocsin.events.views.document import (
    DEEPEST,
    Element,
    attribute_sizes,
    has_attributes_in_namespaces,
    size_of,
)


@dataclass(frozen=True, slots=True)
class DocumentOutline:
    """Elements of a document in document order: names, numbers of the parents (-1: none), levels
    from 1 on.
    """

    names: Sequence[str]
    parents: Sequence[int]
    levels: Sequence[int]


@dataclass(frozen=True, slots=True)
class DocumentShape:
    """Upper bounds, each of them reached by some document.

    `nodes` counts the root, elements and texts, `depth` the levels, `fan` the children of one node
    at most; `squares` is the sum of the squares of the numbers of children, `levels` that of the
    levels of all nodes; `size` is the length of the whole text in bytes, `attribute_size` that of
    all values of attributes; `in_namespaces` is True if an attribute has a namespace. Between two
    elements there is one text at most. Without an outline, every element may have any name, and be
    inside all others.
    """

    elements: int
    nodes: int
    depth: int
    fan: int
    squares: int
    levels: int
    size: int
    attributes: int
    attribute_size: int
    longest_attribute: int
    in_namespaces: bool = True
    outline: DocumentOutline | None = field(default=None, repr=False)
    _counts: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    _inside: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def longest_namespace(self) -> int:
        """Upper bound of the characters of a namespace."""
        if self.outline is None or self.in_namespaces:
            return self.size
        return max(map(len, self.outline.names))

    def count(self, name: str | None) -> int:
        """Return the number of elements with a name, or of all."""
        if name is None or self.outline is None:
            return self.elements
        if not self._counts:
            self._counts.update(Counter(self.outline.names))
        return self._counts.get(name, 0)

    def inside(self, name: str | None) -> int:
        """Return the largest nesting of elements of a name, or of any, inside each other."""
        if name is None or self.outline is None:
            return self.depth
        if name not in self._inside:
            self._inside[name] = max(1, _nesting(self.outline, name)) if self.count(name) else 1
        return self._inside[name]


def rough_shape(elements: int, size: int) -> DocumentShape:
    """Return bounds from the number of elements and the length of the text alone.

    No bound is less than that of the shape itself.
    """
    nodes = 3 * elements + 2
    depth = min(elements, DEEPEST) + 2
    return DocumentShape(
        elements, nodes, depth, nodes, nodes * nodes, nodes * depth, size, size, size, size
    )


def outlined_shape(root: Element, outline: DocumentOutline) -> DocumentShape:
    """Return the shape of a document whose outline is known."""
    elements, values = len(outline.names), attribute_sizes(root)
    children = Counter(outline.parents).values()
    return DocumentShape(
        elements,
        3 * elements + 2,
        max(outline.levels) + 2,
        2 * max(children) + 1,
        sum((2 * count + 1) ** 2 for count in children) + elements,
        3 * (sum(outline.levels) + 2 * elements) + 2,
        size_of(root),
        len(values),
        sum(values),
        max(values, default=0),
        has_attributes_in_namespaces(root),
        outline,
    )


def _nesting(outline: DocumentOutline, name: str) -> int:
    """Return the largest number of elements of a name on one path from the root."""
    known: dict[int, int] = {}
    for number, each in enumerate(outline.names):
        if each == name:
            above = outline.parents[number]
            while above >= 0 and above not in known:
                above = outline.parents[above]
            known[number] = known.get(above, 0) + 1
    return max(known.values(), default=0)
