"""Codec of occurrences as plain data, each event once.

An event that was never decoded in full is written as the text that it arrived as.
"""

from __future__ import annotations

from typing import Any

from tocsin.engine.detection.base import State
from tocsin.engine.json_scan.batch_reader import scan_events
from tocsin.events.codecs.base.cloudevents import decode, event_of
from tocsin.events.event import Event, ScannedEvent
from tocsin.events.views.epcis import EpcisData
from tocsin.plan.bindings import NOTHING_BOUND
from tocsin.plan.semantics.occurrence import Occurrence

_EPCIS = "epcis"


class OccurrenceWriter:
    """Encoder of occurrences; events are numbered and written once.

    An occurrence buffered in several places is one and the same plain object in all of them, so
    that a packer of snapshots may write it once too.
    """

    def __init__(self) -> None:
        self.events: list[State | str] = []
        self._numbers: dict[tuple[str, str], int] = {}
        self._written: dict[Occurrence, State] = {}

    def write(self, occurrence: Occurrence) -> State:
        """Return the occurrence as plain data, its members by number."""
        body = self._written.get(occurrence)
        if body is None:
            body = self._written[occurrence] = self._body(occurrence)
        return body

    def _body(self, occurrence: Occurrence) -> State:
        body: State = {
            "members": [self._number(member) for member in occurrence.members],
            "start": occurrence.start,
            "end": occurrence.end,
        }
        if occurrence.names:
            body["names"] = {name: self.write(each) for name, each in occurrence.names.items()}
        if occurrence.absences:
            body["absences"] = [list(window) for window in occurrence.absences]
        if occurrence.rows != NOTHING_BOUND:
            body["rows"] = [_plain(row) for row in occurrence.rows]
        if counted := occurrence.counted:
            body["counted"] = [
                self._number(member) for member in occurrence.members if member.identity in counted
            ]
        return body

    def _number(self, event: Event) -> int:
        number = self._numbers.setdefault(event.identity, len(self.events))
        if number == len(self.events):
            self.events.append(_event_body(event))
        return number


class OccurrenceReader:
    """Decoder of plain data back into occurrences."""

    def __init__(self, events: list[State | str]) -> None:
        usual = iter(scan_events([body for body in events if isinstance(body, str)]))
        self._events = [
            _event(body) if isinstance(body, dict) else next(usual) or decode(body)
            for body in events
        ]

    def read(self, body: State) -> Occurrence:
        """Return the occurrence that was written."""
        return Occurrence(
            tuple(self._events[number] for number in body["members"]),
            body["start"],
            body["end"],
            {name: self.read(each) for name, each in body.get("names", {}).items()},
            tuple((start, end) for start, end in body.get("absences", ())),
            tuple(map(_value, body["rows"])) if "rows" in body else NOTHING_BOUND,
            frozenset(self._events[number].identity for number in body.get("counted", ())),
        )


def _plain(value: Any) -> Any:
    """Return a row, or a value in one, with lists for tuples."""
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _value(plain: Any) -> Any:
    return tuple(map(_value, plain)) if isinstance(plain, list) else plain


def _event_body(event: Event) -> State | str:
    if isinstance(event, ScannedEvent):
        return event.raw.decode()
    place = {} if event.place_source is None else {"place": event.place_source}
    body = {**event.envelope, **place, "data": event.data}
    return {_EPCIS: body} if isinstance(event.data, EpcisData) else body


def _event(body: State) -> Event:
    """Return the event of a written body. EPCIS in its normal form is marked: it looks like any
    other object.
    """
    if _EPCIS not in body:
        return event_of(body)
    event = event_of({name: value for name, value in body[_EPCIS].items() if name != "data"})
    return Event(
        event.envelope, EpcisData(body[_EPCIS]["data"]), event.interval, event.place_source
    )
