"""Comparison of operator states, within one process and for a moment: events are compared by
object, and nothing changes meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from tocsin.engine.detection.base import State
from tocsin.plan.semantics.occurrence import Occurrence

Known = TypeVar("Known")

_WRITING = 32
"""Looks at buffered occurrences that count for writing one."""


class StateComparison:
    """Writer of state to compare: caches what it computes and counts the work, as looks at buffered
    occurrences.
    """

    __slots__ = ("_known", "work")

    def __init__(self) -> None:
        self._known: dict[Hashable, object] = {}
        self.work = 0

    def write(self, occurrence: Occurrence) -> State:
        """Return the occurrence as a value to compare."""
        self.work += _WRITING
        return {
            "members": [id(member) for member in occurrence.members],
            "span": (occurrence.start, occurrence.end),
            "names": {name: self.write(each) for name, each in sorted(occurrence.names.items())},
            "absences": occurrence.absences,
            "rows": occurrence.rows,
        }

    def once(self, about: Hashable, find_out: Callable[[], Known]) -> Known:
        """Return the value computed for a subject; the first caller computes it."""
        if about not in self._known:
            self._known[about] = find_out()
        return self._known[about]  # type: ignore[return-value]
