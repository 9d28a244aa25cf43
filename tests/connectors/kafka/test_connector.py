"""Records in and out of a real broker: from stored positions, shared by a group, in both modes of
CloudEvents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from uuid import uuid4

import pytest

from tests.connectors.kafka.broker import Broker
from tests.waiting import wait_until
from tocsin.connectors.kafka import KafkaReader, KafkaRecord, KafkaWriter
from tocsin.errors import MeaningProblem, StateProblem
from tocsin.events.codecs.base.cloudevents import as_object, from_mapping
from tocsin.events.codecs.bindings import (
    Message,
    binary_message,
    events_of_message,
    message_of_record,
    structured_message,
)

pytestmark = pytest.mark.kafka

EVENT = {
    "specversion": "1.0",
    "id": "e1",
    "source": "shop",
    "type": "offer",
    "time": "2026-01-01T08:00:00Z",
    "data": {"price": 350, "kind": "lap\u00fctop"},
}


def nothing_stored(*_: object) -> None:
    return None


@contextmanager
def reading(
    broker: Broker,
    topic: str,
    stored: Callable[[str, int], int | None] = nothing_stored,
    group: str = "",
) -> Iterator[KafkaReader]:
    reader = KafkaReader(broker.settings, [topic], group or f"g-{topic}", stored)
    try:
        yield reader
    finally:
        reader.close()


def read_all(reader: KafkaReader, count: int) -> list[KafkaRecord]:
    """So many records; the wait is for the broker, not for a clock."""
    found: list[KafkaRecord] = []

    def is_all() -> bool:
        found.extend(reader.read(1000, 0.5))
        return len(found) >= count

    wait_until(is_all, progress=lambda: len(found))
    return found


def topic() -> str:
    return f"t-{uuid4().hex[:8]}"


def texts(*values: str) -> list[tuple[str | None, Message]]:
    return [("key", Message(value.encode(), {}, None)) for value in values]


@pytest.fixture(scope="module")
def writer(broker: Broker) -> Iterator[KafkaWriter]:
    found = KafkaWriter(broker.settings)
    yield found
    found.close()


@pytest.mark.parametrize("mode", [structured_message, binary_message])
def test_an_event_comes_back_as_it_was_sent(
    broker: Broker, writer: KafkaWriter, mode: Callable[..., Message]
) -> None:
    name = topic()
    writer.send(name, [("k", mode(from_mapping(EVENT)))])
    with reading(broker, name) as reader:
        (record,) = read_all(reader, 1)
    (event,) = events_of_message(message_of_record(record.value, record.headers))
    back = as_object(event)
    back.pop("datacontenttype", None)  # binary mode says that data is JSON
    assert back == EVENT
    assert (record.topic, record.offset) == (name, 0)
    assert record.received_at is not None


def test_records_of_one_key_stay_in_order(broker: Broker, writer: KafkaWriter) -> None:
    name = topic()
    numbers = [str(number) for number in range(500)]
    writer.send(name, texts(*numbers))
    with reading(broker, name) as reader:
        records = read_all(reader, 500)
    assert [record.value for record in records] == [number.encode() for number in numbers]
    assert len({record.partition for record in records}) == 1


def test_reading_begins_where_the_caller_has_stored(broker: Broker, writer: KafkaWriter) -> None:
    """What the group knows does not count: it may be behind or ahead of what was stored."""
    name = topic()
    writer.send(name, texts("a", "b", "c", "d"))
    with reading(broker, name, group="same") as reader:
        first = read_all(reader, 4)
        reader.report_offsets(first)
    partition = first[0].partition
    stored = {(name, partition): 2}
    with reading(broker, name, lambda *place: stored.get(place), "same") as reader:
        again = read_all(reader, 2)
    assert [record.value for record in again] == [b"c", b"d"]
    assert again[0].origin == f"{name}-{partition}@2"


def test_a_group_shares_the_partitions(broker: Broker, writer: KafkaWriter) -> None:
    name = topic()
    both = [(str(number), Message(b"x", {}, None)) for number in range(40)]
    writer.send(name, both)
    with reading(broker, name, group="team") as one, reading(broker, name, group="team") as other:
        seen: dict[int, set[int]] = {0: set(), 1: set()}

        def both_have_read() -> bool:
            writer.send(name, both)
            for number, reader in enumerate((one, other)):
                seen[number] |= {record.partition for record in reader.read(1000, 0.5)}
            return bool(seen[0] and seen[1])

        wait_until(both_have_read)


def test_a_broker_that_comes_back_is_read_on(own_broker: Broker) -> None:
    name = topic()
    with closing(KafkaWriter(own_broker.settings)) as writer, reading(own_broker, name) as reader:
        writer.send(name, texts("before"))
        assert len(read_all(reader, 1)) == 1
        own_broker.stop(at_once=True)
        assert reader.read(10, 0.5) == []
        own_broker.start()
        writer.send(name, texts("after"))
        assert [record.value for record in read_all(reader, 1)] == [b"after"]


def test_a_broker_that_is_not_there_is_told_to_who_sends() -> None:
    writer = KafkaWriter({"bootstrap.servers": "127.0.0.1:9"}, within=1.0)
    with pytest.raises(StateProblem) as caught:
        writer.send("t", texts("a"))
    assert caught.value.code == "KafkaError"
    assert caught.value.hint


def test_wrong_settings_are_told(broker: Broker) -> None:
    with pytest.raises(MeaningProblem, match=r"no\.such\.setting") as caught:
        KafkaWriter(broker.settings | {"no.such.setting": "1"})
    assert caught.value.code == "KafkaError"
