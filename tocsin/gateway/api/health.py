"""`/healthz` and `/readyz`: is it alive, and does it serve."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from tocsin.gateway.api.requests import service_of

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def is_alive() -> dict[str, str]:
    """The process answers."""
    return {"status": "alive"}


@router.get("/readyz")
async def is_ready(request: Request) -> Response:
    """Events are accepted and matched; 503 where not yet, or not any more."""
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
