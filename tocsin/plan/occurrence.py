"""An occurrence of a part: which events, when, where, and which occurrences its named parts are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tocsin.errors import EventProblem
from tocsin.events.event import Event
from tocsin.values.space import Geometry, extent
from tocsin.values.time import Instant

Identity = tuple[tuple[str, str], ...]
"""The identities of the members, in canonical order."""


@dataclass(frozen=True, slots=True, eq=False)
class Occurrence:
    """Members in canonical order; start and end span them, or the window of an absence. Detected when it ends."""

    members: tuple[Event, ...]
    start: Instant
    end: Instant
    names: Mapping[str, Occurrence] = field(default_factory=dict)
    absences: tuple[tuple[Instant, Instant], ...] = ()

    @property
    def identity(self) -> Identity:
        """Two occurrences of one part with equal identity and interval are the same."""
        return tuple(member.identity for member in self.members)

    @property
    def order(self) -> tuple[Instant, Instant, Identity]:
        """Canonical order: by end, start and members."""
        return (self.end, self.start, self.identity)

    @property
    def place(self) -> Geometry | None:
        """The extent of the members' places together; None where no member has one."""
        return extent([member.place for member in self.members if member.place is not None])

    def is_same(self, other: Occurrence) -> bool:
        """Whether both are one and the same occurrence."""
        return (self.identity, self.start, self.end) == (other.identity, other.start, other.end)


def occurrence_of(event: Event) -> Occurrence:
    """The occurrence that is one event; an event without a time has no place in time and occurs in no composite."""
    if event.interval is None:
        raise EventProblem("an event without a time cannot take part in a composite", code="UntimedEvent")
    return Occurrence((event,), event.interval.start, event.interval.end)


def combined(parts: Sequence[Occurrence]) -> Occurrence | None:
    """The occurrence of all parts together, or None where they disagree on a name or share a member by chance."""
    names: dict[str, Occurrence] = {}
    members: dict[tuple[str, str], Event] = {}
    shared: set[tuple[str, str]] = set()
    for part in parts:
        for name, occurrence in part.names.items():
            if name in names:
                if not names[name].is_same(occurrence):
                    return None
                shared.update(occurrence.identity)
            else:
                names[name] = occurrence
        for member in part.members:
            if member.identity in members and member.identity not in shared:
                return None
            members[member.identity] = member
    return Occurrence(
        tuple(sorted(members.values(), key=lambda member: member.order)),
        min(part.start for part in parts),
        max(part.end for part in parts),
        names,
        tuple(window for part in parts for window in part.absences),
    )
