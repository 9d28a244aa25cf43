"""Federation as a component: its settings, a worker for all links to upstream servers, and a route.

The section `[federation]` has the name of this server and its upstreams; `GET /v1/federation` is
the state of the links.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, SecretStr, ValidationError, field_validator

from tocsin.client.http import ServerConnection
from tocsin.errors import MeaningProblem, Problem
from tocsin.service.base.worker import EventLoopWorker
from tocsin.service.core.service import Service
from tocsin.service.federation.interests import InterestSource
from tocsin.service.federation.link import FederationLink, LocalServer
from tocsin.service.federation.store import LinkStore, SeenEvents
from tocsin.service.http.access import AccessScope, caller_with
from tocsin.service.http.requests import service_of
from tocsin.service.storage.lock import Lease

_NAME = r"^[A-Za-z0-9._-]{0,60}$"


class Upstream(BaseModel):
    """An upstream server, with the API key for it."""

    model_config = {"extra": "forbid"}

    url: str
    key: SecretStr | None = None

    @field_validator("url")
    @classmethod
    def _is_address(cls, given: str) -> str:
        try:
            return ServerConnection(given).url.rstrip("/")
        except Problem as problem:
            raise ValueError(problem.message) from None

    @property
    def server(self) -> ServerConnection:
        """Address and key for the client."""
        return ServerConnection(self.url, None if self.key is None else self.key.get_secret_value())


class FederationSettings(BaseModel):
    """Name, hop limit and upstreams; without a name the server makes one and stores it."""

    model_config = {"extra": "forbid"}

    server: str = Field("", pattern=_NAME)
    hops: int = Field(16, ge=1, le=1000, description="servers that an event or a wish may pass")
    upstream: list[Upstream] = Field(default_factory=list)


def read_settings(given: Mapping[str, Any]) -> FederationSettings:
    """Return the checked section; raise MeaningProblem with the wrong setting."""
    try:
        return FederationSettings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, ("federation", *first["loc"])))
        raise MeaningProblem(
            f"{name}: {first['msg']}",
            code="SettingsError",
            token=name,
            hint="docs/federation.md lists the settings",
        ) from None


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
