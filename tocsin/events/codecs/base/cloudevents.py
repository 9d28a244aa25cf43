"""CloudEvents 1.0 JSON: one object is one event. Anything else raises, with a reason for people.

Refused: malformed JSON, invalid UTF-8, lone surrogates, duplicate or empty member names, NaN, a
missing id, source or type, times without a zone or in the wrong order, invalid geometries as
places, and events that are too large or too deep. So is text that is not the XML or RDF it claims
to be. JSON-LD is JSON: an error in its graph is raised when the graph is used. An empty place, such
as POINT EMPTY, is no place.
"""

from __future__ import annotations

import base64
import codecs
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from tocsin.errors import EventProblem, LimitProblem, MeaningProblem, Problem
from tocsin.events.codecs.base.xml_text import xml_text
from tocsin.events.event import Event
from tocsin.values.media_types import RDF_TYPES, is_json, is_text, is_xml, media_type
from tocsin.values.scalars import canonical_number
from tocsin.values.space import Geometry, is_plain_point, read_place
from tocsin.values.time import (
    Instant,
    Interval,
    format_instant,
    parse_instant,
    require_event_time,
)

MAX_BYTES = 4 << 20
MAX_DEPTH = 100

_BYTE_ORDER_MARK = "\ufeff"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_TOO_MANY_DIGITS = 10**4300
_REQUIRED = ("id", "source", "type")
_NOT_CONTEXT = ("data", "data_base64", "place")


def decode(raw: bytes | str) -> Event:
    """Return the event of one CloudEvents JSON text."""
    return event_of(parse_json(raw))


def from_mapping(value: Mapping[str, Any]) -> Event:
    """Return the event of a CloudEvents object in memory, checked as strictly as text."""
    return event_of(plain_object(value))


def plain_object(value: Mapping[str, Any]) -> Any:
    """Return an object in memory as a JSON reader would have, within the limits for texts."""
    return _PlainReader().read(value, MAX_DEPTH)


def encode(event: Event) -> str:
    """Return the event as CloudEvents JSON, with the attributes as received; it decodes to the same
    event.
    """
    return json_text(as_object(event))


def as_object(event: Event) -> dict[str, Any]:
    """Return the event as a CloudEvents object in memory."""
    rest = {"place": event.place_source, "data": event.data}
    return {**event.envelope, **{name: value for name, value in rest.items() if value is not None}}


def parse_json(raw: bytes | str) -> Any:
    """Parse JSON, after an optional byte order mark; raise for anything that would lose or change
    data.
    """
    if len(raw) > MAX_BYTES:
        raise too_large()
    text = _text(raw).removeprefix(_BYTE_ORDER_MARK)
    try:
        value = _value(text)
    except RecursionError:
        raise _too_deep() from None
    except json.JSONDecodeError as error:
        raise EventProblem(
            f"malformed JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from None
    except ValueError as error:  # an integer with more digits than Python converts
        raise EventProblem(f"malformed JSON: {error}") from None
    if text.count("{") + text.count("[") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise _too_deep()
    if "\\u" in text and ("\\ud" in text or "\\uD" in text):
        _refuse_lone_surrogates(value)
    return value


def _value(text: str) -> Any:
    """Parse a JSON text. Fast path for one object without surrounding blanks."""
    if text.startswith("{"):
        try:
            value, end = _DECODER.scan_once(text, 0)  # type: ignore[attr-defined]
        except StopIteration:
            # the scanner's sign of a missing value; the decoder raises with a message
            return _DECODER.decode(text)
        if end == len(text):
            return value
    return _DECODER.decode(text)


def event_of(value: object) -> Event:
    """Return the event of a parsed CloudEvents object."""
    if not isinstance(value, dict):
        raise EventProblem(f"an event is a JSON object, got {_json_kind(value)}")
    for name in _REQUIRED:
        given = value.get(name)
        if not given or not isinstance(given, str):
            raise EventProblem(
                f"{name} is missing" if given is None else f"{name} must be a non-empty string",
                token=name,
                hint="id, source and type are required",
            )
    if value.get("specversion") not in (None, "1.0"):
        raise EventProblem(
            f"specversion {value['specversion']!r} is not served",
            token="specversion",
            hint="send CloudEvents 1.0",
        )
    kind = value.get("datacontenttype")
    if kind is not None and not isinstance(kind, str):
        raise EventProblem("datacontenttype must be a string", token="datacontenttype")
    envelope = _envelope(value)
    place = value.get("place")
    geometry = None if place is None or is_plain_point(place) else _checked_place(place)
    event = Event(envelope, _data(value), _interval(envelope), place)
    event._place = (
        geometry  # parsed for the check, so kept; plain points are parsed on demand, in batches
    )
    if kind is not None and isinstance(event.data, str):
        check_views(event)
    return event


def check_views(event: Event) -> None:
    """Raise EventProblem or LimitProblem if data is not what its media type says; then views cannot
    fail.

    Views are derived on first access otherwise. The parsed ones are kept by the event. JSON and
    plain text are valid already, so they cost nothing here; only the graph of a very large JSON
    event is refused later, on access.
    """
    kind = media_type(event.envelope)
    if event.data is None:
        return
    if is_xml(kind):
        _ = event.document
    if kind in RDF_TYPES:
        _ = event.graph


def _envelope(value: dict[str, Any]) -> dict[str, Any]:
    """Return the context attributes; null counts as absent."""
    envelope = value.copy()
    for name in _NOT_CONTEXT:
        envelope.pop(name, None)
    if None in envelope.values():
        return {name: given for name, given in envelope.items() if given is not None}
    return envelope


def _data(value: Mapping[str, Any]) -> object:
    encoded = value.get("data_base64")
    if encoded is None:
        return value.get("data")
    if value.get("data") is not None:
        raise EventProblem("an event has data or data_base64, not both", token="data_base64")
    if not isinstance(encoded, str):
        raise EventProblem("data_base64 must be a string", token="data_base64")
    try:
        raw = base64.b64decode(encoded, validate=True)
    except ValueError as error:
        raise EventProblem(f"data_base64 is not base64: {error}", token="data_base64") from None
    return _decoded(raw, encoded, media_type(value))


def _decoded(raw: bytes, encoded: str, kind: str) -> object:
    """Decode bytes as JSON or text by their media type; other bytes stay in base64, as received."""
    if is_json(kind):
        return parse_json(raw)
    if is_xml(kind):
        return xml_text(raw)
    return _text(raw) if is_text(kind) else encoded


def _interval(envelope: Mapping[str, Any]) -> Interval | None:
    start = envelope.get("time")
    if start is None:
        if "endtime" in envelope:
            raise EventProblem("endtime is given without time", token="endtime")
        return None
    begins = instant_of("time", start)
    end = envelope.get("endtime")
    if end is None:
        return Interval(begins, begins)
    ends = instant_of("endtime", end)
    if begins > ends:
        raise EventProblem(f"time {start} is after endtime {end}", token="endtime")
    return Interval(begins, ends)


def instant_of(name: str, given: object) -> Instant:
    """Return the instant of a context attribute.

    Raises EventProblem if it is not a time, or one that some host cannot represent in every zone.
    """
    if not isinstance(given, str):
        raise EventProblem(f"{name} must be an RFC 3339 string", token=name)
    try:
        return require_event_time(parse_instant(given), given)
    except MeaningProblem as problem:
        raise EventProblem(f"{name}: {problem.message}", token=name, hint=problem.hint) from None


def _checked_place(place: object) -> Geometry | None:
    try:
        return read_place(place)
    except Problem as problem:
        raise EventProblem(f"place: {problem.message}", token="place", hint=problem.hint) from None


def json_text(value: object) -> str:
    """Return the JSON text of a value; infinity is written as a number too large for a float."""
    try:
        return _ENCODER.encode(value)
    except ValueError:  # JSON cannot write infinity
        return (
            _ENCODER.encode(_without_infinity(value))
            .replace(_LARGE, "1e999")
            .replace(_SMALL, "-1e999")
        )


def _without_infinity(value: object) -> object:
    if isinstance(value, float) and math.isinf(value):
        return _INFINITE[value > 0]
    if isinstance(value, dict):
        return {name: _without_infinity(item) for name, item in value.items()}
    return [_without_infinity(item) for item in value] if isinstance(value, list | tuple) else value


def _text(raw: bytes | str) -> str:
    if isinstance(raw, str):
        return raw if raw.isascii() else _encodable(raw)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        hint = "this looks like UTF-16: save it as UTF-8" if raw.startswith(_UTF_16) else ""
        raise EventProblem(
            f"invalid UTF-8: {error.reason} at byte {error.start}", hint=hint
        ) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        repeated = next(name for name, count in counts.items() if count > 1)
        raise EventProblem(
            f"the member {repeated!r} is given twice",
            code="DuplicateAttributeError",
            token=repeated,
        )
    if "" in value:
        raise EventProblem("a member name is empty")
    return value


def _refused_constant(name: str) -> Any:
    raise EventProblem(f"{name} is not a legal number", token=name)


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_INFINITE = ("\ud800-", "\ud800+")
"""Placeholders for infinities, which JSON cannot write; lone surrogates occur in no event."""
_SMALL, _LARGE = (f'"{text}"' for text in _INFINITE)
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refused_constant)


class _PlainReader:
    """Converter of Python data to plain JSON values: dict, list, str, int, float, bool or None.

    It counts the bytes of compact JSON, so that the limits for texts hold: also for data that is
    small in memory because its parts are the same object.
    """

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MAX_BYTES

    def read(self, value: Any, depth: int) -> Any:
        """Return the plain value; raises if it nests deeper than `depth` levels."""
        if depth < 0:
            raise _too_deep()
        if value is None or isinstance(value, bool):
            self._count(5 if value is False else 4)
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int | float):
            plain = _plain_integer(value) if isinstance(value, int) else _plain_float(value)
            self._count(len(repr(plain)))
            return plain
        if isinstance(value, Decimal):
            return self.read(canonical_number(value), depth)
        if isinstance(value, Mapping):
            self._count(2 + 2 * len(value))
            return _object(
                [(self._name(name), self.read(item, depth - 1)) for name, item in value.items()]
            )
        if isinstance(value, list | tuple):
            self._count(2 + len(value))
            return [self.read(item, depth - 1) for item in value]
        if isinstance(value, date):
            return self._text(_written_time(value))
        raise EventProblem(
            f"a value of type {type(value).__name__} is not supported", hint="use JSON types"
        )

    def _name(self, name: object) -> str:
        return self._text(_member_name(name))

    def _text(self, text: str) -> str:
        self._count(2 + len(text))
        return _encodable(text)

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise too_large()


def _written_time(value: date) -> str:
    """Return a datetime as RFC 3339 text in UTC, a date in ISO format, as in JSON."""
    if not isinstance(value, datetime):
        return value.isoformat()
    try:
        return format_instant(parse_instant(value))
    except MeaningProblem as problem:
        raise EventProblem(problem.message, token=problem.token, hint=problem.hint) from None


def _plain_integer(value: int) -> int:
    if not -_TOO_MANY_DIGITS < value < _TOO_MANY_DIGITS:  # a JSON reader refuses it too
        raise EventProblem("an integer has more than 4300 digits")
    return int(value)


def _plain_float(value: float) -> float:
    if math.isnan(value):
        raise EventProblem("NaN is not a legal number", token="NaN")
    return float(value)


def _member_name(name: object) -> str:
    if not isinstance(name, str):
        raise EventProblem(f"a member name is a string, got {name!r}")
    return name


def _encodable(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise EventProblem("a text has half of a surrogate pair, which is no character") from None
    return str.__str__(text)


def _refuse_lone_surrogates(value: object) -> None:
    for item in _scalars(value):
        if isinstance(item, str):
            _encodable(item)


def _scalars(value: object) -> Iterable[object]:
    stack = [value]
    while stack:
        top = stack.pop()
        if isinstance(top, dict):
            stack += (*top.keys(), *top.values())
        elif isinstance(top, list):
            stack += top
        else:
            yield top


def _depth(value: object) -> int:
    depth, level = 0, [value]
    while level := [
        item
        for outer in level
        if isinstance(outer, dict | list)
        for item in (outer.values() if isinstance(outer, dict) else outer)
    ]:
        depth += 1
    return depth


def too_large() -> LimitProblem:
    """Return the problem of an event over the size limit; its end may be unknown."""
    return LimitProblem(
        f"the event has more than {MAX_BYTES:,} bytes, which is the limit", code="EventLimitError"
    )


def _too_deep() -> LimitProblem:
    return LimitProblem(f"the event nests deeper than {MAX_DEPTH} levels", code="EventLimitError")


def _json_kind(value: object) -> str:
    return {list: "a list", str: "a string", type(None): "null", bool: "a boolean"}.get(
        type(value), "a number"
    )
