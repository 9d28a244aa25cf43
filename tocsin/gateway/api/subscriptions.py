"""`/v1/subscriptions` and `/v1/definitions`: who puts one is heard from the next event on."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from tocsin.gateway.api.access import Scope, caller_with
from tocsin.gateway.api.requests import object_of, service_of

router = APIRouter()


@router.put("/v1/subscriptions/{id}", tags=["subscriptions"])
async def put_subscription(id: str, request: Request) -> Response:
    """Creates a subscription (201) or replaces it (200)."""
    service = service_of(request)
    caller = caller_with(request, Scope.SUBSCRIBE)
    body = await object_of(request, service.settings.limits.request_bytes)
    put = await asyncio.to_thread(service.entries.put_subscription, caller.tenant, id, body)
    service.catalog_changed(put.version)
    told: dict[str, Any] = {"id": id, **body, "version": put.version}
    return JSONResponse(told, 201 if put.is_new else 200)


@router.delete("/v1/subscriptions/{id}", tags=["subscriptions"], status_code=204)
async def delete_subscription(id: str, request: Request) -> Response:
    """Ends a subscription."""
    service = service_of(request)
    caller = caller_with(request, Scope.SUBSCRIBE)
    version = await asyncio.to_thread(service.entries.remove_subscription, caller.tenant, id)
    service.catalog_changed(version)
    return Response(status_code=204)


@router.put("/v1/definitions/{name}", tags=["definitions"])
async def put_definition(name: str, request: Request) -> Response:
    """Creates a definition (201) or replaces it (200)."""
    service = service_of(request)
    caller = caller_with(request, Scope.SUBSCRIBE)
    body = await object_of(request, service.settings.limits.request_bytes)
    put = await asyncio.to_thread(service.entries.put_definition, caller.tenant, name, body)
    service.catalog_changed(put.version)
    return JSONResponse({"name": name, **body, "version": put.version}, 201 if put.is_new else 200)
