"""An occurrence of a part: events, interval, place, rows, and occurrences of named parts.

Rows of two occurrences are joined naturally: those that agree on shared variables, found by a hash
table.

What the rendering of a match needs of it is a protocol, which the occurrence of the reference has,
too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Protocol

from tocsin.errors import EventProblem
from tocsin.events.event import Event
from tocsin.plan.bindings import NOTHING_BOUND, Row, Rows
from tocsin.plan.nodes.expressions import Elements
from tocsin.values.scalars import ENVELOPE, scalar_element
from tocsin.values.space import HALF_TURN, Geometry, Metric, extent, width
from tocsin.values.time import Instant

Names = tuple[str, ...]
Values = tuple[Hashable, ...]
Spend = Callable[[int], object]
"""Callback with the number of rows that are about to be made or read; may raise."""


A_ROW = 3
"""Cost of adding one row to a hash table, in microseconds."""


def spend_nothing(rows: int) -> None:
    """Ignore the number of rows."""


def natural_join(left: Rows, right: Rows, spend: Spend = spend_nothing) -> Rows:
    """Return the joined rows, each once, in the order of the left and then the right."""
    if left == NOTHING_BOUND:
        return right
    if right == NOTHING_BOUND:
        return left
    tables: dict[Names, dict[Names, dict[Values, list[tuple[int, Row]]]]] = defaultdict(dict)
    spend(A_ROW * (len(left) + len(right)))
    by_names = _by_names(right)
    found: dict[Row, None] = {}
    for one in left:
        mine = _names(one)
        matching: list[tuple[int, Row]] = []
        for theirs, numbered in by_names.items():
            shared = tuple(name for name in mine if name in theirs)
            table = tables[theirs].get(shared)
            if table is None:
                table = tables[theirs][shared] = _table(numbered, shared)
            matching += table.get(values_at(one, shared), ())
        spend(len(matching))
        if len(by_names) > 1:
            matching.sort(key=lambda each: each[0])
        found |= dict.fromkeys(_united(one, other) for _, other in matching)
    return tuple(found)


def values_at(row: Row, names: Sequence[str]) -> Values:
    """Return the values of some variables of a row."""
    bound = dict(row)
    return tuple(bound[name] for name in names)


def rows_without(rows: Rows, others: Iterable[Rows]) -> Rows:
    """Return the rows that join with no row of the others (an anti-join)."""
    came = tuple(dict.fromkeys(row for each in others for row in each))
    if not came:
        return rows
    if () in came:
        return ()
    by_names = _by_names(came)
    known: dict[tuple[Names, Names], frozenset[Values]] = {}
    left: list[Row] = []
    for row in rows:
        mine = _names(row)
        for theirs, numbered in by_names.items():
            shared = tuple(name for name in mine if name in theirs)
            values = known.get((theirs, shared))
            if values is None:
                values = known[theirs, shared] = frozenset(
                    values_at(other, shared) for _, other in numbered
                )
            if values_at(row, shared) in values:
                break
        else:
            left.append(row)
    return tuple(left)


def _by_names(rows: Rows) -> dict[Names, list[tuple[int, Row]]]:
    """Return rows with their numbers, by the variables that they bind; nearly always there is one
    group.
    """
    found: dict[Names, list[tuple[int, Row]]] = {}
    for number, row in enumerate(rows):
        found.setdefault(_names(row), []).append((number, row))
    return found


def _names(row: Row) -> Names:
    return tuple([name for name, _ in row])


def _table(
    numbered: Sequence[tuple[int, Row]], shared: Names
) -> dict[Values, list[tuple[int, Row]]]:
    table: dict[Values, list[tuple[int, Row]]] = {}
    for number, row in numbered:
        table.setdefault(values_at(row, shared), []).append((number, row))
    return table


def _united(one: Row, other: Row) -> Row:
    """Return both rows as one; the first itself if the other adds no variable."""
    both = {**dict(other), **dict(one)}
    return one if len(both) == len(one) else tuple(sorted(both.items(), key=lambda bound: bound[0]))


Identity = tuple[tuple[str, str], ...]
"""Identities of the members, in canonical order."""

Counted = frozenset[tuple[str, str]]
"""Identities of members that belong to measures only."""

NOTHING_COUNTED: Counted = frozenset()
_NO_NAMES: Mapping[str, Occurrence] = {}


# Immutable by convention. A frozen dataclass takes three times as long to make, and one is made
# for every event that matches a part of a composite.
@dataclass(slots=True, eq=False, init=False)
class Occurrence:
    """Members in canonical order; start and end span them, or the window of an absence.

    It is detected when it ends. Other parts may have the members that are `counted`, too.
    """

    members: tuple[Event, ...]
    start: Instant
    end: Instant
    names: Mapping[str, Occurrence]
    absences: tuple[tuple[Instant, Instant], ...]
    rows: Rows
    counted: Counted
    _identity: Identity | None = field(init=False, repr=False)
    _place: Geometry | None = field(init=False, repr=False)

    def __init__(
        self,
        members: tuple[Event, ...],
        start: Instant,
        end: Instant,
        names: Mapping[str, Occurrence] = _NO_NAMES,
        absences: tuple[tuple[Instant, Instant], ...] = (),
        rows: Rows = NOTHING_BOUND,
        counted: Counted = NOTHING_COUNTED,
    ) -> None:
        self.members = members
        self.start = start
        self.end = end
        self.names = names
        self.absences = absences
        self.rows = rows
        self.counted = counted
        self._identity = None

    @property
    def identity(self) -> Identity:
        """The identities of the members, cached.

        Two occurrences of one part with equal identity and interval are the same.
        """
        if self._identity is None:
            self._identity = tuple([member.identity for member in self.members])
        return self._identity

    @property
    def identity_key(self) -> tuple[Instant, Instant, Identity]:
        """Key that is equal exactly for the same occurrence of a part."""
        return (self.start, self.end, self.identity)

    @property
    def order(self) -> tuple[Instant, Instant, Identity]:
        """Canonical order: by end, start and members."""
        return (self.end, self.start, self.identity)

    @property
    def place(self) -> Geometry | None:
        """Extent of the members' places together, cached; None if no member has one."""
        try:
            return self._place
        except AttributeError:
            self._place = extent(self._places())
            return self._place

    def place_by(self, metric: Metric) -> Geometry | None:
        """Return the place for a condition with the metric.

        On the globe the extent may be shorter across the 180th meridian.
        """
        place = self.place
        if (
            metric is Metric.PLANAR
            or place is None
            or len(self.members) == 1
            or width(place) <= HALF_TURN
        ):
            return place
        return extent(self._places(), metric)

    def _places(self) -> list[Geometry]:
        return [member.place for member in self.members if member.place is not None]

    def is_same(self, other: Occurrence) -> bool:
        """True if both are the same occurrence."""
        return self is other or (
            (self.start, self.end) == (other.start, other.end) and self.identity == other.identity
        )

    def named(self, name: str) -> Occurrence:
        """Return the same occurrence with a name."""
        return Occurrence(
            self.members,
            self.start,
            self.end,
            {**self.names, name: self},
            self.absences,
            self.rows,
            self.counted,
        )

    def with_rows(self, rows: Rows) -> Occurrence:
        """Return the same occurrence with other rows."""
        return Occurrence(
            self.members, self.start, self.end, self.names, self.absences, rows, self.counted
        )

    def without(self, others: Sequence[Occurrence]) -> Occurrence | None:
        """Return the same occurrence without the rows that join with one of the others.

        None if no row is left. An absence is decided row by row: an event for one element of a list
        does not count for the next.
        """
        if not others:
            return self if self.rows else None
        rows = rows_without(self.rows, [each.rows for each in others])
        if len(rows) == len(self.rows):
            return self if rows else None
        return self.with_rows(rows) if rows else None

    def with_absence(self, start: Instant, end: Instant) -> Occurrence:
        """Return the same occurrence with a silent window after it; it ends no earlier than the
        window.
        """
        silence = (start, end)
        return Occurrence(
            self.members,
            self.start,
            max(self.end, end),
            self.names,
            (*self.absences, silence),
            self.rows,
            self.counted,
        )

    def with_absence_before(self, start: Instant) -> Occurrence:
        """Return the same occurrence with a silent window before it; it starts with the window."""
        silence = (start, self.start)
        return Occurrence(
            self.members,
            start,
            self.end,
            self.names,
            (*self.absences, silence),
            self.rows,
            self.counted,
        )


def occurrence_of(event: Event, rows: Rows = NOTHING_BOUND) -> Occurrence:
    """Return the occurrence of one event, with its rows.

    Raises EventProblem for an event without a time, which occurs in no composite.
    """
    interval = event.interval
    if interval is None:
        raise EventProblem(
            "an event without a time cannot take part in a composite", code="UntimedEvent"
        )
    return Occurrence((event,), interval.start, interval.end, rows=rows)


def element_rows(elements: Elements, event: Event) -> Rows:
    """Return one row for every different scalar at the path, through lists; empty without any."""
    variable, path = elements
    inside, steps = (event.envelope, path[1:]) if path[0] == ENVELOPE else (event.attributes, path)
    rows: dict[Row, None] = dict.fromkeys(((variable, value),) for value in _scalars(inside, steps))
    return tuple(rows)


def _scalars(value: object, path: Sequence[str]) -> Iterator[Hashable]:
    if isinstance(value, list):
        for item in value:
            yield from _scalars(item, path)
    elif path:
        if isinstance(value, dict):
            yield from _scalars(value.get(path[0]), path[1:])
    elif isinstance(value, bool | int | float | str):
        yield scalar_element(value)


def combine(parts: Sequence[Occurrence], spend: Spend = spend_nothing) -> Occurrence | None:
    """Return the occurrence of all parts together.

    None if their bindings disagree, or if they share a member without a common name or a measure
    that counts it. `spend` gets the number of rows that are joined.
    """
    if len(parts) == 2:
        first, second = parts
        counts = first.counted or second.counted
        if not counts and first.names.keys().isdisjoint(second.names):
            return _pair(first, second, spend)
    return _combine_all(parts, spend)


def _pair(first: Occurrence, second: Occurrence, spend: Spend) -> Occurrence | None:
    """Combine two parts with disjoint names: the common case, without tables."""
    if len(first.members) == len(second.members) == 1:
        one, other = first.members[0], second.members[0]
        if one.identity == other.identity:
            return None
        members: tuple[Event, ...] = (one, other) if one.order <= other.order else (other, one)
    else:
        by_identity = {member.identity: member for member in (*first.members, *second.members)}
        if len(by_identity) != len(first.members) + len(second.members):
            return None
        members = tuple(sorted(by_identity.values(), key=lambda member: member.order))
    rows = (
        first.rows if second.rows is NOTHING_BOUND else natural_join(first.rows, second.rows, spend)
    )
    if not rows:
        return None
    return Occurrence(
        members,
        min(first.start, second.start),
        max(first.end, second.end),
        {**first.names, **second.names},
        first.absences + second.absences,
        rows,
    )


def _combine_all(parts: Sequence[Occurrence], spend: Spend) -> Occurrence | None:
    names: dict[str, Occurrence] = {}
    members: dict[tuple[str, str], Event] = {}
    taken: set[tuple[str, str]] = set()
    for part in parts:
        shared: set[tuple[str, str]] = set()  # members shared with an earlier part by a name
        for name, occurrence in part.names.items():
            if name in names:
                if not names[name].is_same(occurrence):
                    return None
                shared.update(occurrence.identity)
            else:
                names[name] = occurrence
        for member in part.members:
            identity = member.identity
            members[identity] = member
            if identity in part.counted:
                continue
            if identity in taken and identity not in shared:
                return None
            taken.add(identity)
    rows = reduce(partial(natural_join, spend=spend), (part.rows for part in parts))
    if not rows:
        return None
    return Occurrence(
        tuple(sorted(members.values(), key=lambda member: member.order)),
        min(part.start for part in parts),
        max(part.end for part in parts),
        names,
        tuple(window for part in parts for window in part.absences),
        rows,
        NOTHING_COUNTED if len(taken) == len(members) else frozenset(members.keys() - taken),
    )


def counted_members(parts: Sequence[Occurrence]) -> Counted:
    """Return the members that some part has only through a measure, and no part has otherwise."""
    counted = NOTHING_COUNTED.union(*[part.counted for part in parts])
    if not counted:
        return NOTHING_COUNTED
    return counted.difference(
        *[frozenset(part.identity) - part.counted for part in parts],
    )


class OccurrenceView(Protocol):
    """Members in canonical order, interval, place, bindings, and the silent windows."""

    @property
    def members(self) -> tuple[Event, ...]: ...
    @property
    def start(self) -> Instant: ...
    @property
    def end(self) -> Instant: ...
    @property
    def names(self) -> Mapping[str, OccurrenceView]: ...
    @property
    def absences(self) -> tuple[tuple[Instant, Instant], ...]: ...
    @property
    def rows(self) -> Rows: ...
    @property
    def place(self) -> Geometry | None: ...
