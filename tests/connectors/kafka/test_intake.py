"""Topics of a real broker into the log of a service: each record once, whoever dies when."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from tests.builders import event_json
from tests.connectors.kafka.broker import Broker
from tests.connectors.kafka.test_connector import read_all
from tests.waiting import wait_until
from tocsin.connectors.kafka import KafkaWriter
from tocsin.errors import MeaningProblem, StateProblem
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.codecs.bindings import Message, binary_message
from tocsin.service.core.service import Service
from tocsin.service.operations.components import open_service
from tocsin.service.settings.settings import load_settings
from tocsin.service.settings.sources import kafka_settings
from tocsin.service.sources.worker import KafkaSource
from tocsin.service.storage.log import stored_position

pytestmark = pytest.mark.kafka


def event(number: int) -> dict[str, object]:
    return event_json(number, data={"n": number})


def structured(*numbers: int) -> list[tuple[str | None, Message]]:
    return [(None, Message(json.dumps(event(n)).encode(), {}, None)) for n in numbers]


@contextmanager
def serving(folder: Path, broker: Broker, topic: str, **more: object) -> Iterator[Service]:
    kafka = {"servers": broker.address, "topics": [topic], "group": topic} | more
    service = open_service(load_settings(data=folder, auth=False, kafka=kafka))
    service.start()
    try:
        yield service
    finally:
        service.stop()


def ids(service: Service) -> list[str]:
    rows = service.log.read_stored(0, 100_000)
    return sorted((json.loads(row.body)["id"] for row in rows if row.code is None), key=int)


@pytest.fixture
def topic() -> str:
    return f"in-{uuid4().hex[:8]}"


@pytest.fixture(scope="module")
def writer(broker: Broker) -> Iterator[KafkaWriter]:
    found = KafkaWriter(broker.settings)
    yield found
    found.close()


def test_records_are_published_and_ring(
    tmp_path: Path, broker: Broker, writer: KafkaWriter, topic: str
) -> None:
    with serving(tmp_path, broker, topic) as service:
        service.entries.put("", "few", {"language": "selector", "expression": "n < 3"})
        writer.send(topic, structured(1, 5))
        writer.send(topic, [("k", binary_message(from_mapping(event(2))))])
        writer.send(topic, [(None, Message(b"no event", {}, None))])
        wait_until(lambda: service.log.head == 4)
        wait_until(lambda: len(service.matches.read(0, 10)) == 2)
        (refused,) = [row for row in service.log.read_stored(0, 10) if row.code is not None]
        assert refused.body == b"no event"
        assert "malformed JSON" in (refused.reason or "")


def test_a_restart_reads_on_without_a_gap_or_a_repeat(
    tmp_path: Path, broker: Broker, writer: KafkaWriter, topic: str
) -> None:
    """The group's own offsets are not asked: the log knows what it has."""
    writer.send(topic, structured(*range(50)))
    with serving(tmp_path, broker, topic) as service:
        wait_until(lambda: service.log.head == 50)
    writer.send(topic, structured(*range(50, 80)))
    with serving(tmp_path, broker, topic, group="another") as service:
        wait_until(lambda: service.log.head == 80)
        time.sleep(0.5)
        assert ids(service) == [str(number) for number in range(80)]


def test_who_has_read_what_another_stored_stores_nothing(
    tmp_path: Path, broker: Broker, writer: KafkaWriter, topic: str
) -> None:
    """Two readers that think that they have the same partition: the second is refused, whole."""
    writer.send(topic, structured(1, 2, 3))
    settings = {"servers": broker.address, "topics": [topic]}
    service = Service(load_settings(data=tmp_path, auth=False))
    service.log.start()
    first = KafkaSource(
        kafka_settings(settings | {"group": "a"}), service.log, service.log_database
    )
    second = KafkaSource(
        kafka_settings(settings | {"group": "b"}), service.log, service.log_database
    )
    try:
        late = read_all(second._reader, 3)
        wait_until(lambda: first.take() > 0 or service.log.head == 3)
        with pytest.raises(StateProblem) as caught:
            second.store(late)
        assert caught.value.code == "IntakeMoved"
        assert service.log.head == 3
    finally:
        first.close()
        second.close()
        service.stop()


def test_a_broker_that_is_restarted_costs_nothing(
    tmp_path: Path, own_broker: Broker, topic: str
) -> None:
    with (
        closing(KafkaWriter(own_broker.settings)) as writer,
        serving(tmp_path, own_broker, topic) as service,
    ):
        writer.send(topic, structured(*range(20)))
        own_broker.stop(at_once=True)
        own_broker.start()
        writer.send(topic, structured(*range(20, 40)))
        wait_until(lambda: service.log.head >= 40)
        time.sleep(0.5)
        assert ids(service) == [str(number) for number in range(40)]
        parts = [
            stored_position(service.log_database, f"kafka {topic}", str(part)) or 0
            for part in range(2)
        ]
        assert sum(parts) == 40


@pytest.mark.parametrize(
    ("given", "reason"),
    [({"topic": "t"}, "kafka.topic: Extra inputs"), ({"batch": 0}, "kafka.batch")],
)
def test_wrong_settings_are_told(given: dict[str, object], reason: str) -> None:
    with pytest.raises(MeaningProblem, match=reason):
        kafka_settings(given)
