"""Events out of matches: what a construction puts out is an event again, with the events it came
from as its lineage.

Its id says how many constructions lie behind it, so that a loop of subscriptions comes to an end on
every host.
"""

from __future__ import annotations

import re

from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.values.time import format_instant

HOP_LIMIT = 16
"""So many constructions may lie one behind the other."""

SOURCE = "tocsin/"
"""What the sources of constructed events begin with; the subscription follows."""

ID_PATTERN = r"^constructed-([0-9]{1,3})-"
"""What the ids of constructed events begin with; the group is the number of hops."""


def hops_behind(id: str) -> int:
    """How many constructions lie behind the event with an id."""
    found = re.match(ID_PATTERN, id)
    return int(found[1]) if found else 0


def hops_of(match: Match) -> int:
    """How many constructions lie behind what a match puts out."""
    return 1 + max(map(hops_behind, match.events), default=0)


def constructed_events(match: Match) -> list[Event]:
    """The events that the outputs of a match are; none where they are past the limit."""
    return (
        []
        if hops_of(match) > HOP_LIMIT
        else [from_mapping(body) for body in constructed_bodies(match)]
    )


def constructed_bodies(match: Match) -> list[dict[str, object]]:
    """The same as CloudEvents objects, whatever the limit."""
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
