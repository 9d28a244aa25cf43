"""Authentication and scopes. Without a key a request is refused, unless settings turn keys off."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import cast

from starlette.requests import HTTPConnection

from tocsin.errors import Problem
from tocsin.service.core.service import Service

_BEARER = "bearer "
_NO_KEY = ""


class AccessScope(StrEnum):
    """Permission of a key: to publish, to subscribe and read, or everything."""

    PUBLISH = "publish"
    SUBSCRIBE = "subscribe"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Caller:
    """The tenant of a request, its scopes and its key."""

    tenant: str
    scopes: frozenset[str]
    service: Service
    key: str = _NO_KEY
    rate: int | None = None
    token: str = field(default=_NO_KEY, repr=False)

    def may(self, scope: AccessScope) -> bool:
        """True if the key has a scope; admin includes all."""
        return scope in self.scopes or AccessScope.ADMIN in self.scopes

    def require(self, scope: AccessScope) -> None:
        """Raise Problem if the key does not have a scope."""
        if not self.may(scope):
            raise Problem(
                f"the key has no scope {scope}",
                code="ScopeMissing",
                token=scope,
                hint=f"make one that has: tocsin keys create --scope {scope}",
            )

    def is_admitted(self) -> bool:
        """True if the key is still valid; checked repeatedly by streams. If the store cannot be
        read, the key counts as valid meanwhile.
        """
        if not self.service.settings.auth:
            return True
        try:
            return self.service.keyring.find(self.token) is not None
        except Problem:
            return True

    def require_admitted(self) -> None:
        """Raise Problem if the key was revoked."""
        if not self.is_admitted():
            raise _unknown_key()

    def spend(self, count: int) -> None:
        """Count published events; raise LimitProblem above the rate of the key."""
        self.service.keyring.publish(self.key, count, self.rate)


def caller_with(request: HTTPConnection, scope: AccessScope) -> Caller:
    """Return the caller; raise Problem without the scope."""
    caller = caller_of(request)
    caller.require(scope)
    return caller


def listener_with(request: HTTPConnection, scope: AccessScope) -> Caller:
    """Return the caller of a stream; raise Problem without the scope.

    The key may be in the URL, as an EventSource and a WebSocket of a browser cannot set headers.
    """
    caller = caller_of(request, request.query_params.get("access_token", ""))
    caller.require(scope)
    return caller


def caller_of(request: HTTPConnection, given: str = "") -> Caller:
    """Return the caller by the key in the header, else by the `given` one. Raises Problem without a
    valid key, LimitProblem above the rate of requests.
    """
    service = cast(Service, request.app.state.service)
    if not service.settings.auth:
        service.keyring.ask(_NO_KEY)
        return Caller("", frozenset(AccessScope), service)
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
    """Return the key in the header, or ""."""
    given = request.headers.get("authorization", "")
    return given[len(_BEARER) :].strip() if given.lower().startswith(_BEARER) else ""


def _unknown_key() -> Problem:
    return Problem(
        "the key is not known, or was revoked",
        code="KeyUnknown",
        hint="make one: tocsin keys create --scope publish,subscribe --data DIR",
    )
