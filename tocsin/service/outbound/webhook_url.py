"""The URL of a webhook: http or https, a host, a numeric port, no password.

A host name is resolved and checked for every new connection; a literal address is checked at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import httpx

from tocsin.service.outbound.addresses import AddressProblem, AddressRules, parse_address

_LONGEST = 2048
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*\.?", re.I | re.A)
_SCHEMES = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class WebhookUrl:
    """A URL in its parts; `target` is the path with its query."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def origin(self) -> str:
        """Scheme, host and port, which identify a receiver."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    def __str__(self) -> str:
        return self.origin + self.target


def parse_webhook_url(text: object, rules: AddressRules) -> WebhookUrl:
    """Return the parts of a URL; raise AddressProblem if it is invalid or names a forbidden
    address.
    """
    parsed = _parsed(text)
    host = parsed.raw_host.decode("ascii")
    if parsed.scheme not in _SCHEMES:
        raise _refused(f"a webhook is http or https, not {parsed.scheme or 'nothing'!r}", text)
    if parsed.userinfo:
        raise _refused("the address of a webhook holds a password, which would be stored", "")
    if parse_address(host) is not None:
        rules.require(host)
    elif _NAME.fullmatch(host) is None:
        raise _refused(f"the address of a webhook has no host: {host!r}", text)
    port = _SCHEMES[parsed.scheme] if parsed.port is None else parsed.port
    if not 1 <= port <= 65535:
        raise _refused(f"a port is a number from 1 to 65535, not {port}", text)
    return WebhookUrl(parsed.scheme, host, port, parsed.raw_path.decode("ascii"))


def _parsed(text: object) -> httpx.URL:
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise _refused(f"the address of a webhook is a text of up to {_LONGEST} characters", "")
    try:
        return httpx.URL(text)
    except (httpx.InvalidURL, UnicodeError) as error:
        raise _refused(f"{text!r} is no address: {error}", text) from None


def _refused(message: str, token: object) -> AddressProblem:
    return AddressProblem(
        message,
        code="WebhookUrlError",
        token=str(token),
        hint="write it like https://example.org/hooks/1; it is signed, so it needs no password",
    )
