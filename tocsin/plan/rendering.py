"""From an occurrence to a match: what a subscriber is told when a composite rings."""

from __future__ import annotations

from tocsin.events.match import Match, match_id
from tocsin.plan.occurrence import Occurrence
from tocsin.values.space import format_place
from tocsin.values.time import format_instant


def match_of(subscription: str, occurrence: Occurrence) -> Match:
    """The match of a composite subscription. Names are bound to event ids, absences to their windows."""
    place = occurrence.place
    windows = [f"{format_instant(start)}/{format_instant(end)}" for start, end in occurrence.absences]
    bindings = {name: " ".join(each.id for each in bound.members) for name, bound in sorted(occurrence.names.items())}
    bindings |= {f"absence{number or ''}": window for number, window in enumerate(windows)}
    return Match(
        subscription,
        tuple(member.id for member in occurrence.members),
        occurrence.start,
        occurrence.end,
        occurrence.end,
        None if place is None else format_place(place),
        match_id(subscription, occurrence.identity, *windows),
        bindings,
    )
