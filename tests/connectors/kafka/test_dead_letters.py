"""Dead letters of a service to a topic of a real broker: all of them, and after a restart none
again.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.connectors.kafka.broker import Broker
from tests.connectors.kafka.test_connector import read_all
from tests.connectors.kafka.test_intake import serving
from tests.waiting import wait_until
from tocsin.connectors.kafka import KafkaReader, KafkaWriter
from tocsin.events.codecs.bindings import Message, events_of_message, message_of_record
from tocsin.service.core.service import Service
from tocsin.service.delivery.part import LETTER_TYPE

pytestmark = pytest.mark.kafka


def test_what_is_no_event_comes_out_as_a_dead_letter_once(tmp_path: Path, broker: Broker) -> None:
    writer = KafkaWriter(broker.settings)
    given, buried = f"in-{time.time_ns()}", f"dead-{time.time_ns()}"
    with serving(tmp_path, broker, given, dead_letters=buried) as service:
        writer.send(
            given, [(None, Message(b"no event", {}, None)), (None, Message(b"{}", {}, None))]
        )
        _await_passed_on(service, buried, 2)
    with serving(tmp_path, broker, given, dead_letters=buried) as service:
        writer.send(given, [(None, Message(b"[]", {}, None))])
        _await_passed_on(service, buried, 3)
    writer.close()
    reader = KafkaReader(broker.settings, [buried], buried, lambda topic, partition: None)
    records = read_all(reader, 3)
    assert reader.read(10, 1.0) == []
    reader.close()
    events = [
        each
        for record in records
        for each in events_of_message(message_of_record(record.value, record.headers))
    ]
    assert [each.type for each in events] == [LETTER_TYPE] * 3
    assert len({each.identity for each in events}) == 3
    told = [json.loads(record.value or b"")["data"] for record in records]
    assert {each["input"] for each in told} == {"no event", "{}", "[]"}
    assert all(each["code"] and each["reason"] for each in told)


def _await_passed_on(service: Service, topic: str, position: int) -> None:
    wait_until(lambda: service.letters.passed_on(f"kafka {topic}") == position)
