"""Dead letters and warnings. No input is lost silently.

A dead letter is input that could not be served, with the reason. Warnings are about events that are
served all the same, counted by kind, with the first of each.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from traceback import walk_tb
from typing import Any

from tocsin.errors import EventProblem, Problem
from tocsin.events.event import Event
from tocsin.values.time import Duration, Instant, format_duration, format_instant

MAX_INPUT = 4096
_SHOWN_LEVELS = 200

LATE = "late"

LIMIT = "LIMIT"
"""The code of input that exceeds the work limit."""

TOO_FAR_AHEAD = "TooFarAhead"

EVENT_WARNING = "EventWarning"
"""The code of a warning that is reported as a dead letter for want of another way: the event was
served.
"""

WINDOW_OVER = "WindowInPast"
"""The code of a subscription with a window that was over before time began."""

INTERNAL_ERROR = "InternalError"
"""The code of an internal error, raised for one event or one subscription."""

QUEUE_OVERFLOW = "QueueOverflow"
"""The code of a match lost by a subscriber that is too slow."""

_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A problem (code, reason), its position (line of the input, from 1) and the beginning of the
    input.

    `file` is the file of the line, if there are several. `subscription` is known if a fault
    concerns one alone; the reason names it as well.
    """

    code: str
    reason: str
    input: str
    line: int | None = None
    file: str | None = None
    subscription: str | None = field(default=None, compare=False)

    def in_file(self, file: str | None, line: int | None = None) -> DeadLetter:
        """Return the same letter with a file and, if given, another line."""
        return replace(self, file=file, line=line or self.line) if file or line else self

    def as_json(self) -> dict[str, Any]:
        """Return the dead letter as a JSON object."""
        file = {} if self.file is None else {"file": self.file}
        return {
            **file,
            "line": self.line,
            "code": self.code,
            "reason": self.reason,
            "input": self.input,
        }

    @property
    def place(self) -> str:
        """The position of the input, in words."""
        where = f"line {self.line}" if self.line else "no line of its own"
        return where if self.file is None else f"{where} of {self.file}"

    def text(self) -> str:
        """Return the dead letter as one line of JSON."""
        return json.dumps(self.as_json(), ensure_ascii=False, separators=(",", ":"))


def malformed_input(problem: Problem, raw: bytes | str, line: int | None = None) -> DeadLetter:
    """Return the dead letter of input that is not an event."""
    hint = f" ({problem.hint})" if problem.hint else ""
    return DeadLetter(problem.code, problem.message + hint, shown_input(raw), line)


def late(event: Event, line: int | None = None) -> DeadLetter:
    """Return the dead letter of an event behind the watermark."""
    return DeadLetter("LateEvent", LATE, json.dumps({"source": event.source, "id": event.id}), line)


def too_far_ahead(event: Event, allowed: Duration, line: int | None = None) -> DeadLetter:
    """Return the dead letter of an event with a wrong clock: it ends far after its arrival."""
    assert event.interval is not None
    return far_letter(
        event.interval.end, json.dumps({"source": event.source, "id": event.id}), allowed, line
    )


def far_letter(
    end: Instant, identity: str, allowed: Duration, line: int | None = None
) -> DeadLetter:
    """Return that dead letter for an event of which only the end and the identity, as JSON, are
    known.
    """
    reason = (
        f"too far ahead: the event ends at {format_instant(end)}, more than"
        f" {format_duration(allowed)} ahead of its time; it moves no clock and no composite sees it"
        " (mend the clock of its source, or allow more with `ahead`)"
    )
    return DeadLetter(TOO_FAR_AHEAD, reason, identity, line)


def unevaluable_event(event: Event, problem: Problem) -> DeadLetter:
    """Return the dead letter of an event that some subscriptions cannot be evaluated for."""
    return malformed_input(problem, json.dumps({"source": event.source, "id": event.id}))


def over_work_limit(event: Event, subscription: str | None) -> DeadLetter:
    """Return the dead letter of an event for which a subscription hits the work limit: no match."""
    who = "a part of a composite" if subscription is None else f"subscription {subscription!r}"
    reason = f"undecided: {who} hit the work limit for this event; no match"
    event_told = json.dumps({"source": event.source, "id": event.id})
    return DeadLetter(LIMIT, reason, event_told, subscription=subscription)


def render_failed(events: Sequence[Event], subscription: str, code: str, why: str) -> DeadLetter:
    """Return the dead letter of events whose match has an output that could not be built."""
    given_up = f"undecided: subscription {subscription!r} is not worked out for the event: {why}"
    reason = (
        given_up
        if code == LIMIT
        else f"subscription {subscription!r} builds nothing of the event: {why}"
    )
    members = [{"source": event.source, "id": event.id} for event in events]
    return DeadLetter(
        code,
        reason,
        json.dumps(members[0] if len(members) == 1 else members),
        subscription=subscription,
    )


def warning(event: Event, problem: Problem) -> DeadLetter:
    """Return the warning about a served event as a dead letter."""
    reason = f"{problem.code}: {problem.message}"
    return DeadLetter(EVENT_WARNING, reason, json.dumps({"source": event.source, "id": event.id}))


def too_many_hops(subscription: str, match: str) -> DeadLetter:
    """Return the dead letter of an output behind too many constructions."""
    reason = (
        f"what subscription {subscription!r} built is not published again: it lies behind too many"
        " constructions"
    )
    return DeadLetter(
        "HopLimitExceeded", reason, json.dumps({"subscription": subscription, "match": match})
    )


def invalid_output(subscription: str, match: str, problem: Problem) -> DeadLetter:
    """Return the dead letter of an output that cannot be published, as it is not a valid event."""
    reason = f"what subscription {subscription!r} built is not published again: {problem.message}"
    return DeadLetter(
        problem.code, reason, json.dumps({"subscription": subscription, "match": match})
    )


def too_many_built(origin: tuple[str, str], subscriptions: Sequence[str]) -> DeadLetter:
    """Return the dead letter of one generation of constructed events that is over the limit."""
    who = ", ".join(map(repr, dict.fromkeys(subscriptions)))
    reason = (
        f"what {len(subscriptions):,} matches of {who} built is not published again: too much comes"
        " of the event"
    )
    return DeadLetter(
        "FanOutLimitExceeded", reason, json.dumps({"source": origin[0], "id": origin[1]})
    )


def builds_no_more(event: Event, subscription: str) -> DeadLetter:
    """Return the dead letter of an event from which no further output is built: its origin has too
    many.
    """
    reason = (
        f"subscription {subscription!r} builds nothing of the event: too much is built from one"
        " event already"
    )
    return DeadLetter(
        "FanOutLimitExceeded", reason, json.dumps({"source": event.source, "id": event.id})
    )


def subscription_broken(subscription: str, problem: Problem, expression: str) -> DeadLetter:
    """Return the dead letter of a subscription that does not compile, new or after a change."""
    token = (
        f" ({problem.token!r})" if problem.token and problem.token not in problem.message else ""
    )
    place = f" at {problem.place}" if problem.place else ""
    hint = f" ({problem.hint})" if problem.hint else ""
    what = f"{problem.message}{token}{hint}"
    reason = f"subscription {subscription!r} no longer compiles{place}: {what}"
    return DeadLetter(problem.code, reason, shown_input(expression), subscription=subscription)


def state_too_large(subscription: str) -> DeadLetter:
    """Return the dead letter of a subscription suspended because its state is too large."""
    return DeadLetter(
        "QueueLimitExceeded",
        f"subscription {subscription!r} is suspended: more occurrences wait for it, or are to be"
        " combined again and again, than the limits allow (give it a window, a key to join on or a"
        " shorter horizon, then subscribe again)",
        subscription,
        subscription=subscription,
    )


def internal_error(
    error: BaseException, events: Sequence[Event] = (), subscription: str | None = None
) -> DeadLetter:
    """Return the dead letter of an internal error: its place in our code, the events, the
    subscription.
    """
    who = "an event" if subscription is None else f"subscription {subscription!r}"
    reason = f"{who} could not be served: {shown_error(error)} (the others are; please report it)"
    members = [{"source": event.source, "id": event.id} for event in events]
    shown: object = members[0] if len(members) == 1 else members or {"subscription": subscription}
    return DeadLetter(INTERNAL_ERROR, reason, json.dumps(shown), subscription=subscription)


def unreadable(error: BaseException, raw: object) -> DeadLetter:
    """Return the dead letter of input that raised an internal error; it may be an event."""
    try:
        shown = shown_input(raw if isinstance(raw, bytes | str) else shown_object(raw))
    except Exception:
        shown = type(raw).__name__
    return DeadLetter(
        INTERNAL_ERROR, f"it could not be read: {shown_error(error)} (please report it)", shown
    )


def watermark_forced(count: int, limit: int, until: str) -> DeadLetter:
    """Return the dead letter of a watermark forced ahead because too many events are buffered."""
    return DeadLetter(
        "QueueLimitExceeded",
        f"more than {limit} events are buffered; watermark forced past the first"
        f" {count} of them, and what ends before {until} is late from now on (shorten the lateness,"
        " or allow a higher queue_limit)",
        json.dumps({"waiting": count + limit, "limit": limit}),
    )


def slow_subscriber(subscription: str, text: str) -> DeadLetter:
    """Return the dead letter of a match that was dropped because its subscriber is too slow."""
    reason = (
        f"subscription {subscription!r} lost this match: its queue is full and the"
        " oldest match is dropped first"
    )
    return DeadLetter(QUEUE_OVERFLOW, reason, shown_input(text))


def suspended_for_slowness(subscription: str, size: int) -> DeadLetter:
    """Return the dead letter of a subscription suspended because its subscriber is too slow."""
    return DeadLetter(
        QUEUE_OVERFLOW,
        f"subscription {subscription!r} is suspended: more than {size} matches wait for its"
        " subscriber (receive faster, ask for less, or give the queue more room, then subscribe"
        " again)",
        subscription,
        subscription=subscription,
    )


def suspended_for_matches(subscription: str, passed: str) -> DeadLetter:
    """Return the dead letter of a subscription with too many matches; `passed` names the limit."""
    return DeadLetter(
        "MatchLimitExceeded",
        f"subscription {subscription!r} is suspended: {passed} beyond one for each event (give it"
        " a window, a key to join on or another policy, then subscribe again)",
        subscription,
        subscription=subscription,
    )


def receiver_failure(error: BaseException, text: str) -> DeadLetter:
    """Return the dead letter of a match whose receiver raised."""
    return DeadLetter(
        "DeliveryError", shown_input(f"{type(error).__name__}: {error}"), shown_input(text)
    )


def suspended_for_faults(subscription: str, error: BaseException, times: int) -> DeadLetter:
    """Return the dead letter of a subscription suspended because it raised repeatedly."""
    return DeadLetter(
        "SubscriptionSuspended",
        f"subscription {subscription!r} is suspended: {times} events in a row could not be served"
        f" for it, the last with {shown_error(error)} (say it in another way and subscribe again;"
        " please report it)",
        subscription,
        subscription=subscription,
    )


def shown_error(error: BaseException) -> str:
    """Return an error as text, with its place in our code."""
    text = shown_input(f"{type(error).__name__}: {error}")
    place = place_in_code(error)
    return text if place is None else f"{text} at {place}"


def place_in_code(error: BaseException) -> str | None:
    """Return file and line of the innermost of our functions in a traceback, or None."""
    passed = [
        (Path(frame.f_code.co_filename), line) for frame, line in walk_tb(error.__traceback__)
    ]
    ours = [(path, line) for path, line in passed if path.is_relative_to(_PACKAGE)]
    if not ours:
        return None
    path, line = ours[-1]
    return f"{path.relative_to(_PACKAGE.parent).as_posix()}:{line}"


def window_over(subscription: str) -> DeadLetter:
    """Return the dead letter of a subscription with an absolute window that was over before time
    began.
    """
    return DeadLetter(
        WINDOW_OVER,
        f"subscription {subscription!r} is not served: a window of it was over before the first"
        " event (give a window that ends later, or events of its time)",
        subscription,
        subscription=subscription,
    )


def shown_object(value: object) -> str:
    """Return the beginning of an object as Python text; the cost does not depend on its size or
    depth.
    """
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
    """Return the beginning of the input as text; bytes that are not UTF-8 become replacement
    characters.
    """
    text = raw[:MAX_INPUT].decode("utf-8", "replace") if isinstance(raw, bytes) else raw[:MAX_INPUT]
    return text.rstrip("\r\n").encode("utf-8", "replace").decode()


@dataclass(frozen=True, slots=True)
class EventWarning:
    """The event, the kind of warning, its message, and the name that it concerns."""

    source: str
    id: str
    code: str
    message: str
    token: str = ""

    @staticmethod
    def of(event: Event, problem: EventProblem) -> EventWarning:
        """Return the warning for a problem that does not refuse the event."""
        return EventWarning(event.source, event.id, problem.code, problem.message, problem.token)

    def __str__(self) -> str:
        return f"event {self.id}: {self.code}: {self.message}"


@dataclass(slots=True)
class Warned:
    """The number of warnings of each kind, and the first of each."""

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, EventWarning] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.counts.total()

    def add(self, warning: EventWarning) -> None:
        """Count a warning."""
        self.counts[warning.code] += 1
        self.first.setdefault(warning.code, warning)

    def lines(self) -> Iterator[str]:
        """Yield one line for each kind."""
        for code, count in sorted(self.counts.items()):
            yield (
                f"{count} x {code}, first for event {self.first[code].id}:"
                f" {self.first[code].message}"
            )
