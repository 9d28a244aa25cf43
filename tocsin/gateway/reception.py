"""What publishers send becomes rows of the log: one CloudEvents JSON text for each event, or the
reason why it is none.

CloudEvents come structured, batched, as lines or with their attributes in the headers; documents
come by their content type, and what has no envelope gets one: the time is that of its reception.
"""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from urllib.parse import unquote

from tocsin.engine.texts.reading import scanned_events
from tocsin.errors import EventProblem, Problem, UnsupportedProblem
from tocsin.events.codecs.cloudevents import encode, json_text, parse_json
from tocsin.events.codecs.epcis.inside import decode_all
from tocsin.events.codecs.plain import Origin, event_of_rdf, events_of_json_ld, events_of_xml
from tocsin.events.dead_letter import shown_error
from tocsin.events.event import Event
from tocsin.events.views.payload import N_TRIPLES, RDF_XML, TURTLE, is_json, is_text, is_xml
from tocsin.gateway.batches import Value, values_of_batch
from tocsin.gateway.storage.rows import NewRow
from tocsin.hosts.local.alarm import wall_clock

STRUCTURED = "application/cloudevents+json"
BATCHED = "application/cloudevents-batch+json"
LINES = "application/x-ndjson"
_ALSO_LINES = {LINES, "application/jsonl", "application/ndjson", "application/x-jsonlines"}
_RDF = {TURTLE: TURTLE, N_TRIPLES: N_TRIPLES, RDF_XML: RDF_XML}
_CE = "ce-"
_KEPT_OF_REFUSED = 1 << 16
SOURCE = "/v1/events"
"""The source of documents that do not say theirs."""

_numbers = count(time.time_ns())


@dataclass(frozen=True, slots=True)
class Rejected:
    """One that is not accepted: its number in the request, and why."""

    index: int
    code: str
    reason: str

    def as_json(self) -> dict[str, object]:
        """The JSON object of an answer."""
        return {"index": self.index, "code": self.code, "reason": self.reason}


@dataclass(slots=True)
class Received:
    """The rows of a request, refused ones among them. `is_single` where it was one event or
    document.
    """

    tenant: str
    is_single: bool = True
    rows: list[NewRow] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)

    @property
    def accepted(self) -> int:
        """How many rows are events."""
        return len(self.rows) - len(self.rejected)

    def take(self, index: int, raw: bytes, make: Callable[[], list[Event]]) -> None:
        """A text that is one row, whatever is made of it."""
        try:
            events = make()
        except Exception as error:
            self.refuse(index, raw, error)
        else:
            self.rows.append(NewRow(raw, self.tenant, events=tuple(events)))

    def take_each(self, raw: bytes, make: Callable[[], list[Event]]) -> None:
        """A document of which each event is a row."""
        try:
            events = make()
        except Exception as error:
            self.refuse(0, raw, error)
        else:
            self.rows += [
                NewRow(encode(event).encode(), self.tenant, events=(event,)) for event in events
            ]

    def refuse(self, index: int, raw: bytes, error: Exception) -> None:
        """A text that is no event; a fault of ours is told like a problem of it."""
        code = error.code if isinstance(error, Problem) else "InternalError"
        reason = _reason(error)
        self.rejected.append(Rejected(index, code, reason))
        self.rows.append(NewRow(raw[:_KEPT_OF_REFUSED], self.tenant, code, reason))


def receive(
    body: bytes, headers: Mapping[str, str], tenant: str = "", source: str = SOURCE
) -> Received:
    """The rows of a request; raises where its content type is not served. `headers` have names in
    lower case.
    """
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    found = Received(tenant)
    if kind == BATCHED or kind in _ALSO_LINES:
        found.is_single = False
        values = values_of_batch(body) if kind == BATCHED else _lines(body)
        _take_values(found, values)
    elif kind == STRUCTURED:
        found.take(0, body, partial(decode_all, body))
    elif f"{_CE}id" in headers or f"{_CE}specversion" in headers:
        _take_binary(found, body, headers, kind)
    elif kind in ("application/json", "") and body.lstrip()[:1] == b"[":
        found.is_single = False
        _take_values(found, values_of_batch(body))
    else:
        _take_document(found, body, kind, source)
    return found


def _take_values(found: Received, values: Iterable[Value]) -> None:
    """Texts, each of which is a row; those that are as usual are read at once."""
    given = list(values)
    usual = scanned_events([b"" if problem is not None else raw for raw, problem in given])
    for index, ((raw, problem), event) in enumerate(zip(given, usual, strict=True)):
        if event is not None:
            found.rows.append(NewRow(raw, found.tenant, events=(event,)))
        elif problem is not None:
            found.refuse(index, raw, problem)
        else:
            found.take(index, raw, partial(decode_all, raw))


def _lines(body: bytes) -> Iterator[Value]:
    return ((line, None) for line in body.splitlines() if line.strip())


def _take_binary(found: Received, body: bytes, headers: Mapping[str, str], kind: str) -> None:
    try:
        text = json_text(_enveloped(body, headers, kind)).encode()
    except Exception as error:
        found.refuse(0, body, error)
    else:
        found.take(0, text, partial(decode_all, text))


def _enveloped(body: bytes, headers: Mapping[str, str], kind: str) -> dict[str, object]:
    """The CloudEvents object of a message in binary mode."""
    envelope: dict[str, object] = {
        name.removeprefix(_CE): unquote(value)
        for name, value in headers.items()
        if name.startswith(_CE)
    }
    if given := headers.get("content-type"):
        envelope["datacontenttype"] = given
    return envelope | _data(body, kind)


def _data(body: bytes, kind: str) -> dict[str, object]:
    if not body:
        return {}
    if is_json(kind):
        return {"data": parse_json(body)}
    if is_xml(kind) or is_text(kind):
        try:
            return {"data": body.decode("utf-8-sig")}
        except UnicodeDecodeError as error:
            raise EventProblem(f"invalid UTF-8: {error.reason} at byte {error.start}") from None
    return {"data_base64": b64encode(body).decode()}


def _take_document(found: Received, body: bytes, kind: str, source: str) -> None:
    origin = Origin(source, wall_clock())
    number = next(_numbers)
    if kind in ("application/json", "") and body.lstrip()[:1] == b"{":
        found.take(0, body, partial(decode_all, body))
    elif kind == "application/ld+json":
        found.take_each(body, partial(events_of_json_ld, body, origin, number))
    elif kind in _RDF:
        found.take_each(body, lambda: [_numbered(event_of_rdf(body, kind, origin), number)])
    elif is_xml(kind):
        found.take_each(body, partial(events_of_xml, body, origin, number))
    else:
        raise UnsupportedProblem(
            f"events of the content type {kind or '(none)'!r} are not served",
            code="UnsupportedMediaType",
            token=kind,
            hint=(
                f"one of {STRUCTURED}, {BATCHED}, {LINES}, application/xml, {TURTLE},"
                " application/ld+json, or any type with ce-id, ce-source and ce-type headers"
            ),
        )


def _numbered(event: Event, number: int) -> Event:
    envelope = {**event.envelope, "id": f"{event.source}#{number}"}
    return Event(envelope, event.data, event.interval, event.place_source)


def _reason(error: Exception) -> str:
    if not isinstance(error, Problem):
        return f"it could not be read: {shown_error(error)} (please report it)"
    return f"{error.message} ({error.hint})" if error.hint else error.message
