"""Nested queries of one match: documents are laid out once for all rows.

Nothing is kept after the match. All queries of a match share its step budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from tocsin.engine.index.matcher_parts import WorkCounters
from tocsin.engine.xml.block_rows import RowCache, StepBudget, join_pattern_rows
from tocsin.engine.xml.document_fit import DocumentFit
from tocsin.engine.xml.shapes import ElementShape, ElementShapes
from tocsin.events.views.document import Element
from tocsin.plan.bindings import Row
from tocsin.plan.xml.construction import Ask, NestedQuery
from tocsin.plan.xml.row_evaluation import in_order, meets_condition
from tocsin.plan.xml.xml_patterns import InEvent, PatternElement, SourcedPattern

Documents: TypeAlias = Callable[[str], Element | None]
"""Function from a name to the document of the event with that name; None if it has none."""


def make_nested_query_reader(documents: Documents) -> Ask:
    """Return the function that answers nested queries, given the documents of the events."""
    return _NestedQueries(documents).rows


class _NestedQueries:
    """The queries of one match."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._steps = StepBudget()
        self._shapes = ElementShapes()
        self._known: dict[PatternElement, ElementShape] = {}
        self._events: dict[str, tuple[DocumentFit, RowCache]] = {}
        self._values = (DocumentFit((), {}, WorkCounters()), RowCache())

    def rows(self, query: NestedQuery, row: Row) -> Iterable[Row]:
        """Return the rows of a query for a row around it, in the query's order."""
        found: Sequence[Row] = (row,)
        for pattern in query.patterns:
            shape, (fitting, known) = self._shape(pattern.pattern), self._document_of(pattern)
            found = join_pattern_rows(found, pattern, shape, fitting, self._steps, known)
        kept = [
            each
            for each in found
            if all(
                meets_condition(condition, each, self._steps.spend)
                for condition in query.conditions
            )
        ]
        return in_order(kept, query.order, self._steps.spend)

    def _shape(self, pattern: PatternElement) -> ElementShape:
        shape = self._known.get(pattern)
        if shape is None:
            shape = self._known[pattern] = self._shapes.use(pattern)
        return shape

    def _document_of(self, pattern: SourcedPattern) -> tuple[DocumentFit, RowCache]:
        """Return the document of a pattern and its cached rows; for values, the cache of all
        values.
        """
        if not isinstance(pattern.source, InEvent):
            return self._values
        name = pattern.source.name
        if name not in self._events:
            root = self._documents(name)
            self._events[name] = (
                DocumentFit(() if root is None else (root,), {}, WorkCounters()),
                RowCache(),
            )
        return self._events[name]
