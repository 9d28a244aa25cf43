"""The URL of a webhook, and the addresses that it may reach: public ones, and those that a setting
allows.

Refused are the special addresses of the registries (RFC 6890 and its successors), and every form of
IPv6 that embeds another address, so that no private address passes as a public one. A host name is
resolved and checked for every new connection; a literal address is checked at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import httpx

from tocsin.errors import MeaningProblem, Problem

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_SPECIAL = {
    "unspecified": "0.0.0.0/8 ::/128",
    "loopback": "127.0.0.0/8 ::1/128",
    "private": "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 fc00::/7 fec0::/10",
    "link-local": "169.254.0.0/16 fe80::/10",
    "multicast": "224.0.0.0/4 ff00::/8",
    "IPv4 inside IPv6": "::ffff:0:0/96 ::/96 64:ff9b::/96 64:ff9b:1::/48 2002::/16 2001::/32",
    "reserved": (
        "192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24"
        " 240.0.0.0/4 100::/64 2001::/23 2001:db8::/32 3fff::/20 5f00::/16"
    ),
}
_NETWORKS = [(kind, ip_network(each)) for kind, all in _SPECIAL.items() for each in all.split()]


class AddressProblem(Problem):
    """Raised for a target that must not be reached."""

    default_code = "AddressRefused"


@dataclass(frozen=True, slots=True)
class AddressRules:
    """Public addresses, and all addresses of the allowed networks."""

    allowed: tuple[Network, ...] = ()

    @staticmethod
    def allowing(networks: Iterable[str]) -> AddressRules:
        """Return rules that allow networks such as `127.0.0.0/8`; raise MeaningProblem for an
        invalid one.
        """
        return AddressRules(tuple(map(_network, networks)))

    def require(self, address: str) -> Address:
        """Return the parsed address to connect to; raise AddressProblem if it is refused."""
        parsed = parse_address(address)
        if parsed is None:
            raise AddressProblem(f"{address!r} is no address", token=address)
        kind = kind_of(parsed)
        if kind is not None and not any(_lies_in(parsed, each) for each in self.allowed):
            raise AddressProblem(
                f"the address {address} is {kind}: webhooks may not reach it",
                token=address,
                hint="give a public address, or let the operator allow its network in the settings",
            )
        return parsed


def kind_of(address: Address) -> str | None:
    """Return the reason why an address is not public, or None."""
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return "link-local"
    return next((kind for kind, network in _NETWORKS if _lies_in(address, network)), None)


def parse_address(text: str) -> Address | None:
    """Return the address in a text, with or without the brackets of a URL; None for a name."""
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    try:
        return ip_address(bare)
    except ValueError:
        return None


def _lies_in(address: Address, network: Network) -> bool:
    return address.version == network.version and address in network


def _network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise MeaningProblem(
            f"{text!r} is no network: {error}",
            code="SettingError",
            token=text,
            hint="write it like 127.0.0.0/8, 10.1.2.3 or fd00::/8",
        ) from None


# URLs: http or https, a host, a numeric port, no password.

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
