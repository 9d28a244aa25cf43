"""Authentication and scopes. Without a key a request is refused, unless settings turn keys off.

A stream ends when its key is revoked. A service without keys answers its own pages and programs
only, as a browser is then the way in for strangers: a page of another site may send requests to
this machine, open a WebSocket to it, or give its own name the address of this machine (DNS
rebinding). So `Host` must be a name of this service, and `Origin`, which browsers send with
cross-origin requests, must be this service itself.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_address
from typing import TypeVar, cast
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from tocsin.errors import Problem
from tocsin.service.core.service import Service
from tocsin.service.http.problems import answer, document_of, status_of

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


# Revocation of keys for streams.

LOOK = 2.0
"""Seconds between two checks of the key of a stream."""

T = TypeVar("T")


async def stream_while_valid(caller: Caller, items: AsyncIterator[T]) -> AsyncIterator[T]:
    """Yield items while the key of the caller is valid; checked every `LOOK` seconds, also without
    items.
    """
    looked = time.monotonic()
    coming: asyncio.Future[T] | None = None
    try:
        while True:
            if coming is None:
                coming = asyncio.ensure_future(anext(items))
            await asyncio.wait((coming,), timeout=max(0.0, looked + LOOK - time.monotonic()))
            if time.monotonic() - looked >= LOOK:
                if not await asyncio.to_thread(caller.is_admitted):
                    return
                looked = time.monotonic()
            if coming.done():
                try:
                    item = coming.result()
                except StopAsyncIteration:
                    return
                coming = None
                yield item
    finally:
        if coming is not None:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)


# Requests to a service without keys.

WEBSOCKET_CODE = 4000
"""Base of WebSocket close codes: the HTTP status is added to it."""

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]?#\\]+)(?::([0-9]{1,5}))?")
_DEFAULT_PORTS = ("80", "443")
Authority = tuple[str, str]
"""A name in lower case and a port; an empty port is the default of the scheme."""


class OwnOrigin:
    """Middleware that refuses requests to other names and from pages of other origins."""

    def __init__(self, app: ASGIApp, host: str, names: Iterable[str] = ()) -> None:
        self._app = app
        self._listens_everywhere = _is_unspecified(host)
        self._names = frozenset(map(_plain_name, (host, *names)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer with a problem document."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            self.judge(Headers(scope=scope))
        except Problem as problem:
            await _refuse(problem, scope, receive, send)
            return
        await self._app(scope, receive, send)

    def judge(self, headers: Headers) -> None:
        """Raise Problem if a request is for another name, or from a page of another origin."""
        hosts = {_authority(each) for each in headers.getlist("host")}
        if len(hosts) != 1 or None in hosts or not all(map(self._is_own, hosts)):
            raise Problem(
                "the request is for a host that is not a name of this service",
                code="HostRefused",
                token=", ".join(headers.getlist("host"))[:200],
                hint="without keys only loopback names are served; add others to the setting hosts",
            )
        for origin in headers.getlist("origin"):
            if _origin(origin) not in hosts:
                raise Problem(
                    "the request comes from a page of another origin",
                    code="OriginRefused",
                    token=origin[:200],
                    hint="serve with keys (auth = true) for pages of other origins",
                )

    def _is_own(self, authority: Authority | None) -> bool:
        if authority is None:
            return False
        name = authority[0]
        if name in self._names or name == "localhost" or name.endswith(".localhost"):
            return True
        try:
            address = ip_address(name)
        except ValueError:
            return False
        # DNS rebinding needs a name. So any address is one of this machine's own, if the service
        # listens on all of them.
        return address.is_loopback or self._listens_everywhere


async def _refuse(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await answer(problem)(scope, receive, send)
        return
    status = status_of(problem)
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "text": json.dumps(document_of(problem, status))})
    await send({"type": "websocket.close", "code": WEBSOCKET_CODE + status})


def _authority(given: str) -> Authority | None:
    """Return the name and the port of a Host header; None if it is malformed."""
    found = _HOST.fullmatch(given)
    if found is None:
        return None
    port = found[2] or ""
    return _plain_name(found[1]), "" if port in _DEFAULT_PORTS else port


def _origin(given: str) -> Authority | None:
    """Return the name and the port of an Origin header; None for `null` and other schemes."""
    try:
        parts = urlsplit(given)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or parts.path or parts.query or parts.fragment:
        return None
    return _authority(parts.netloc)


def _plain_name(name: str) -> str:
    """Return a name in the form for comparison: lower case, without brackets and a final dot."""
    plain = name.strip().lower().removeprefix("[").removesuffix("]").removesuffix(".")
    try:
        return str(ip_address(plain))
    except ValueError:
        return plain


def _is_unspecified(host: str) -> bool:
    try:
        return ip_address(_plain_name(host)).is_unspecified
    except ValueError:
        return not host
