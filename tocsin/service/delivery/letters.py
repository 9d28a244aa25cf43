"""Relay of dead letters to a Kafka topic as CloudEvents: each at least once, always with the same
id.
"""

from __future__ import annotations

import time

from tocsin.connectors.kafka import KafkaWriter
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.events.codecs.bindings import Message
from tocsin.service.core.service import Service
from tocsin.service.delivery.outbox import EVENT_CONTENT
from tocsin.service.settings.sources import KafkaSettings, kafka_settings
from tocsin.service.sources.worker import PATIENCE, IntakeWorker
from tocsin.service.storage.lock import Lease
from tocsin.service.storage.results import LetterStore
from tocsin.service.storage.rows import LetterRow
from tocsin.values.time import format_instant

LETTER_TYPE = "io.tocsin.dead-letter"

_LOCK = 0x746F6373696E2004
"""Number of the advisory lock of the one process that relays letters."""

_AT_ONCE = 500


class LetterRelay:
    """Relays stored letters that were not relayed before, while this process holds `lease`."""

    def __init__(self, settings: KafkaSettings, letters: LetterStore, lease: Lease) -> None:
        self._topic, self._letters, self._lease = settings.dead_letters, letters, lease
        self._writer = KafkaWriter(settings.library)
        self._name = f"kafka {self._topic}"

    def take(self) -> int:
        """Relay the next letters; return their number. Without any, wait for PATIENCE seconds."""
        rows: list[LetterRow] = []
        if self._lease.hold():
            rows = self._letters.read_all(self._letters.passed_on(self._name), _AT_ONCE)
        if not rows:
            time.sleep(PATIENCE)
            return 0
        self._writer.send(self._topic, [(row.subscription, _message(row)) for row in rows])
        self._letters.note_passed_on(self._name, rows[-1].position)
        return len(rows)

    def close(self) -> None:
        """Close the producer and release the lease."""
        self._writer.close()
        self._lease.release()


def letters_to_kafka(service: Service) -> IntakeWorker | None:
    """Return the component that relays dead letters; None if no topic is set for them."""
    settings = kafka_settings(service.settings.kafka)
    if not settings.dead_letters:
        return None
    url = service.settings.state_url
    return IntakeWorker(
        "dead-letters", lambda: LetterRelay(settings, service.letters, Lease(url, _LOCK))
    )


def _message(row: LetterRow) -> Message:
    event = {
        "specversion": "1.0",
        "id": str(row.position),
        "source": "/v1/dead-letters",
        "type": LETTER_TYPE,
        "subject": row.subscription or row.code,
        "time": format_instant(row.stored),
        "datacontenttype": "application/json",
        "tenant": row.tenant,
        "data": row.as_json(),
    }
    return Message(json_text(event).encode(), {}, f"{EVENT_CONTENT}; charset=UTF-8")
