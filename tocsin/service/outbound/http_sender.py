"""HTTP to untrusted receivers: every address is checked, the connection goes to the checked
address, redirects are not followed, and only the first bytes of a response are read.

A name is resolved once at a time, in threads of its own, so that slow names delay nothing else.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpcore

from tocsin.errors import Problem
from tocsin.service.outbound.addresses import AddressProblem, AddressRules, WebhookUrl

LookUp = Callable[[str, int], Awaitable[list[str]]]
"""Function that returns the addresses of a host for a port."""

_THREADS = 32


class DnsResolver:
    """Resolver that uses the one of the operating system."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="lookup")
        self._under_way: dict[tuple[str, int], asyncio.Future[list[str]]] = {}

    async def look_up(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host in the order to try them; raise OSError without one."""
        key = (host, port)
        found = self._under_way.get(key)
        if found is None:
            loop = asyncio.get_running_loop()
            found = loop.run_in_executor(self._threads, _look_up, host, port)
            self._under_way[key] = found
            found.add_done_callback(lambda done: self._under_way.pop(key, None))
        return await asyncio.shield(found)

    def close(self) -> None:
        """Shut down without waiting: a lookup that hangs ends with the process."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


_MAX_READ_BYTES = 1 << 16
_MAX_IDLE_CONNECTIONS = 256


@dataclass(frozen=True, slots=True)
class ReceiverResponse:
    """Response of a receiver: the status, its headers by lower-case name, the first bytes."""

    status: int
    headers: Mapping[str, str]
    text: str


class SendProblem(Problem):
    """Raised if there is no response, or none that is HTTP."""

    default_code = "DeliveryError"


class HttpSender:
    """HTTP client for receivers; connections are kept for further messages."""

    def __init__(
        self,
        rules: AddressRules,
        look_up: LookUp,
        *,
        timeout: float = 20.0,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._timeout = timeout
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=trust,
            max_connections=None,
            max_keepalive_connections=_MAX_IDLE_CONNECTIONS,
            keepalive_expiry=30.0,
            network_backend=_GuardedNetwork(rules, look_up),
        )

    async def post(
        self, url: WebhookUrl, headers: Mapping[str, str], body: bytes
    ) -> ReceiverResponse:
        """Return the receiver's response, whatever its status; raise SendProblem without one in
        time.
        """
        try:
            async with asyncio.timeout(self._timeout):
                return await self._exchange(url, headers, body)
        except TimeoutError:
            raise SendProblem(f"no answer within {self._timeout:g} s") from None
        except (httpcore.TimeoutException, httpcore.NetworkError) as error:
            raise SendProblem(_reason(error, "the connection failed")) from None
        except (httpcore.ProtocolError, httpcore.UnsupportedProtocol, ssl.SSLError) as error:
            raise SendProblem(_reason(error, "the answer is no HTTP")) from None
        except OSError as error:
            raise SendProblem(error.strerror or str(error)) from None

    async def _exchange(
        self, url: WebhookUrl, headers: Mapping[str, str], body: bytes
    ) -> ReceiverResponse:
        async with self._pool.stream(
            "POST",
            httpcore.URL(
                scheme=url.scheme, host=url.host, port=url.port, target=url.target.encode()
            ),
            headers=[(name.encode(), value.encode()) for name, value in headers.items()],
            content=body,
        ) as response:
            read = await _beginning(response)
        told = {name.decode("latin-1").lower(): value for name, value in response.headers}
        texts = {name: value.decode("latin-1") for name, value in told.items()}
        return ReceiverResponse(response.status, texts, read.decode("utf-8", "replace"))

    async def close(self) -> None:
        """Close every connection."""
        await self._pool.aclose()


async def _beginning(response: httpcore.Response) -> bytes:
    """Return the first bytes of a response. A short one is read to its end, so that the connection
    can be used again.
    """
    read = b""
    async for chunk in response.aiter_stream():
        read += chunk
        if len(read) > _MAX_READ_BYTES:
            break
    return read[:_MAX_READ_BYTES]


class _GuardedNetwork(httpcore.AsyncNetworkBackend):
    """Network backend that resolves a host once, requires all its addresses to be allowed, and
    connects to one of these.
    """

    def __init__(self, rules: AddressRules, look_up: LookUp) -> None:
        self._rules = rules
        self._look_up = look_up
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return the connection to the first address that accepts it."""
        addresses = [str(self._rules.require(each)) for each in await self._look_up(host, port)]
        if not addresses:
            raise AddressProblem(f"the host {host} has no address", token=host)
        for address in addresses[:-1]:
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._inner.connect_tcp(addresses[-1], port, timeout, local_address)


def _reason(error: Exception, otherwise: str) -> str:
    return str(error) or otherwise
