"""The optional components of a service: workers that start and stop with it, and further routes.
One line for each; a maker returns None for a component that is not configured.
"""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, FastAPI

from tocsin.service.api.app import create_app
from tocsin.service.core.service import Part, Service
from tocsin.service.delivery import part as delivery
from tocsin.service.delivery.letters import letters_to_kafka
from tocsin.service.delivery.part import make_delivery
from tocsin.service.epcis.app import create_epcis_app
from tocsin.service.epcis.part import EpcisPart
from tocsin.service.federation import part as federation
from tocsin.service.http.access import OwnOrigin
from tocsin.service.settings.settings import ServiceEngine, Settings, spark_settings
from tocsin.service.settings.sources import kafka_settings, mqtt_settings
from tocsin.service.sources.kafka import kafka_intake
from tocsin.service.sources.mqtt import mqtt_intake

PARTS: tuple[Callable[[Service], Part | None], ...] = (
    make_delivery,
    letters_to_kafka,
    EpcisPart,
    federation.FederationPart,
    kafka_intake,
    mqtt_intake,
)
"""Makers of components. Components start after the core in this order, and stop before it in
reverse.
"""

ROUTERS: tuple[APIRouter, ...] = (
    delivery.router,
    federation.router,
)
"""Further routes of the application."""

MOUNTS: dict[str, Callable[[Service], FastAPI]] = {"/epcis": create_epcis_app}
"""Whole applications below a path, with error documents of their own."""


def check_parts(settings: Settings) -> None:
    """Raise the first problem in the sections of the brokers and of Spark."""
    kafka_settings(settings.kafka)
    mqtt_settings(settings.mqtt)
    if settings.engine is ServiceEngine.SPARK:
        spark_settings(settings)


def open_service(settings: Settings, *, recovering: bool = False) -> Service:
    """Return a service with all its components, not yet started."""
    service = Service(settings, recovering=recovering)
    for make in PARTS:
        part = make(service)
        if part is not None:
            service.parts.append(part)
    return service


def open_app(service: Service) -> FastAPI:
    """Return the HTTP application with all routes. Without keys it accepts only requests that name
    the service as their host.
    """
    app = create_app(service, ROUTERS)
    for path, make in MOUNTS.items():
        app.mount(path, make(service))
    if not service.settings.auth:
        app.add_middleware(OwnOrigin, host=service.settings.host, names=service.settings.hosts)
    return app
