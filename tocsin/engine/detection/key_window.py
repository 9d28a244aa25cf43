"""Window of an aggregate for one key: occurrences that enter at one end and leave at the other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from tocsin.engine.detection.accumulators import ACCUMULATORS, Accumulator, CompositeAccumulator
from tocsin.engine.detection.join_filters import event_reader
from tocsin.engine.detection.partition_keys import key_at
from tocsin.events.event import Event
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.nodes.composites import Key, Sliding
from tocsin.plan.nodes.expressions import Aggregate, MeasureCondition
from tocsin.plan.semantics.computed_conditions import RELATIONS
from tocsin.plan.semantics.condition_evaluation import Number, relation_holds
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.scalars import Path, key_number
from tocsin.values.time import Instant

# items that left before the list is cut: a cut pays off only over many
_MIN_LEFT_TO_COMPACT = 32

KeyOf = Callable[[Occurrence], Sequence[Hashable]]
"""Function that returns the keys for which an occurrence counts."""

MeasuredValue = Number | tuple[Number | None, ...] | None
"""Value of one measure, or of several."""


class KeyWindow:
    """Counted occurrences of a key, oldest first, with their measure."""

    __slots__ = ("_accumulator", "_head", "_items", "key", "last", "marks")

    def __init__(self, key: Hashable, tally: Accumulator | CompositeAccumulator | None) -> None:
        self.key = key
        self.marks = 0
        """Number of consumed occurrences that have not left yet: they leave first."""
        self.last: Instant = 0
        """End of the last occurrence."""
        self._items: list[Occurrence] = []
        self._head = 0
        self._accumulator = tally

    def __len__(self) -> int:
        return len(self._items) - self._head

    def __iter__(self) -> Iterator[Occurrence]:
        return iter(self._items[self._head :])

    @property
    def value(self) -> MeasuredValue:
        """Value of the measure; without an accumulator, the number of occurrences."""
        return (
            len(self._items) - self._head
            if self._accumulator is None
            else self._accumulator.value()
        )

    def add(self, occurrence: Occurrence, read: Callable[[Event], Any]) -> None:
        """Add an occurrence."""
        self._items.append(occurrence)
        self.last = occurrence.end
        if self._accumulator is not None:
            self._accumulator.add(read(occurrence.members[0]))

    def drop_oldest(self, read: Callable[[Event], Any]) -> None:
        """Remove the oldest occurrence, counted or consumed."""
        if self.marks:
            self.marks -= 1
            return
        items, head = self._items, self._head
        if self._accumulator is not None:
            self._accumulator.drop(read(items[head].members[0]))
        if head < _MIN_LEFT_TO_COMPACT or 2 * head < len(items):
            items[head] = items[-1]  # frees the one that left
            self._head = head + 1
            if self._head == len(items):
                self._items, self._head = [], 0
        else:
            del items[: head + 1]
            self._head = 0

    def consume(self, tally: Accumulator | CompositeAccumulator | None) -> None:
        """Consume all occurrences; `make_accumulator` is the empty accumulator that follows."""
        self.marks += len(self)
        self._items, self._head = [], 0
        self._accumulator = tally


class WindowMeasure:
    """Parameters that all windows of a sliding part share."""

    __slots__ = ("_aggregates", "_each", "_paths", "_sliding", "holds", "keys", "read")

    def __init__(self, sliding: Sliding) -> None:
        self._sliding = sliding
        self._aggregates = [each.measure.aggregate for each in sliding.conditions]
        self._paths = sliding.by
        self._each = sliding.each
        self.keys = keys_at(sliding.by, sliding.each)
        self.read = _reader_of(sliding.conditions)
        self.holds = _test_of(sliding.conditions)

    def make_accumulator(self) -> Accumulator | CompositeAccumulator | None:
        """Return an empty accumulator; None if occurrences are only counted."""
        if self._aggregates == [Aggregate.COUNT]:
            return None
        tallies = [ACCUMULATORS[each]() for each in self._aggregates]
        return tallies[0] if len(tallies) == 1 else CompositeAccumulator(tallies)

    def whole(self, window: KeyWindow, now: Instant) -> Occurrence:
        """Return the match of all counted occurrences, up to now; without any, the match of their
        absence.
        """
        items = [*window]
        if items:
            members = tuple([each.members[0] for each in items])
            start = min([each.start for each in items])
            counted = frozenset([each.identity for each in members])
            return Occurrence(members, start, now, rows=self._rows(window.key), counted=counted)
        start = now - self._sliding.over
        rows = self._rows_of_empty(window.key)
        return Occurrence((), start, now, absences=((start, now),), rows=rows)

    def _rows(self, key: Hashable) -> Rows:
        return (((self._each, key[1]),),) if self._each else NOTHING_BOUND  # type: ignore[index]

    def _rows_of_empty(self, key: Any) -> Rows:
        """Return a row with the key of an empty window, as no event can show it."""
        own, of_paths = (key[1], key[0]) if self._each else (None, key)
        values = (of_paths,) if len(self._paths) == 1 else of_paths if self._paths else ()
        bound = {".".join(path): value for path, value in zip(self._paths, values, strict=True)}
        if self._each:
            bound[self._each] = own
        return (tuple(sorted(bound.items())),)


def keys_at(by: Key, variable: str) -> KeyOf:
    """Return the function of an occurrence's keys at paths: one key, or one for each value of a
    variable; none if it lacks a key.
    """
    key = key_at(by)

    def single(occurrence: Occurrence) -> Sequence[Hashable]:
        found = key(occurrence)
        return () if found is None else (found,)

    def several(occurrence: Occurrence) -> Sequence[Hashable]:
        found = key(occurrence)
        if found is None:
            return ()
        values = dict.fromkeys(
            value for row in occurrence.rows for name, value in row if name == variable
        )
        return [(found, value) for value in values]

    return several if variable else single


def plain_key(key: Any) -> Any:
    """Return a key as JSON has it."""
    return [plain_key(each) for each in key] if isinstance(key, tuple) else key


def key_from(plain: Any) -> Any:
    """Return the key of plain data; numbers that an earlier version wrote get their normal form."""
    if isinstance(plain, list):
        return tuple(map(key_from, plain))
    return key_number(plain) if isinstance(plain, float) else plain


def _reader_of(conditions: Sequence[MeasureCondition]) -> Callable[[Event], Any]:
    """Return the reader of the values that the measures of the conditions take from an event."""
    readers = [_value_reader(each.measure.path) for each in conditions]
    if len(readers) == 1:
        return readers[0]
    return lambda event: [read(event) for read in readers]


def _test_of(conditions: Sequence[MeasureCondition]) -> Callable[[Any], bool]:
    """Return the test by which the value of a window meets all conditions."""
    if len(conditions) > 1:
        return lambda values: all(map(relation_holds, conditions, values))
    (only,) = conditions
    compare, limit = RELATIONS[only.relation], only.limit
    return lambda value: value is not None and compare(value, limit)


def _value_reader(path: Path) -> Callable[[Event], Any]:
    return event_reader(path) if path else lambda event: None
