"""Cache of documents with hits, whose rows may still be needed, up to a number of elements."""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.engine.index.counters import WorkCounters
from tocsin.engine.xml.document_fit import DocumentFit, Expression
from tocsin.engine.xml.xpath_evaluation import BudgetedXPath
from tocsin.events.event import Event
from tocsin.plan.xml.xml_patterns import document_to_match

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
