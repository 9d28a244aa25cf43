"""Route `/v1/why-not`: why a subscription matches an event or not, and its partial matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request

from tocsin.errors import MeaningProblem, StateProblem
from tocsin.events.codecs.decode import events_of_mapping
from tocsin.events.event import Event
from tocsin.explain.why_not import AROUND, WhyNotQuery, why_not
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.nodes.sources import Sources
from tocsin.service.api.bodies import WHY_NOT, json_body
from tocsin.service.base.work import bounded_work
from tocsin.service.console.stored_events import events_in
from tocsin.service.console.why import MAX_WHY_SECONDS
from tocsin.service.core.service import Service
from tocsin.service.http.access import AccessScope, Caller, caller_with
from tocsin.service.http.requests import LAST, object_of, run_work, service_of
from tocsin.service.storage.log_reader import Span
from tocsin.service.storage.rows import LogRow
from tocsin.service.subscriptions.dry_run import read_subscription

router = APIRouter(tags=["subscriptions"])

_MEMBERS = {"subscription", "event"}


@router.post("/v1/why-not", openapi_extra=json_body(WHY_NOT))
async def tell_why_not(request: Request) -> dict[str, Any]:
    """Return whether a subscription rings for an event, which conditions hold, which fails first
    and by how much.

    For a subscription about several events, the stored events around it are evaluated too, and the
    partial matches with the event are returned.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    body = await object_of(request, service.settings.limits.request_bytes)

    def look() -> dict[str, Any]:
        if body.keys() != _MEMBERS:
            raise _wrong("subscription and event are to be given, and nothing else")
        plan, sources = _compile(service, caller, body["subscription"])
        asked = _read_query(service, body["event"])
        return bounded_work(MAX_WHY_SECONDS, why_not, plan.pattern, asked, sources)

    return await run_work(request, caller.tenant, look)


def _compile(service: Service, caller: Caller, given: object) -> tuple[Plan, Sources]:
    """Return the plan of a stored subscription by its id, or of the given one, with the texts of
    its parts.
    """
    if isinstance(given, str):
        subscription = service.entries.get(caller.tenant, given).subscription
    elif isinstance(given, Mapping):
        subscription = read_subscription(caller.tenant, given)
    else:
        raise _wrong("subscription is an id or an object with language and expression")
    service.entries.mirror.refresh()
    return service.entries.compile_with_sources(subscription)


def _read_query(service: Service, given: object) -> WhyNotQuery:
    """Return the stored event at a position, or the given one, as if it arrived now."""
    if not isinstance(given, Mapping):
        raise _wrong("event is a CloudEvent or an object with its position")
    if given.keys() <= {"position", "id"} and "position" in given:
        return _stored(service, given)
    events = events_of_mapping(given)
    if len(events) != 1:
        raise _wrong(f"event is one event, got {len(events)}")
    rows = service.browsing.read(Span(), AROUND, newest=True)
    return WhyNotQuery(events[0], _others(rows, events[0].identity))


def _stored(service: Service, given: Mapping[str, Any]) -> WhyNotQuery:
    """Return the stored event at a position; `id` selects one where a row has several."""
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
    return WhyNotQuery(event, others, position in service.late.refreshed())


def _others(rows: list[LogRow], identity: tuple[str, str]) -> list[Event]:
    return [each for row in rows for each in events_in(row) if each.identity != identity]


def _wrong(message: str) -> MeaningProblem:
    return MeaningProblem(message, code="RequestError", hint="docs/service.md shows one")
