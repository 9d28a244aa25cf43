"""Requests to the service as data, shared by both clients: path, body, and response parser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.base.cloudevents import encode, json_text
from tocsin.events.event import Event

T = TypeVar("T")

STRUCTURED = "application/cloudevents+json"
LINES = "application/x-ndjson"
MAX_BYTES = 4 << 20
"""The size in bytes at which a request with several events is cut."""

AT_ONCE = 500
"""The default number of events in one request when many are published."""

_MEMBERS = (
    *("id", "language", "expression", "subscriber"),
    *("policy", "horizon", "deliver", "options"),
)

AnyEvent = Mapping[str, Any] | Event


@dataclass(frozen=True, slots=True)
class ApiCall(Generic[T]):
    """A request, and the parser of a successful response.

    `is_repeatable` if it may be sent again although the first may have arrived.
    """

    method: str
    path: str
    read: Callable[[Any], T]
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    is_repeatable: bool = True


@dataclass(frozen=True, slots=True)
class Rejected:
    """An event that was not accepted: its index among those published, and the reason."""

    index: int
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Published:
    """The number of events stored by the service, and those not accepted."""

    accepted: int = 0
    rejected: tuple[Rejected, ...] = ()

    def __add__(self, other: Published) -> Published:
        return Published(self.accepted + other.accepted, self.rejected + other.rejected)

    def moved(self, index: int) -> Published:
        """Return the result with all indexes increased."""
        moved = tuple(replace(each, index=each.index + index) for each in self.rejected)
        return Published(self.accepted, moved)


@dataclass(frozen=True, slots=True)
class MatchPage:
    """A page of matches, oldest first, and the position for the next page."""

    matches: tuple[dict[str, Any], ...]
    next: int


def publish(
    event: AnyEvent | bytes | str, content_type: str | None = None, source: str | None = None
) -> ApiCall[Published]:
    """Return the call for an event, or for a body of a content type, by default CloudEvents JSON.

    Only events with an id may be sent twice: a document gets a new id every time.
    """
    if not isinstance(event, bytes | str):
        return _post_events(event_text(event).encode(), STRUCTURED)
    body = event.encode() if isinstance(event, str) else event
    call = _post_events(body, content_type or STRUCTURED)
    params = {} if source is None else {"source": source}
    return replace(call, params=params, is_repeatable=content_type in (None, STRUCTURED, LINES))


def publish_lines(events: Iterable[AnyEvent | bytes], most: int) -> Iterator[ApiCall[Published]]:
    """Yield calls for many events, each with at most `most` events and `MAX_BYTES` bytes.

    An event may be JSON text in bytes. A single larger event has a call of its own.
    """
    lines: list[bytes] = []
    start = size = 0
    for event in events:
        line = _line(event)
        if lines and (len(lines) >= most or size + len(line) > MAX_BYTES):
            yield _publish_some(lines, start)
            start, lines, size = start + len(lines), [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield _publish_some(lines, start)


def put_subscription(subscription: Mapping[str, Any]) -> ApiCall[dict[str, Any]]:
    """Return the call that creates or replaces a subscription."""
    id, body = _named(subscription, "id", "a subscription")
    return _json_call("PUT", f"/v1/subscriptions/{_part(id)}", body)


def put_definition(definition: Mapping[str, Any]) -> ApiCall[dict[str, Any]]:
    """Return the call that creates or replaces a definition."""
    name, body = _named(definition, "define", "a definition")
    return _json_call("PUT", f"/v1/definitions/{_part(name)}", body)


def get(path: str, *parts: str, **params: object) -> ApiCall[Any]:
    """Return the call for a resource; parameters that are None are omitted."""
    return ApiCall("GET", _path(path, parts), _json, _texts(params))


def delete(path: str, *parts: str) -> ApiCall[None]:
    """Return the call that deletes a resource."""
    return ApiCall("DELETE", _path(path, parts), _nothing)


def post(path: str, *parts: str, body: Mapping[str, Any] | None = None) -> ApiCall[Any]:
    """Return the call for an action; sent once, as a repetition could take effect twice."""
    return replace(_json_call("POST", _path(path, parts), body or {}), is_repeatable=False)


def get_matches(subscription: str | None, after: int, limit: int) -> ApiCall[MatchPage]:
    """Return the call for a page of matches."""
    params = _texts({"subscription": subscription, "after": after, "limit": limit})
    return ApiCall("GET", "/v1/matches", _page, params)


def with_pause(subscription: Mapping[str, Any], paused: bool) -> dict[str, Any]:
    """Return the subscription of a response, ready to be put with or without a pause."""
    told = {name: value for name, value in subscription.items() if name in _MEMBERS}
    return told | {"paused": paused}


def read_list(body: Any, member: str) -> list[dict[str, Any]]:
    """Return the list in a response."""
    found: list[dict[str, Any]] = body[member]
    return found


def event_text(event: AnyEvent) -> str:
    """Return an event as JSON on one line."""
    if isinstance(event, Event):
        return encode(event)
    try:
        return json_text(event)
    except TypeError as error:
        raise MeaningProblem(
            f"the event is no JSON object: {error}",
            code="EventError",
            hint='an event is a mapping like {"id": "1", "source": "shop", "type": "offer"}',
        ) from None


def _line(event: AnyEvent | bytes) -> bytes:
    if isinstance(event, bytes):
        return event.strip().replace(b"\r", b" ").replace(b"\n", b" ")
    return event_text(event).encode()


def _publish_some(lines: list[bytes], start: int) -> ApiCall[Published]:
    call = _post_events(b"\n".join(lines) + b"\n", LINES)
    return replace(call, read=lambda body: _published(body).moved(start))


def _post_events(body: bytes, content_type: str) -> ApiCall[Published]:
    headers = {"content-type": content_type}
    return ApiCall("POST", "/v1/events", _published, {}, headers, body)


def _published(body: Any) -> Published:
    told = body.get("rejected", ())
    rejected = (Rejected(each["index"], each["code"], each["reason"]) for each in told)
    return Published(body["accepted"], tuple(rejected))


def _page(body: Any) -> MatchPage:
    return MatchPage(tuple(body["matches"]), body["next"])


def _json_call(method: str, path: str, body: Mapping[str, Any]) -> ApiCall[Any]:
    headers = {"content-type": "application/json"}
    return ApiCall(method, path, _json, {}, headers, json.dumps(body).encode())


def _json(body: Any) -> Any:
    return body


def _nothing(body: Any) -> None:
    del body


def _named(given: Mapping[str, Any], member: str, what: str) -> tuple[str, dict[str, Any]]:
    body = dict(given)
    name = body.pop(member, None)
    if not isinstance(name, str) or not name:
        raise MeaningProblem(f"{what} has no {member}", code="RequestError", token=member)
    return name, body


def _path(path: str, parts: Iterable[str]) -> str:
    return path.format(*map(_part, parts))


def _part(name: str) -> str:
    """Quote a name as a part of a path; dots too if it has only dots, as `.` and `..` are path
    steps.
    """
    quoted = quote(name, safe="")
    return quoted.replace(".", "%2E") if set(name) == {"."} else quoted


def _texts(params: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in params.items() if value is not None}
