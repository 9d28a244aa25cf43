"""Who calls, and what the caller may do. Without a key nobody may do anything, unless the service
was told to serve everybody.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import cast

from starlette.requests import HTTPConnection

from tocsin.errors import Problem
from tocsin.service.core.service import Service

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
    token: str = field(default=_NOBODY, repr=False)

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

    def is_admitted(self) -> bool:
        """True if the key of the caller is still good; a stream asks again and again. Where that
        cannot be found out, it is taken for good until it can.
        """
        if not self.service.settings.auth:
            return True
        try:
            return self.service.keyring.find(self.token) is not None
        except Problem:
            return True

    def require_admitted(self) -> None:
        """Raise where the key was revoked."""
        if not self.is_admitted():
            raise _unknown_key()

    def spend(self, count: int) -> None:
        """Takes so many events from what the key may publish in a second."""
        self.service.keyring.publish(self.key, count, self.rate)


def caller_with(request: HTTPConnection, scope: Scope) -> Caller:
    """The caller, who must have a scope."""
    caller = caller_of(request)
    caller.require(scope)
    return caller


def listener_with(request: HTTPConnection, scope: Scope) -> Caller:
    """Return the caller of a stream, who must have a scope. An EventSource and a WebSocket of a
    browser can set no header: the key may stand in the address.
    """
    caller = caller_of(request, request.query_params.get("access_token", ""))
    caller.require(scope)
    return caller


def caller_of(request: HTTPConnection, given: str = "") -> Caller:
    """The caller by the key of the request, or by the one that is given where the request has none;
    raises where there is neither.
    """
    service = cast(Service, request.app.state.service)
    if not service.settings.auth:
        service.keyring.ask(_NOBODY)
        return Caller("", frozenset(Scope), service)
    key = _key_of(request) or given
    if not key:
        raise Problem(
            "the request has no key", code="KeyMissing", hint="send Authorization: Bearer KEY"
        )
    found = service.keyring.find(key)
    if found is None:
        raise _unknown_key()
    service.keyring.ask(found.id)
    return Caller(found.tenant, found.scopes, service, found.id, found.rate, key)


def _key_of(request: HTTPConnection) -> str:
    """Return the key in the header; "" where there is none."""
    given = request.headers.get("authorization", "")
    return given[len(_BEARER) :].strip() if given.lower().startswith(_BEARER) else ""


def _unknown_key() -> Problem:
    return Problem(
        "the key is not known, or was revoked",
        code="KeyUnknown",
        hint="make one: tocsin keys create --scope publish,subscribe --data DIR",
    )
