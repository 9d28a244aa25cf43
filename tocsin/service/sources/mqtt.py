"""Intake of MQTT topics: a message is acknowledged when it is on disk.

A message that is repeated because the acknowledgement was lost is a CloudEvent of the same
identity, and is dropped as a duplicate; a reading without an id is stored twice.
"""

from __future__ import annotations

from functools import partial

from tocsin.connectors.mqtt import MqttReader, events_from_message
from tocsin.service.core.service import Service
from tocsin.service.settings.sources import MqttSettings, mqtt_settings
from tocsin.service.sources.worker import PATIENCE, IntakeWorker, rows_of
from tocsin.service.storage.log import EventLog

STORED_WITHIN = 60.0


class MqttSource:
    """A subscriber of MQTT topics that writes to the log."""

    def __init__(self, settings: MqttSettings, log: EventLog) -> None:
        self._settings, self._log = settings, log
        self._reader = MqttReader(settings.server, settings.topics)

    def take(self) -> int:
        """Read, store and acknowledge one batch of messages; return their number."""
        received = self._reader.read(self._settings.batch, PATIENCE)
        rows = [
            row
            for each in received
            for row in rows_of(
                each.message.body or b"", self._settings.tenant, partial(events_from_message, each)
            )
        ]
        if rows:
            self._log.append(rows).result(STORED_WITHIN)
        self._reader.acknowledge(received)
        return len(received)

    def close(self) -> None:
        """Close the connection."""
        self._reader.close()


def mqtt_intake(service: Service) -> IntakeWorker | None:
    """Return the component that reads MQTT; None if no topic is set."""
    settings = mqtt_settings(service.settings.mqtt)
    if not settings.topics:
        return None
    return IntakeWorker("mqtt", lambda: MqttSource(settings, service.log))
