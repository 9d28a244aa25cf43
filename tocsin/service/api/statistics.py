"""Route `/v1/statistics`: rates of events and matches, now and over the last hour."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from tocsin.catalog.tenants import Owned
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.service.console.minutes import MINUTES
from tocsin.service.core.service import Service
from tocsin.service.http.access import AccessScope, caller_with
from tocsin.service.http.requests import run_read, service_of
from tocsin.service.storage.subscription_status import StoredFailure

router = APIRouter(tags=["health"])

Each = Annotated[bool, Query(description="Whether single subscriptions are told, too.")]


@router.get("/v1/statistics")
async def tell_statistics(request: Request, subscriptions: Each = True) -> Response:
    """Return counts: events of all tenants; matches, dead letters and subscriptions of the caller.

    `minutes` are the last sixty, oldest first; the last one is the current minute.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)

    def look() -> str:
        told = service.statistics.summarize(caller.tenant)
        told["subscriptions"] = _each(service, caller.tenant) if subscriptions else {}
        told["spark"] = service.runner.engine_health()
        return json_text(told)

    return Response(await run_read(request, caller.tenant, look), media_type="application/json")


def _each(service: Service, tenant: str) -> dict[str, Any]:
    rung = service.statistics.matches_by_subscription(tenant)
    waiting = service.network.waiting_by_subscription(tenant)
    silent = {"matches": 0, "minutes": [0] * MINUTES}
    found: dict[str, Any] = {}
    for listed in service.entries.list_all(tenant):
        id = Owned.of_key(listed.subscription.id).name
        found[id] = rung.get(id, silent) | {
            "waiting": waiting.get(id, 0),
            "trouble": _trouble(listed.trouble),
        }
    return found


def _trouble(trouble: StoredFailure | None) -> str | None:
    """Return the reason why a subscription is suspended, or None."""
    return None if trouble is None else f"{trouble.code}: {trouble.reason}"
