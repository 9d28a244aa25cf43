"""A dead letter: input that could not be served, with the reason. Nothing vanishes silently."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.values.time import Duration, Instant, format_duration, format_instant

MAX_INPUT = 4096
_SHOWN_LEVELS = 200

LATE = "late"

LIMIT = "LIMIT"
"""The code of what was too much work."""

TOO_FAR_AHEAD = "TooFarAhead"

EVENT_WARNING = "EventWarning"
"""The code of what is told like a dead letter where there is no other way: the event itself was served."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """What was wrong (code, reason), where (line of the input, from 1) and the beginning of the input itself."""

    code: str
    reason: str
    input: str
    line: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The dead letter as a JSON object."""
        return {"line": self.line, "code": self.code, "reason": self.reason, "input": self.input}

    def text(self) -> str:
        """The dead letter as one line of JSON."""
        return json.dumps(self.as_json(), ensure_ascii=False, separators=(",", ":"))


def malformed(problem: Problem, raw: bytes | str, line: int | None = None) -> DeadLetter:
    """The dead letter of input that is no event."""
    hint = f" ({problem.hint})" if problem.hint else ""
    return DeadLetter(problem.code, problem.message + hint, shown_input(raw), line)


def late(event: Event, line: int | None = None) -> DeadLetter:
    """The dead letter of an event behind the watermark."""
    return DeadLetter("LateEvent", LATE, json.dumps({"source": event.source, "id": event.id}), line)


def too_far_ahead(event: Event, allowed: Duration, line: int | None = None) -> DeadLetter:
    """The dead letter of an event whose clock is wrong: it ends too far ahead of the time that it came."""
    assert event.interval is not None
    return far_letter(event.interval.end, json.dumps({"source": event.source, "id": event.id}), allowed, line)


def far_letter(end: Instant, who: str, allowed: Duration, line: int | None = None) -> DeadLetter:
    """The same of an event of which only the end and the identity, as JSON, are known."""
    reason = (
        f"too far ahead: the event ends at {format_instant(end)}, more than {format_duration(allowed)} ahead of its"
        " time; it moves no clock and no composite sees it (mend the clock of its source, or allow more with `ahead`)"
    )
    return DeadLetter(TOO_FAR_AHEAD, reason, who, line)


def refused(event: Event, problem: Problem) -> DeadLetter:
    """The dead letter of an event that a part of the subscriptions cannot be asked about."""
    return malformed(problem, json.dumps({"source": event.source, "id": event.id}))


def undecided(event: Event, subscription: str | None) -> DeadLetter:
    """The dead letter of an event that a subscription is too hard to decide for: it does not ring, and this is told."""
    who = "a part of a composite" if subscription is None else f"subscription {subscription!r}"
    reason = f"undecided: {who} could not be decided for the event within the limits; it does not ring"
    return DeadLetter(LIMIT, reason, json.dumps({"source": event.source, "id": event.id}))


def untold(events: Sequence[Event], subscription: str, code: str, why: str) -> DeadLetter:
    """The dead letter of events for which a subscription has nothing to tell, because it could not be built."""
    given_up = f"undecided: subscription {subscription!r} is not worked out for the event: {why}"
    reason = given_up if code == LIMIT else f"subscription {subscription!r} builds nothing of the event: {why}"
    members = [{"source": event.source, "id": event.id} for event in events]
    return DeadLetter(code, reason, json.dumps(members[0] if len(members) == 1 else members))


def warning(event: Event, problem: Problem) -> DeadLetter:
    """What is odd about an event that was served, as a letter."""
    reason = f"{problem.code}: {problem.message}"
    return DeadLetter(EVENT_WARNING, reason, json.dumps({"source": event.source, "id": event.id}))


def too_many_hops(subscription: str, match: str) -> DeadLetter:
    """The dead letter of what was built out of too many constructions one behind the other."""
    reason = f"what subscription {subscription!r} built is not published again: it lies behind too many constructions"
    return DeadLetter("HopLimitExceeded", reason, json.dumps({"subscription": subscription, "match": match}))


def broken(subscription: str, problem: Problem, expression: str) -> DeadLetter:
    """The dead letter of a subscription that does not compile, as it came or after a definition has changed."""
    token = f" ({problem.token!r})" if problem.token and problem.token not in problem.message else ""
    place = f" at {problem.place}" if problem.place else ""
    hint = f" ({problem.hint})" if problem.hint else ""
    reason = f"subscription {subscription!r} rings no more{place}: {problem.message}{token}{hint}"
    return DeadLetter(problem.code, reason, shown_input(expression))


def suspended(subscription: str) -> DeadLetter:
    """The dead letter of a subscription that was suspended because too much waited for it."""
    return DeadLetter(
        "QueueLimitExceeded",
        f"subscription {subscription!r} is suspended: more occurrences wait for it, or are to be combined again and"
        " again, than the limits allow"
        " (give it a window, a key to join on or a shorter horizon, then subscribe again)",
        subscription,
    )


def crowded(limit: int) -> DeadLetter:
    """The dead letter of a host where more events wait for the watermark than may."""
    return DeadLetter(
        "QueueLimitExceeded",
        f"more than {limit:,} events wait for the watermark: the oldest are served now, and what comes later than they"
        " is late (give a shorter lateness or a higher limit)",
        "",
    )


def window_over(subscription: str) -> DeadLetter:
    """The dead letter of a subscription with a window of absolute time that was over before time began here."""
    return DeadLetter(
        "WindowInPast",
        f"subscription {subscription!r} is not served: a window of it was over before the first event"
        " (give a window that ends later, or events of its time)",
        subscription,
    )


def shown_object(value: object) -> str:
    """The beginning of an object in memory as Python writes it, however large or deep it is."""
    text = ""
    for piece in _pieces_of(value, _SHOWN_LEVELS):
        text += piece
        if len(text) >= MAX_INPUT:
            break
    return shown_input(text)


def _pieces_of(value: object, levels: int) -> Iterator[str]:
    if not isinstance(value, Mapping | list | tuple):
        yield repr(value[:MAX_INPUT] if isinstance(value, str | bytes) else value)
        return
    if levels == 0:
        yield "..."
        return
    is_mapping = isinstance(value, Mapping)
    yield "{" if is_mapping else "["
    for number, item in enumerate(value.items() if isinstance(value, Mapping) else value):
        yield ", " if number else ""
        if is_mapping:
            yield f"{item[0]!r}: "
        yield from _pieces_of(item[1] if is_mapping else item, levels - 1)
    yield "}" if is_mapping else "]"


def shown_input(raw: bytes | str) -> str:
    """The beginning of the input as text; bytes that are no UTF-8 are shown as replacement characters."""
    text = raw[:MAX_INPUT].decode("utf-8", "replace") if isinstance(raw, bytes) else raw[:MAX_INPUT]
    return text.rstrip("\r\n").encode("utf-8", "replace").decode()
