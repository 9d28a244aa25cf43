"""The EPCIS interface as a component of the service, and the requests to it.

The component has stores and a worker; a request has its caller and body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel, Field, ValidationError
from starlette.requests import HTTPConnection, Request

from tocsin.catalog import Definition
from tocsin.database.stores import EPCIS
from tocsin.errors import MeaningProblem, Problem
from tocsin.events.codecs.base.cloudevents import parse_json
from tocsin.service.core.service import Service
from tocsin.service.epcis.answers import check_headers
from tocsin.service.epcis.capturing import JSON_TYPES
from tocsin.service.epcis.event_search import EventQuery, NamedQuery, ask
from tocsin.service.epcis.exceptions import (
    CAPTURE_LIMIT,
    UNSUPPORTED_MEDIA_TYPE,
    VALIDATION,
    EpcisException,
    exception_of,
)
from tocsin.service.epcis.parameters import require_short
from tocsin.service.epcis.reports import QueryWorker
from tocsin.service.epcis.repository import Repository
from tocsin.service.http.access import AccessScope, Caller, caller_with, listener_with
from tocsin.service.http.requests import body_of
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


def part_in(request: HTTPConnection) -> EpcisPart:
    """Return the EPCIS component of the service."""
    return cast(EpcisPart, request.app.state.part)


def service_in(request: HTTPConnection) -> Service:
    """Return the service."""
    return cast(Service, request.app.state.service)


def admit(
    request: HTTPConnection, scope: AccessScope = AccessScope.SUBSCRIBE, *, xml: bool = False
) -> Caller:
    """Return the caller; raise without the scope, and for unsupported headers. `xml` is True if XML
    is supported.
    """
    return _check_request(request, caller_with(request, scope), xml=xml)


def admit_listener(request: HTTPConnection) -> Caller:
    """Return the caller that opens a stream, whose key may be in the URL."""
    return _check_request(request, listener_with(request, AccessScope.SUBSCRIBE), xml=False)


def _check_request(request: HTTPConnection, caller: Caller, *, xml: bool) -> Caller:
    require_short(f"{request.url.path}?{request.url.query}")
    check_headers(request.headers, xml=xml)
    return caller


async def read_body(request: Request) -> bytes:
    """Return the whole body, within the limit of the service."""
    try:
        return await body_of(request, service_in(request).settings.limits.request_bytes)
    except Problem as problem:
        raise exception_of(CAPTURE_LIMIT, problem) from None


async def read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body; raise EpcisException for any other body."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in JSON_TYPES:
        raise EpcisException(
            UNSUPPORTED_MEDIA_TYPE,
            f"the content type {kind or '(none)'!r} is not read here",
            hint="send application/json",
        )
    try:
        value = parse_json(await read_body(request))
    except Problem as problem:
        raise exception_of(VALIDATION, problem) from None
    if not isinstance(value, dict):
        raise EpcisException(VALIDATION, "the body is a JSON object")
    return value
