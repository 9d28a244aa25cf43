"""The clients with a real service: what is published rings, what rang is heard, again after a
break.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from tests.builders import event_json
from tests.service.delivery.office import QUICK
from tests.service.delivery.receiver import Reply, receiving
from tests.service.serving import Served, served
from tests.waiting import PATIENCE, wait_until
from tocsin.client import AsyncClient, Client, Published
from tocsin.errors import MeaningProblem, StateProblem


def event(number: int, price: int = 1) -> dict[str, Any]:
    return event_json(number, "offer", number % 60, source="shop", data={"price": price})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("data"), delivery=QUICK | {"tries": 2}) as found:
        yield found


@pytest.fixture
def client(server: Served) -> Iterator[Client]:
    with Client(server.url) as found:
        for each in found.subscriptions():
            found.delete(each["id"])
        yield found


def heard(client: Client, subscription: str, count: int, after: int = 0) -> list[str]:
    matches = itertools.islice(client.stream(subscription, after), count)
    return [match["events"][0] for match in matches]


def test_what_is_published_rings_and_can_be_read(client: Client) -> None:
    client.subscribe("read", "price < 400", language="selector")
    done = client.publish_many([event(1), event(2, 500), event(3), b"{no json"])
    assert done.accepted == 3
    assert [each.index for each in done.rejected] == [3]
    assert heard(client, "read", 2) == ["1", "3"]
    pages = client.matches("read", page=1)
    assert [match["events"] for match in pages] == [["1"], ["3"]]
    assert list(client.matches("read", after=pages.position)) == []
    assert client.why(next(iter(client.matches("read")))["id"])["members"]


def test_documents_of_other_types_are_events(client: Client) -> None:
    client.subscribe("docs", "WHERE <offer><price>$p</></>", language="exmlql")
    assert client.publish("<offer><price>3</price></offer>", "application/xml") == Published(1)
    assert next(iter(client.stream("docs", after=0)))["bindings"] == {"$p": "3"}


def test_a_document_that_is_none_is_a_problem(client: Client) -> None:
    with pytest.raises(MeaningProblem) as raised:
        client.publish("<offer>", "application/xml")
    assert raised.value.code


def test_a_stream_goes_on_over_a_restart_of_the_service(tmp_path: Path) -> None:
    with served(tmp_path) as first:
        port = first.port
        client = Client(first.url)
        client.subscribe("s", "price < 400", language="selector")
        client.publish_many([event(1), event(2)])
        stream = client.stream("s", after=0)
        matches = iter(stream)
        found = [next(matches)["events"][0] for _ in range(2)]
        position = stream.position
    with served(tmp_path, port=port):
        client.publish(event(3))
        found.append(next(matches)["events"][0])
        assert found == ["1", "2", "3"]
        assert position is not None
        assert stream.position == position + 1
    client.close()


def test_subscriptions_come_change_pause_and_go(client: Client) -> None:
    client.subscribe("s", "price < 400", language="selector")
    client.put({"id": "t", "language": "selector", "expression": "price > 400"})
    assert [each["id"] for each in client.subscriptions()] == ["s", "t"]
    client.subscribe("s", "price < 4", language="selector", subscriber="me")
    assert client.subscription("s")["expression"] == "price < 4"
    assert client.pause("s")["paused"] is True
    assert client.subscription("s")["subscriber"] == "me"
    assert client.pause("s", False)["paused"] is False
    client.delete("s")
    with pytest.raises(StateProblem) as raised:
        client.subscription("s")
    assert raised.value.code == "UnknownSubscriptionError"


def test_a_wrong_subscription_is_told_with_its_place(client: Client) -> None:
    with pytest.raises(MeaningProblem) as raised:
        client.subscribe("s", "price <\n ANDD 3", language="selector")
    assert raised.value.place is not None
    assert raised.value.place.line == 2
    told = client.check({"language": "selector", "expression": "price < < 3"})
    assert told["problems"]
    assert client.explain({"language": "selector", "expression": "price < 3"})


def test_definitions_are_put_and_used(client: Client) -> None:
    square = "POLYGON((0 0,0 1,1 1,1 0,0 0))"
    client.define({"define": "Square", "region": square})
    assert client.definition("Square")["region"] == square
    client.delete_definition("Square")
    with pytest.raises(StateProblem):
        client.definition("Square")


def test_a_try_looks_at_the_stored_events(client: Client) -> None:
    client.publish(event(900, 77))
    told = client.try_out({"language": "selector", "expression": "price = 77"}, last="24h")
    assert told["count"] >= 1


def test_webhooks_are_signed_with_the_secret_that_the_client_is_told(client: Client) -> None:
    with receiving() as receiver:
        client.subscribe(
            "hook", "price = 11", language="selector", deliver={"webhook": receiver.url}
        )
        client.publish(event(800, 11))
        [request] = receiver.wait_for(1)
        told = Verifier(client.secret("hook")).verify(request.body, request.headers)
        assert told["data"]["events"] == ["800"]
        wait_until(lambda: client.delivery("hook")["delivered"] == 1)
        old = client.secret("hook")
        assert client.change_secret("hook") != old
        position = client.delivery("hook")["position"]
        client.replay("hook", position - 1)
        receiver.wait_for(2)
        assert receiver.received[1].id == request.id


def test_deliveries_are_counted_for_prometheus(tmp_path: Path) -> None:
    delivered = 'tocsin_deliveries_total{outcome="delivered"}'
    with (
        receiving() as receiver,
        served(tmp_path, delivery=QUICK) as lone,
        Client(lone.url) as client,
    ):
        deliver = {"webhook": receiver.url}
        client.subscribe("count", "price = 15", language="selector", deliver=deliver)
        client.publish(event(400, 15))
        wait_until(lambda: client.delivery("count")["delivered"] == 1)
        assert figure(lone, delivered) == 1
        assert figure(lone, "tocsin_delivered_subscriptions") == 1


def figure(server: Served, name: str) -> float:
    lines = server.http.get("/metrics").text.splitlines()
    [line] = [line for line in lines if line.startswith(f"{name} ")]
    return float(line.rpartition(" ")[2])


def test_a_private_target_is_refused_with_the_reason(client: Client) -> None:
    with pytest.raises(MeaningProblem, match="private") as raised:
        client.subscribe(
            "hook", "price = 11", language="selector", deliver={"webhook": "http://10.0.0.1/"}
        )
    assert raised.value.code == "AddressRefused"
    assert client.subscriptions() == []


def test_a_match_that_was_not_delivered_is_a_dead_letter_that_can_be_replayed(
    client: Client,
) -> None:
    with receiving(lambda request: Reply(500)) as receiver:
        client.subscribe(
            "dead", "price = 12", language="selector", deliver={"webhook": receiver.url}
        )
        client.publish(event(700, 12))

        def letters() -> list[dict[str, Any]]:
            found = client.dead_letters(limit=1000)
            return [each for each in found if each["subscription"] == "dead"]

        wait_until(lambda: len(letters()) == 1)
        [letter] = letters()
        assert letter["code"] == "DeliveryError"
        with pytest.raises(Exception, match="still not delivered"):
            client.replay_dead_letter(letter["id"])
        receiver.behaviour = lambda request: Reply()
        client.replay_dead_letter(letter["id"])
        assert len(receiver.taken) == 1
        assert letters()[0]["replayed"]


def test_the_async_client_does_the_same(server: Served) -> None:
    async def whole() -> list[str]:
        async with AsyncClient(server.url) as client:
            assert await client.is_ready()
            await client.subscribe("later", "price = 13", language="selector")
            await client.publish_many([event(number, 13) for number in range(600, 603)])
            found: list[str] = []
            async for match in client.stream("later", after=0):
                found.append(match["events"][0])
                if len(found) == 3:
                    break
            read = [match["events"][0] async for match in client.matches("later")]
            assert read == found
            await client.delete("later")
            return found

    assert asyncio.run(whole()) == ["600", "601", "602"]


def test_several_streams_hear_the_same(client: Client, server: Served) -> None:
    client.subscribe("many", "price = 14", language="selector")
    found: dict[int, list[str]] = {}

    def listen(number: int) -> None:
        with Client(server.url) as own:
            found[number] = heard(own, "many", 5)

    threads = [threading.Thread(target=listen, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    client.publish_many([event(number, 14) for number in range(500, 505)])
    for thread in threads:
        thread.join(PATIENCE)
    assert found == {number: [str(each) for each in range(500, 505)] for number in range(4)}
