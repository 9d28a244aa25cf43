"""Capture: a document becomes rows of the event log, and a job with the result.

An unreadable document is refused. Of a document with wrong events nothing is captured (`rollback`),
or everything but these (`proceed`). An event gets the time of its capture. Without an eventID it
gets the hash of its content, so that the same event captured again is the same event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from tocsin.errors import EventProblem, LimitProblem, Problem
from tocsin.events.codecs.base.cloudevents import encode
from tocsin.events.codecs.epcis import decode_each
from tocsin.events.codecs.epcis.document import TOO_MANY, looks_like_xml
from tocsin.events.event import Event
from tocsin.events.views.epcis import EpcisData
from tocsin.service.epcis.exceptions import (
    CAPTURE_LIMIT,
    UNSUPPORTED_MEDIA_TYPE,
    VALIDATION,
    EpcisException,
    exception_of,
)
from tocsin.service.epcis.index import add_record_fields
from tocsin.service.storage.rows import NewRow
from tocsin.values.time import Instant, format_instant

ROLLBACK, PROCEED = "rollback", "proceed"
_BEHAVIOURS = {"": ROLLBACK, ROLLBACK: ROLLBACK, PROCEED: PROCEED, "all": PROCEED}
JSON_TYPES = ("application/json", "application/ld+json")
XML_TYPES = ("application/xml", "text/xml")
_MAX_ERRORS = 100


@dataclass(frozen=True, slots=True)
class Captured:
    """The events of a document, and the problems of the wrong ones."""

    events: tuple[Event, ...]
    errors: tuple[EventProblem, ...]
    behaviour: str

    @property
    def stored(self) -> tuple[Event, ...]:
        """The events to store; none if an event is wrong and the behaviour is rollback."""
        is_kept = not self.errors or self.behaviour == PROCEED
        return self.events if is_kept else ()


def behaviour_of(header: str) -> str:
    """Return the behaviour for wrong events; raise EpcisException for an unknown header."""
    found = _BEHAVIOURS.get(header.strip().lower())
    if found is None:
        raise EpcisException(
            VALIDATION,
            f"GS1-Capture-Error-Behaviour is rollback or proceed, got {header[:40]!r}",
            token="GS1-Capture-Error-Behaviour",
        )
    return found


def require_media_type(content_type: str, body: bytes) -> None:
    """Raise EpcisException if a body is not of a captured type, or not of its own type."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in (*JSON_TYPES, *XML_TYPES):
        raise EpcisException(
            UNSUPPORTED_MEDIA_TYPE,
            f"the content type {kind or '(none)'!r} is not captured",
            token=kind,
            hint=f"one of {', '.join((*JSON_TYPES, *XML_TYPES))}",
        )
    if looks_like_xml(body) != (kind in XML_TYPES):
        raise EpcisException(VALIDATION, f"the document is not what its type {kind} says")


def read_document(body: bytes, behaviour: str, now: Instant, most: int) -> Captured:
    """Return the events of a document; raise EpcisException if it is unreadable or too large."""
    try:
        found = decode_each(body, most=most)
    except (EventProblem, LimitProblem) as problem:
        if problem.code != TOO_MANY:
            raise exception_of(VALIDATION, problem) from None
        raise EpcisException(
            CAPTURE_LIMIT,
            f"the document has more than {most:,} events, which is the limit",
            hint="capture it in several documents",
        ) from None
    events = tuple(_captured(each, now) for each in found if isinstance(each, Event))
    errors = tuple(each for each in found if isinstance(each, EventProblem))
    return Captured(events, errors, behaviour)


def read_event(body: bytes, now: Instant) -> Event:
    """Return the only event of a body; raise EpcisException if it is wrong or one of several."""
    captured = read_document(body, ROLLBACK, now, most=2)
    if captured.errors:
        raise exception_of(VALIDATION, captured.errors[0])
    if len(captured.events) != 1:
        raise EpcisException(
            VALIDATION, "the body is not one event", hint="capture documents with POST /capture"
        )
    return captured.events[0]


def rows_of(events: Sequence[Event], tenant: str) -> list[NewRow]:
    """Return the rows of the log for events."""
    return [NewRow(encode(event).encode(), tenant, events=(event,)) for event in events]


def job_of(captured: Captured, created: Instant, finished: Instant) -> dict[str, Any]:
    """Return the document of a finished job."""
    return {
        "captureID": str(uuid4()),
        "createdAt": format_instant(created),
        "finishedAt": format_instant(finished),
        "running": False,
        "success": not captured.errors,
        "captureErrorBehaviour": captured.behaviour,
        "errors": [_error(problem) for problem in captured.errors[:_MAX_ERRORS]],
    }


def _error(problem: Problem) -> dict[str, Any]:
    return exception_of(VALIDATION, problem).as_json()


def _captured(event: Event, now: Instant) -> Event:
    """Return an event with the time of capture as its recordTime, whatever the document says."""
    given = {**event.attributes, "recordTime": format_instant(now)}
    timed = Event(event.envelope, EpcisData(given), event.interval, event.place_source)
    return add_record_fields(timed, now)
