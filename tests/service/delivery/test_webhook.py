"""A match as a message: a CloudEvent that anybody can read, signed, with an id that never
changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from tests.service.delivery.receiver import Reply, receiving
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.service.delivery.outbox import DeliveryMessage, batch_id, single_body
from tocsin.service.delivery.signing import make_secret
from tocsin.service.delivery.targets import Delivered, Failed, Gone, Outcome, Webhook
from tocsin.service.outbound.addresses import AddressRules, parse_webhook_url
from tocsin.service.outbound.http_sender import DnsResolver, HttpSender

LOOPBACK = AddressRules.allowing(["127.0.0.0/8"])
SECRET = make_secret(bytes(32), "s1")


def notice(number: int, subscription: str = "s1") -> DeliveryMessage:
    match = {
        "subscription": subscription,
        "events": [f"e{number}"],
        "detected": "2026-01-31T08:00:00Z",
        "bindings": {"x": "ä"},
        "id": f"{number:032x}",
    }
    return DeliveryMessage(number, f"{number:032x}", subscription, match)


def send(
    url: str, notices: Sequence[DeliveryMessage], batch: int = 1, timeout: float = 20.0
) -> Outcome:
    async def whole() -> Outcome:
        sender = HttpSender(LOOPBACK, DnsResolver().look_up, timeout=timeout)
        target = parse_webhook_url(f"{url}/hook", LOOPBACK)
        try:
            return await Webhook(target, [SECRET], sender, "https://t.example", batch).send(notices)
        finally:
            await sender.close()

    return asyncio.run(whole())


def test_a_message_is_a_structured_event_with_a_signature() -> None:
    with receiving() as receiver:
        assert send(receiver.url, [notice(7)]) == Delivered()
        [request] = receiver.received
    told = Verifier(SECRET).verify(request.body, request.headers)
    assert request.headers["content-type"] == "application/cloudevents+json; charset=utf-8"
    assert request.id == notice(7).id
    assert told == {
        "specversion": "1.0",
        "id": notice(7).id,
        "source": "https://t.example/v1/subscriptions/s1",
        "type": "io.tocsin.match",
        "subject": "s1",
        "time": "2026-01-31T08:00:00Z",
        "datacontenttype": "application/json",
        "sequence": "00000000000000000007",
        "data": notice(7).match,
    }


def test_what_is_sent_is_an_event_that_can_be_published_again() -> None:
    event = decode(single_body(notice(7)).encode())
    assert (event.source, event.id) == ("/v1/subscriptions/s1", notice(7).id)


def test_a_match_without_a_time_and_a_strange_name_make_a_legal_event() -> None:
    strange = DeliveryMessage(1, "ab", "a/b ü?", {"detected": None})
    event = strange.as_event()
    assert "time" not in event
    assert event["source"] == "/v1/subscriptions/a%2Fb%20%C3%BC%3F"


def test_a_batch_is_one_message_with_an_id_of_its_own() -> None:
    notices = [notice(1), notice(2)]
    with receiving() as receiver:
        assert send(receiver.url, notices, batch=10) == Delivered()
        [request] = receiver.received
    told = Verifier(SECRET).verify(request.body, request.headers)
    assert [each["id"] for each in told] == [each.id for each in notices]
    assert request.headers["content-type"].startswith("application/cloudevents-batch+json")
    assert request.id == batch_id(notices)
    assert len({batch_id(notices), batch_id(notices[:1]), batch_id(notices[::-1])}) == 3


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_2xx_is_taken(status: int) -> None:
    with receiving(lambda request: Reply(status)) as receiver:
        assert send(receiver.url, [notice(1)]) == Delivered()


def test_410_ends_it() -> None:
    with receiving(lambda request: Reply(410)) as receiver:
        assert send(receiver.url, [notice(1)]) == Gone("the receiver answered 410 Gone")


@pytest.mark.parametrize("status", [301, 400, 404, 429, 500, 503])
def test_everything_else_failed(status: int) -> None:
    with receiving(lambda request: Reply(status, body=b"no\n room")) as receiver:
        outcome = send(receiver.url, [notice(1)])
    assert isinstance(outcome, Failed)
    assert f"answered {status}" in outcome.reason
    assert outcome.retry_after is None


def test_retry_after_is_heard() -> None:
    with receiving(lambda request: Reply(503, {"retry-after": "17"})) as receiver:
        outcome = send(receiver.url, [notice(1)])
    assert outcome == Failed("the receiver answered 503", 17.0)


def test_no_receiver_failed_with_the_reason() -> None:
    with receiving() as receiver:
        url = receiver.url
    outcome = send(url, [notice(1)])
    assert isinstance(outcome, Failed)
    assert outcome.code == "DeliveryError"


def test_a_refused_address_failed_and_says_so() -> None:
    """A name may come to mean a private address long after it was checked."""
    sender_rules = AddressRules()

    async def whole() -> Outcome:
        sender = HttpSender(sender_rules, DnsResolver().look_up)
        url = parse_webhook_url("http://localhost:9/", sender_rules)
        return await Webhook(url, [SECRET], sender).send([notice(1)])

    outcome = asyncio.run(whole())
    assert isinstance(outcome, Failed)
    assert outcome.code == "AddressRefused"
