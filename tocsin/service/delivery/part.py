"""Delivery as a component of a service, with its routes; and the relay of dead letters.

`/v1/subscriptions/{id}/delivery` is the state of deliveries and redelivery from a position,
`/secret` the signing secret.

Relay of dead letters to a Kafka topic as CloudEvents: each at least once, always with the same
id.
"""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, Request

from tocsin.connectors.kafka import KafkaWriter
from tocsin.errors import MeaningProblem, StateProblem
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.events.codecs.bindings import Message
from tocsin.service.core.service import Service
from tocsin.service.delivery.cursor import DeliveryCursor, Key
from tocsin.service.delivery.outbox import EVENT_CONTENT
from tocsin.service.delivery.service import Delivery, ServiceHandles
from tocsin.service.delivery.targets import Producer
from tocsin.service.http.access import AccessScope, caller_with
from tocsin.service.http.requests import object_of, run_read, service_of
from tocsin.service.settings.sources import KafkaSettings, kafka_settings
from tocsin.service.sources.worker import PATIENCE, IntakeWorker
from tocsin.service.storage.lock import Lease
from tocsin.service.storage.results import LetterStore
from tocsin.service.storage.rows import LetterRow
from tocsin.values.time import format_instant


def make_delivery(service: Service) -> Delivery:
    """Return the delivery of a service, registered for catalog changes and replays."""
    settings = service.settings
    own = f"sqlite:///{(settings.data / 'delivery.db').absolute()}"
    around = ServiceHandles(
        service.database,
        service.matches,
        service.feed,
        service.catalog,
        settings.database or own,
        settings.data,
        _producer(service),
    )
    delivery = Delivery(settings.delivery, around)
    service.entries.hooks.append(delivery)
    service.replays.others.append(delivery.replay_letter)
    return delivery


def _producer(service: Service) -> Producer | None:
    """Return a client of the broker in the settings, or None."""
    settings = kafka_settings(service.settings.kafka)
    return KafkaWriter(settings.library) if settings.servers else None


def delivery_of(service: Service) -> Delivery:
    """Return the delivery of a service; raise StateProblem if it has none."""
    for part in service.parts:
        if isinstance(part, Delivery):
            return part
    raise StateProblem("this server delivers nothing", code="NotDelivered")


# Routes.

router = APIRouter(tags=["delivery"])

_MAX_POSITION = 2**63 - 1


@router.get("/v1/subscriptions/{id}/delivery")
async def show(id: str, request: Request) -> dict[str, Any]:
    """Return the delivery state of a subscription."""
    delivery, key = _find_delivery(id, request)
    return (await run_read(request, key[0], _line, delivery, key)).as_json()


@router.post("/v1/subscriptions/{id}/delivery")
async def deliver_again(id: str, request: Request) -> dict[str, Any]:
    """Retry now, from the current position or, with `after`, behind a given one."""
    delivery, key = _find_delivery(id, request)
    body = await object_of(request, service_of(request).settings.limits.request_bytes)
    after = _position(body)
    if after is None:
        line = await run_read(request, key[0], delivery.resume, key)
    else:
        line = await run_read(request, key[0], delivery.move, key, after)
    return line.as_json()


@router.get("/v1/subscriptions/{id}/secret")
async def show_secret(id: str, request: Request) -> dict[str, str]:
    """Return the secret that messages are signed with."""
    delivery, key = _find_delivery(id, request)
    return {"secret": delivery.secret(await run_read(request, key[0], _line, delivery, key))}


@router.post("/v1/subscriptions/{id}/secret")
async def change_secret(id: str, request: Request) -> dict[str, str]:
    """Create a new secret; for a day messages are signed with the old one as well."""
    delivery, key = _find_delivery(id, request)
    return {"secret": delivery.secret(await run_read(request, key[0], delivery.rotate, key))}


def _find_delivery(id: str, request: Request) -> tuple[Delivery, Key]:
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    return delivery_of(service_of(request)), (caller.tenant, id)


def _line(delivery: Delivery, key: Key) -> DeliveryCursor:
    line = delivery.line(key)
    if line is None:
        raise StateProblem(
            f"the matches of subscription {key[1]!r} are not delivered",
            code="NotDelivered",
            token=key[1],
            hint='subscribe with "deliver", or fetch them from /v1/matches',
        )
    return line


def _position(body: dict[str, Any]) -> int | None:
    if unknown := sorted(set(body) - {"after"}):
        raise MeaningProblem(
            f"unknown member {unknown[0]!r}", code="RequestError", token=unknown[0]
        )
    after = body.get("after")
    if after is None:
        return None
    if isinstance(after, bool) or not isinstance(after, int) or not 0 <= after <= _MAX_POSITION:
        raise MeaningProblem(
            f"after is a position, 0 or more, not {after!r}", code="RequestError", token="after"
        )
    return after


LETTER_TYPE = "io.tocsin.dead-letter"

_LOCK = 0x746F6373696E2004
"""Number of the advisory lock of the one process that relays letters."""

_AT_ONCE = 500


class LetterRelay:
    """Relays stored letters that were not relayed before, while this process holds `lease`."""

    def __init__(self, settings: KafkaSettings, letters: LetterStore, lease: Lease) -> None:
        self._topic, self._letters, self._lease = settings.dead_letters, letters, lease
        self._writer = KafkaWriter(settings.library)
        self._name = f"kafka {self._topic}"

    def take(self) -> int:
        """Relay the next letters; return their number. Without any, wait for PATIENCE seconds."""
        rows: list[LetterRow] = []
        if self._lease.hold():
            rows = self._letters.read_all(self._letters.passed_on(self._name), _AT_ONCE)
        if not rows:
            time.sleep(PATIENCE)
            return 0
        self._writer.send(self._topic, [(row.subscription, _message(row)) for row in rows])
        self._letters.note_passed_on(self._name, rows[-1].position)
        return len(rows)

    def close(self) -> None:
        """Close the producer and release the lease."""
        self._writer.close()
        self._lease.release()


def letters_to_kafka(service: Service) -> IntakeWorker | None:
    """Return the component that relays dead letters; None if no topic is set for them."""
    settings = kafka_settings(service.settings.kafka)
    if not settings.dead_letters:
        return None
    url = service.settings.state_url
    return IntakeWorker(
        "dead-letters", lambda: LetterRelay(settings, service.letters, Lease(url, _LOCK))
    )


def _message(row: LetterRow) -> Message:
    event = {
        "specversion": "1.0",
        "id": str(row.position),
        "source": "/v1/dead-letters",
        "type": LETTER_TYPE,
        "subject": row.subscription or row.code,
        "time": format_instant(row.stored),
        "datacontenttype": "application/json",
        "tenant": row.tenant,
        "data": row.as_json(),
    }
    return Message(json_text(event).encode(), {}, f"{EVENT_CONTENT}; charset=UTF-8")
