"""Published requests and replayed dead letters to rows of the log.

A row is one CloudEvents JSON text for each event, or the reason why it is refused.

CloudEvents are accepted structured, batched, as lines or with their attributes in headers;
documents by their content type. Data without an envelope get one, with the time of reception. A
broken event of a JSON array does not affect the others; valid arrays are cut by the fastest parser,
only others are examined element by element.

A dead letter is replayed after a fix: an event is published again, a suspended subscription is
resumed.
"""

from __future__ import annotations

import json
import re
import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from itertools import count, islice
from urllib.parse import unquote

from tocsin.catalog.tenants import Owned
from tocsin.engine.json_scan.batch_reader import scan_events
from tocsin.errors import EventProblem, LimitProblem, Problem, StateProblem, UnsupportedProblem
from tocsin.events.codecs.bare_documents import (
    DocumentOrigin,
    event_of_rdf,
    events_of_json_ld,
    events_of_xml,
)
from tocsin.events.codecs.base.cloudevents import encode, json_text, parse_json
from tocsin.events.codecs.base.lines import json_values
from tocsin.events.codecs.decode import decode_all
from tocsin.events.codecs.epcis.document import TOO_MANY, too_many_events
from tocsin.events.dead_letter import shown_error
from tocsin.events.event import Event
from tocsin.runtime.admission import wall_clock
from tocsin.service.base.work import checkpoint
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.rows import REPLAYED, LetterRow, NewRow
from tocsin.service.subscriptions.subscriptions import SubscriptionService
from tocsin.values.media_types import N_TRIPLES, RDF_XML, TURTLE, is_json, is_text, is_xml

Value = tuple[bytes, Problem | None]

_READ = json.JSONDecoder().raw_decode
_BLANK = re.compile(r"[ \t\r\n]*")


def values_of_batch(body: bytes, most: int | None = None) -> Iterator[Value]:
    """Return the elements of an array in order. A valid array is cut after `most` + 1 elements; a
    broken one is read lazily.
    """
    quick = _cut(body, most)
    return iter(quick) if quick is not None else _searched(body)


def _cut(body: bytes, most: int | None) -> list[Value] | None:
    """Return the elements of a JSON array, `most` + 1 at most; None if the text is not valid."""
    try:
        text = body.decode("utf-8-sig")
        at = _after_blank(text, 0)
        if text[at] != "[":
            return None
        at = _after_blank(text, at + 1)
        found: list[Value] = []
        while text[at] != "]":
            _, end = _READ(text, at)
            found.append((text[at:end].encode(), None))
            if most is not None and len(found) > most:
                return found
            checkpoint()
            at = _after_blank(text, end)
            if text[at] == ",":
                at = _after_blank(text, at + 1)
                if text[at] == "]":
                    return None
            elif text[at] != "]":
                return None
        return found if _after_blank(text, at + 1) == len(text) else None
    except (ValueError, IndexError, RecursionError):
        return None


def _searched(body: bytes) -> Iterator[Value]:
    if body.lstrip()[:1] != b"[":
        yield body, EventProblem("a batch is a JSON array of events", hint="write [{...}, {...}]")
        return
    for raw, _, problem in json_values(BytesIO(), body):
        yield raw, problem


def _after_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


Reader = Callable[[int | None], list[Event]]
"""Function that parses a text into events; raises if there are more than its argument."""

STRUCTURED = "application/cloudevents+json"
BATCHED = "application/cloudevents-batch+json"
LINES = "application/x-ndjson"
_ALSO_LINES = {LINES, "application/jsonl", "application/ndjson", "application/x-jsonlines"}
_RDF = {TURTLE: TURTLE, N_TRIPLES: N_TRIPLES, RDF_XML: RDF_XML}
_CE = "ce-"
_LINE = re.compile(rb"\s*+([^\r\n]++)")
_MAX_REFUSED_BYTES = 1 << 16
SOURCE = "/v1/events"
"""Default source of documents without one."""

_numbers = count(time.time_ns())


@dataclass(frozen=True, slots=True)
class RejectedItem:
    """A refused item: its index in the request, and the reason."""

    index: int
    code: str
    reason: str

    def as_json(self) -> dict[str, object]:
        """Return the JSON object for the response."""
        return {"index": self.index, "code": self.code, "reason": self.reason}


@dataclass(slots=True)
class IngestResult:
    """The rows of a request, refused ones included. `is_single`: it was one event or document."""

    tenant: str
    most: int | None = None
    is_single: bool = True
    rows: list[NewRow] = field(default_factory=list)
    rejected: list[RejectedItem] = field(default_factory=list)
    _count: int = 0

    @property
    def accepted(self) -> int:
        """Number of rows that are events."""
        return len(self.rows) - len(self.rejected)

    @property
    def left(self) -> int | None:
        """Number of events that the request may still have; None for no limit."""
        return None if self.most is None else self.most - self._count

    def take_event(self, raw: bytes, event: Event) -> None:
        """Add a text that is already parsed."""
        self._add(1)
        self.rows.append(NewRow(raw, self.tenant, events=(event,)))

    def take(self, index: int, raw: bytes, make: Reader | None = None) -> None:
        """Add a text as one row, however many events it holds."""
        events = self._read(index, raw, make or partial(decode_all, raw))
        if events is not None:
            self.rows.append(NewRow(raw, self.tenant, events=tuple(events)))

    def take_each(self, raw: bytes, make: Reader) -> None:
        """Add a row for each event of a document."""
        for event in self._read(0, raw, make) or ():
            self.rows.append(NewRow(encode(event).encode(), self.tenant, events=(event,)))

    def _read(self, index: int, raw: bytes, make: Reader) -> list[Event] | None:
        """Return the events of a text; None if it is refused."""
        checkpoint()
        try:
            events = make(self.left)
        except Exception as error:
            if isinstance(error, LimitProblem) and error.code == TOO_MANY:
                raise too_many_events(self.most or 0) from None
            self.refuse(index, raw, error)
            return None
        self._add(len(events))
        return events

    def _add(self, count: int) -> None:
        """Count events as they are parsed; raise as soon as there are too many."""
        self._count += count
        if self.most is not None and self._count > self.most:
            raise too_many_events(self.most)

    def refuse(self, index: int, raw: bytes, error: Exception) -> None:
        """Add a refused text with its reason. An unexpected error of ours is reported as one of the
        text.
        """
        self._add(1)
        code = error.code if isinstance(error, Problem) else "InternalError"
        reason = _reason(error)
        self.rejected.append(RejectedItem(index, code, reason))
        self.rows.append(NewRow(raw[:_MAX_REFUSED_BYTES], self.tenant, code, reason))


def receive(
    body: bytes,
    headers: Mapping[str, str],
    tenant: str = "",
    source: str = SOURCE,
    most: int | None = None,
) -> IngestResult:
    """Return the rows of a request. `headers` have names in lower case.

    Raises UnsupportedProblem for an unknown content type, and LimitProblem as soon as more than
    `most` events are parsed.
    """
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    found = IngestResult(tenant, most)
    if kind == BATCHED or kind in _ALSO_LINES:
        found.is_single = False
        values = values_of_batch(body, most) if kind == BATCHED else _lines(body)
        _take_values(found, values)
    elif kind == STRUCTURED:
        found.take(0, body)
    elif f"{_CE}id" in headers or f"{_CE}specversion" in headers:
        _take_binary(found, body, headers, kind)
    elif kind in ("application/json", "") and body.lstrip()[:1] == b"[":
        found.is_single = False
        _take_values(found, values_of_batch(body, most))
    else:
        _take_document(found, body, kind, source)
    return found


def _take_values(found: IngestResult, values: Iterable[Value]) -> None:
    """Add texts, one row each; those that the batch scanner can parse are parsed at once."""
    given = list(values if found.most is None else islice(values, found.most + 1))
    if found.most is not None and len(given) > found.most:
        raise too_many_events(found.most)
    usual = scan_events([b"" if problem is not None else raw for raw, problem in given])
    for index, ((raw, problem), event) in enumerate(zip(given, usual, strict=True)):
        if event is not None:
            found.take_event(raw, event)
        elif problem is not None:
            found.refuse(index, raw, problem)
        else:
            found.take(index, raw)


def _lines(body: bytes) -> Iterator[Value]:
    """Yield the lines that are not blank, without leading blanks."""
    return ((line[1], None) for line in _LINE.finditer(body.rstrip()))


def _take_binary(found: IngestResult, body: bytes, headers: Mapping[str, str], kind: str) -> None:
    try:
        text = json_text(_enveloped(body, headers, kind)).encode()
    except Exception as error:
        found.refuse(0, body, error)
    else:
        found.take(0, text)


def _enveloped(body: bytes, headers: Mapping[str, str], kind: str) -> dict[str, object]:
    """Return the CloudEvents object of a message in binary mode."""
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


def _take_document(found: IngestResult, body: bytes, kind: str, source: str) -> None:
    origin = DocumentOrigin(source, wall_clock())
    number = next(_numbers)
    if kind in ("application/json", "") and body.lstrip()[:1] == b"{":
        found.take(0, body)
    elif kind == "application/ld+json":
        found.take_each(body, partial(events_of_json_ld, body, origin, number))
    elif kind in _RDF:
        found.take_each(body, lambda _: [_numbered(event_of_rdf(body, kind, origin), number)])
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


Replayer = Callable[[LetterRow], bool]
"""Handler that replays the letters of its kind; returns False for any other letter."""


@dataclass(slots=True)
class Replays:
    """Replay of dead letters of all kinds; the handlers in `others` go first."""

    log: EventLog
    entries: SubscriptionService
    others: list[Replayer]

    def replay(self, letter: LetterRow, replacement: bytes | None = None) -> Future[int] | None:
        """Replay a letter; return a future that is done when its event is on disk.

        `replacement` replaces the stored event. None where no event was published: another handler
        took the letter, or its subscription was resumed. Raises EventProblem for an event that
        cannot be read, and StateProblem where there is nothing to replay.
        """
        if any(other(letter) for other in self.others):
            return None
        if replacement is None and letter.event is None:
            self._serve_again(letter)
            return None
        return self.log.append([self._row(letter, replacement)])

    def _row(self, letter: LetterRow, replacement: bytes | None) -> NewRow:
        body = self._stored(letter) if replacement is None else replacement
        found = IngestResult(letter.tenant)
        found.take(0, body)
        if found.rejected:
            first = found.rejected[0]
            raise EventProblem(
                first.reason, code=first.code, hint="send the mended event as the body"
            )
        row = found.rows[0]
        return NewRow(row.body, row.tenant, reason=REPLAYED, events=row.events)

    def _stored(self, letter: LetterRow) -> bytes:
        assert letter.event is not None
        row = self.log.rows_at([letter.event]).get(letter.event)
        if row is None:
            raise _cannot("its event is no longer stored", "send the event as the body")
        return row.body

    def _serve_again(self, letter: LetterRow) -> None:
        if letter.subscription is None:
            raise _cannot("it is about no event and no subscription", "there is nothing to do")
        self.entries.renew(Owned(letter.tenant, letter.subscription))


def _cannot(why: str, hint: str) -> StateProblem:
    return StateProblem(f"the letter cannot be replayed: {why}", code="ReplayError", hint=hint)
