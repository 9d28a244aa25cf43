"""Intake of Kafka topics, each record exactly once: the offsets are stored with the rows.

A record that is not an event is logged as refused, and becomes a dead letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from tocsin.connectors.kafka import KafkaReader, KafkaRecord
from tocsin.database.database import Database
from tocsin.engine.json_scan.batch_reader import scan_events
from tocsin.errors import EventProblem
from tocsin.events.codecs.bindings import events_of_message, is_structured_mode, message_of_record
from tocsin.events.event import Event
from tocsin.service.core.service import Service
from tocsin.service.settings.sources import KafkaSettings, kafka_settings
from tocsin.service.sources.worker import PATIENCE, IntakeWorker, rows_of
from tocsin.service.storage.log import EventLog, OffsetUpdate, stored_position
from tocsin.service.storage.rows import NewRow

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
