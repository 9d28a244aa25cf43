"""Delivery as a component of a service, made from its settings and its stores."""

from __future__ import annotations

from tocsin.connectors.kafka import KafkaWriter
from tocsin.errors import StateProblem
from tocsin.service.core.service import Service
from tocsin.service.delivery.service import Delivery, ServiceHandles
from tocsin.service.delivery.targets import Producer
from tocsin.service.settings.sources import kafka_settings


def make_delivery(service: Service) -> Delivery:
    """Return the delivery of a service, registered for catalog changes and replays."""
    settings = service.settings
    own = f"sqlite:///{(settings.data / 'delivery.db').absolute()}"
    around = ServiceHandles(
        service.database,
        service.matches,
        service.feed,
        service.catalog,
        settings.database or own,
        settings.data,
        _producer(service),
    )
    delivery = Delivery(settings.delivery, around)
    service.entries.hooks.append(delivery)
    service.replays.others.append(delivery.replay_letter)
    return delivery


def _producer(service: Service) -> Producer | None:
    """Return a client of the broker in the settings, or None."""
    settings = kafka_settings(service.settings.kafka)
    return KafkaWriter(settings.library) if settings.servers else None


def delivery_of(service: Service) -> Delivery:
    """Return the delivery of a service; raise StateProblem if it has none."""
    for part in service.parts:
        if isinstance(part, Delivery):
            return part
    raise StateProblem("this server delivers nothing", code="NotDelivered")
