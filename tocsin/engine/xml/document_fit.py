"""Fitting of patterns and XPath expressions to one document, each tested once for all blocks.

Candidates of a pattern child all lie on one level, so the first that fits leaves most room for the
next sibling; if a path leads to several levels, it is the first to end. The search never
backtracks, and one block costs at most its size times that of the document, or, for an element with
a path, times the sum of the parts below each element.

XPath expressions are compiled once, in their cheapest form; those beyond the budget are not
evaluated. Documents with hits, whose rows may still be needed, are cached up to a number of
elements.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from tocsin.engine.index.matcher_parts import WorkCounters
from tocsin.engine.xml.document_tree import ABOVE, DocumentTree
from tocsin.engine.xml.shapes import ElementShape
from tocsin.events.event import Event, document_to_match
from tocsin.events.views.document import Element, XPath, attributes_in, size_of
from tocsin.plan.bindings import Rows
from tocsin.plan.xml.xml_patterns import XmlBlock, XPathPattern, outermost_inside
from tocsin.plan.xml.xpath.cost_bound import OverBudget, is_within_budget
from tocsin.plan.xml.xpath.read import read_xpath
from tocsin.plan.xml.xpath.shape import DocumentOutline, DocumentShape, outlined_shape, rough_shape
from tocsin.plan.xml.xpath.syntax import XPathType, shorten, text_of, type_of

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


Expression: TypeAlias = tuple[str, tuple[tuple[str, str], ...], bool]
"""An XPath expression with the namespaces of its prefixes, and True if its selection is used."""


class DocumentFit:
    """One document and the results about it until now."""

    __slots__ = (
        "_along",
        "_inside",
        "_known",
        "_measured",
        "_paths",
        "_selected",
        "_somewhere",
        "_work",
        "rows",
        "tree",
    )

    def __init__(
        self,
        outermost: Sequence[Element],
        paths: Mapping[Expression, BudgetedXPath],
        work: WorkCounters,
    ) -> None:
        self.tree = DocumentTree(outermost)
        self.rows: dict[int, Rows] = {}
        self._measured = MeasuredDocument(outermost[0], self.tree) if outermost else None
        self._along: dict[tuple[int, int], list[int]] = {}
        self._inside: dict[object, DocumentFit] = {}
        self._paths = paths
        self._work = work
        self._known: dict[tuple[int, int], bool] = {}
        self._somewhere: dict[int, bool] = {}
        self._selected: dict[BudgetedXPath, Selected | None] = {}

    def fits(self, shape: ElementShape, i: int) -> bool:
        """True if the shape's pattern can be mapped with its first element to element i."""
        key = (shape.number, i)
        known = self._known.get(key)
        if known is None:
            self._work.predicate_evaluations += 1
            known = self._known[key] = self._is(shape, i) and self._has_children(shape, i)
        return known

    def fits_somewhere(self, shape: ElementShape) -> bool:
        """True if the shape fits any element."""
        known = self._somewhere.get(shape.number)
        if known is None:
            known = self._somewhere[shape.number] = any(
                self.fits(shape, i) for i in self.anywhere(shape)
            )
        return known

    def anywhere(self, shape: ElementShape) -> Sequence[int]:
        """Return the elements that the shape might fit, in document order, ABOVE first."""
        if shape.path is not None:
            return self.tree.along_anywhere(shape.path)
        if shape.probe is None:
            return self.tree.named(shape.name)
        hits = self.tree.with_text(shape.probe.name, shape.probe.text)
        return sorted(
            {
                self.tree.ancestor(hit, shape.probe.down)
                for hit in self._deep_enough(hits, shape.probe.down)
            }
        )

    def below(self, i: int, rel: int, shape: ElementShape, start: int) -> Iterator[int]:
        """Return an iterator over elements `rel` levels below element i, or along its path, that
        the shape fits.

        Only elements from `start` on; but a path of no steps leads to element i itself.
        """
        if shape.path is not None:
            return (
                each
                for each in self._led(i, shape)
                if (each >= start or each == i) and self.fits(shape, each)
            )
        candidates = (
            self.tree.below(i, rel, shape.name, start)
            if shape.probe is None
            else self._probed(i, rel, shape)
        )
        return (each for each in candidates if each >= start and self.fits(shape, each))

    def selected(self, pattern: XPathPattern) -> Selected:
        """Return the selection of an XPath expression; cached per document.

        Raises OverBudget if it exceeds the budget.
        """
        question = self._paths[expression_of(pattern)]
        if question not in self._selected:
            self._work.predicate_evaluations += 1
            assert self._measured is not None
            self._selected[question] = question.answer(self._measured)
        found = self._selected[question]
        if found is None:
            raise OverBudget
        return found

    def inside(self, value: object) -> DocumentFit:
        """Return the fitting of the value of a variable; cached per value."""
        found = self._inside.get(value)
        if found is None:
            found = self._inside[value] = DocumentFit(outermost_inside(value), {}, self._work)
        return found

    def _is(self, shape: ElementShape, i: int) -> bool:
        if i == ABOVE:
            return shape.text is None and not shape.attributes
        if shape.name is not None and shape.name != self.tree.names[i]:
            return False
        if shape.text is not None and shape.text != self.tree.text(i):
            return False
        return not shape.attributes or _has_attributes(self.tree.element(i), shape)

    def _has_children(self, shape: ElementShape, i: int) -> bool:
        start, ends = i + 1, self.tree.ends
        for rel, child in shape.children:
            found = self.below(i, rel, child, start)
            first = next(found, None)
            if first is None:
                return False
            if first == i:
                continue  # a path of no steps takes no room from the others
            start = (
                ends[first]
                if child.path is None
                else min(ends[first], *(ends[each] for each in found), len(ends))
            )
        return True

    def _led(self, i: int, shape: ElementShape) -> list[int]:
        assert shape.path is not None
        key = (shape.number, i)
        found = self._along.get(key)
        if found is None:
            found = self._along[key] = self.tree.along(i, shape.path)
        return found

    def _probed(self, i: int, rel: int, shape: ElementShape) -> Iterator[int]:
        """Yield candidates by a text that the shape certainly contains: each once, in document
        order.
        """
        probe, tree = shape.probe, self.tree
        assert probe is not None
        hits = tree.with_text(probe.name, probe.text)
        level, last = tree.level(i) + rel + probe.down, -1
        for at in range(bisect_left(hits, i + 1), len(hits)):
            hit = hits[at]
            if hit >= tree.end(i):
                return
            if tree.levels[hit] == level and (found := tree.ancestor(hit, probe.down)) != last:
                yield found
                last = found

    def _deep_enough(self, hits: Sequence[int], down: int) -> Iterator[int]:
        return (hit for hit in hits if self.tree.levels[hit] > down)


def expressions_of(block: XmlBlock) -> list[Expression]:
    """Return the XPath expressions of a block."""
    return [expression_of(each) for each in block.patterns if isinstance(each, XPathPattern)]


def expression_of(pattern: XPathPattern) -> Expression:
    """Return the XPath expression of a pattern as a key."""
    return pattern.expression, pattern.namespaces, bool(pattern.bindings)


def _has_value(element: Element, value: str) -> bool:
    return any(given == value for _, given in attributes_in(element))


def _has_attributes(element: Element, shape: ElementShape) -> bool:
    for name, value in shape.attributes:
        if name is None:
            if not (element.attrib if value is None else _has_value(element, value)):
                return False
            continue
        given = element.get(name)
        if given is None or (value is not None and given != value):
            return False
    return True


MAX_CACHED_ELEMENTS = 100_000
"""Most elements of all cached documents; the oldest is dropped first, the newest stays at any size.
"""


class DocumentCache:
    """Fittings by event."""

    __slots__ = ("_cached_elements", "_documents", "_paths", "_work")

    def __init__(self, paths: Mapping[Expression, BudgetedXPath], work: WorkCounters) -> None:
        self._paths = paths
        self._work = work
        self._documents: dict[int, tuple[Event, DocumentFit]] = {}
        self._cached_elements = 0

    def __len__(self) -> int:
        return len(self._documents)

    def fit_of(self, event: Event) -> DocumentFit | None:
        """Return the event's document, cached; None if it has none."""
        kept = self._documents.get(id(event))
        if kept is not None:
            return kept[1]  # the event is kept, too, so that its id() is not reused
        root = document_to_match(event)
        if root is None:
            return None
        fitting = DocumentFit((root,), self._paths, self._work)
        self._cached_elements += len(fitting.tree)
        while self._documents and self._cached_elements > MAX_CACHED_ELEMENTS:
            self.forget(next(iter(self._documents.values()))[0])
        self._documents[id(event)] = (event, fitting)
        return fitting

    def forget(self, event: Event) -> None:
        """Drop the event's document."""
        kept = self._documents.pop(id(event), None)
        if kept is not None:
            self._cached_elements -= len(kept[1].tree)
