"""Absence per bound value: one part, then for each value that it binds not another part within a
time.

An example are goods that were shipped and not received. Buffered occurrences are indexed by the
values of the variables that both parts bind, so that an absent part visits only those that it ends.
All wait equally long, so that deadlines come in the order of arrival: one timer for the soonest is
enough.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from tocsin.engine.detection.base import Operator, Pending, State, StepContext, Writer
from tocsin.engine.detection.partition_keys import key_at
from tocsin.engine.detection.scope import Scopes
from tocsin.plan.bindings import Row, Rows
from tocsin.plan.nodes.composites import Absence, AfterWindow, Policy, variables_of
from tocsin.plan.semantics.condition_evaluation import concerns
from tocsin.plan.semantics.occurrence import Occurrence, Values, rows_without, values_at


def is_by_value(part: Absence, window: AfterWindow) -> bool:
    """True if the absent part and the part before it bind variables of the same name."""
    return not variables_of(part.part).isdisjoint(variables_of(window.part))


class PendingValues:
    """A buffered occurrence and what it still waits for: values by which it is indexed, and rows
    that do not bind all of them.
    """

    __slots__ = ("occurrence", "unindexed_rows", "values")

    def __init__(self, occurrence: Occurrence) -> None:
        self.occurrence = occurrence
        self.values: set[Values] = set()
        self.unindexed_rows: Rows = ()

    @property
    def is_over(self) -> bool:
        """True if nothing is missing any longer."""
        return not self.values and not self.unindexed_rows


class AbsencePerValueOperator(Operator):
    """Absence after a part, row by row: each occurrence of the first part waits for its deadline;
    the absent part ends rows.
    """

    __slots__ = (
        "_absence",
        "_by_value",
        "_entries",
        "_key",
        "_length",
        "_names",
        "_scopes",
        "_shared",
        "_timed",
        "_unindexed_entries",
        "tried",
    )

    def __init__(
        self, part: Absence, window: AfterWindow, inner: list[Operator], scopes: Scopes
    ) -> None:
        super().__init__(part, inner)
        self._absence = part
        self._length = window.length
        self._key = key_at(part.by)
        self._scopes = scopes
        self._names = scopes.names_in(part) if part.policy is Policy.DEFERRED else ()
        self._shared = tuple(sorted(variables_of(part.part) & variables_of(window.part)))
        self._entries: deque[PendingValues] = deque()
        self._by_value: dict[Values, dict[int, PendingValues]] = {}
        self._unindexed_entries: dict[int, PendingValues] = {}
        self._timed = False
        self.tried = 0

    has_buffer = True

    @property
    def buffered_count(self) -> int:
        """Number of occurrences that wait for their deadlines, including until then those of which
        nothing is missing.
        """
        return len(self._entries)

    @property
    def is_empty(self) -> bool:
        """True if nothing is missing."""
        return all(entry.is_over for entry in self._entries)

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Take the absent part at slot 0, the part that the window follows at slot 1."""
        if self._key(occurrence) is None:
            return
        if slot == 1:
            self._await(occurrence, step)
            return
        values = [self._values(row) for row in occurrence.rows]
        if None in values:
            self._cancel_rows(list(self._entries), occurrence)
            return
        for each in dict.fromkeys(values):
            assert each is not None
            self._cancel_values(each, occurrence)
        if self._unindexed_entries:
            self._cancel_rows(list(self._unindexed_entries.values()), occurrence)

    def on_timer(self, token: object, step: StepContext) -> None:
        """Emit what is missing of the occurrences whose deadline has come. The one that the timer
        was set for may be gone.
        """
        self._timed = False
        line = self._entries
        while line and (line[0].is_over or line[0].occurrence.end + self._length <= step.now):
            entry = line.popleft()
            self._unindex_entry(entry)
            left = self._left(entry)
            if left is not None:
                step.emit(self, left.with_absence(left.end, left.end + self._length))
        self._set_timer(step)

    def pending(self) -> Iterable[Pending]:
        """Yield the occurrences that wait for their deadline, with the rows that are missing."""
        for left in self._pending_occurrences():
            yield Pending(self.part, 1, left, left.end + self._length)

    def snapshot(self, writer: Writer) -> State:
        """Return the occurrences that wait, with the rows that are missing."""
        return {"waiting": [writer.write(each) for each in self._pending_occurrences()]}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the occurrences that waited."""
        for each in state["waiting"]:
            self._await(read(each), step)

    def _pending_occurrences(self) -> Iterator[Occurrence]:
        return (left for entry in self._entries if (left := self._left(entry)) is not None)

    def _left(self, entry: PendingValues) -> Occurrence | None:
        """Return the occurrence with the rows that are missing; None if nothing is, or if it is
        consumed elsewhere.
        """
        first = entry.occurrence
        if entry.is_over or (self._names and self._scopes.is_used(first, self._names)):
            return None
        rows = tuple(
            row
            for row in first.rows
            if self._values(row) in entry.values or row in entry.unindexed_rows
        )
        return first if len(rows) == len(first.rows) else first.with_rows(rows)

    def _await(self, occurrence: Occurrence, step: StepContext) -> None:
        entry = PendingValues(occurrence)
        for row in occurrence.rows:
            values = self._values(row)
            if values is None:
                entry.unindexed_rows = (*entry.unindexed_rows, row)
            elif values not in entry.values:
                entry.values.add(values)
                self._by_value.setdefault(values, {})[id(entry)] = entry
        if entry.is_over:
            return  # it binds no value that could be missing
        if entry.unindexed_rows:
            self._unindexed_entries[id(entry)] = entry
        self._entries.append(entry)
        if not self._timed:
            self._set_timer(step)

    def _set_timer(self, step: StepContext) -> None:
        while self._entries and self._entries[0].is_over:
            self._entries.popleft()
        if self._entries:
            self._timed = True
            step.schedule_timer(self, self._entries[0].occurrence.end + self._length, None)

    def _values(self, row: Row) -> Values | None:
        """Return the values by which a row is indexed; None if it does not bind all variables."""
        bound = dict(row)
        if len(bound) == len(self._shared) == 1:
            return tuple(bound.values()) if self._shared[0] in bound else None
        return values_at(row, self._shared) if all(name in bound for name in self._shared) else None

    def _cancel_values(self, values: Values, absent: Occurrence) -> None:
        """End the wait for the values, in entries whose window holds the absent part."""
        waiting = self._by_value.get(values)
        if not waiting:
            return
        self.tried += len(waiting)
        for entry in [each for each in waiting.values() if self._is_ended(each.occurrence, absent)]:
            entry.values.discard(values)
            del waiting[id(entry)]
        if not waiting:
            del self._by_value[values]

    def _cancel_rows(self, entries: Iterable[PendingValues], absent: Occurrence) -> None:
        """End rows of the entries one by one: the slow path, for rows that do not bind all
        variables.
        """
        for entry in entries:
            if not entry.is_over and self._is_ended(entry.occurrence, absent):
                living = tuple(
                    row for row in entry.occurrence.rows if self._values(row) in entry.values
                )
                left = {self._values(row) for row in rows_without(living, [absent.rows])}
                for values in [each for each in entry.values if each not in left]:
                    self._forget_value(entry, values)
                entry.unindexed_rows = rows_without(entry.unindexed_rows, [absent.rows])

    def _is_ended(self, first: Occurrence, absent: Occurrence) -> bool:
        if first.end >= absent.start or absent.end > first.end + self._length:
            return False
        if self._absence.by and self._key(absent) != self._key(first):
            return False
        return concerns(self._absence.conditions, absent, first)

    def _unindex_entry(self, entry: PendingValues) -> None:
        """Remove the entry from the indexes; it keeps the values that it waits for."""
        self._unindexed_entries.pop(id(entry), None)
        for values in entry.values:
            self._unindex_value(entry, values)

    def _forget_value(self, entry: PendingValues, values: Values) -> None:
        entry.values.discard(values)
        self._unindex_value(entry, values)

    def _unindex_value(self, entry: PendingValues, values: Values) -> None:
        waiting = self._by_value.get(values)
        if waiting is not None and waiting.pop(id(entry), None) is not None and not waiting:
            del self._by_value[values]
