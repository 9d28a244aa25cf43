"""MQTT 5 in: messages of sensors, acknowledged only when the caller says that they are stored.

The server keeps what is not acknowledged (QoS 1) and what comes while we are away (a session that
lasts), so that nothing is lost; after a lost connection some messages come twice. CloudEvents have
the binding of MQTT 5; what is no CloudEvent is the data of an event whose source and type are the
topic.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from tocsin.errors import EventProblem, MeaningProblem
from tocsin.events.codecs.base.cloudevents import parse_json
from tocsin.events.codecs.bindings import Message, events_of_message, is_structured
from tocsin.events.event import Event
from tocsin.events.views.payload import JSON
from tocsin.values.time import Instant, format_instant

MOST_AT_ONCE = 1000
"""So many messages the server sends before it waits for an acknowledgement."""

SESSION_LASTS = 0xFFFFFFFF
"""For ever: the server keeps what comes while we are away."""

_CONTEXT = ("id", "source", "type", "specversion")
_STRUCTURED = "application/cloudevents"


@dataclass(frozen=True, slots=True)
class MqttServer:
    """Where the server is, and how we get in; `client` names the session that it keeps for us."""

    host: str
    port: int = 1883
    client: str = "tocsin"
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: str | None = None


@dataclass(frozen=True, slots=True)
class Received:
    """A message as it came; `number` and `connection` are what an acknowledgement names."""

    topic: str
    message: Message
    came: Instant
    number: int
    connection: int


class MqttReader:
    """Reads topics, wildcards included. Begins to connect at once, and again whenever the
    connection is lost.

    `dropped` counts messages of QoS 0 for which there was no room; the server makes no promise for
    these either.
    """

    def __init__(self, server: MqttServer, topics: Sequence[str]) -> None:
        if not topics:
            raise MeaningProblem("no topic is given", code="MqttError", hint="such as sensors/#")
        self._topics = tuple(topics)
        self._waiting: queue.Queue[Received] = queue.Queue(2 * MOST_AT_ONCE)
        self._connection = 0
        self.dropped = 0
        self.trouble: str | None = "not connected yet"
        self._client = _client(server)
        self._client.on_connect = self._subscribe
        self._client.on_disconnect = self._part
        self._client.on_subscribe = self._subscribed
        self._client.on_message = self._take
        self._client.connect_async(
            server.host, server.port, clean_start=False, properties=_session()
        )
        self._client.loop_start()

    def read(self, limit: int, patience: float) -> list[Received]:
        """Up to so many messages, as soon as there are any; none after so many seconds without."""
        found: list[Received] = []
        try:
            found.append(self._waiting.get(timeout=patience))
            while len(found) < limit:
                found.append(self._waiting.get_nowait())
        except queue.Empty:
            pass
        return found

    def acknowledge(self, received: Iterable[Received]) -> None:
        """Says that messages are stored. Those of an earlier connection come again: their numbers
        may mean others by now.
        """
        for each in received:
            if each.number and each.connection == self._connection:
                self._client.ack(each.number, 1)

    def close(self) -> None:
        """Ends the connection; the server keeps what we have not acknowledged."""
        self._client.disconnect()
        self._client.loop_stop()

    def _subscribe(
        self, client: Client, _: object, __: object, reason: ReasonCode, *___: object
    ) -> None:
        self._connection += 1
        if reason.is_failure:
            self.trouble = f"the server refuses us: {reason}"
            return
        wanted = SubscribeOptions(qos=1, retainHandling=SubscribeOptions.RETAIN_SEND_IF_NEW_SUB)
        code, _number = client.subscribe([(topic, wanted) for topic in self._topics])
        self.trouble = None if code is MQTTErrorCode.MQTT_ERR_SUCCESS else str(code)

    def _subscribed(
        self, client: Client, _: object, number: int, reasons: list[ReasonCode], *__: object
    ) -> None:
        refused = [
            f"{topic}: {reason}"
            for topic, reason in zip(self._topics, reasons, strict=False)
            if reason.is_failure
        ]
        self.trouble = f"the server refuses {', '.join(refused)}" if refused else None

    def _part(
        self, client: Client, _: object, __: object, reason: ReasonCode, *___: object
    ) -> None:
        self._connection += 1
        self.trouble = f"the connection is lost: {reason}"

    def _take(self, client: Client, _: object, given: MQTTMessage) -> None:
        number = given.mid if given.qos else 0
        came = time.time_ns() // 1000
        message = _message(given)
        try:
            self._waiting.put_nowait(Received(given.topic, message, came, number, self._connection))
        except queue.Full:  # never of QoS 1: the server waits for acknowledgements before that
            self.dropped += 1


def events_received(received: Received) -> list[Event]:
    """The events of a message: CloudEvents in either mode, or what a sensor says as the data of
    one event.

    Such an event ends when it came, and has an id of its own: a message that comes twice is two.
    """
    message = received.message
    if _is_cloudevent(message):
        return events_of_message(message)
    return [_plain_event(received)]


def _is_cloudevent(message: Message) -> bool:
    if (message.content_type or "").lower().startswith(_STRUCTURED):
        return True
    if not is_structured(message):
        return set(_CONTEXT) <= set(message.attributes)
    try:
        found = parse_json(message.body or b"")
    except EventProblem:
        return False
    return isinstance(found, dict) and set(_CONTEXT) <= set(found)


def _plain_event(received: Received) -> Event:
    kind = received.message.content_type or JSON
    body = Message(
        received.message.body,
        {
            "specversion": "1.0",
            "id": uuid4().hex,
            "source": received.topic,
            "type": received.topic,
            "time": format_instant(received.came),
        },
        kind,
    )
    (event,) = events_of_message(body)
    return event


def _message(given: MQTTMessage) -> Message:
    properties: Any = given.properties
    attributes = dict(getattr(properties, "UserProperty", None) or ())
    return Message(bytes(given.payload), attributes, getattr(properties, "ContentType", None))


def _session() -> Properties:
    """A session that lasts, in which the server sends no more than so much at once."""
    wanted = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    wanted.SessionExpiryInterval = SESSION_LASTS
    wanted.ReceiveMaximum = MOST_AT_ONCE
    return wanted


def _client(server: MqttServer) -> Client:
    client = Client(
        CallbackAPIVersion.VERSION2,
        client_id=server.client,
        protocol=MQTTProtocolVersion.MQTTv5,
        manual_ack=True,
    )
    if server.username is not None:
        client.username_pw_set(server.username, server.password)
    try:
        if server.ca_file is not None:
            client.tls_set(ca_certs=server.ca_file)
    except OSError as error:
        raise MeaningProblem(
            f"the certificates in {server.ca_file} cannot be read: {error.strerror or error}",
            code="MqttError",
            token="ca_file",
        ) from None
    client.reconnect_delay_set(min_delay=1, max_delay=30)
    return client
