"""Reception time: an event lasts from its publication to its reception.

An event without an `endtime` ends at its `receivedtime`, a context attribute that a live host
stamps if it is absent. The result is written into the event, so that logs, state and members give
the same answer again. If the receiver's clock is behind the publisher's, the end would precede the
start: such an event keeps its own end.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.base.cloudevents import instant_of
from tocsin.events.event import Event
from tocsin.values.time import Instant, Interval, format_instant

RECEIVED = "receivedtime"


class EventEndRule(StrEnum):
    """Rule for the end of an event without endtime: its start, or its reception."""

    START = "start"
    RECEPTION = "reception"


def parse_event_end_rule(given: object) -> EventEndRule:
    """Return the rule of a setting, by default START; raises if it is unknown."""
    try:
        # any other type is not a rule either
        return EventEndRule.START if given is None else EventEndRule(given)  # type: ignore[arg-type]
    except ValueError:
        raise MeaningProblem(
            f"interval {given!r} is not known",
            code="IntervalError",
            token="interval",
            hint=f"one of {', '.join(EventEndRule)}",
        ) from None


def stamp_reception(event: Event, now: Instant | None = None) -> Event:
    """Return the event with its reception as end; `now` is stamped if it has no reception time."""
    stamp = event.envelope.get(RECEIVED)
    if stamp is None and now is None:
        return event
    instant = now if stamp is None else instant_of(RECEIVED, stamp)
    assert instant is not None
    added: dict[str, Any] = {} if stamp is not None else {RECEIVED: format_instant(instant)}
    interval = event.interval
    if interval is not None and "endtime" not in event.envelope and instant >= interval.start:
        interval = Interval(interval.start, instant)
        added["endtime"] = added.get(RECEIVED, stamp)
    return _with(event, added, interval) if added else event


def _with(event: Event, added: dict[str, Any], interval: Interval | None) -> Event:
    changed = Event({**event.envelope, **added}, event.data, interval, event.place_source)
    changed._place = event._place  # parsed already for the check
    return changed
