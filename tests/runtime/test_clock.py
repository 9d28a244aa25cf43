"""A hub whose clock runs: absences ring by the wall clock, once, from any thread; a closed hub is
quiet.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from typing import Any
from weakref import ref

import pytest

import tocsin
from tests.builders import event_json
from tests.waiting import wait_until
from tocsin.catalog import Definition
from tocsin.errors import Problem
from tocsin.hub.clock_thread import ClockThread
from tocsin.values.time import Instant, format_instant, parse_instant

KINDS = [
    Definition(letter.upper(), language="selector", expression=f"kind = '{letter}'")
    for letter in "abc"
]
NOON = parse_instant("2026-01-01T12:00:00Z")
SECOND = 1_000_000


class Wall:
    """A wall clock that a test sets; whoever waits for it looks often enough."""

    def __init__(self) -> None:
        self.now: Instant = NOON

    def __call__(self) -> Instant:
        return self.now

    def move_to(self, second: float) -> None:
        self.now = NOON + round(second * SECOND)


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    monkeypatch.setattr("tocsin.hub.clock_thread.LONGEST_WAIT", 0.002)
    return Wall()


@pytest.fixture
def hub(wall: Wall) -> Iterator[tocsin.Hub]:
    with tocsin.Hub(clock=wall, lateness="2s") as made:
        made.define(*KINDS)
        yield made


def event(id: str, kind: str, second: float, **more: Any) -> dict[str, Any]:
    return event_json(id, **{"time": NOON + round(second * SECOND), "data": {"kind": kind}} | more)


def settled(hub: tocsin.Hub) -> None:
    """The clock's thread has nothing left to do for the present instant."""
    wait_until(
        lambda: (
            hub._alarm is not None and (hub._alarm._due is None or hub._alarm._due > hub._wall())
        )
    )


def test_an_absence_rings_although_nothing_more_comes(hub: tocsin.Hub, wall: Wall) -> None:
    heard: list[tocsin.Match] = []
    hub.subscribe("!(A; 10s)B", language="opsl", to=heard.append)
    hub.publish(event("a", "a", 0))
    wall.move_to(12)
    settled(hub)
    assert heard == []  # b may still come, two seconds late
    wall.move_to(12.000001)
    wait_until(lambda: len(heard) == 1)
    assert (heard[0].events, heard[0].detected) == (("a",), NOON + 10 * SECOND)
    wall.move_to(60)
    settled(hub)
    assert len(heard) == 1
    assert hub.counts.matches == 1


def test_what_comes_within_the_lateness_still_counts_and_later_it_is_late(
    hub: tocsin.Hub, wall: Wall
) -> None:
    heard: list[tocsin.Match] = []
    hub.subscribe("!(A; 10s)B", language="opsl", to=heard.append)
    hub.publish(event("a1", "a", 0))
    wall.move_to(11.5)
    hub.publish(event("b1", "b", 9.9))
    wall.move_to(20)
    hub.publish(event("a2", "a", 20))
    wall.move_to(40)
    wait_until(lambda: len(heard) == 1)
    hub.publish(event("b2", "b", 29))
    assert [each.events for each in heard] == [("a2",)]
    assert hub.counts.late == 1
    assert [letter.reason for letter in hub.dead_letters] == ["late"]


def test_a_sequence_rings_when_the_wall_clock_has_passed_it(hub: tocsin.Hub, wall: Wall) -> None:
    heard: list[tocsin.Match] = []
    hub.subscribe("=|(A; 10s)B", language="opsl", to=heard.append)
    hub.publish(event("b", "b", 1), event("a", "a", 0))
    wall.move_to(3.1)
    wait_until(lambda: [each.events for each in heard] == [("a", "b")])


def test_windows_ring_in_a_hub_without_events(hub: tocsin.Hub, wall: Wall) -> None:
    heard: list[tocsin.Match] = []
    hub.subscribe("!(2026-01-01T12:00:05Z; 10s)A", language="opsl", to=heard.append)
    wall.move_to(17.1)
    wait_until(
        lambda: (
            [each.bindings["absence"] for each in heard]
            == ["2026-01-01T12:00:05Z/2026-01-01T12:00:15Z"]
        )
    )


def test_a_newcomer_counts_windows_that_come_again_from_now(hub: tocsin.Hub, wall: Wall) -> None:
    heard: list[tocsin.Match] = []
    wall.move_to(100)
    hub.subscribe("not (selector{kind = 'a'}) (10 s)", language="concept", to=heard.append)
    wall.move_to(123)
    wait_until(lambda: len(heard) == 2)
    settled(hub)
    assert [each.start for each in heard] == [NOON + 100 * SECOND, NOON + 110 * SECOND]


def test_a_window_that_is_over_by_the_wall_clock_is_refused(hub: tocsin.Hub, wall: Wall) -> None:
    wall.move_to(100)
    with pytest.raises(Problem, match="WindowInPast"):
        hub.subscribe("!(2026-01-01T12:00:05Z; 10s)A", language="opsl")


def test_time_begins_before_a_subscription_where_events_came_first(
    hub: tocsin.Hub, wall: Wall
) -> None:
    heard: list[tocsin.Match] = []
    hub.publish(event("z", "z", 0))
    hub.subscribe("!(A; 10s)B", language="opsl", to=heard.append)
    wall.move_to(5)
    hub.publish(event("a", "a", 5))
    wall.move_to(20)
    wait_until(lambda: [each.events for each in heard] == [("a",)])


def test_the_newest_event_moves_time_as_ever(hub: tocsin.Hub) -> None:
    hub.subscribe("!(A; 10s)B", language="opsl")
    assert hub.publish(event("a", "a", 0)) == []
    assert [each.events for each in hub.publish(event("c", "c", 13))] == [("a",)]


def test_published_from_many_threads_everything_rings_once(hub: tocsin.Hub, wall: Wall) -> None:
    heard: list[str] = []
    at_work = threading.Lock()

    def receive(match: tocsin.Match) -> None:
        assert at_work.acquire(blocking=False), "receivers are called one at a time"
        heard.append(" ".join(match.events))
        at_work.release()

    hub.subscribe("!(A; 1s)B", language="opsl", policy="unrestricted", to=receive, id="silence")
    hub.subscribe("kind = 'a'", to=receive, id="atom")

    def publish(number: int) -> None:
        for each in range(20):
            hub.publish(event(f"a{number}-{each}", "a", each / 10))

    threads = [threading.Thread(target=publish, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall.move_to(10)
    expected = sorted([f"a{number}-{each}" for number in range(4) for each in range(20)] * 2)
    wait_until(lambda: len(heard) >= len(expected))
    settled(hub)
    assert sorted(heard) == expected


def test_a_receiver_may_take_a_lock_that_publishers_hold_and_publish_itself(
    hub: tocsin.Hub, wall: Wall
) -> None:
    mine = threading.Lock()
    heard: list[str] = []

    def receive(match: tocsin.Match) -> None:
        with mine:
            heard.append(match.subscription)
        if match.subscription == "silence":
            hub.publish(event("c", "c", 20))

    hub.subscribe("!(A; 1s)B", language="opsl", to=receive, id="silence")
    hub.subscribe("kind = 'c'", to=receive, id="after")
    with mine:
        hub.publish(event("a", "a", 0))
        wall.move_to(10)
        time.sleep(0.05)
        hub.publish(event("b", "b", 10))  # must not wait for the clock's thread, which waits for us
    wait_until(lambda: heard == ["silence", "after"])


def test_a_closed_hub_is_quiet_and_takes_nothing_more(wall: Wall) -> None:
    heard: list[tocsin.Match] = []
    hub = tocsin.Hub(clock=wall, lateness="0s")
    hub.define(*KINDS)
    hub.subscribe("!(A; 1s)B", language="opsl", to=heard.append)
    hub.publish(event("a", "a", 0))
    assert hub._alarm is not None
    thread = hub._alarm._thread
    assert thread.daemon
    hub.close()
    hub.close()
    assert not thread.is_alive()
    wall.move_to(100)
    time.sleep(0.02)
    assert heard == []
    for use in (
        lambda: hub.publish(event("b", "b", 1)),
        lambda: hub.advance_to("2026-01-02T00:00:00Z"),
    ):
        with pytest.raises(Problem, match="HubClosed"):
            use()


def test_a_receiver_may_close_the_hub(wall: Wall) -> None:
    hub = tocsin.Hub(clock=wall, lateness="0s")
    hub.define(*KINDS)
    hub.subscribe("!(A; 1s)B", language="opsl", to=lambda _: hub.close())
    hub.publish(event("a", "a", 0))
    wall.move_to(5)
    assert hub._alarm is not None
    thread = hub._alarm._thread
    wait_until(lambda: not thread.is_alive())


def test_a_hub_that_is_forgotten_takes_its_thread_along(wall: Wall) -> None:
    hub = tocsin.Hub(clock=wall)
    assert hub._alarm is not None
    thread, gone = hub._alarm._thread, ref(hub)
    del hub
    gc.collect()
    wait_until(lambda: gone() is None and not thread.is_alive())


@pytest.mark.parametrize("clock", [None, "events"])
def test_without_a_running_clock_only_events_move_time(clock: str | None) -> None:
    before = threading.active_count()
    with tocsin.Hub(clock=clock) as hub:
        hub.define(*KINDS)
        hub.subscribe("!(A; 10s)B", language="opsl")
        hub.publish(event("a", "a", 0))
        assert threading.active_count() == before
        assert len(hub.advance_to("2026-01-01T12:01:00Z")) == 1


def test_an_unknown_clock_is_refused() -> None:
    with pytest.raises(
        Problem, match="ClockError: clock 'wall' is not known; one of events, system"
    ):
        tocsin.Hub(clock="wall")


def test_the_real_wall_clock_rings() -> None:
    heard: list[tocsin.Match] = []
    with tocsin.Hub(clock="system", lateness="50ms") as hub:
        hub.define(*KINDS)
        hub.subscribe("!(A; 100ms)B", language="opsl", to=heard.append)
        now = format_instant(time.time_ns() // 1000)
        hub.publish({**event("a", "a", 0), "time": now})
        wait_until(lambda: len(heard) == 1)
    assert heard[0].start == parse_instant(now)


def test_an_alarm_that_is_set_later_rings_later(wall: Wall) -> None:
    class Owner:
        rung = 0

        def ring(self) -> None:
            self.rung += 1

    owner = Owner()
    alarm = ClockThread(owner.ring, wall)
    alarm.set(NOON + SECOND)
    alarm.set(NOON + 5 * SECOND)
    wall.move_to(2)
    time.sleep(0.03)
    assert owner.rung == 0
    wall.move_to(5)
    wait_until(lambda: owner.rung == 1)
    alarm.set(None)
    wall.move_to(9)
    time.sleep(0.03)
    alarm.close()
    assert owner.rung == 1
