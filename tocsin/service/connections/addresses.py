"""The client that a connection is counted for."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

_IPV6_CLIENT_BITS = 64
"""Prefix length of an IPv6 client, which usually has a whole /64 and could use a new address for
each connection.
"""


class ClientNames:
    """Addresses of peers as names of clients; None for proxies, which have many clients behind."""

    def __init__(self, proxies: list[str]) -> None:
        self._proxies = [ip_network(each) for each in proxies]
        self.name_of = lru_cache(maxsize=4096)(self._name_of)

    def _name_of(self, host: str) -> str | None:
        address = _address_of(host)
        if address is None:
            return host
        if any(address in network for network in self._proxies):
            return None
        if isinstance(address, IPv6Address):
            return str(IPv6Network((address, _IPV6_CLIENT_BITS), strict=False))
        return str(address)


def _address_of(host: str) -> IPv4Address | IPv6Address | None:
    """Return an address without its zone, a mapped IPv4 address as IPv4; None for a name."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
