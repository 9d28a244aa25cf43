"""Events from matches: an output of a construction is an event, with the match's events as lineage.

Its id has the number of constructions behind it, so that a loop of subscriptions ends on every
host.
"""

from __future__ import annotations

import re

from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.values.time import format_instant

HOP_LIMIT = 16
"""The number of constructions that may follow one another."""

SOURCE = "tocsin/"
"""The beginning of the source of constructed events, before the subscription."""

ID_PATTERN = r"^constructed-([0-9]{1,3})-"
"""The beginning of the id of constructed events; the group is the number of hops."""


def hops_behind(id: str) -> int:
    """Return the number of constructions behind an event id; 0 if it was not constructed."""
    found = re.match(ID_PATTERN, id)
    return int(found[1]) if found else 0


def hops_of(match: Match) -> int:
    """Return the number of constructions behind the outputs of a match."""
    return 1 + max(map(hops_behind, match.events), default=0)


def constructed_events(match: Match) -> list[Event]:
    """Return the events of the outputs of a match; [] past the limit of hops."""
    return (
        []
        if hops_of(match) > HOP_LIMIT
        else [from_mapping(body) for body in constructed_bodies(match)]
    )


def constructed_bodies(match: Match) -> list[dict[str, object]]:
    """Return the outputs of a match as CloudEvents objects, without a limit."""
    hops = hops_of(match)
    time = {} if match.detected is None else {"time": format_instant(match.detected)}
    return [
        {
            "specversion": "1.0",
            "id": f"constructed-{hops}-{match.id}-{number}",
            "source": f"{SOURCE}{match.subscription}",
            "type": "constructed",
            **time,
            "datacontenttype": "application/xml",
            "lineage": " ".join(match.events),
            "hops": hops,
            "data": text,
        }
        for number, text in enumerate(match.outputs, 1)
    ]
