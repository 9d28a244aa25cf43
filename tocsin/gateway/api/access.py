"""Who calls, and what the caller may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from starlette.requests import HTTPConnection

from tocsin.errors import Problem


class Scope(StrEnum):
    """What a key allows: to publish, to subscribe and hear, or everything."""

    PUBLISH = "publish"
    SUBSCRIBE = "subscribe"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Caller:
    """A tenant, and what it may do."""

    tenant: str
    scopes: frozenset[Scope]

    def spend(self, count: int) -> None:
        """Takes so many events from what the key may publish in a second."""


EVERYTHING = Caller("", frozenset(Scope))


def caller_with(request: HTTPConnection, scope: Scope) -> Caller:
    """The caller, who must have a scope; admin has all."""
    service = request.app.state.service
    if not service.settings.auth:
        return EVERYTHING
    raise Problem("a key is needed", code="KeyMissing", hint="Authorization: Bearer KEY")
