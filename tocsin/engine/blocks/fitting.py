"""Fitting patterns to one document: whether a shape fits an element is decided once, however many blocks ask.

Candidates of a pattern child all lie on one level, so the first that fits leaves most room for the next sibling: no
search goes back, and one block costs at most its size times that of the document.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from tocsin.engine.blocks.asking import Measured, Question, Selected
from tocsin.engine.blocks.shapes import Shape
from tocsin.engine.blocks.tree import Tree
from tocsin.engine.matching.work import Work
from tocsin.events.views.document import Element
from tocsin.plan.blocks import XmlBlock, XPathPattern
from tocsin.plan.xpath.work import OverBudget

Expression: TypeAlias = tuple[str, tuple[tuple[str, str], ...], bool]
"""An XPath expression with the namespaces of its prefixes, and whether somebody looks at what it selects."""


class Fitting:
    """One document and what is known about it so far."""

    __slots__ = ("_known", "_measured", "_paths", "_selected", "_somewhere", "_work", "tree")

    def __init__(self, root: Element, paths: Mapping[Expression, Question], work: Work) -> None:
        self.tree = Tree(root)
        self._measured = Measured(root, self.tree)
        self._paths = paths
        self._work = work
        self._known: dict[tuple[int, int], bool] = {}
        self._somewhere: dict[int, bool] = {}
        self._selected: dict[Question, Selected | None] = {}

    def fits(self, shape: Shape, i: int) -> bool:
        """Whether the shape's pattern can be mapped with its first element to element i."""
        key = (shape.number, i)
        known = self._known.get(key)
        if known is None:
            self._work.predicate_evaluations += 1
            known = self._known[key] = self._is(shape, i) and self._has_children(shape, i)
        return known

    def fits_somewhere(self, shape: Shape) -> bool:
        """Whether the shape fits any element."""
        known = self._somewhere.get(shape.number)
        if known is None:
            known = self._somewhere[shape.number] = any(self.fits(shape, i) for i in self.anywhere(shape))
        return known

    def anywhere(self, shape: Shape) -> Sequence[int]:
        """The elements that the shape might fit, in document order."""
        if shape.probe is None:
            return self.tree.named(shape.name)
        hits = self.tree.with_text(shape.probe.name, shape.probe.text)
        return sorted({self.tree.ancestor(hit, shape.probe.down) for hit in self._deep_enough(hits, shape.probe.down)})

    def below(self, i: int, rel: int, shape: Shape, start: int) -> Iterator[int]:
        """The elements so many levels below element i that the shape fits, from number `start` on."""
        candidates = self.tree.below(i, rel, shape.name, start) if shape.probe is None else self._probed(i, rel, shape)
        return (each for each in candidates if each >= start and self.fits(shape, each))

    def selected(self, pattern: XPathPattern) -> Selected:
        """What an XPath expression selects; evaluated once for each document. OverBudget where it is not decided."""
        question = self._paths[expression_of(pattern)]
        if question not in self._selected:
            self._work.predicate_evaluations += 1
            self._selected[question] = question.answer(self._measured)
        found = self._selected[question]
        if found is None:
            raise OverBudget
        return found

    def _is(self, shape: Shape, i: int) -> bool:
        if shape.name is not None and shape.name != self.tree.names[i]:
            return False
        if shape.text is not None and shape.text != self.tree.text(i):
            return False
        return not shape.attributes or _has_attributes(self.tree.element(i), shape)

    def _has_children(self, shape: Shape, i: int) -> bool:
        start = i + 1
        for rel, child in shape.children:
            found = next(self.below(i, rel, child, start), None)
            if found is None:
                return False
            start = self.tree.ends[found]
        return True

    def _probed(self, i: int, rel: int, shape: Shape) -> Iterator[int]:
        """Candidates by a text that the shape is sure to have inside: each once, in document order."""
        probe, tree = shape.probe, self.tree
        assert probe is not None
        hits = tree.with_text(probe.name, probe.text)
        level, last = tree.levels[i] + rel + probe.down, -1
        for at in range(bisect_left(hits, i + 1), len(hits)):
            hit = hits[at]
            if hit >= tree.ends[i]:
                return
            if tree.levels[hit] == level and (found := tree.ancestor(hit, probe.down)) != last:
                yield found
                last = found

    def _deep_enough(self, hits: Sequence[int], down: int) -> Iterator[int]:
        return (hit for hit in hits if self.tree.levels[hit] > down)


def expressions_of(block: XmlBlock) -> list[Expression]:
    """The XPath expressions of a block."""
    return [expression_of(each) for each in block.patterns if isinstance(each, XPathPattern)]


def expression_of(pattern: XPathPattern) -> Expression:
    """The XPath expression of a pattern, as it is asked."""
    return pattern.expression, pattern.namespaces, bool(pattern.bindings)


def _has_attributes(element: Element, shape: Shape) -> bool:
    for name, value in shape.attributes:
        given = element.get(name)
        if given is None or (value is not None and given != value):
            return False
    return True
