"""Who calls, and what the caller may do. Without a key nobody may do anything, unless the service
was told to serve everybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import cast

from starlette.requests import HTTPConnection

from tocsin.errors import Problem
from tocsin.gateway.service import Service

_BEARER = "bearer "
_NOBODY = ""


class Scope(StrEnum):
    """What a key allows: to publish, to subscribe and hear, or everything."""

    PUBLISH = "publish"
    SUBSCRIBE = "subscribe"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Caller:
    """A tenant, what it may do, and by which key."""

    tenant: str
    scopes: frozenset[str]
    service: Service
    key: str = _NOBODY
    rate: int | None = None

    def may(self, scope: Scope) -> bool:
        """Whether the key has a scope; admin has all."""
        return scope in self.scopes or Scope.ADMIN in self.scopes

    def require(self, scope: Scope) -> None:
        """Raises where the key does not have a scope."""
        if not self.may(scope):
            raise Problem(
                f"the key has no scope {scope}",
                code="ScopeMissing",
                token=scope,
                hint=f"make one that has: tocsin keys create --scope {scope}",
            )

    def spend(self, count: int) -> None:
        """Takes so many events from what the key may publish in a second."""
        self.service.keyring.publish(self.key, count, self.rate)


def caller_with(request: HTTPConnection, scope: Scope) -> Caller:
    """The caller, who must have a scope."""
    caller = caller_of(request)
    caller.require(scope)
    return caller


def caller_of(request: HTTPConnection) -> Caller:
    """The caller by the key of the request; raises where there is none."""
    service = cast(Service, request.app.state.service)
    if not service.settings.auth:
        service.keyring.ask(_NOBODY)
        return Caller("", frozenset(Scope), service)
    key = _key_of(request)
    if not key:
        raise Problem(
            "the request has no key", code="KeyMissing", hint="send Authorization: Bearer KEY"
        )
    found = service.keyring.find(key)
    if found is None:
        raise Problem(
            "the key is not known, or was revoked",
            code="KeyUnknown",
            hint="make one: tocsin keys create --scope publish,subscribe --data DIR",
        )
    service.keyring.ask(found.id)
    return Caller(found.tenant, found.scopes, service, found.id, found.rate)


def _key_of(request: HTTPConnection) -> str:
    """From the header or, for what listens to matches in a browser and cannot set one, from the
    address.
    """
    given = request.headers.get("authorization", "")
    if given.lower().startswith(_BEARER):
        return given[len(_BEARER) :].strip()
    is_stream = request.url.path.startswith("/v1/matches/")
    return request.query_params.get("access_token", "") if is_stream else ""
