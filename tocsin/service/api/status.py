"""Routes for the state of the service: liveness, readiness, metrics, rates, session and operators.

`/healthz`, `/readyz` and `/metrics` are for operators; `/v1/session`, `/v1/statistics`, `/v1/plan`
and `/v1/subscriptions/{id}/waiting` are for a tenant.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from tocsin.catalog.tenants import Owned
from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.explain.waiting import describe_waiting, seen_waiting
from tocsin.runtime.admission import wall_clock
from tocsin.service.api.metrics import metrics_text
from tocsin.service.console.looking import take_look
from tocsin.service.console.minutes import MINUTES
from tocsin.service.core.service import Service
from tocsin.service.http.access import AccessScope, caller_of, caller_with
from tocsin.service.http.requests import run_read, service_of
from tocsin.service.storage.subscription_status import StoredFailure
from tocsin.values.time import format_instant
from tocsin.version import __version__

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def is_alive() -> dict[str, str]:
    """Return 200 while the process responds."""
    return {"status": "alive"}


@router.get("/readyz")
async def is_ready(request: Request) -> Response:
    """Return 200 while events are accepted and matched, else 503."""
    service = service_of(request)
    status = service.runner.status()
    told = {
        "status": "ready" if status.is_ready else "not ready",
        "engine": str(service.settings.engine),
        "position": status.position,
        "head": service.log.head,
        "lag": max(0, service.log.head - status.position),
        "error": status.error,
    }
    return JSONResponse(told, 200 if status.is_ready else 503)


@router.get("/metrics", response_class=PlainTextResponse)
async def tell_metrics(request: Request) -> Response:
    """Return metrics for Prometheus. Those of single subscriptions are for admins only: a tenant's
    admin gets its own, the admin without a tenant all.
    """
    service = service_of(request)
    try:
        caller = caller_with(request, AccessScope.ADMIN)
    except Problem:
        is_admin, tenant = False, None
    else:
        is_admin, tenant = True, caller.tenant or None
    text = await asyncio.to_thread(metrics_text, service, by_subscription=is_admin, tenant=tenant)
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


# The caller, its scopes, and the service.

session_router = APIRouter(tags=["session"])


@session_router.get("/v1/session")
async def tell_session(request: Request) -> dict[str, Any]:
    """Return the tenant and the scopes of the key, and version and engine of the service.

    Any valid key is accepted; without authentication none is needed.
    """
    settings = service_of(request).settings
    caller = caller_of(request)
    return {
        "version": __version__,
        "engine": str(settings.engine),
        "auth": settings.auth,
        "tenant": caller.tenant,
        "scopes": sorted(str(each) for each in caller.scopes),
        "tiles": settings.console.tiles,
        "server_time": format_instant(wall_clock()),
    }


# Rates of events and matches, now and over the last hour.

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


# The running operators, and the partial matches in them.

network_router = APIRouter(tags=["subscriptions"])


@network_router.get("/v1/plan")
async def tell_plan(request: Request) -> dict[str, Any]:
    """Return the operators of all subscriptions of the caller: kind, inputs, subscriptions, partial
    matches held and occurrences received. Needs `--engine local`.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)

    def look() -> dict[str, Any]:
        return service.network.plan(caller.tenant, service.statistics.totals(caller.tenant))

    return await run_read(request, caller.tenant, look)


@network_router.get("/v1/subscriptions/{id}/waiting")
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
