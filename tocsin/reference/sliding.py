"""Sliding measures and state changes: each evaluated from the whole history at one instant."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace

from tocsin.events.event import Event
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.nodes.composites import Change, Key, Sliding
from tocsin.plan.nodes.expressions import Aggregate, MeasureCondition, Ring
from tocsin.reference.atoms import holds
from tocsin.reference.measures import compute_measure, key_of
from tocsin.reference.occurrence import ReferenceOccurrence, in_order
from tocsin.reference.values import as_key, compare_scalars
from tocsin.values.scalars import Path
from tocsin.values.time import Instant

_Key = tuple[tuple[Hashable, ...], Hashable]
"""Values of the paths, and of the variable."""

NO_VALUE = ("no value",)


def keys_of(by: Key, variable: str, occurrence: ReferenceOccurrence) -> list[_Key]:
    """Return the keys for which an occurrence counts: one, or one per value of the variable."""
    known = key_of(by, occurrence) if by else ()
    if known is None:
        return []
    key = tuple(as_key(value) for _, value in known)
    if not variable:
        return [(key, NO_VALUE)]
    values = [dict(row)[variable] for row in occurrence.rows if variable in dict(row)]
    return [(key, value) for value in dict.fromkeys(values)]


def instants_of(sliding: Sliding, occurrence: ReferenceOccurrence) -> list[Instant]:
    """Return the instants at which an occurrence may change a sliding part's result."""
    return [] if sliding.every is not None else [occurrence.end, occurrence.end + sliding.over]


class WindowHistory:
    """One sliding part and its whole history."""

    def __init__(self, sliding: Sliding) -> None:
        self._sliding = sliding
        self._seen: list[tuple[_Key, ReferenceOccurrence]] = []
        self._used: list[tuple[_Key, ReferenceOccurrence]] = []
        self._evaluated: set[Instant] = set()

    def see(self, occurrence: ReferenceOccurrence) -> None:
        """Add an occurrence of its part."""
        for key in keys_of(self._sliding.by, self._sliding.each, occurrence):
            self._seen.append((key, occurrence))

    def matches_at(self, now: Instant) -> list[ReferenceOccurrence]:
        """Return the matches at an instant; empty on the second call for it."""
        if now in self._evaluated:
            return []
        self._evaluated.add(now)
        moments = (now, now - self._sliding.over)
        keys = dict.fromkeys(key for key, each in self._seen if each.end in moments)
        return [each for key in keys for each in self._matches_for(key, now)]

    def matches_for_window(self, end: Instant) -> list[ReferenceOccurrence]:
        """Return the matches of the periodic window that ends at `end`."""
        keys = dict.fromkeys(
            key for key, each in self._seen if end - self._sliding.over < each.end <= end
        )
        if not self._is_keyed:
            keys = {((), NO_VALUE): None}
        return [self._whole(key, end) for key in keys if self._holds(self._window(key, end))]

    def is_empty_at(self, end: Instant) -> bool:
        """True if the window that ends then is empty."""
        return not any(end - self._sliding.over < each.end <= end for _, each in self._seen)

    @property
    def holds_of_nothing(self) -> bool:
        """True if an empty window matches."""
        return not self._is_keyed and self._holds([])

    @property
    def _is_keyed(self) -> bool:
        return bool(self._sliding.by) or bool(self._sliding.each)

    def _matches_for(self, key: _Key, now: Instant) -> Iterator[ReferenceOccurrence]:
        members = self._window(key, now)
        if not self._holds(members):
            return
        match self._sliding.ring:
            case Ring.EVERY_TIME:
                if any(each.end == now for each in members):
                    yield self._whole(key, now)
            case Ring.ON_CHANGE | Ring.ONCE:
                if not self._was_true_before(key, now):
                    yield self._whole(key, now)
                    if self._sliding.ring is Ring.ONCE:
                        self._used += [(key, each) for each in members]

    def _was_true_before(self, key: _Key, now: Instant) -> bool:
        """True if the condition held one microsecond before: nothing changes in between."""
        ends = [each.end for mine, each in self._seen if mine == key and each.end < now]
        if not ends:
            return False
        kept = self._sliding.keep
        if kept is not None and now > max(ends) + self._sliding.over + kept:
            return False
        return self._holds(self._window(key, now - 1))

    def _window(self, key: _Key, now: Instant) -> list[ReferenceOccurrence]:
        return [
            each
            for mine, each in self._seen
            if mine == key
            and now - self._sliding.over < each.end <= now
            and (mine, each) not in self._used
        ]

    def _holds(self, members: Sequence[ReferenceOccurrence]) -> bool:
        events = in_order(member for each in members for member in each.members)
        sliding = self._sliding
        first = MeasureCondition(sliding.measure, sliding.relation, sliding.limit)
        return all(_holds_of(each, events) for each in (first, *sliding.also))

    def _whole(self, key: _Key, end: Instant) -> ReferenceOccurrence:
        members = self._window(key, end)
        if members:
            start = min(each.start for each in members)
            events = in_order(member for each in members for member in each.members)
            rows = _rows(self._sliding.each, key)
            counted = frozenset(event.identity for event in events)
            return ReferenceOccurrence(events, start, end, rows=rows, counted=counted)
        start = end - self._sliding.over
        rows = _rows_of_empty(self._sliding.by, self._sliding.each, key)
        return ReferenceOccurrence((), start, end, absences=((start, end),), rows=rows)


def _holds_of(condition: MeasureCondition, events: Sequence[Event]) -> bool:
    """True if the measure over the events stands in its relation."""
    counts = condition.measure.aggregate in (Aggregate.COUNT, Aggregate.DISTINCT)
    if not events and not counts:
        return False
    value = compute_measure(condition.measure, events)
    return compare_scalars(value, condition.relation, condition.limit)


def changes(
    change: Change, before: Iterable[ReferenceOccurrence], now: ReferenceOccurrence
) -> list[ReferenceOccurrence]:
    """Return the occurrence once per key whose state changes with it, given the whole history."""
    history = list(before)
    return [
        _of_value(change.each, key, now)
        for key in keys_of(change.by, change.each, now)
        if _changes(
            change, [each for each in history if key in keys_of(change.by, change.each, each)], now
        )
    ]


def _changes(
    change: Change, history: Sequence[ReferenceOccurrence], now: ReferenceOccurrence
) -> bool:
    is_true = holds(change.state, now.members[0])
    counts = bool(history) and (change.keep is None or now.end - history[-1].end <= change.keep)
    was_true = counts and holds(change.state, history[-1].members[0])
    return (is_true and not was_true) if change.becomes else (was_true and not is_true)


def _of_value(variable: str, key: _Key, occurrence: ReferenceOccurrence) -> ReferenceOccurrence:
    if not variable:
        return occurrence
    rows = tuple(row for row in occurrence.rows if dict(row).get(variable) == key[1])
    return replace(occurrence, rows=rows)


def _rows(variable: str, key: _Key) -> Rows:
    return (((variable, key[1]),),) if variable else NOTHING_BOUND


def _rows_of_empty(by: Sequence[Path], variable: str, key: _Key) -> Rows:
    """Return a row with the key, since an empty window has no event that carries it."""
    values = {".".join(path): value for path, value in zip(by, key[0], strict=True)}
    if variable:
        values[variable] = key[1]
    return (tuple(sorted(values.items())),)
