"""The optional components of a service: workers that start and stop with it.

One line for each; a maker returns None for a component that is not configured.
"""

from __future__ import annotations

from collections.abc import Callable

from tocsin.service.core.service import Part, Service
from tocsin.service.delivery.part import letters_to_kafka, make_delivery
from tocsin.service.epcis.part import EpcisPart
from tocsin.service.federation.part import FederationPart
from tocsin.service.settings.settings import ServiceEngine, Settings, spark_settings
from tocsin.service.settings.sources import kafka_settings, mqtt_settings
from tocsin.service.sources.worker import kafka_intake, mqtt_intake

PARTS: tuple[Callable[[Service], Part | None], ...] = (
    make_delivery,
    letters_to_kafka,
    EpcisPart,
    FederationPart,
    kafka_intake,
    mqtt_intake,
)
"""Makers of components. Components start after the core in this order, and stop before it in
reverse.
"""


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
