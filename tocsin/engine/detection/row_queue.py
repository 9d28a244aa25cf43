"""Buffer of a slot, indexed by bound values: of a thousand shipments, those with this EPC."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from tocsin.engine.detection.queue import ExpiringQueue
from tocsin.plan.bindings import Row, Rows
from tocsin.plan.semantics.natural_join import Values, values_at
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Duration


class RowQueue(ExpiringQueue):
    """Queue with an index of the values of some variables. An occurrence with a row that does not
    bind all of them is always a candidate.
    """

    __slots__ = ("_by_value", "_loose", "_number", "_numbers", "_shared")

    def __init__(self, lifetime: Duration | None, shared: Sequence[str]) -> None:
        super().__init__(lifetime)
        self._shared = tuple(shared)
        self._by_value: dict[tuple[Hashable, Values], dict[int, Occurrence]] = {}
        self._loose: dict[Hashable, dict[int, Occurrence]] = {}
        self._numbers: dict[int, int] = {}
        self._number = 0

    def add(self, occurrence: Occurrence, key: Hashable) -> None:
        """Buffer and index an occurrence."""
        super().add(occurrence, key)
        self._number += 1
        self._numbers[id(occurrence)] = self._number
        for row in occurrence.rows:
            self._place(row, key).setdefault(id(occurrence), occurrence)

    def candidates(self, key: Hashable, rows: Rows) -> Sequence[Occurrence]:
        """Return the occurrences of a key that may agree with one of the rows, oldest first."""
        found: dict[int, Occurrence] = dict(self._loose.get(key, {}))
        waiting = self.waiting(key)
        for row in rows:
            values = self._values(row)
            if values is None or len(found) == len(waiting):
                return waiting
            found |= self._by_value.get((key, values), {})
        return sorted(found.values(), key=lambda each: self._numbers[id(each)])

    def remove(self, occurrence: Occurrence, key: Hashable) -> None:
        """Consume an occurrence that is buffered under the key."""
        super().remove(occurrence, key)
        self._unlist(occurrence, key)

    def clear(self) -> None:
        """Consume all occurrences."""
        super().clear()
        self._by_value.clear()
        self._loose.clear()
        self._numbers.clear()

    def pop(self) -> Occurrence | None:
        """Take the first out of the expiry line; return the occurrence, or None if it was consumed
        before.
        """
        key = self._keys[0]
        occurrence = super().pop()
        if occurrence is not None:
            self._unlist(occurrence, key)
        return occurrence

    def _unlist(self, occurrence: Occurrence, key: Hashable) -> None:
        del self._numbers[id(occurrence)]
        for row in occurrence.rows:
            self._place(row, key).pop(id(occurrence), None)
            self._drop_empty(row, key)

    def _place(self, row: Row, key: Hashable) -> dict[int, Occurrence]:
        values = self._values(row)
        if values is None:
            return self._loose.setdefault(key, {})
        return self._by_value.setdefault((key, values), {})

    def _drop_empty(self, row: Row, key: Hashable) -> None:
        values = self._values(row)
        if values is not None and not self._by_value[key, values]:
            del self._by_value[key, values]
        elif values is None and not self._loose[key]:
            del self._loose[key]

    def _values(self, row: Row) -> Values | None:
        bound = dict(row)
        return values_at(row, self._shared) if all(name in bound for name in self._shared) else None
