"""Matches to a topic of a real broker, over the time that it is away."""

from __future__ import annotations

from pathlib import Path

from tests.connectors.kafka.broker import Broker
from tests.service.delivery.office import opened
from tests.waiting import wait_until
from tocsin.connectors.kafka import KafkaReader, KafkaWriter
from tocsin.events.codecs.bindings import events_of_message, message_of_record


def ids_in(broker: Broker, topic: str, count: int) -> list[str]:
    reader = KafkaReader(broker.settings, [topic], f"test-{topic}", lambda name, part: None)
    found: list[str] = []

    def read() -> bool:
        for record in reader.read(100, 1.0):
            found.extend(
                event.id
                for event in events_of_message(message_of_record(record.value, record.headers))
            )
        return len(found) >= count

    try:
        wait_until(read, progress=lambda: len(found))
    finally:
        reader.close()
    return found


def test_matches_are_in_the_topic_in_order(broker: Broker, tmp_path: Path) -> None:
    writer = KafkaWriter(broker.settings)
    ids = [f"{number:03x}" for number in range(50)]
    with opened(tmp_path, writer) as office:
        office.subscribe("s", {"kafka": "bells"})
        office.ring("s", *ids)
        wait_until(lambda: office.state("s")["delivered"] == 50)
    assert ids_in(broker, "bells", 50) == ids


def test_a_broker_that_was_away_gets_everything(own_broker: Broker, tmp_path: Path) -> None:
    writer = KafkaWriter(own_broker.settings, within=3.0)
    with opened(tmp_path, writer) as office:
        office.subscribe("s", {"kafka": "later"})
        office.ring("s", "01")
        wait_until(lambda: office.state("s")["delivered"] == 1)
        own_broker.stop()
        office.ring("s", "02", "03")
        wait_until(lambda: office.state("s")["state"] == "failing")
        own_broker.start()
        wait_until(lambda: office.state("s")["delivered"] == 3)
    found = ids_in(own_broker, "later", 3)
    assert list(dict.fromkeys(found)) == ["01", "02", "03"]
