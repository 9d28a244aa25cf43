"""Federation as a component: a worker for all links to upstream servers, and `GET /v1/federation`,
the state of the links.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from fastapi import APIRouter, Request

from tocsin.service.base.worker import EventLoopWorker
from tocsin.service.core.service import Service
from tocsin.service.federation.demand import InterestSource
from tocsin.service.federation.link import FederationLink, LocalServer
from tocsin.service.federation.memory import SeenEvents
from tocsin.service.federation.settings import read_settings
from tocsin.service.federation.store import LinkStore
from tocsin.service.http.access import AccessScope, caller_with
from tocsin.service.http.requests import service_of
from tocsin.service.storage.lease import Lease

router = APIRouter(tags=["federation"])

_LOG = logging.getLogger(__name__)

_LOCK = 0x746F6373696E2003
"""Number of the advisory lock of the one process that has the links."""
_LOOK = 1.0


class FederationPart:
    """The links of one server; none if the settings name no upstream."""

    def __init__(self, service: Service) -> None:
        settings = read_settings(service.settings.federation)
        store = LinkStore(service.database)
        self.name = store.name(settings.server)
        self.hops = settings.hops
        home = LocalServer(
            self.name, self.hops, InterestSource(service.entries), store, service.log, SeenEvents()
        )
        self.links = [FederationLink(home, upstream.server) for upstream in settings.upstream]
        self._lease = Lease(service.settings.state_url, _LOCK)
        self._worker = EventLoopWorker("federation", self._hold_links, _LOG)

    def start(self) -> None:
        """Start all links."""
        if self.links:
            self._worker.start()

    def stop(self) -> None:
        """Stop all links; their subscriptions stay at the upstreams, so that no event is missed."""
        self._worker.stop()

    async def _hold_links(self, stop: asyncio.Event) -> None:
        """Run the links while this process holds the lease, until `stop` is set."""
        stopping = asyncio.create_task(stop.wait())
        tasks: list[asyncio.Task[None]] = []
        try:
            while not stop.is_set():
                is_ours = await asyncio.to_thread(self._lease.hold)
                if is_ours and not tasks:
                    tasks = [asyncio.create_task(link.run()) for link in self.links]
                elif not is_ours:
                    tasks = await _ended(tasks)
                await asyncio.wait([stopping], timeout=_LOOK)
        finally:
            await _ended(tasks)
            self._lease.release()


async def _ended(tasks: list[asyncio.Task[None]]) -> list[asyncio.Task[None]]:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return []


@router.get("/v1/federation")
async def federation(request: Request) -> dict[str, Any]:
    """Return the name of this server, and the state of its links to upstream servers."""
    caller_with(request, AccessScope.SUBSCRIBE)
    part = next(each for each in service_of(request).parts if isinstance(each, FederationPart))
    links = [link.status() for link in part.links]
    return {"server": part.name, "hops": part.hops, "upstream": links}
