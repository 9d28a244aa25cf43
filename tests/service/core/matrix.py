"""Every address of the service with what it needs of a caller and what of a tenant it is about.

The addresses are those of the OpenAPI documents and of the routes that these leave out (pages and
WebSockets). `TABLE` classifies each of them; an address without a row is a failing test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from fastapi import FastAPI
from starlette.routing import Mount, Route, WebSocketRoute

WEBSOCKET = "WEBSOCKET"
Key = tuple[str, str]
"""A method and a path, with the names of parameters in braces."""


class Access(Enum):
    """The keys that an operation is open to."""

    PUBLIC = "no key is needed"
    ANY_KEY = "a key with any scope"
    PUBLISH = "publish or admin"
    SUBSCRIBE = "subscribe or admin"
    OWNER = "subscribe or admin; admin where the tenant has no name"

    def allows(self, scope: str | None, tenant: str) -> bool:
        """True if a key with one scope may do it; None stands for no key."""
        if self is Access.PUBLIC:
            return True
        if scope is None:
            return False
        if self is Access.ANY_KEY or scope == "admin":
            return True
        if self is Access.OWNER and not tenant:
            return False
        return scope == ("publish" if self is Access.PUBLISH else "subscribe")


@dataclass(frozen=True)
class Operation:
    """The classification of an address: its access, the kind of thing that its path names, and the
    body and the parameters of a request that names one of a tenant's things.

    `reveals` is True where the owner of the things reads something of them in the answer. A stream
    is asked with a position that is refused after the key was judged, as it would never end.
    """

    access: Access
    names: str = ""
    body: Callable[[str], Any] | None = None
    query: Callable[[str], dict[str, str]] | None = None
    reveals: bool = False
    headers: tuple[tuple[str, str], ...] = ()


def _part(name: str) -> dict[str, Any]:
    """A subscription that names a defined part."""
    return {"language": "opsl", "expression": name}


def _named(name: str) -> dict[str, str]:
    return {"subscription": name}


EVENT = {"specversion": "1.0", "id": "asked", "source": "matrix", "type": "offer", "data": {}}
SUBSCRIPTION = {"language": "selector", "expression": "price < 0"}
REGION = {"region": "POINT(1 1)"}
EPCIS_EVENT = {
    "@context": "https://ref.gs1.org/standards/epcis/epcis-context.jsonld",
    "type": "ObjectEvent",
    "eventTime": "2026-01-31T08:00:00Z",
    "eventTimeZoneOffset": "+00:00",
    "action": "OBSERVE",
    "bizStep": "shipping",
    "epcList": ["urn:epc:id:sgtin:0614141.107346.1"],
}
JSON = (("content-type", "application/json"),)
STREAM = {"after": "x"}

_SUB, _DEF, _QUERY, _LEG = "subscription", "definition", "query", "query subscription"

TABLE: dict[Key, Operation] = {
    ("POST", "/v1/events"): Operation(Access.PUBLISH, body=lambda _: EVENT),
    ("GET", "/v1/events"): Operation(Access.SUBSCRIBE),
    ("GET", "/v1/events/stream"): Operation(Access.SUBSCRIBE, query=lambda _: STREAM),
    ("POST", "/v1/check"): Operation(Access.SUBSCRIBE, body=_part),
    ("POST", "/v1/explain"): Operation(Access.SUBSCRIBE, body=_part, reveals=True),
    ("POST", "/v1/try"): Operation(Access.SUBSCRIBE, body=_part),
    ("POST", "/v1/why-not"): Operation(
        Access.SUBSCRIBE, body=lambda name: {"subscription": name, "event": EVENT}, reveals=True
    ),
    ("GET", "/v1/subscriptions"): Operation(Access.SUBSCRIBE, reveals=True),
    ("GET", "/v1/subscriptions/{id}"): Operation(Access.SUBSCRIBE, _SUB, reveals=True),
    ("PUT", "/v1/subscriptions/{id}"): Operation(
        Access.SUBSCRIBE, _SUB, body=lambda _: SUBSCRIPTION
    ),
    ("DELETE", "/v1/subscriptions/{id}"): Operation(Access.SUBSCRIBE, _SUB),
    ("POST", "/v1/subscriptions/{id}/pause"): Operation(Access.SUBSCRIBE, _SUB),
    ("POST", "/v1/subscriptions/{id}/resume"): Operation(Access.SUBSCRIBE, _SUB),
    ("GET", "/v1/subscriptions/{id}/waiting"): Operation(Access.SUBSCRIBE, _SUB),
    ("GET", "/v1/subscriptions/{id}/delivery"): Operation(Access.SUBSCRIBE, _SUB, reveals=True),
    ("POST", "/v1/subscriptions/{id}/delivery"): Operation(
        Access.SUBSCRIBE, _SUB, body=lambda _: {"after": 0}
    ),
    ("GET", "/v1/subscriptions/{id}/secret"): Operation(Access.SUBSCRIBE, _SUB, reveals=True),
    ("POST", "/v1/subscriptions/{id}/secret"): Operation(Access.SUBSCRIBE, _SUB),
    ("GET", "/v1/definitions"): Operation(Access.SUBSCRIBE, reveals=True),
    ("GET", "/v1/definitions/{name}"): Operation(Access.SUBSCRIBE, _DEF, reveals=True),
    ("GET", "/v1/definitions/{name}/versions"): Operation(Access.SUBSCRIBE, _DEF, reveals=True),
    ("PUT", "/v1/definitions/{name}"): Operation(
        Access.OWNER, _DEF, body=lambda _: REGION, query=lambda _: {"force": "true"}
    ),
    ("DELETE", "/v1/definitions/{name}"): Operation(
        Access.OWNER, _DEF, query=lambda _: {"force": "true"}
    ),
    ("GET", "/v1/attributes"): Operation(Access.SUBSCRIBE, reveals=True),
    ("GET", "/v1/knowledge"): Operation(Access.SUBSCRIBE, reveals=True),
    ("GET", "/v1/matches"): Operation(Access.SUBSCRIBE, query=_named, reveals=True),
    ("GET", "/v1/matches/{id}/why"): Operation(Access.SUBSCRIBE, "match", reveals=True),
    ("GET", "/v1/matches/stream"): Operation(
        Access.SUBSCRIBE, query=lambda name: _named(name) | STREAM
    ),
    (WEBSOCKET, "/v1/matches/live"): Operation(
        Access.SUBSCRIBE, query=lambda name: _named(name) | STREAM
    ),
    ("GET", "/v1/dead-letters"): Operation(Access.SUBSCRIBE, reveals=True),
    ("POST", "/v1/dead-letters/{id}/replay"): Operation(Access.SUBSCRIBE, "dead letter"),
    ("GET", "/v1/plan"): Operation(Access.SUBSCRIBE, reveals=True),
    ("GET", "/v1/statistics"): Operation(Access.SUBSCRIBE, reveals=True),
    ("GET", "/v1/session"): Operation(Access.ANY_KEY),
    ("GET", "/v1/federation"): Operation(Access.SUBSCRIBE),
    ("GET", "/healthz"): Operation(Access.PUBLIC),
    ("GET", "/readyz"): Operation(Access.PUBLIC),
    ("GET", "/metrics"): Operation(Access.PUBLIC, reveals=True),
    ("GET", "/epcis/"): Operation(Access.SUBSCRIBE),
    ("DELETE", "/epcis/nextPageToken/{token}"): Operation(Access.SUBSCRIBE, "nothing"),
    ("GET", "/epcis/capture"): Operation(Access.PUBLISH, reveals=True),
    ("POST", "/epcis/capture"): Operation(Access.PUBLISH, body=lambda _: EPCIS_EVENT, headers=JSON),
    ("GET", "/epcis/capture/{id}"): Operation(Access.PUBLISH, "capture job"),
    ("GET", "/epcis/events"): Operation(Access.SUBSCRIBE),
    ("POST", "/epcis/events"): Operation(Access.PUBLISH, body=lambda _: EPCIS_EVENT, headers=JSON),
    ("GET", "/epcis/events/{id}"): Operation(Access.SUBSCRIBE, "nothing"),
    ("GET", "/epcis/queries"): Operation(Access.SUBSCRIBE, reveals=True),
    ("POST", "/epcis/queries"): Operation(
        Access.SUBSCRIBE,
        body=lambda name: {"name": f"mine {len(name)}", "query": _part(name)},
        headers=JSON,
    ),
    ("GET", "/epcis/queries/{name}"): Operation(Access.SUBSCRIBE, _QUERY, reveals=True),
    ("DELETE", "/epcis/queries/{name}"): Operation(Access.SUBSCRIBE, _QUERY),
    ("GET", "/epcis/queries/{name}/events"): Operation(Access.SUBSCRIBE, _QUERY),
    (WEBSOCKET, "/epcis/queries/{name}/events"): Operation(
        Access.SUBSCRIBE, _QUERY, query=lambda _: {"stream": "true"}
    ),
    ("GET", "/epcis/queries/{name}/subscriptions"): Operation(
        Access.SUBSCRIBE, _QUERY, reveals=True
    ),
    ("POST", "/epcis/queries/{name}/subscriptions"): Operation(
        Access.SUBSCRIBE,
        _QUERY,
        body=lambda _: {"dest": "http://127.0.0.1:9/", "stream": True},
        headers=JSON,
    ),
    ("GET", "/epcis/queries/{name}/subscriptions/{id}"): Operation(
        Access.SUBSCRIBE, _LEG, reveals=True
    ),
    ("DELETE", "/epcis/queries/{name}/subscriptions/{id}"): Operation(Access.SUBSCRIBE, _LEG),
    ("GET", "/epcis/{resource}"): Operation(Access.SUBSCRIBE, "resource"),
    ("GET", "/epcis/{resource}/{value}"): Operation(Access.SUBSCRIBE, "resource"),
    ("GET", "/epcis/{resource}/{value}/events"): Operation(Access.SUBSCRIBE, "resource"),
}

_DISCOVERY = (
    *("/", "/capture", "/capture/{id}", "/events", "/queries", "/queries/{name}"),
    *("/queries/{name}/events", "/queries/{name}/subscriptions"),
    *("/queries/{name}/subscriptions/{id}", "/{resource}", "/{resource}/{value}"),
)
TABLE |= {("OPTIONS", f"/epcis{path}"): Operation(Access.PUBLIC) for path in _DISCOVERY}
"""The standard lets a client ask for versions and limits before it has a key."""

_PAGES = ("/", "/assets/{path}", "/favicon.{ending}", "/openapi.json")
TABLE |= {(method, path): Operation(Access.PUBLIC) for path in _PAGES for method in ("GET", "HEAD")}
TABLE |= {
    ("GET", "/docs"): Operation(Access.PUBLIC),
    ("GET", "/docs/assets/{path}"): Operation(Access.PUBLIC),
    ("GET", "/epcis/openapi.json"): Operation(Access.PUBLIC),
    ("HEAD", "/epcis/openapi.json"): Operation(Access.PUBLIC),
}


def operations_of(app: FastAPI) -> set[Key]:
    """Every address of an application, documented or not, those of mounted ones included."""
    documented = {
        (method.upper(), path)
        for path, methods in app.openapi()["paths"].items()
        for method in methods
    }
    return documented | set(_operations_in(app.routes))


def _operations_in(routes: Any) -> Iterator[Key]:
    for route in routes:
        if isinstance(route, Mount):
            yield from _mounted(route)
        elif isinstance(route, WebSocketRoute) or route.__class__.__name__ == "APIWebSocketRoute":
            yield WEBSOCKET, _plain(route.path)
        elif isinstance(route, Route):
            yield from ((method, _plain(route.path)) for method in route.methods or ())
        else:  # a router that was included
            yield from _operations_in(route.original_router.routes)


def _mounted(mount: Mount) -> Iterator[Key]:
    if isinstance(mount.app, FastAPI):
        yield from ((method, mount.path + path) for method, path in operations_of(mount.app))
    else:
        yield "GET", f"{mount.path}/{{path}}"


def _plain(path: str) -> str:
    return path.replace(":path}", "}")
