"""XPath expressions as the engine evaluates them: compiled once, in their cheapest form.

Expressions beyond the budget are not evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from tocsin.engine.xml.document_tree import DocumentTree
from tocsin.events.views.document import Element, XPath, size_of
from tocsin.plan.xml.xpath.cost_bound import is_within_budget
from tocsin.plan.xml.xpath.read import read_xpath
from tocsin.plan.xml.xpath.shape import DocumentOutline, DocumentShape, outlined_shape, rough_shape
from tocsin.plan.xml.xpath.syntax import XPathType, type_of
from tocsin.plan.xml.xpath.write import shorten, text_of

Selected: TypeAlias = list[Element | str] | bool


class MeasuredDocument:
    """A document with its shape: rough, and in detail only if that is not enough; both cached."""

    __slots__ = ("_detailed", "_rough", "_tree", "root")

    def __init__(self, root: Element, tree: DocumentTree) -> None:
        self.root = root
        self._tree = tree
        self._rough: DocumentShape | None = None
        self._detailed: DocumentShape | None = None

    @property
    def rough(self) -> DocumentShape:
        """The shape, estimated from the number of elements and the size."""
        if self._rough is None:
            self._rough = rough_shape(len(self._tree), size_of(self.root))
        return self._rough

    @property
    def detailed(self) -> DocumentShape:
        """The exact shape."""
        if self._detailed is None:
            outline = DocumentOutline(self._tree.names, self._tree.parents, self._tree.levels)
            self._detailed = outlined_shape(self.root, outline)
        return self._detailed


class BudgetedXPath:
    """An XPath expression. If its selection is not used, it only tests that there is one."""

    __slots__ = ("_expression", "_in_order", "_namespaces", "_path")

    def __init__(self, text: str, namespaces: Mapping[str, str], *, in_order: bool) -> None:
        self._expression = shorten(read_xpath(text, namespaces))
        self._namespaces = namespaces
        self._in_order = in_order
        written = text_of(self._expression)
        if not in_order:
            of_nodes = type_of(self._expression) is XPathType.NODES
            written = f"count({written}) > 0" if of_nodes else f"boolean({written})"
        self._path = XPath(written, namespaces)

    def answer(self, document: MeasuredDocument) -> Selected | None:
        """Return the selection of the expression, or its truth; None if it exceeds the budget."""
        if not self._is_cheap(document.rough) and not self._is_cheap(document.detailed):
            return None
        return self._path.select(document.root)

    def _is_cheap(self, shape: DocumentShape) -> bool:
        return is_within_budget(self._expression, self._namespaces, shape, in_order=self._in_order)
