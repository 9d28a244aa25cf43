"""Kafka in plain Python: a reader from positions that the caller stores, and a writer acknowledged
by all in-sync replicas.

The reader commits nothing by itself. Its caller stores the records together with the position, in
one transaction, and reports it afterwards; after a crash reading continues from the stored
position.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka import Message as _Message

from tocsin.errors import MeaningProblem, StateProblem
from tocsin.events.codecs.bindings import Message
from tocsin.values.time import Instant

Stored = Callable[[str, int], int | None]
"""Returns the next offset of a partition of a topic, or None if none is stored."""

SEND_WITHIN = 30.0
"""Seconds within which a message must be acknowledged by all in-sync replicas."""

_LOOK_FOR_PARTITIONS = 10_000
_WAITED_OUT = frozenset(
    (
        KafkaError._PARTITION_EOF,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._TRANSPORT,
        KafkaError._RESOLVE,
        KafkaError._TIMED_OUT,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_COORDINATOR,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    )
)
"""Transient errors: the client retries by itself."""


@dataclass(frozen=True, slots=True)
class KafkaRecord:
    """A record of a topic; `received_at` is the timestamp of Kafka, or None."""

    topic: str
    partition: int
    offset: int
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    received_at: Instant | None = None

    @property
    def origin(self) -> str:
        """Topic, partition and offset as one text, `orders-0@17`."""
        return f"{self.topic}-{self.partition}@{self.offset}"


class KafkaReader:
    """Reader of topics as a member of a group: readers of one group share the partitions.

    A partition is read from the offset that `stored` returns, or else from its beginning.
    `settings` are those of the client library, `bootstrap.servers` among them.
    """

    def __init__(
        self, settings: Mapping[str, Any], topics: Sequence[str], group: str, stored: Stored
    ) -> None:
        self._stored = stored
        self.trouble: str | None = None
        own = {
            "group.id": group,
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
            "allow.auto.create.topics": True,
            "topic.metadata.refresh.interval.ms": _LOOK_FOR_PARTITIONS,
        }
        self._consumer = _made(Consumer, dict(settings) | own, self._hear)
        self._consumer.subscribe(list(topics), on_assign=self._begin)

    def read(self, limit: int, patience: float) -> list[KafkaRecord]:
        """Return up to `limit` records as soon as there are any; [] after `patience` seconds
        without.

        While a broker is away the reader waits, and `trouble` has the reason.
        """
        records: list[KafkaRecord] = []
        for message in self._consumer.consume(limit, patience):
            error = message.error()
            if error is None:
                records.append(_record(message))
            elif error.code() not in _WAITED_OUT:
                raise _failed("Kafka gives no records", error)
        if records:
            self.trouble = None
        return records

    def report_offsets(self, records: Iterable[KafkaRecord]) -> None:
        """Commit the offsets of stored records, for monitoring only: reading never starts from
        them.
        """
        ends = {(each.topic, each.partition): each.offset + 1 for each in records}
        offsets = [TopicPartition(topic, part, end) for (topic, part), end in ends.items()]
        if offsets:
            self._consumer.commit(offsets=offsets, asynchronous=True)

    def close(self) -> None:
        """Leave the group."""
        self._consumer.close()

    def _begin(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        for each in partitions:
            offset = self._stored(each.topic, each.partition)
            if offset is not None:
                each.offset = offset
        consumer.assign(partitions)

    def _hear(self, error: KafkaError) -> None:
        self.trouble = error.str()


class KafkaWriter:
    """Writer of messages; each is stored once, in order, despite network failures."""

    def __init__(self, settings: Mapping[str, Any], *, within: float = SEND_WITHIN) -> None:
        own = {"enable.idempotence": True, "acks": "all", "message.timeout.ms": int(within * 1e3)}
        self._producer = _made(Producer, dict(settings) | own, lambda error: None)
        self._within = within

    def send(self, topic: str, messages: Iterable[tuple[str | None, Message]]) -> None:
        """Send messages with their keys; return when all are acknowledged.

        Raises if any is not: some may have been stored, and are repeated when the caller retries.
        """
        answers: list[KafkaError | None] = []  # callbacks may run in any thread: appending is safe

        def heard(error: KafkaError | None, _: object) -> None:
            answers.append(error)

        sent = 0
        for key, message in messages:
            self._produce(topic, key, message, heard)
            sent += 1
        deadline = time.monotonic() + self._within + 5
        while len(answers) < sent and time.monotonic() < deadline:
            self._producer.poll(0.1)
        failures = [error for error in answers if error is not None]
        if failures:
            raise _failed(f"Kafka did not take what was sent to {topic}", failures[0])
        if len(answers) < sent:
            raise StateProblem(f"Kafka did not answer for {topic}", code="KafkaError", token=topic)

    def close(self) -> None:
        """Wait up to the send limit for outstanding messages."""
        self._producer.flush(self._within)

    def _produce(
        self, topic: str, key: str | None, message: Message, heard: Callable[..., None]
    ) -> None:
        headers = message.kafka_headers()
        while True:
            try:
                self._producer.produce(
                    topic, value=message.body, key=key, headers=headers, on_delivery=heard
                )
            except BufferError:  # the queue is full: let it drain
                self._producer.poll(0.1)
            except KafkaException as error:
                raise _failed(f"Kafka does not take {topic}", error.args[0]) from None
            else:
                self._producer.poll(0)
                return


def _record(message: _Message) -> KafkaRecord:
    kind, milliseconds = message.timestamp()
    return KafkaRecord(
        str(message.topic()),
        int(message.partition() or 0),
        int(message.offset() or 0),
        message.value(),
        tuple((name, _bytes(value)) for name, value in _pairs(message)),
        milliseconds * 1000 if kind else None,
    )


def _pairs(message: _Message) -> list[tuple[str, str | bytes | None]]:
    headers: Any = message.headers()  # a list of pairs, although its declared type differs
    return headers or []


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value


def _made(kind: Any, settings: Mapping[str, Any], hear: Callable[[KafkaError], None]) -> Any:
    """Return a client of the library whose errors go to `hear`, not to standard error."""
    quiet = {"error_cb": hear, "log_level": 0}
    try:
        return kind(dict(settings) | quiet)
    except (KafkaException, TypeError, ValueError) as error:
        said = error.args[0]
        reason = said.str() if isinstance(said, KafkaError) else str(said)
        raise MeaningProblem(
            f"the settings of Kafka cannot be used: {reason}",
            code="KafkaError",
            hint='at least "bootstrap.servers", as host:port; the rest as librdkafka names it',
        ) from None


def _failed(what: str, error: KafkaError) -> StateProblem:
    return StateProblem(
        f"{what}: {error.str()}",
        code="KafkaError",
        token=error.name(),
        hint="is the broker there, does it let us in, and may topics be made?",
    )
