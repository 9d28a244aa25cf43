"""Workers that read from a broker, store and acknowledge: Kafka and MQTT.

Failures are retried. If the log refuses more, a worker waits and reads nothing: the broker keeps
the rest.

Each record of Kafka is taken exactly once: the offsets are stored with the rows. A record that is
not an event is logged as refused, and becomes a dead letter.

A message of MQTT is acknowledged when it is on disk. One that is repeated because the
acknowledgement was lost is a CloudEvent of the same identity, and is dropped as a duplicate; a
reading without an id is stored twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol

from tocsin.connectors.kafka import KafkaReader, KafkaRecord
from tocsin.connectors.mqtt import MqttReader, events_from_message
from tocsin.database.database import Database
from tocsin.engine.json_scan.batch_reader import scan_events
from tocsin.errors import EventProblem, Problem
from tocsin.events.codecs.base.cloudevents import encode
from tocsin.events.codecs.bindings import events_of_message, is_structured_mode, message_of_record
from tocsin.events.dead_letter import shown_error
from tocsin.events.event import Event
from tocsin.service.base.worker import BackgroundWorker
from tocsin.service.core.service import Service
from tocsin.service.settings.sources import (
    KafkaSettings,
    MqttSettings,
    kafka_settings,
    mqtt_settings,
)
from tocsin.service.storage.log import EventLog, OffsetUpdate, stored_position
from tocsin.service.storage.rows import NewRow

_LOG = logging.getLogger("tocsin.intake")

FIRST_WAIT = 0.2
LONGEST_WAIT = 10.0
PATIENCE = 0.5
"""Seconds that a round may wait for messages; bounds the time of `stop`."""


class EventSource(Protocol):
    """A broker that is being read."""

    def take(self) -> int:
        """Read, store and acknowledge one batch; return its size."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class IntakeWorker(BackgroundWorker):
    """A component of the service that reads one broker; `open_source` connects to it.

    A round reads one batch. A failure closes the connection; the next round opens another.
    """

    def __init__(self, name: str, open_source: Callable[[], EventSource]) -> None:
        super().__init__(
            name,
            self._take,
            _LOG,
            first_wait=FIRST_WAIT,
            longest_wait=LONGEST_WAIT,
            finish=self._close,
        )
        self._open = open_source
        self._source: EventSource | None = None

    def _take(self) -> None:
        if self._source is None:
            self._source = self._open()
        try:
            self._source.take()
        except Exception:
            self._close()
            raise

    def _close(self) -> None:
        source, self._source = self._source, None
        if source is not None:
            source.close()


def rows_of(raw: bytes, tenant: str, read: Callable[[], list[Event]]) -> list[NewRow]:
    """Return the rows of a message, or one refused row if it is not an event. An unexpected error
    of ours is reported as one of the message.
    """
    try:
        events = read()
    except Exception as error:
        code = error.code if isinstance(error, Problem) else "InternalError"
        reason = error.message if isinstance(error, Problem) else shown_error(error)
        return [NewRow(raw, tenant, code, reason)]
    return [NewRow(encode(event).encode(), tenant, events=(event,)) for event in events]


STORED_WITHIN = 60.0
"""Seconds after which a log that has not answered counts as failed."""


class KafkaSource:
    """A consumer of Kafka topics that writes to the log."""

    def __init__(self, settings: KafkaSettings, log: EventLog, database: Database) -> None:
        self._settings, self._log, self._database = settings, log, database
        self._next: dict[tuple[str, int], int | None] = {}
        self._reader = KafkaReader(settings.library, settings.topics, settings.group, self._stored)

    def take(self) -> int:
        """Read and store one batch of records; return their number."""
        records = self._reader.read(self._settings.batch, PATIENCE)
        if records:
            self.store(records)
            self._reader.report_offsets(records)
        return len(records)

    def store(self, records: list[KafkaRecord]) -> None:
        """Store records with their offsets. Raises `IntakeMoved`, and stores nothing, if another
        process has stored records of the same partition meanwhile.
        """
        rows = [row for some in rows_of_records(records, self._settings.tenant) for row in some]
        moves = list(self._moves(records))
        self._log.append(rows, moves).result(STORED_WITHIN)
        self._next |= {(move.name, int(move.part)): move.after for move in moves}

    def close(self) -> None:
        """Leave the consumer group."""
        self._reader.close()

    def _stored(self, topic: str, partition: int) -> int | None:
        position = stored_position(self._database, _name(topic), str(partition))
        self._next[_name(topic), partition] = position
        return position

    def _moves(self, records: Iterable[KafkaRecord]) -> Iterable[OffsetUpdate]:
        ends = {(_name(each.topic), each.partition): each.offset + 1 for each in records}
        for (name, partition), end in ends.items():
            yield OffsetUpdate(name, str(partition), self._next.get((name, partition)), end)


def kafka_intake(service: Service) -> IntakeWorker | None:
    """Return the component that reads Kafka; None if no topic is set."""
    settings = kafka_settings(service.settings.kafka)
    if not settings.topics:
        return None
    return IntakeWorker("kafka", lambda: KafkaSource(settings, service.log, service.log_database))


def rows_of_records(records: Sequence[KafkaRecord], tenant: str) -> Iterator[list[NewRow]]:
    """Yield the rows of each record. Those in structured mode are scanned in one batch where
    possible, and stored as they were written.
    """
    for record, event in zip(records, scan_events(list(map(_text, records))), strict=True):
        value = record.value or b""
        if event is not None:
            yield [NewRow(value, tenant, events=(event,))]
        else:
            yield rows_of(value, tenant, partial(_events, record))


def _text(record: KafkaRecord) -> bytes:
    """Return the text of an event in structured mode; empty for any other record."""
    try:
        message = message_of_record(record.value, record.headers)
    except EventProblem:
        return b""
    return (message.body or b"") if is_structured_mode(message) else b""


def _events(record: KafkaRecord) -> list[Event]:
    return events_of_message(message_of_record(record.value, record.headers))


def _name(topic: str) -> str:
    return f"kafka {topic}"


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
