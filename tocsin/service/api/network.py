"""Routes `/v1/plan` and `/v1/subscriptions/{id}/waiting`: the running operators, and the partial
matches in them.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from tocsin.catalog.tenants import Owned
from tocsin.explain.waiting import describe_waiting, seen_waiting
from tocsin.service.console.looking import take_look
from tocsin.service.http.access import AccessScope, caller_with
from tocsin.service.http.requests import run_read, service_of

router = APIRouter(tags=["subscriptions"])


@router.get("/v1/plan")
async def tell_plan(request: Request) -> dict[str, Any]:
    """Return the operators of all subscriptions of the caller: kind, inputs, subscriptions, partial
    matches held and occurrences received. Needs `--engine local`.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)

    def look() -> dict[str, Any]:
        return service.network.plan(caller.tenant, service.statistics.totals(caller.tenant))

    return await run_read(request, caller.tenant, look)


@router.get("/v1/subscriptions/{id}/waiting")
async def tell_waiting(id: str, request: Request) -> dict[str, Any]:
    """Return the partial matches of a subscription, what they need and until when, soonest end
    first. Needs `--engine local`.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)

    def look() -> dict[str, Any]:
        subscription = service.entries.get(caller.tenant, id).subscription
        name = Owned(caller.tenant, id).key
        seen = take_look(service.runner, lambda hub: seen_waiting(hub, name))
        sources = service.entries.sources_of(subscription)
        return {"waiting": describe_waiting(seen, sources), "left_out": seen[2]}

    return await run_read(request, caller.tenant, look)
