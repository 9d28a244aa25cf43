"""DNS resolution. A name is resolved once at a time, in threads of its own, so that slow names
delay nothing else.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

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
