"""Routes of definitions: regions, named parts and ontologies, and what authors find in them.

`/v1/definitions` of the tenant without a name are shared with all tenants, and need an admin.
`/v1/attributes` and `/v1/knowledge` list the attributes of events and the terms of ontologies.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse

from tocsin.catalog import Subscription
from tocsin.catalog.tenants import Owned
from tocsin.errors import Problem
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.composites import Plan
from tocsin.service.api.bodies import DEFINITION, json_body
from tocsin.service.console.knowledge import attributes_seen, describe_knowledge, terms_of
from tocsin.service.console.stored_events import recent_events
from tocsin.service.core.service import Service
from tocsin.service.http.access import AccessScope, Caller, caller_with
from tocsin.service.http.requests import object_of, run_read, service_of
from tocsin.service.subscriptions.definitions import Version, body_of

router = APIRouter(tags=["definitions"])

Force = Annotated[bool, Query(description="Also where subscriptions ring no more by it.")]


@router.get("/v1/definitions")
async def list_definitions(request: Request) -> dict[str, Any]:
    """Return the definitions that the caller's subscriptions may use."""
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    found = await run_read(request, caller.tenant, service.definitions.list_all, caller.tenant)
    return {"definitions": [body_of(each) for each in found]}


@router.get("/v1/definitions/{name}")
async def get_definition(name: str, request: Request) -> dict[str, Any]:
    """Return a definition, and the version of the catalog that introduced it."""
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    return _to_json(
        await run_read(request, caller.tenant, service.definitions.get, caller.tenant, name)
    )


@router.get("/v1/definitions/{name}/versions")
async def get_versions(name: str, request: Request) -> dict[str, Any]:
    """Return every version of a definition, oldest first."""
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    found = await run_read(
        request, caller.tenant, service.definitions.versions, caller.tenant, name
    )
    return {"versions": [_to_json(each) for each in found]}


@router.put(
    "/v1/definitions/{name}",
    openapi_extra=json_body(DEFINITION),
    responses={201: {"description": "Created"}},
)
async def put_definition(name: str, request: Request, force: Force = False) -> Response:
    """Create a definition (201) or replace it (200); its subscriptions are compiled again."""
    service = service_of(request)
    caller = _writer(request)
    body = await object_of(request, service.settings.limits.request_bytes)

    def change() -> tuple[bool, dict[str, Any]]:
        put = service.definitions.put(caller.tenant, name, body, force=force)
        return put.is_new, _to_json(service.definitions.get(caller.tenant, name))

    is_new, told = await run_read(request, caller.tenant, change)
    return JSONResponse(told, 201 if is_new else 200)


@router.delete("/v1/definitions/{name}", status_code=204)
async def delete_definition(name: str, request: Request, force: Force = False) -> Response:
    """Delete a definition."""
    service = service_of(request)
    caller = _writer(request)

    def change() -> None:
        service.definitions.remove(caller.tenant, name, force=force)

    await run_read(request, caller.tenant, change)
    return Response(status_code=204)


def _writer(request: Request) -> Caller:
    """Return the caller, who may change its tenant's definitions; shared ones need an admin."""
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    if not caller.tenant:
        caller.require(AccessScope.ADMIN)
    return caller


def _to_json(found: Version) -> dict[str, Any]:
    if found.definition is None:
        return {"version": found.version, "removed": True}
    return body_of(found.definition) | {"version": found.version}


# The attributes of events and the terms of ontologies, for authors of subscriptions.

MAX_SUBSCRIPTIONS = 5_000
"""Subscriptions examined for the classes that they name."""


@router.get("/v1/attributes")
async def list_attributes(request: Request) -> dict[str, Any]:
    """Return the attributes of the last 1,000 stored events, the names of definitions, and the
    terms of the ontologies.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)

    def look() -> dict[str, Any]:
        defined = service.definitions.list_all(caller.tenant)
        return {
            "attributes": attributes_seen(recent_events(service.browsing)),
            "definitions": [body_of(each)["name"] for each in defined],
            "terms": terms_of(_words(service, caller.tenant)),
        }

    return await run_read(request, caller.tenant, look)


@router.get("/v1/knowledge")
async def tell_knowledge(request: Request) -> list[dict[str, Any]]:
    """Return the classes of the ontologies that the caller's subscriptions use.

    Each has its direct superclasses, the number of instances among the last 1,000 stored events,
    and the number of subscriptions that name it.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)

    def look() -> list[dict[str, Any]]:
        words = _words(service, caller.tenant)
        events = recent_events(service.browsing)
        return describe_knowledge(words, events, _plans(service, caller.tenant))

    return await run_read(request, caller.tenant, look)


def _words(service: Service, tenant: str) -> Ontology | None:
    """Return the ontology visible to a tenant's subscriptions, or None."""
    service.entries.mirror.refresh()
    return service.entries.mirror.environment.words_of(Owned(tenant, "it").key)


def _plans(service: Service, tenant: str) -> list[tuple[Subscription, Plan]]:
    with service.entries.mirror.lock:
        service.entries.mirror.refresh()
        known = service.entries.mirror.subscriptions_of(tenant)[:MAX_SUBSCRIPTIONS]
    found: list[tuple[Subscription, Plan]] = []
    for each in known:
        try:
            found.append((each, service.entries.compile(each)))
        except Problem:
            continue
    return found
