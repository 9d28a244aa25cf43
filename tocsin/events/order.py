"""Canonical order and de-duplication: results never depend on arrival, batches or partitions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from tocsin.events.event import UNTIMED, Event

Ends = npt.NDArray[np.int64]
"""The ends of events as a column; UNTIMED for those without a time."""

MANY = 32
"""The number of events from which they are sorted by columns."""

_ORDER, _IDENTITY = attrgetter("order"), attrgetter("source", "id")


def ends_of(events: Iterable[Event]) -> Ends:
    """Return the end of each event."""
    intervals = [event.interval for event in events]
    ends = [UNTIMED if interval is None else interval.end for interval in intervals]
    return np.array(ends, np.int64)


def ordered_by(events: list[Event], ends: Ends) -> list[Event]:
    """Sort events by (end, start, source, id): by their ends, then ties by the rest of the key.

    Most input is sorted already, which is checked first.
    """
    if (ends[1:] > ends[:-1]).all():
        return events
    places = np.argsort(ends, kind="stable")
    ordered, ends = [events[place] for place in places.tolist()], ends[places]
    cuts = np.flatnonzero(ends[1:] != ends[:-1]) + 1
    firsts, lasts = np.append(0, cuts), np.append(cuts, len(ends))
    tied = lasts - firsts > 1
    for first, last in zip(firsts[tied].tolist(), lasts[tied].tolist(), strict=True):
        ordered[first:last] = sorted(ordered[first:last], key=_ORDER)
    return ordered


def in_canonical_order(events: Iterable[Event]) -> list[Event]:
    """Return events by (end, start, source, id), each identity once.

    Of several events with one identity the first in this order counts; if their times are equal
    too, the one whose content sorts first, so that the choice does not depend on arrival.
    """
    given = list(events)
    many = len(given) >= MANY
    ordered = ordered_by(given, ends_of(given)) if many else sorted(given, key=_ORDER)
    if len(set(map(_IDENTITY, ordered))) == len(ordered):
        return ordered
    first: dict[tuple[str, str], Event] = {}
    for event in ordered:
        known = first.setdefault(event.identity, event)
        if known is not event and known.order == event.order and content(event) < content(known):
            first[event.identity] = event
    return list(first.values())


def content(event: Event) -> str:
    """Return the event as text that does not depend on the order of members."""
    return json.dumps(
        [event.envelope, event.data, event.place_source], sort_keys=True, ensure_ascii=False
    )
