"""Many threads publish, subscribe and cancel: nothing is lost, nothing comes twice, nobody is called out of order."""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tocsin

THREADS = 8
ROUNDS = 60


@pytest.fixture(autouse=True)
def often_switching() -> Iterator[None]:
    """Threads take turns as often as they can, so that what is not guarded shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def event(id: str, number: int, thread: int) -> dict[str, Any]:
    time = f"2026-01-01T00:{number // 60 % 60:02}:{number % 60:02}Z"
    data = {"n": number, "thread": thread, "parity": number % 2}
    return {"id": id, "source": f"t{thread}", "type": "t", "time": time, "data": data}


def in_threads(work: Callable[[int], None], count: int = THREADS) -> None:
    """Runs the work in so many threads; what one of them raises is raised here."""
    raised: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def test_eight_threads_that_publish_subscribe_and_cancel_lose_nothing() -> None:
    hub = tocsin.Hub(lateness="1h")
    heard: dict[str, list[tuple[str, str]]] = defaultdict(list)

    def note(match: tocsin.Match) -> None:
        heard[match.subscription].append((match.sources[0], match.events[0]))

    hub.subscribe("n >= 0", id="all", to=note)
    hub.subscribe("parity = 0", id="even", to=note)
    hub.subscribe(
        "!(selector{n = 0}; 1s) selector{n = 999}", language="opsl", id="silence", policy="unrestricted", to=note
    )
    returned: dict[int, list[tocsin.Match]] = defaultdict(list)

    def work(thread: int) -> None:
        for number in range(ROUNDS):
            own = hub.subscribe(f"thread = {thread} AND n = {number}", id=f"own-{thread}-{number}", to=note)
            returned[thread] += hub.publish(event(f"e{number}", number, thread))
            own.cancel()
            hub.publish(event(f"e{number}", number, thread))  # a duplicate

    in_threads(work)
    hub.advance_to("2026-01-02T00:00:00Z")
    published = {(f"t{thread}", f"e{number}") for thread in range(THREADS) for number in range(ROUNDS)}
    assert sorted(heard["all"]) == sorted(published)
    assert sorted(heard["even"]) == sorted((s, e) for s, e in published if int(e[1:]) % 2 == 0)
    assert sorted(heard["silence"]) == [(f"t{thread}", "e0") for thread in range(THREADS)]
    for thread in range(THREADS):
        for number in range(ROUNDS):
            assert heard[f"own-{thread}-{number}"] == [(f"t{thread}", f"e{number}")]
        told = [match for match in returned[thread] if match.subscription == "all"]
        assert [match.events[0] for match in told] == [f"e{number}" for number in range(ROUNDS)]
    assert hub.counts.events == len(published)
    assert hub.counts.duplicates == len(published)
    assert not hub.dead_letters


def test_a_subscriber_hears_in_the_order_of_detection_and_one_at_a_time() -> None:
    hub = tocsin.Hub()
    heard: list[int] = []
    detected: list[int] = []
    at_work = threading.Lock()

    def receive(match: tocsin.Match) -> None:
        assert at_work.acquire(blocking=False), "two calls at once"
        heard.append(match.members[0].data["n"])  # type: ignore[index]
        at_work.release()

    hub.subscribe("n >= 0", to=receive)
    order = threading.Lock()
    numbers = iter(range(10_000))

    def work(thread: int) -> None:
        for _ in range(ROUNDS):
            with order:
                number = next(numbers)
                detected.append(number)
                hub.publish(event(f"e{number}", number, thread))

    in_threads(work)
    assert heard == detected
    assert not hub.dead_letters
