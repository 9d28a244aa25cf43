"""Events from a real broker through Spark's own connector, matches and dead letters back to it.

The session needs the connector's jars, and a session is for ever: it has a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from tests.connectors.kafka.broker import ROOT, Broker, connector_jars
from tests.connectors.kafka.test_connector import read_all, reading
from tocsin.connectors.kafka import KafkaWriter
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.codecs.bindings import (
    Message,
    binary_message,
    events_of_message,
    message_of_record,
    structured_message,
)


@pytest.mark.kafka
@pytest.mark.spark
def test_matches_and_dead_letters_come_back(tmp_path: Path, broker: Broker) -> None:
    jars = connector_jars()
    name = uuid4().hex[:8]
    topics = [f"events-{name}", f"matches-{name}", f"letters-{name}"]
    events = [
        from_mapping({"id": str(n), "source": "shop", "type": "offer", "data": {"price": n}})
        for n in range(10)
    ]
    writer = KafkaWriter(broker.settings)
    writer.send(topics[0], [(event.id, structured_message(event)) for event in events[:5]])
    writer.send(topics[0], [(event.id, binary_message(event)) for event in events[5:]])
    writer.send(topics[0], [(None, Message(b"no event", {}, None))])
    writer.close()
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.connectors.kafka.spark_job",
            broker.address,
            *topics,
            tmp_path,
            jars,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    with reading(broker, topics[1]) as reader:
        records = read_all(reader, 7)
    found = [
        event
        for record in records
        for event in events_of_message(message_of_record(record.value, record.headers))
    ]
    assert sorted(event.data["events"][0] for event in found) == list("0123456")  # type: ignore[index]
    assert {event.type for event in found} == {"io.tocsin.match"}
    assert {event.envelope["subject"] for event in found} == {"cheap"}
    with reading(broker, topics[2]) as reader:
        (letter,) = read_all(reader, 1)
    told = json.loads(letter.value or b"")
    assert (told["code"], told["input"]) == ("InvalidEventError", "no event")
    assert told["place"].startswith(f"{topics[0]}-")
