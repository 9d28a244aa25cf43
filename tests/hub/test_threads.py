"""Many threads publish, subscribe and cancel: nothing is lost, nothing comes twice, nobody is
called out of order.
"""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tocsin
from tests.builders import event_json
from tests.waiting import PATIENCE
from tocsin.catalog import create_catalog, open_catalog

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
    data = {"n": number, "thread": thread, "parity": number % 2}
    return event_json(id, second=number % 3600, source=f"t{thread}", data=data)


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
        "!(selector{n = 0}; 1s) selector{n = 999}",
        language="opsl",
        id="silence",
        policy="unrestricted",
        to=note,
    )
    returned: dict[int, list[tocsin.Match]] = defaultdict(list)

    def work(thread: int) -> None:
        for number in range(ROUNDS):
            own = hub.subscribe(
                f"thread = {thread} AND n = {number}", id=f"own-{thread}-{number}", to=note
            )
            returned[thread] += hub.publish(event(f"e{number}", number, thread))
            own.cancel()
            hub.publish(event(f"e{number}", number, thread))  # a duplicate

    in_threads(work)
    hub.advance_to("2026-01-02T00:00:00Z")
    published = {
        (f"t{thread}", f"e{number}") for thread in range(THREADS) for number in range(ROUNDS)
    }
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


class Gate:
    """A receiver that waits at its first match until it may go on, and notes what it hears."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.opened = threading.Event()
        self.heard: list[str] = []
        self._at_work = threading.Lock()

    def __call__(self, match: tocsin.Match) -> None:
        with self._at_work:
            if not self.entered.is_set():
                self.entered.set()
                assert self.opened.wait(PATIENCE)
            self.heard.append(match.events[0])


def publish_behind(hub: tocsin.Hub, gate: Gate, *events: dict[str, Any]) -> threading.Thread:
    """A thread that publishes, and stands at the gate."""
    thread = threading.Thread(target=hub.publish, args=events)
    thread.start()
    assert gate.entered.wait(PATIENCE)
    return thread


def test_a_subscriber_hears_in_the_order_of_detection_one_at_a_time_and_keeps_nobody_waiting() -> (
    None
):
    hub, gate, others = tocsin.Hub(), Gate(), []
    hub.subscribe("n >= 0", to=gate, id="slow")
    hub.subscribe("n >= 0", to=others.append, id="quick")
    slow = publish_behind(hub, gate, event("e1", 1, 0))
    for number in range(2, 6):
        hub.publish(event(f"e{number}", number, 0))
        assert others[-1].events == (f"e{number}",)
    handle = hub.subscribe("n = 1", to=gate)  # no lock is held
    handle.cancel()
    gate.opened.set()
    slow.join()
    assert gate.heard == ["e1", "e2", "e3", "e4", "e5"]
    assert {match.events[0] for match in others} == {"e1", "e2", "e3", "e4", "e5"}
    assert not hub.dead_letters


def test_who_publishes_waits_while_too_much_waits_for_a_subscriber() -> None:
    hub, gate = tocsin.Hub(), Gate()
    hub.subscribe("n >= 0", to=gate, queue=2, overflow="block")
    slow = publish_behind(hub, gate, event("e1", 1, 0))
    hub.publish(event("e2", 2, 0))
    hub.publish(event("e3", 3, 0))
    done = threading.Event()

    def publish() -> None:
        hub.publish(event("e4", 4, 0))
        done.set()

    blocked = threading.Thread(target=publish)
    blocked.start()
    assert not done.wait(0.2)
    gate.opened.set()
    assert done.wait(PATIENCE)
    blocked.join()
    slow.join()
    assert gate.heard == ["e1", "e2", "e3", "e4"]


def test_the_oldest_is_dropped_and_told() -> None:
    hub, gate = tocsin.Hub(queue=2, overflow="drop"), Gate()
    hub.subscribe("n >= 0", to=gate, id="s")
    slow = publish_behind(hub, gate, event("e1", 1, 0))
    for number in range(2, 7):
        hub.publish(event(f"e{number}", number, 0))
    gate.opened.set()
    slow.join()
    assert gate.heard == ["e1", "e5", "e6"]
    assert [letter.code for letter in hub.dead_letters] == ["QueueOverflow"] * 3
    assert ['"e2"' in letter.input for letter in hub.dead_letters] == [True, False, False]
    assert "'s'" in hub.dead_letters[0].reason


def test_a_slow_subscriber_is_suspended_and_told_and_hears_what_was_found_before() -> None:
    hub, gate, told, others = tocsin.Hub(), Gate(), [], []
    hub.subscribe("n >= 0", to=gate, id="s", queue=2, overflow="suspend", problems_to=told.append)
    hub.subscribe("n >= 0", to=others.append)
    slow = publish_behind(hub, gate, event("e1", 1, 0))
    for number in range(2, 7):
        hub.publish(event(f"e{number}", number, 0))
    gate.opened.set()
    slow.join()
    assert gate.heard == ["e1", "e2", "e3"]
    assert [letter.code for letter in told] == ["QueueOverflow"]
    assert list(hub.dead_letters) == told
    assert len(others) == 6
    hub.subscribe("n >= 0", id="s")  # the name is free again


def test_who_drops_loses_nothing_of_another_subscription() -> None:
    hub, gate = tocsin.Hub(), Gate()
    hub.subscribe("n < 3", to=gate, id="keep")
    hub.subscribe("n >= 3", to=gate, id="drop", queue=1, overflow="drop")
    slow = publish_behind(hub, gate, event("e0", 0, 0))
    for number in range(1, 6):
        hub.publish(event(f"e{number}", number, 0))
    gate.opened.set()
    slow.join()
    assert gate.heard == ["e0", "e1", "e2", "e5"]
    assert hub.counts.dead_letters == 2


def test_threads_share_a_catalog(tmp_path: Path) -> None:
    path = str(tmp_path / "catalog.db")
    create_catalog(path)
    hub, heard = tocsin.Hub(catalog=path), []
    hub.subscribe("n >= 0", id="all", to=heard.append)

    def work(thread: int) -> None:
        for number in range(5):
            own = hub.subscribe(f"n = {number}", id=f"own-{thread}-{number}")
            hub.publish(event(f"e{number}", number, thread))
            hub.refresh()
            own.cancel()

    in_threads(work, 4)
    assert len(heard) == 20
    assert [each.id for each in open_catalog(path).snapshot().subscriptions] == ["all"]
    assert not hub.dead_letters


def test_much_at_once_is_not_slowness() -> None:
    hub, heard = tocsin.Hub(queue=1, overflow="suspend"), []
    hub.subscribe("n >= 0", to=heard.append)
    hub.publish(*(event(f"e{number}", number, 0) for number in range(50)))
    assert len(heard) == 50
    assert not hub.dead_letters


def test_a_receiver_that_publishes_hears_of_it_afterwards_and_in_order() -> None:
    hub, heard = tocsin.Hub(), []

    def receive(match: tocsin.Match) -> None:
        heard.append(match.events[0])
        if len(heard) < 4:
            hub.publish(event(f"{match.events[0]}-again", 7, 0))

    hub.subscribe("n >= 0", to=receive, queue=1)
    hub.publish(event("a", 1, 0), event("b", 2, 0))
    assert heard == ["a", "b", "a-again", "b-again", "a-again-again"]


def test_who_cancels_while_being_called_is_not_called_again() -> None:
    hub, heard = tocsin.Hub(), []

    def once(match: tocsin.Match) -> None:
        heard.append(match.events[0])
        hub.unsubscribe("once")

    hub.subscribe("n >= 0", to=once, id="once")
    hub.publish(event("a", 1, 0), event("b", 2, 0))
    assert heard == ["a"]


@pytest.mark.parametrize("wrong", [{"queue": 0}, {"queue": True}, {"overflow": "explode"}])
def test_a_queue_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(tocsin.Problem, match="QueueError"):
        tocsin.Hub(**wrong)
    with pytest.raises(tocsin.Problem, match="QueueError"):
        tocsin.Hub().subscribe("n = 1", **wrong)


def test_an_interrupted_receiver_leaves_the_rest_for_the_next() -> None:
    hub, heard = tocsin.Hub(), []

    def receive(match: tocsin.Match) -> None:
        heard.append(match.events[0])
        if match.events[0] == "a":
            raise KeyboardInterrupt

    hub.subscribe("n >= 0", to=receive)
    with pytest.raises(KeyboardInterrupt):
        hub.publish(event("a", 1, 0), event("b", 2, 0))
    hub.publish(event("c", 3, 0))
    assert heard == ["a", "b", "c"]
