"""Reception time: an event lasts from when it was published to when it was received.

An event that states no `endtime` ends at its `receivedtime`, a context attribute that a live host
stamps where it is absent. What follows is written into the event, so that logs, state and members
give the same answer again. A receiver whose clock is behind the publisher's makes no event end
before it begins: such an event keeps its own end.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.base.cloudevents import instant_of
from tocsin.events.event import Event
from tocsin.values.time import Instant, Interval, format_instant

RECEIVED = "receivedtime"


class Ends(StrEnum):
    """When an event ends that does not say: when it starts, or when it was received."""

    START = "start"
    RECEPTION = "reception"


def ends_named(given: object) -> Ends:
    """The rule that a setting asks for, None being the usual one; a problem where there is
    no such.
    """
    try:
        # what is no text is no rule either
        return Ends.START if given is None else Ends(given)  # type: ignore[arg-type]
    except ValueError:
        raise MeaningProblem(
            f"interval {given!r} is not known",
            code="IntervalError",
            token="interval",
            hint=f"one of {', '.join(Ends)}",
        ) from None


def received(event: Event, now: Instant | None = None) -> Event:
    """The event as it is when its reception counts; `now` is stamped where the event does not say
    when it came.
    """
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
    changed._place = event._place  # read already, where it was checked
    return changed
