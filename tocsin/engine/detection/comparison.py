"""Comparing what nodes hold, within one process and for a moment: events are the very objects, and
nothing changes meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from tocsin.engine.detection.base import State
from tocsin.plan.semantics.occurrence import Occurrence

Known = TypeVar("Known")

_WRITING = 32
"""To write one occurrence is the work of so many looks at what waits."""


class Comparison:
    """Writes what tells occurrences apart, keeps what was found out on the way, and counts the
    work: looks at what waits.
    """

    __slots__ = ("_known", "work")

    def __init__(self) -> None:
        self._known: dict[Hashable, object] = {}
        self.work = 0

    def write(self, occurrence: Occurrence) -> State:
        """The occurrence as something to compare."""
        self.work += _WRITING
        return {
            "members": [id(member) for member in occurrence.members],
            "span": (occurrence.start, occurrence.end),
            "names": {name: self.write(each) for name, each in sorted(occurrence.names.items())},
            "absences": occurrence.absences,
            "rows": occurrence.rows,
        }

    def once(self, about: Hashable, find_out: Callable[[], Known]) -> Known:
        """What is found out about something, once for all who ask."""
        if about not in self._known:
            self._known[about] = find_out()
        return self._known[about]  # type: ignore[return-value]
