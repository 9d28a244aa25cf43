"""`/v1/session`: who calls, what the caller may do, and whom it talks to."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from tocsin import __version__
from tocsin.hub.clock_thread import wall_clock
from tocsin.service.http.access import caller_of
from tocsin.service.http.requests import service_of
from tocsin.values.time import format_instant

router = APIRouter(tags=["session"])


@router.get("/v1/session")
async def tell_session(request: Request) -> dict[str, Any]:
    """The tenant and the scopes of the key, the version and the engine of the service. Any key will
    do; none is needed where the service asks for none.
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
