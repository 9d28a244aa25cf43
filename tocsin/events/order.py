"""Canonical order and de-duplication: results never depend on arrival order, batches or
partitions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from operator import attrgetter

from tocsin.events.event import Event

_ORDER, _IDENTITY = attrgetter("order"), attrgetter("identity")


def in_canonical_order(events: Iterable[Event]) -> list[Event]:
    """Events by (end, start, source, id), each identity once.

    Of several events with one identity the first in this order counts; where even their times
    agree, the one whose content reads first, so that the choice does not depend on who came first.
    """
    ordered = sorted(events, key=_ORDER)
    first = dict(zip(map(_IDENTITY, ordered), ordered, strict=True))
    if len(first) == len(ordered):
        return ordered
    first.clear()
    for event in ordered:
        known = first.setdefault(event.identity, event)
        if known is not event and known.order == event.order and content(event) < content(known):
            first[event.identity] = event
    return list(first.values())


def content(event: Event) -> str:
    """The event as text that does not depend on the order of members."""
    return json.dumps(
        [event.envelope, event.data, event.place_source], sort_keys=True, ensure_ascii=False
    )
