"""MQTT 5 input: messages of sensors, acknowledged only after the caller has stored them.

The server keeps unacknowledged messages (QoS 1) and messages that arrive while the reader is away
(a persistent session), so that none is lost; after a lost connection some messages are delivered
twice. CloudEvents use the binding of MQTT 5; any other message is the data of an event whose source
and type are the topic.
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
from tocsin.events.codecs.bindings import Message, events_of_message, is_structured_mode
from tocsin.events.event import Event
from tocsin.values.media_types import JSON
from tocsin.values.time import Instant, format_instant

MAX_BATCH_MESSAGES = 1000
"""The number of messages that the server sends before it waits for an acknowledgement."""

SESSION_LASTS = 0xFFFFFFFF
"""Session expiry "never": the server keeps messages while the reader is away."""

_CONTEXT = ("id", "source", "type", "specversion")
_STRUCTURED = "application/cloudevents"


@dataclass(frozen=True, slots=True)
class MqttServer:
    """Address and credentials of the server; `client` names the session that it keeps."""

    host: str
    port: int = 1883
    client: str = "tocsin"
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: str | None = None


@dataclass(frozen=True, slots=True)
class MqttMessage:
    """A message as received; an acknowledgement refers to `number` and `connection`."""

    topic: str
    message: Message
    received_at: Instant
    number: int
    connection: int


class MqttReader:
    """Reader of topics, wildcards included. Connects at once, and again after a lost connection.

    `dropped` counts messages of QoS 0 that found the queue full; the server does not guarantee
    these either.
    """

    def __init__(self, server: MqttServer, topics: Sequence[str]) -> None:
        if not topics:
            raise MeaningProblem("no topic is given", code="MqttError", hint="such as sensors/#")
        self._topics = tuple(topics)
        self._waiting: queue.Queue[MqttMessage] = queue.Queue(2 * MAX_BATCH_MESSAGES)
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

    def read(self, limit: int, patience: float) -> list[MqttMessage]:
        """Return up to `limit` messages as soon as there are any; [] after `patience` seconds
        without.
        """
        found: list[MqttMessage] = []
        try:
            found.append(self._waiting.get(timeout=patience))
            while len(found) < limit:
                found.append(self._waiting.get_nowait())
        except queue.Empty:
            pass
        return found

    def acknowledge(self, received: Iterable[MqttMessage]) -> None:
        """Acknowledge stored messages.

        Those of an earlier connection are skipped and delivered again: their numbers may be in use
        for others.
        """
        for each in received:
            if each.number and each.connection == self._connection:
                self._client.ack(each.number, 1)

    def close(self) -> None:
        """End the connection; the server keeps unacknowledged messages."""
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
            self._waiting.put_nowait(
                MqttMessage(given.topic, message, came, number, self._connection)
            )
        except queue.Full:  # only QoS 0: for QoS 1 the server waits for acknowledgements before
            self.dropped += 1


def events_from_message(received: MqttMessage) -> list[Event]:
    """Return the events of a message: CloudEvents in either mode, or one event with the message as
    data.

    Such an event has its reception as time and a new id: a message that is delivered twice is two
    events.
    """
    message = received.message
    if _is_cloudevent(message):
        return events_of_message(message)
    return [_plain_event(received)]


def _is_cloudevent(message: Message) -> bool:
    if (message.content_type or "").lower().startswith(_STRUCTURED):
        return True
    if not is_structured_mode(message):
        return set(_CONTEXT) <= set(message.attributes)
    try:
        found = parse_json(message.body or b"")
    except EventProblem:
        return False
    return isinstance(found, dict) and set(_CONTEXT) <= set(found)


def _plain_event(received: MqttMessage) -> Event:
    kind = received.message.content_type or JSON
    body = Message(
        received.message.body,
        {
            "specversion": "1.0",
            "id": uuid4().hex,
            "source": received.topic,
            "type": received.topic,
            "time": format_instant(received.received_at),
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
    """Return the properties of a persistent session with a limit on unacknowledged messages."""
    wanted = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    wanted.SessionExpiryInterval = SESSION_LASTS
    wanted.ReceiveMaximum = MAX_BATCH_MESSAGES
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
