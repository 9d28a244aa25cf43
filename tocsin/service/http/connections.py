"""The open connections: counted for their clients, evicted, and checked once a second.

A connection is idle while it has no request under way: new, within a head, or between two requests.
Idle ones are evicted for new ones, the longest idle first, since their clients lose nothing.
Connections with a request are never evicted: the new one is refused.
"""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import Container
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Protocol

from tocsin.errors import LimitProblem
from tocsin.service.settings.settings import HttpSettings, seconds

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


BACKLOG = 512
"""Connections that the kernel queues; all of them may be accepted before the first is refused."""

CLOSE_SECONDS = 10.0
"""Seconds that a closed connection has to send its remaining bytes."""

_MAX_SWEEP_SECONDS = 2.0
"""Upper bound of the time counted between two sweeps: a loop that was blocked for longer could not
read.
"""


class Peer(Protocol):
    """A connection as the table sees it."""

    def check(self, now: float) -> None:
        """End the connection if its client is too slow."""


@dataclass(slots=True)
class _Client:
    """The connections of one address."""

    count: int = 0
    idle: dict[asyncio.Transport, None] = field(default_factory=dict)


@dataclass(slots=True)
class _ConnectionEntry:
    """One connection; `peer` is None once it has become a WebSocket."""

    client: str | None
    peer: Peer | None
    websocket: object = None
    closing_since: float | None = None


class ConnectionTable:
    """All open connections; used by the event loop alone. `alive` holds the protocols of WebSockets
    until they are lost.
    """

    def __init__(self, settings: HttpSettings, alive: Container[object]) -> None:
        self.settings = settings
        self.clock = 0.0
        """Seconds in which the loop was able to read; timeouts are measured by it."""
        self._alive = alive
        self._names = ClientNames(settings.proxies)
        self._most = min(settings.connections, _files_for_connections(settings.spare_files))
        self._entries: dict[asyncio.Transport, _ConnectionEntry] = {}
        self._clients: dict[str, _Client] = {}
        self._idle: dict[asyncio.Transport, None] = {}
        self._swept = time.monotonic()

    def __len__(self) -> int:
        return len(self._entries)

    def admit(self, transport: asyncio.Transport, host: str, peer: Peer) -> LimitProblem | None:
        """Count a new connection; return a problem if there is no room for it, else None."""
        name = self._names.name_of(host)
        client = None if name is None else self._clients.get(name)
        if client is not None and client.count >= self.settings.per_address:
            self._forget_lost()
            if client.count >= self.settings.per_address and not self._make_room(client.idle):
                return _too_many_of_address(self.settings.per_address)
        if len(self._entries) >= self._most:
            self._forget_lost()
            if len(self._entries) >= self._most and not self._make_room(self._idle):
                return _too_many(self._most)
        self._entries[transport] = _ConnectionEntry(name, peer)
        if name is not None:
            self._clients.setdefault(name, _Client()).count += 1
        self.mark_idle(transport)
        return None

    def mark_idle(self, transport: asyncio.Transport) -> None:
        """Note that a connection has no request under way."""
        entry = self._entries.get(transport)
        if entry is not None:
            self._idle[transport] = None
            if entry.client is not None:
                self._clients[entry.client].idle[transport] = None

    def mark_busy(self, transport: asyncio.Transport) -> None:
        """Note that a connection has sent the head of a request."""
        entry = self._entries.get(transport)
        if entry is not None:
            self._idle.pop(transport, None)
            if entry.client is not None:
                self._clients[entry.client].idle.pop(transport, None)

    def hand_over(self, transport: asyncio.Transport, websocket: object) -> None:
        """Note that a connection has become a WebSocket; it is still counted."""
        entry = self._entries.get(transport)
        if entry is not None:
            self.mark_busy(transport)
            entry.peer, entry.websocket = None, websocket

    def release(self, transport: asyncio.Transport) -> None:
        """Forget a lost connection."""
        if transport not in self._entries:
            return
        self.mark_busy(transport)
        name = self._entries.pop(transport).client
        if name is not None:
            client = self._clients[name]
            client.count -= 1
            if not client.count:
                del self._clients[name]

    def sweep(self) -> None:
        """End connections that are too slow; called once a second."""
        now = time.monotonic()
        self.clock += min(now - self._swept, _MAX_SWEEP_SECONDS)
        self._swept = now
        self._forget_lost()
        for transport, entry in list(self._entries.items()):
            if transport.is_closing():
                self._abort_in_time(transport, entry)
            elif entry.peer is not None:
                entry.peer.check(self.clock)

    def _abort_in_time(self, transport: asyncio.Transport, entry: _ConnectionEntry) -> None:
        """End a closed connection whose client does not read the rest in time."""
        if entry.closing_since is None:
            entry.closing_since = self.clock
        elif self.clock - entry.closing_since > CLOSE_SECONDS:
            transport.abort()
            self.release(transport)

    def _make_room(self, idle: dict[asyncio.Transport, None]) -> bool:
        """Evict the connection that has been idle longest; False if none is idle."""
        longest = next(iter(idle), None)
        if longest is None:
            return False
        self.release(longest)
        longest.abort()
        return True

    def _forget_lost(self) -> None:
        """Release lost WebSockets: their protocol is not one of this package."""
        lost = [
            transport
            for transport, entry in self._entries.items()
            if entry.peer is None and entry.websocket not in self._alive
        ]
        for transport in lost:
            self.release(transport)


def raise_file_limit() -> None:
    """Raise the limit of file descriptors as far as the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError):
        return  # some systems cap it lower than they say; the current limit stays


def _files_for_connections(spare: int) -> int:
    """Return how many connections leave `spare` file descriptors for other uses."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return 1 << 30
    return max(1, soft - spare - BACKLOG)


def _too_many_of_address(most: int) -> LimitProblem:
    return LimitProblem(
        f"the address has {most:,} connections with requests under way",
        code="RateLimitExceeded",
        hint="close one, or raise http.per_address; http.proxies names those of many clients",
    )


def _too_many(most: int) -> LimitProblem:
    return LimitProblem(
        f"there are {most:,} connections with requests under way",
        code="TooManyConnections",
        hint="try again later, or raise http.connections in the settings",
    )


def keep_alive_seconds(settings: HttpSettings) -> int:
    """Return the seconds between two requests for the server, at least one."""
    return max(1, round(seconds(settings.keep_alive)))
