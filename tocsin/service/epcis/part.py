"""The EPCIS interface as a component of the service: its stores and its worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from tocsin.catalog import Definition
from tocsin.database.stores import EPCIS
from tocsin.errors import MeaningProblem
from tocsin.service.core.service import Service
from tocsin.service.epcis.event_search import EventQuery
from tocsin.service.epcis.queries import NamedQuery, ask
from tocsin.service.epcis.repository import Repository
from tocsin.service.epcis.worker import QueryWorker
from tocsin.service.outbound.addresses import AddressRules
from tocsin.service.storage.database import open_database
from tocsin.service.storage.lock import Lease
from tocsin.service.storage.positions import EPCIS_HEADS

_LOCK = 0x746F6373696E2002
"""Number of the advisory lock of the one process that notifies subscribers of queries."""


class EpcisSettings(BaseModel):
    """The section `[epcis]` of the settings."""

    model_config = {"extra": "forbid"}

    capture_events: int = Field(10_000, ge=1, description="events in one document")
    queries: int = Field(1_000, ge=1, description="named queries of a tenant")
    subscriptions: int = Field(1_000, ge=1, description="subscriptions of a query")
    allow: list[str] = Field(default_factory=list, description="networks that a dest may be in")


class EpcisPart:
    """Index, jobs, queries and subscriptions of one service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.settings = _read(service.settings.epcis)
        self._database = open_database(_url(service), EPCIS, heads=EPCIS_HEADS)
        self.repository = Repository(self._database, service.log)
        rules = AddressRules.allowing(self.settings.allow)
        lease = Lease(_url(service), _LOCK)
        self.worker = QueryWorker(self.repository, service.log, self.ask, rules, lease)

    def start(self) -> None:
        """Start to follow the log and to notify subscribers."""
        self.worker.start()

    def stop(self) -> None:
        """Stop the worker and close the database."""
        self.worker.stop()
        self._database.close()

    def definitions(self) -> tuple[Definition, ...]:
        """Return the definitions that queries are compiled with, ontologies of the settings
        included.
        """
        own = {each.name: each for each in self._service.own}
        found = self._service.catalog.snapshot().definitions
        return tuple((own | {each.name: each for each in found}).values())

    def ask(self, query: NamedQuery, tenant: str) -> EventQuery:
        """Return the compiled query of a tenant, with the current definitions."""
        return ask(query.query, self.definitions(), tenant)


def part_of(service: Service) -> EpcisPart:
    """Return the EPCIS component of a service."""
    return next(part for part in service.parts if isinstance(part, EpcisPart))


def _url(service: Service) -> str:
    settings = service.settings
    return settings.database or f"sqlite:///{(settings.data / 'epcis.db').absolute()}"


def _read(given: Mapping[str, Any]) -> EpcisSettings:
    try:
        return EpcisSettings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, ("epcis", *first["loc"])))
        raise MeaningProblem(
            f"{name}: {first['msg']}",
            code="SettingsError",
            token=name,
            hint="docs/epcis-service.md lists the settings",
        ) from None
