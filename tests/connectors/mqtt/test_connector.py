"""Messages of a real MQTT server: acknowledged when stored, kept while we are away, read as
CloudEvents or as what a sensor says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tests.connectors.mqtt.mosquitto import Mosquitto
from tests.waiting import PATIENCE, wait_until
from tocsin.connectors.mqtt import MqttMessage, MqttReader, MqttServer, events_from_message
from tocsin.errors import EventProblem, MeaningProblem
from tocsin.events.codecs.base.cloudevents import as_object, from_mapping
from tocsin.events.codecs.bindings import Message, binary_message, structured_message

pytestmark = pytest.mark.mqtt

EVENT = {
    "specversion": "1.0",
    "id": "e1",
    "source": "dock",
    "type": "seen",
    "time": "2026-01-01T08:00:00Z",
    "datacontenttype": "application/json",
    "data": {"degrees": 7.5},
}


def send(server: Mosquitto, topic: str, *messages: Message) -> None:
    """Publishes messages; returns when the server has them."""
    client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
    client.connect("127.0.0.1", server.port)
    client.loop_start()
    for message in messages:
        wanted = Properties(PacketTypes.PUBLISH)
        if message.content_type is not None:
            wanted.ContentType = message.content_type
        if message.attributes:
            wanted.UserProperty = list(message.attributes.items())
        last = client.publish(topic, message.body, qos=1, properties=wanted)
    last.wait_for_publish(PATIENCE)
    assert last.is_published()
    client.disconnect()
    client.loop_stop()


def says(server: Mosquitto, *texts: str) -> None:
    send(server, "sensors/a", *(Message(text.encode(), {}, None) for text in texts))


@contextmanager
def reading(server: Mosquitto, *topics: str) -> Iterator[MqttReader]:
    reader = MqttReader(MqttServer("127.0.0.1", server.port), topics or ("sensors/#",))
    try:
        wait_until(lambda: reader.trouble is None)
        yield reader
    finally:
        reader.close()


def read_all(reader: MqttReader, count: int) -> list[MqttMessage]:
    found: list[MqttMessage] = []
    wait_until(lambda: found.extend(reader.read(100, 0.2)) or len(found) >= count)
    return found


def bodies(found: list[MqttMessage]) -> list[bytes | None]:
    return [each.message.body for each in found]


@pytest.mark.parametrize("mode", [structured_message, binary_message])
def test_a_cloudevent_comes_as_it_was_sent(server: Mosquitto, mode: Callable[..., Message]) -> None:
    with reading(server) as reader:
        send(server, "sensors/a", mode(from_mapping(EVENT)))
        (received,) = read_all(reader, 1)
    assert [as_object(event) for event in events_from_message(received)] == [EVENT]


def test_what_a_sensor_says_is_the_data_of_an_event(server: Mosquitto) -> None:
    with reading(server) as reader:
        says(server, '{"degrees": 7.5}')
        (received,) = read_all(reader, 1)
    (event,) = events_from_message(received)
    assert (event.source, event.type, event.data) == ("sensors/a", "sensors/a", {"degrees": 7.5})
    assert event.interval is not None
    assert event.interval.end == received.received_at


def test_what_is_not_acknowledged_comes_again(server: Mosquitto) -> None:
    with reading(server) as reader:
        says(server, "1", "2", "3")
        found = read_all(reader, 3)
        reader.acknowledge(found[:2])
    with reading(server) as reader:
        assert bodies(read_all(reader, 1)) == [b"3"]
        assert reader.read(10, 0.5) == []


def test_what_comes_while_we_are_away_is_kept(server: Mosquitto) -> None:
    with reading(server):
        pass
    says(server, "1", "2")
    with reading(server) as reader:
        found = read_all(reader, 2)
        assert bodies(found) == [b"1", b"2"]
        reader.acknowledge(found)


def test_a_server_that_comes_back_is_read_on(server: Mosquitto) -> None:
    with reading(server) as reader:
        says(server, "1")
        first = read_all(reader, 1)
        server.stop()
        wait_until(lambda: reader.trouble is not None)
        server.start()
        reader.acknowledge(first)  # of the lost connection: it comes again
        wait_until(lambda: reader.trouble is None)
        says(server, "2")
        again = read_all(reader, 2)
        assert sorted(bodies(again)) == [b"1", b"2"]
        reader.acknowledge(again)
    with reading(server) as reader:
        assert reader.read(10, 0.5) == []


def test_many_messages_come_in_order_and_all_of_them(server: Mosquitto) -> None:
    texts = [str(number) for number in range(3000)]
    with reading(server) as reader:
        says(server, *texts)
        found: list[bytes | None] = []

        def take() -> bool:
            some = reader.read(500, 0.2)
            reader.acknowledge(some)
            found.extend(bodies(some))
            return len(found) >= len(texts)

        wait_until(take)
    assert found == [text.encode() for text in texts]


def test_a_server_that_is_not_there_is_waited_for() -> None:
    reader = MqttReader(MqttServer("127.0.0.1", 9), ["a"])
    assert reader.read(1, 0.1) == []
    assert reader.trouble
    reader.close()


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (Message(b"{", {}, None), "malformed JSON"),
        (Message(b"{}", {}, "application/cloudevents+json"), "id is missing"),
        (Message(b"\xff", {}, "text/plain"), "invalid UTF-8"),
    ],
)
def test_what_is_no_event_is_told(message: Message, reason: str) -> None:
    with pytest.raises(EventProblem, match=reason):
        events_from_message(MqttMessage("sensors/a", message, 0, 1, 1))


def test_without_topics_there_is_nothing_to_read() -> None:
    with pytest.raises(MeaningProblem, match="no topic"):
        MqttReader(MqttServer("127.0.0.1"), [])


def test_certificates_that_are_not_there_are_told() -> None:
    with pytest.raises(MeaningProblem, match="certificates"):
        MqttReader(MqttServer("127.0.0.1", ca_file="/no/such/file"), ["a"])


def test_a_password_is_not_shown() -> None:
    assert "secret" not in repr(MqttServer("h", username="u", password="secret"))
