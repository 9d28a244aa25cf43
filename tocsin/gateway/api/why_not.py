"""`/v1/why-not`: why a subscription rings for an event or does not, and what waits on account of
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request

from tocsin.errors import MeaningProblem, StateProblem
from tocsin.events.codecs.epcis.inside import events_of_mapping
from tocsin.events.event import Event
from tocsin.gateway.api.access import Caller, Scope, caller_with
from tocsin.gateway.api.bodies import WHY_NOT, json_body
from tocsin.gateway.api.positions import LAST
from tocsin.gateway.api.requests import object_of, run_work, service_of
from tocsin.gateway.asking import asked_subscription
from tocsin.gateway.console.stored_events import events_in
from tocsin.gateway.console.why_not.answer import Asked, why_not
from tocsin.gateway.service import Service
from tocsin.gateway.storage.browsing import Span
from tocsin.gateway.storage.rows import LogRow
from tocsin.gateway.why import MAX_WHY_SECONDS
from tocsin.gateway.work import bounded_work
from tocsin.plan.composites import Part

router = APIRouter(tags=["subscriptions"])

AROUND = 1_000
"""So many stored events before an event, and after it, are looked at."""

_MEMBERS = {"subscription", "event"}


@router.post("/v1/why-not", openapi_extra=json_body(WHY_NOT))
async def tell_why_not(request: Request) -> dict[str, Any]:
    """Whether a subscription rings for an event by its meaning, which conditions hold, which fails
    first and by how much. For a subscription about several events, the stored events around it are
    looked at, and what waited on account of it is told.
    """
    service = service_of(request)
    caller = caller_with(request, Scope.SUBSCRIBE)
    body = await object_of(request, service.settings.limits.request_bytes)

    def look() -> dict[str, Any]:
        if body.keys() != _MEMBERS:
            raise _wrong("subscription and event are to be given, and nothing else")
        pattern = _pattern(service, caller, body["subscription"])
        asked = _asked(service, body["event"])
        return bounded_work(MAX_WHY_SECONDS, why_not, pattern, asked)

    return await run_work(request, caller.tenant, look)


def _pattern(service: Service, caller: Caller, given: object) -> Part:
    """The pattern of a subscription by its id, or of one that is not there."""
    if isinstance(given, str):
        subscription = service.entries.get(caller.tenant, given).subscription
    elif isinstance(given, Mapping):
        subscription = asked_subscription(caller.tenant, given)
    else:
        raise _wrong("subscription is an id or an object with language and expression")
    service.entries.mirror.refresh()
    return service.entries.compile(subscription).pattern


def _asked(service: Service, given: object) -> Asked:
    """The event by its position in the log, or one that is not there: as if it came now."""
    if not isinstance(given, Mapping):
        raise _wrong("event is a CloudEvent or an object with its position")
    if given.keys() <= {"position", "id"} and "position" in given:
        return _stored(service, given)
    events = events_of_mapping(given)
    if len(events) != 1:
        raise _wrong(f"event is one event, got {len(events)}")
    rows = service.browsing.read(Span(), AROUND, newest=True)
    return Asked(events[0], _others(rows, events[0].identity))


def _stored(service: Service, given: Mapping[str, Any]) -> Asked:
    """`id` says which, where several events have one position."""
    position = given["position"]
    if not isinstance(position, int) or isinstance(position, bool) or not 0 < position <= LAST:
        raise _wrong("position is a number from 1 on")
    row = service.log.rows_at([position]).get(position)
    events = () if row is None or row.code is not None else events_in(row)
    event = next((each for each in events if given.get("id", each.id) == each.id), None)
    if event is None:
        raise StateProblem(
            f"there is no event at position {position}",
            code="UnknownEventError",
            token=str(position),
            hint="see what there is: GET /v1/events; old events are removed",
        )
    before = service.browsing.read(Span(before=position + 1), AROUND, newest=True)
    after = service.browsing.read(Span(after=position), AROUND)
    others = _others([*before, *after], event.identity)
    return Asked(event, others, position in service.late.refreshed())


def _others(rows: list[LogRow], identity: tuple[str, str]) -> list[Event]:
    return [each for row in rows for each in events_in(row) if each.identity != identity]


def _wrong(message: str) -> MeaningProblem:
    return MeaningProblem(message, code="RequestError", hint="docs/service.md shows one")
