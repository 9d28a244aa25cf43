"""Routes `/healthz`, `/readyz` and `/metrics`: liveness, readiness and metrics."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from tocsin.errors import Problem
from tocsin.service.api.metrics import metrics_text
from tocsin.service.http.access import AccessScope, caller_with
from tocsin.service.http.requests import service_of

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
