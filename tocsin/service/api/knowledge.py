"""Routes `/v1/attributes` and `/v1/knowledge`: the attributes of events and the terms of
ontologies, for authors of subscriptions.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from tocsin.catalog import Subscription
from tocsin.catalog.tenants import Owned
from tocsin.errors import Problem
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.composites import Plan
from tocsin.service.console.attributes import attributes_seen
from tocsin.service.console.knowledge import describe_knowledge, terms_of
from tocsin.service.console.recent import recent_events
from tocsin.service.core.service import Service
from tocsin.service.http.access import AccessScope, caller_with
from tocsin.service.http.requests import run_read, service_of
from tocsin.service.subscriptions.definitions import body_of

router = APIRouter(tags=["definitions"])

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
