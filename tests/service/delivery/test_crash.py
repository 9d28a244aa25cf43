"""`tocsin up` killed in the middle of its work: every accepted event rings, every match is
delivered, and what comes twice has the same id.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from tests.builders import event_json
from tests.service.delivery.receiver import Received, Receiver, Reply, receiving
from tests.service.delivery.up import up
from tests.waiting import PATIENCE, wait_until
from tocsin.client import Client
from tocsin.client.http import RetryPolicy

QUICK = {"allowed_networks": ["127.0.0.0/8"], "first_wait": "20ms", "longest_wait": "200ms"}
STUBBORN = RetryPolicy(tries=10_000, first=0.05, longest=0.2)


def event(number: int) -> dict[str, Any]:
    return event_json(number, source="shop", data={"number": number, "even": number % 2 == 0})


class Publisher(threading.Thread):
    """Publishes until told to stop, whatever happens to the service; `accepted` is what it was
    promised.
    """

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self._url = url
        self.accepted: list[int] = []
        self.enough = threading.Event()

    def run(self) -> None:
        number = 0
        with Client(self._url, patience=STUBBORN) as client:
            while not self.enough.is_set():
                some = list(range(number, number + 5))
                done = client.publish_many(map(event, some))
                assert done.accepted == 5
                self.accepted += some
                number += 5
                time.sleep(0.01)


def numbers_in(requests: Iterable[Received]) -> list[int]:
    return [int(request.json["data"]["events"][0]) for request in requests]


def require_all(receiver: Receiver, wanted: list[int]) -> int:
    """Everything came, in order where it came for the first time; gives how much came twice, with
    the same id.
    """

    def missing() -> set[int]:
        return set(wanted) - set(numbers_in(receiver.received))

    wait_until(lambda: not missing(), progress=missing)
    came = list(receiver.received)
    first = list(dict.fromkeys(request.json["sequence"] for request in came))
    assert first == sorted(first)
    ids: dict[int, set[str]] = {}
    for request, number in zip(came, numbers_in(came), strict=True):
        ids.setdefault(number, set()).add(request.id)
    assert all(len(each) == 1 for each in ids.values())
    assert len({next(iter(each)) for each in ids.values()}) == len(ids)
    return len(came) - len(first)


def test_kill_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    chance = Random(7)
    with receiving() as every, receiving() as even, up(tmp_path, **QUICK) as service:
        with Client(service.url) as client:
            client.subscribe(
                "every", "number >= 0", language="selector", deliver={"webhook": every.url}
            )
            client.subscribe(
                "even", "even = TRUE", language="selector", deliver={"webhook": even.url}
            )
        publisher = Publisher(service.url)
        publisher.start()
        for times in range(1, 4):
            every.wait_for(30 * times)
            time.sleep(chance.random() / 2)
            service.kill()
            service.start()
        every.wait_for(len(every.received) + 20)
        publisher.enough.set()
        publisher.join(PATIENCE)
        assert not publisher.is_alive()
        require_all(every, publisher.accepted)
        require_all(even, [number for number in publisher.accepted if number % 2 == 0])


def test_a_clean_stop_delivers_nothing_twice(tmp_path: Path) -> None:
    with receiving() as receiver, up(tmp_path, **QUICK) as service:
        with Client(service.url) as client:
            deliver = {"webhook": receiver.url}
            client.subscribe("every", "number >= 0", language="selector", deliver=deliver)
            client.publish_many(map(event, range(20)))
            receiver.wait_for(20)
            wait_until(lambda: client.delivery("every")["delivered"] == 20)
        service.stop()
        service.start()
        with Client(service.url) as client:
            client.publish_many(map(event, range(20, 30)))
            assert require_all(receiver, list(range(30))) == 0


def test_a_target_that_is_down_while_the_service_is_killed(tmp_path: Path) -> None:
    with receiving() as receiver:
        port = int(receiver.url.rpartition(":")[2])
        url = receiver.url
    with up(tmp_path, **QUICK) as service:
        with Client(service.url) as client:
            client.subscribe("every", "number >= 0", language="selector", deliver={"webhook": url})
            client.publish_many(map(event, range(20)))
            wait_until(lambda: client.delivery("every")["failed"] >= 2)
        service.kill()
        service.start()
        with Client(service.url) as client:
            assert client.delivery("every")["failed"] >= 2
        with receiving(port=port) as receiver:
            require_all(receiver, list(range(20)))


def test_a_target_that_hangs_redirects_and_fails_while_another_is_well(tmp_path: Path) -> None:
    replies = iter([Reply(after=3), Reply(302, {"location": "http://127.0.0.1:1/"}), Reply(500)])
    with (
        receiving(lambda request: next(replies, Reply())) as odd,
        receiving() as well,
        up(tmp_path, timeout="1s", **QUICK) as service,
        Client(service.url) as client,
    ):
        for id, receiver in (("odd", odd), ("well", well)):
            deliver = {"webhook": receiver.url}
            client.subscribe(id, "number >= 0", language="selector", deliver=deliver)
        client.publish_many(map(event, range(10)))
        require_all(well, list(range(10)))
        assert require_all(odd, list(range(10))) == 3
        wait_until(lambda: client.delivery("odd")["delivered"] == 10)
