"""XPath expressions as the engine evaluates them: compiled once, in their cheapest form.

Expressions beyond the budget are not evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from tocsin.engine.xml.document_tree import Tree
from tocsin.events.views.document import Element, XPath, size_of
from tocsin.plan.xml.xpath.cost_bound import is_within_budget
from tocsin.plan.xml.xpath.read import read_xpath
from tocsin.plan.xml.xpath.shape import Outline, Shape, outlined_shape, rough_shape
from tocsin.plan.xml.xpath.syntax import Type, type_of
from tocsin.plan.xml.xpath.write import shortened, text_of

Selected: TypeAlias = list[Element | str] | bool


class Measured:
    """A document with its shape: rough, and in detail only if that is not enough; both cached."""

    __slots__ = ("_detailed", "_rough", "_tree", "root")

    def __init__(self, root: Element, tree: Tree) -> None:
        self.root = root
        self._tree = tree
        self._rough: Shape | None = None
        self._detailed: Shape | None = None

    @property
    def rough(self) -> Shape:
        """The shape, estimated from the number of elements and the size."""
        if self._rough is None:
            self._rough = rough_shape(len(self._tree), size_of(self.root))
        return self._rough

    @property
    def detailed(self) -> Shape:
        """The exact shape."""
        if self._detailed is None:
            outline = Outline(self._tree.names, self._tree.parents, self._tree.levels)
            self._detailed = outlined_shape(self.root, outline)
        return self._detailed


class Question:
    """An XPath expression. If its selection is not used, it only tests that there is one."""

    __slots__ = ("_expression", "_in_order", "_namespaces", "_path")

    def __init__(self, text: str, namespaces: Mapping[str, str], *, in_order: bool) -> None:
        self._expression = shortened(read_xpath(text, namespaces))
        self._namespaces = namespaces
        self._in_order = in_order
        written = text_of(self._expression)
        if not in_order:
            of_nodes = type_of(self._expression) is Type.NODES
            written = f"count({written}) > 0" if of_nodes else f"boolean({written})"
        self._path = XPath(written, namespaces)

    def answer(self, document: Measured) -> Selected | None:
        """Return the selection of the expression, or its truth; None if it exceeds the budget."""
        if not self._is_cheap(document.rough) and not self._is_cheap(document.detailed):
            return None
        return self._path.select(document.root)

    def _is_cheap(self, shape: Shape) -> bool:
        return is_within_budget(self._expression, self._namespaces, shape, in_order=self._in_order)
