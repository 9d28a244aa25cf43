"""Documents laid out and kept while their rows may still be asked for: those with hits, up to so
many elements.
"""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.engine.index.counters import Work
from tocsin.engine.xml.document_fit import Expression, Fitting
from tocsin.engine.xml.xpath_evaluation import Question
from tocsin.events.event import Event
from tocsin.plan.xml.xml_patterns import document_to_match

ROOM = 100_000
"""Elements of all kept documents together; the oldest goes first, the newest stays however large it
is.
"""


class LaidOut:
    """Fittings by event."""

    __slots__ = ("_kept", "_paths", "_taken", "_work")

    def __init__(self, paths: Mapping[Expression, Question], work: Work) -> None:
        self._paths = paths
        self._work = work
        self._kept: dict[int, tuple[Event, Fitting]] = {}
        self._taken = 0

    def __len__(self) -> int:
        return len(self._kept)

    def fitting(self, event: Event) -> Fitting | None:
        """The event's document, laid out once while it is kept; None where it has none."""
        kept = self._kept.get(id(event))
        if kept is not None:
            return kept[1]  # the event is kept too, so that no other can have its id
        root = document_to_match(event)
        if root is None:
            return None
        fitting = Fitting((root,), self._paths, self._work)
        self._taken += len(fitting.tree)
        while self._kept and self._taken > ROOM:
            self.forget(next(iter(self._kept.values()))[0])
        self._kept[id(event)] = (event, fitting)
        return fitting

    def forget(self, event: Event) -> None:
        """Nobody will ask about the event again."""
        kept = self._kept.pop(id(event), None)
        if kept is not None:
            self._taken -= len(kept[1].tree)
