"""Topics of Kafka into the log, each record once: the offsets are kept with the rows.

A record that is no event is in the log too, as refused, and becomes a dead letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from tocsin.connectors.kafka import KafkaReader, Record
from tocsin.engine.json_scan.batch_reader import scanned_events
from tocsin.errors import EventProblem
from tocsin.events.codecs.bindings import events_of_message, is_structured, message_of_record
from tocsin.events.event import Event
from tocsin.service.core.service import Service
from tocsin.service.settings.sources import KafkaSettings, kafka_settings
from tocsin.service.sources.worker import PATIENCE, IntakeWorker, rows_of
from tocsin.service.storage.database import Database
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.rows import NewRow
from tocsin.service.storage.source_offsets import Move, stored_position

STORED_WITHIN = 60.0
"""Seconds after which a log that has not answered is taken to have failed."""


class KafkaSource:
    """Topics that are being read."""

    def __init__(self, settings: KafkaSettings, log: EventLog, database: Database) -> None:
        self._settings, self._log, self._database = settings, log, database
        self._next: dict[tuple[str, int], int | None] = {}
        self._reader = KafkaReader(settings.library, settings.topics, settings.group, self._stored)

    def take(self) -> int:
        """Stores what has come; how many records there were."""
        records = self._reader.read(self._settings.batch, PATIENCE)
        if records:
            self.store(records)
            self._reader.tell_stored(records)
        return len(records)

    def store(self, records: list[Record]) -> None:
        """Stores records with their offsets; a problem `IntakeMoved`, and nothing stored, where
        another has stored of the same partition meanwhile.
        """
        rows = [row for some in rows_of_records(records, self._settings.tenant) for row in some]
        moves = list(self._moves(records))
        self._log.append(rows, moves).result(STORED_WITHIN)
        self._next |= {(move.name, int(move.part)): move.after for move in moves}

    def close(self) -> None:
        """Leaves the group."""
        self._reader.close()

    def _stored(self, topic: str, partition: int) -> int | None:
        position = stored_position(self._database, _name(topic), str(partition))
        self._next[_name(topic), partition] = position
        return position

    def _moves(self, records: Iterable[Record]) -> Iterable[Move]:
        ends = {(_name(each.topic), each.partition): each.offset + 1 for each in records}
        for (name, partition), end in ends.items():
            yield Move(name, str(partition), self._next.get((name, partition)), end)


def kafka_intake(service: Service) -> IntakeWorker | None:
    """The part of a service that reads Kafka; None where no topic is set."""
    settings = kafka_settings(service.settings.kafka)
    if not settings.topics:
        return None
    return IntakeWorker("kafka", lambda: KafkaSource(settings, service.log, service.log_database))


def rows_of_records(records: Sequence[Record], tenant: str) -> Iterator[list[NewRow]]:
    """The rows of each record. Those in structured mode that are as usual are read at once, and
    stay as they were written.
    """
    for record, event in zip(records, scanned_events(list(map(_text, records))), strict=True):
        value = record.value or b""
        if event is not None:
            yield [NewRow(value, tenant, events=(event,))]
        else:
            yield rows_of(value, tenant, partial(_events, record))


def _text(record: Record) -> bytes:
    """What is to be one event, where all of it stands in the value; else nothing."""
    try:
        message = message_of_record(record.value, record.headers)
    except EventProblem:
        return b""
    return (message.body or b"") if is_structured(message) else b""


def _events(record: Record) -> list[Event]:
    return events_of_message(message_of_record(record.value, record.headers))


def _name(topic: str) -> str:
    return f"kafka {topic}"
