"""A service without keys answers its own pages and programs only.

Without keys a browser is the way in for strangers: a page of another site may send requests to this
machine, open a WebSocket to it, or give its own name the address of this machine (DNS rebinding).
So `Host` must be a name of this service, and `Origin`, which browsers send with cross-origin
requests, must be this service itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from tocsin.errors import Problem
from tocsin.service.http.problems import answer, document_of, status_of

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
