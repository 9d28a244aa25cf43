"""Occurrences as the definitions have them: members, interval, place, names, rows; and how several
become one.

The reference has a class of its own, so that a slip in the engine's cannot hide in its oracle.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from tocsin.errors import EventProblem
from tocsin.events.event import Event
from tocsin.plan.bindings import NOTHING_BOUND, Row, Rows
from tocsin.plan.nodes.list_elements import Elements
from tocsin.reference.places import place_of
from tocsin.reference.values import scalars_at
from tocsin.values.space import Geometry, Metric
from tocsin.values.time import Instant

Identity = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Occurrence:
    """Members in canonical order; the least start and the greatest end of them, widened by the
    windows of absences. `counted` are members that nothing but a measure has.
    """

    members: tuple[Event, ...]
    start: Instant
    end: Instant
    names: Mapping[str, Occurrence] = field(default_factory=dict)
    absences: tuple[tuple[Instant, Instant], ...] = ()
    rows: Rows = NOTHING_BOUND
    counted: frozenset[tuple[str, str]] = frozenset()

    @property
    def identity(self) -> Identity:
        """The identities of the members, in canonical order."""
        return tuple(member.identity for member in self.members)

    @property
    def order(self) -> tuple[Instant, Instant, Identity]:
        """Canonical order: by end, start and members."""
        return (self.end, self.start, self.identity)

    @property
    def taken(self) -> frozenset[tuple[str, str]]:
        """The members that a part stands for itself, which no other part may have."""
        return frozenset(self.identity) - self.counted

    def place_by(self, metric: Metric) -> Geometry | None:
        """The place of all members together; None where no member has one."""
        return place_of(
            [member.place for member in self.members if member.place is not None], metric
        )

    @property
    def place(self) -> Geometry | None:
        """The place in the plane."""
        return self.place_by(Metric.PLANAR)

    def is_same(self, other: Occurrence) -> bool:
        """Whether both are one occurrence: the same members in the same interval."""
        return self.order == other.order

    def named(self, name: str) -> Occurrence:
        """The same occurrence, known by a name."""
        return replace(self, names={**self.names, name: self})

    def with_elements(self, elements: Elements | None) -> Occurrence:
        """With a variable bound to each element of a list of its one event."""
        if elements is None:
            return self
        variable, path = elements
        found: list[Row] = [((variable, each),) for each in scalars_at(self.members[0], path)]
        return replace(self, rows=join_rows(self.rows, tuple(dict.fromkeys(found))))

    def silent_after(self, start: Instant, end: Instant) -> Occurrence:
        """With a silent window that it lasts through."""
        return replace(self, end=max(self.end, end), absences=(*self.absences, (start, end)))

    def silent_before(self, start: Instant) -> Occurrence:
        """With a silent window in front, with which it starts."""
        return replace(self, start=start, absences=(*self.absences, (start, self.start)))


def occurrence_of(event: Event, rows: Rows = NOTHING_BOUND) -> Occurrence:
    """The occurrence that is one event, with what it binds; one without a time occurs in no
    composite.
    """
    if event.interval is None:
        raise EventProblem(
            "an event without a time cannot take part in a composite", code="UntimedEvent"
        )
    return Occurrence((event,), event.interval.start, event.interval.end, rows=rows)


def silence(start: Instant, end: Instant) -> Occurrence:
    """The occurrence of an absence that nothing set going."""
    return Occurrence((), start, end, absences=((start, end),))


def together(parts: Sequence[Occurrence]) -> Occurrence | None:
    """The occurrence of all parts; None where two disagree on a name or a value, or take one member
    by chance.
    """
    if not all(_fit(one, other) for one, other in combinations(parts, 2)):
        return None
    rows = parts[0].rows
    for part in parts[1:]:
        rows = join_rows(rows, part.rows)
    if not rows:
        return None
    return Occurrence(
        in_order(member for part in parts for member in part.members),
        min(part.start for part in parts),
        max(part.end for part in parts),
        {name: named for part in parts for name, named in part.names.items()},
        tuple(window for part in parts for window in part.absences),
        rows,
        only_counted(parts),
    )


def only_counted(parts: Sequence[Occurrence]) -> frozenset[tuple[str, str]]:
    """The members that a measure has in one of the parts, and that none of them takes."""
    nobody: frozenset[tuple[str, str]] = frozenset()
    taken = nobody.union(*(part.taken for part in parts))
    return nobody.union(*(part.counted for part in parts)) - taken


def in_order(members: Iterable[Event]) -> tuple[Event, ...]:
    """Events in canonical order, each once."""
    once = {member.identity: member for member in members}
    return tuple(sorted(once.values(), key=lambda member: member.order))


def join_rows(left: Rows, right: Rows) -> Rows:
    """Every row of the left united with every row of the right that agrees on the variables of
    both, each once.
    """
    united = [
        dict(one) | dict(other) for one in left for other in right if agree(dict(one), dict(other))
    ]
    rows: list[Row] = [tuple(sorted(each.items())) for each in united]
    return tuple(dict.fromkeys(rows))


def without(occurrence: Occurrence, others: Iterable[Occurrence]) -> Occurrence | None:
    """The occurrence with the rows that agree with no row of the others; None where no row is left.

    An absence is judged row by row: what came for one element of a list did not come for the next.
    """
    came = [dict(row) for other in others for row in other.rows]
    left = tuple(row for row in occurrence.rows if not any(agree(dict(row), each) for each in came))
    return replace(occurrence, rows=left) if left else None


def agree(one: Mapping[str, Hashable], other: Mapping[str, Hashable]) -> bool:
    """Whether two rows give the variables of both the same values."""
    return all(one[variable] == other[variable] for variable in one.keys() & other.keys())


def _fit(one: Occurrence, other: Occurrence) -> bool:
    """Whether names of both stand for the same, and every member that both take comes from such a
    name (OPSL, D4).
    """
    common = one.names.keys() & other.names.keys()
    if not all(one.names[name].is_same(other.names[name]) for name in common):
        return False
    shared = one.taken & other.taken
    return shared <= {member for name in common for member in one.names[name].identity}
