"""Occurrences by definition: members, interval, place, names, rows; their combination and scopes.

The reference has its own class, so that a fault of the engine's class cannot hide in its oracle.
The scope of a name that is used in several places goes by nesting, since one occurrence must play
several roles there (OPSL 4.6, 4.7): its root is the lowest operator above all of them; the
operators between the places and the root, it included, are the scope.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from tocsin.errors import EventProblem
from tocsin.events.event import Event
from tocsin.plan.bindings import NOTHING_BOUND, Row, Rows
from tocsin.plan.nodes.composites import Either, Named, Part, parts_of
from tocsin.plan.nodes.expressions import Elements
from tocsin.reference.places import place_of
from tocsin.reference.values import scalars_at
from tocsin.values.space import Geometry, Metric
from tocsin.values.time import Instant

Identity = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceOccurrence:
    """Members in canonical order, with their least start and greatest end.

    The windows of absences widen the interval. `counted` are members that only a measure has.
    """

    members: tuple[Event, ...]
    start: Instant
    end: Instant
    names: Mapping[str, ReferenceOccurrence] = field(default_factory=dict)
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
        """Members that the part has itself, which no other part may have."""
        return frozenset(self.identity) - self.counted

    def place_by(self, metric: Metric) -> Geometry | None:
        """Return the place of all members together; None if no member has one."""
        return place_of(
            [member.place for member in self.members if member.place is not None], metric
        )

    @property
    def place(self) -> Geometry | None:
        """The place in the plane."""
        return self.place_by(Metric.PLANAR)

    def is_same(self, other: ReferenceOccurrence) -> bool:
        """True if both are one occurrence: the same members in the same interval."""
        return self.order == other.order

    def named(self, name: str) -> ReferenceOccurrence:
        """Return the same occurrence, known by a name."""
        return replace(self, names={**self.names, name: self})

    def with_elements(self, elements: Elements | None) -> ReferenceOccurrence:
        """Return it with a variable bound to each element of a list of its one event."""
        if elements is None:
            return self
        variable, path = elements
        found: list[Row] = [((variable, each),) for each in scalars_at(self.members[0], path)]
        return replace(self, rows=join_rows(self.rows, tuple(dict.fromkeys(found))))

    def silent_after(self, start: Instant, end: Instant) -> ReferenceOccurrence:
        """Return it with an event-free window that it lasts through."""
        return replace(self, end=max(self.end, end), absences=(*self.absences, (start, end)))

    def silent_before(self, start: Instant) -> ReferenceOccurrence:
        """Return it with an event-free window before it, with which it starts."""
        return replace(self, start=start, absences=(*self.absences, (start, self.start)))


def occurrence_of(event: Event, rows: Rows = NOTHING_BOUND) -> ReferenceOccurrence:
    """Return the occurrence of one event, with its bindings; raise if it has no time."""
    if event.interval is None:
        raise EventProblem(
            "an event without a time cannot take part in a composite", code="UntimedEvent"
        )
    return ReferenceOccurrence((event,), event.interval.start, event.interval.end, rows=rows)


def silence(start: Instant, end: Instant) -> ReferenceOccurrence:
    """Return the occurrence of an absence without a triggering event."""
    return ReferenceOccurrence((), start, end, absences=((start, end),))


def together(parts: Sequence[ReferenceOccurrence]) -> ReferenceOccurrence | None:
    """Combine parts into one occurrence.

    None if two disagree on a name or a value, or share a member without sharing a name.
    """
    if not all(_fit(one, other) for one, other in combinations(parts, 2)):
        return None
    rows = parts[0].rows
    for part in parts[1:]:
        rows = join_rows(rows, part.rows)
    if not rows:
        return None
    return ReferenceOccurrence(
        in_order(member for part in parts for member in part.members),
        min(part.start for part in parts),
        max(part.end for part in parts),
        {name: named for part in parts for name, named in part.names.items()},
        tuple(window for part in parts for window in part.absences),
        rows,
        counted_members(parts),
    )


def counted_members(parts: Sequence[ReferenceOccurrence]) -> frozenset[tuple[str, str]]:
    """Return the members that a measure has in one of the parts, and that no part takes."""
    nobody: frozenset[tuple[str, str]] = frozenset()
    taken = nobody.union(*(part.taken for part in parts))
    return nobody.union(*(part.counted for part in parts)) - taken


def in_order(members: Iterable[Event]) -> tuple[Event, ...]:
    """Return events in canonical order, each once."""
    once = {member.identity: member for member in members}
    return tuple(sorted(once.values(), key=lambda member: member.order))


def join_rows(left: Rows, right: Rows) -> Rows:
    """Return every union of a left and a right row that agree, each once."""
    united = [
        dict(one) | dict(other) for one in left for other in right if agree(dict(one), dict(other))
    ]
    rows: list[Row] = [tuple(sorted(each.items())) for each in united]
    return tuple(dict.fromkeys(rows))


def without(
    occurrence: ReferenceOccurrence, others: Iterable[ReferenceOccurrence]
) -> ReferenceOccurrence | None:
    """Return the occurrence without the rows that agree with a row of the others; None if no row is
    left.

    An absence is decided row by row: an event for one element of a list is no event for the next.
    """
    came = [dict(row) for other in others for row in other.rows]
    left = tuple(row for row in occurrence.rows if not any(agree(dict(row), each) for each in came))
    return replace(occurrence, rows=left) if left else None


def agree(one: Mapping[str, Hashable], other: Mapping[str, Hashable]) -> bool:
    """True if two rows have equal values for their common variables."""
    return all(one[variable] == other[variable] for variable in one.keys() & other.keys())


def _fit(one: ReferenceOccurrence, other: ReferenceOccurrence) -> bool:
    """True if two parts may be combined.

    Common names stand for the same, and every common member comes from such a name (OPSL, D4).
    """
    common = one.names.keys() & other.names.keys()
    if not all(one.names[name].is_same(other.names[name]) for name in common):
        return False
    shared = one.taken & other.taken
    return shared <= {member for name in common for member in one.names[name].identity}


@dataclass(frozen=True, slots=True)
class NameScope:
    """Scope of a name. A failure at a `required` operator fails the root: no alternative lies
    between.
    """

    root: Part
    operators: frozenset[Part]
    required: frozenset[Part]


def scopes_of(pattern: Part) -> Mapping[str, NameScope]:
    """Return the scope of every name that is used in two places or more."""
    parts = _from_the_inside_out(pattern)
    found: dict[str, NameScope] = {}
    for named in (part for part in parts if isinstance(part, Named)):
        users = [part for part in parts for inner in parts_of(part) if inner == named]
        if len(users) > 1:
            found[named.name] = _scope(parts, frozenset(users))
    return found


def _scope(parts: list[Part], users: frozenset[Part]) -> NameScope:
    within = {part: frozenset(_from_the_inside_out(part)) for part in parts}
    operators = [part for part in parts if not isinstance(part, Named)]
    above_all = [part for part in operators if users <= within[part]]
    root = min(above_all, key=_height)
    scope = [part for part in operators if part in within[root] and within[part] & users]
    alternatives = [part for part in scope if isinstance(part, Either)]
    required = [part for part in scope if not any(part in within[each] for each in alternatives)]
    return NameScope(root, frozenset(scope), frozenset(required))


def _from_the_inside_out(part: Part) -> list[Part]:
    """Return every different part once, after all parts inside it."""
    inner = [each for direct in parts_of(part) for each in _from_the_inside_out(direct)]
    return list(dict.fromkeys((*inner, part)))


def _height(part: Part) -> int:
    return 1 + max(map(_height, parts_of(part)), default=0)
