"""Routes `/v1/subscriptions`: a new subscription applies from the next event on."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from tocsin.service.api.bodies import SUBSCRIPTION, json_body
from tocsin.service.http.access import AccessScope, caller_with
from tocsin.service.http.requests import object_of, run_read, service_of

router = APIRouter(tags=["subscriptions"])


@router.get("/v1/subscriptions")
async def list_subscriptions(request: Request) -> dict[str, Any]:
    """Return all subscriptions of the caller."""
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    found = await run_read(request, caller.tenant, service.entries.list_all, caller.tenant)
    return {"subscriptions": [each.as_json() for each in found]}


@router.get("/v1/subscriptions/{id}")
async def get_subscription(id: str, request: Request) -> dict[str, Any]:
    """Return a subscription and its state: live, paused, or suspended with the reason."""
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    return (
        await run_read(request, caller.tenant, service.entries.get, caller.tenant, id)
    ).as_json()


@router.put(
    "/v1/subscriptions/{id}",
    openapi_extra=json_body(SUBSCRIPTION),
    responses={201: {"description": "Created"}},
)
async def put_subscription(id: str, request: Request) -> Response:
    """Create a subscription (201) or replace it (200); it applies to events from now on."""
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    body = await object_of(request, service.settings.limits.request_bytes)

    put = await run_read(request, caller.tenant, service.entries.put, caller.tenant, id, body)
    assert put.listed is not None
    told = put.listed.as_json() | {"version": put.version}
    if put.warnings:
        told["warnings"] = [each.as_json() for each in put.warnings]
    return JSONResponse(told, 201 if put.is_new else 200)


@router.post("/v1/subscriptions/{id}/pause")
async def pause_subscription(id: str, request: Request) -> dict[str, Any]:
    """Pause a subscription: it does not match until it is resumed."""
    return await _pause(id, request, paused=True)


@router.post("/v1/subscriptions/{id}/resume")
async def resume_subscription(id: str, request: Request) -> dict[str, Any]:
    """Resume a paused subscription; it applies to events from now on."""
    return await _pause(id, request, paused=False)


@router.delete("/v1/subscriptions/{id}", status_code=204)
async def delete_subscription(id: str, request: Request) -> Response:
    """Delete a subscription."""
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    await run_read(request, caller.tenant, service.entries.remove, caller.tenant, id)
    return Response(status_code=204)


async def _pause(id: str, request: Request, *, paused: bool) -> dict[str, Any]:
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    return (
        await run_read(request, caller.tenant, service.entries.pause, caller.tenant, id, paused)
    ).as_json()
