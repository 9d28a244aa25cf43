"""Asynchronous receivers and the hub for asyncio: in order, on one loop, and nothing is lost when
it closes.
"""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

import pytest

import tocsin
from tests.builders import event_json
from tests.waiting import PATIENCE
from tocsin.events.dead_letter import DeadLetter


def event(id: str, n: int = 0) -> dict[str, Any]:
    return event_json(id, second=n, data={"n": n})


def on_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Runs a test that is a coroutine function; it may not hang."""

    @wraps(test)
    def run(*given: Any, **named: Any) -> None:
        asyncio.run(asyncio.wait_for(test(*given, **named), PATIENCE))

    return run


def test_a_hub_takes_coroutine_functions_and_tells_them_in_order_before_it_closes() -> None:
    heard: list[str] = []
    threads: set[str] = set()

    async def receive(match: tocsin.Match) -> None:
        await asyncio.sleep(0.001 if len(heard) % 2 else 0)
        heard.append(match.events[0])
        threads.add(threading.current_thread().name)

    with tocsin.Hub() as hub:
        hub.subscribe("n >= 0", to=receive)
        for number in range(20):
            hub.publish(event(f"e{number}", number))
    assert heard == [f"e{number}" for number in range(20)]
    assert len(threads) == 1
    assert threads != {threading.current_thread().name}
    assert not hub.dead_letters
    assert not [each for each in threading.enumerate() if each.name == "tocsin-receivers"]


def test_a_coroutine_that_raises_harms_nobody() -> None:
    heard: list[str] = []

    async def receive(match: tocsin.Match) -> None:
        if match.events[0] == "e1":
            raise OSError("line is down")
        heard.append(match.events[0])

    with tocsin.Hub() as hub:
        hub.subscribe("n >= 0", to=receive)
        hub.publish(*(event(f"e{number}", number) for number in range(3)))
    assert heard == ["e0", "e2"]
    assert [(letter.code, letter.reason) for letter in hub.dead_letters] == [
        ("DeliveryError", "OSError: line is down")
    ]


def test_a_coroutine_that_never_ends_is_given_up_and_what_waits_behind_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tocsin.hub.hub.PATIENCE", 0.05)

    async def receive(_: tocsin.Match) -> None:
        await asyncio.Event().wait()

    with tocsin.Hub() as hub:
        hub.subscribe("n >= 0", to=receive)
        hub.publish(event("e1"), event("e2"))
    codes = [
        (letter.code, "e1" in letter.input, "e2" in letter.input) for letter in hub.dead_letters
    ]
    assert sorted(codes) == [("DeliveryError", False, True), ("DeliveryError", True, False)]


def test_a_coroutine_may_publish_and_hears_of_it_afterwards() -> None:
    heard: list[str] = []
    done = threading.Event()

    async def receive(match: tocsin.Match) -> None:
        heard.append(match.events[0])
        if len(heard) < 3:
            hub.publish(event(match.events[0] + "+"))
        else:
            done.set()

    with tocsin.Hub() as hub:
        hub.subscribe("n >= 0", to=receive, queue=1)
        hub.publish(event("e"))
        assert done.wait(PATIENCE)
    assert heard == ["e", "e+", "e++"]


def test_publishers_wait_for_a_coroutine_that_has_too_much_waiting() -> None:
    go, heard = threading.Event(), []

    async def receive(match: tocsin.Match) -> None:
        while not go.is_set():
            await asyncio.sleep(0.002)
        heard.append(match.events[0])

    with tocsin.Hub() as hub:
        hub.subscribe("n >= 0", to=receive, queue=1)
        hub.publish(event("e1"))
        hub.publish(event("e2"))
        done = threading.Event()
        blocked = threading.Thread(target=lambda: (hub.publish(event("e3")), done.set()))
        blocked.start()
        assert not done.wait(0.1)
        go.set()
        assert done.wait(PATIENCE)
        blocked.join()
    assert heard == ["e1", "e2", "e3"]


def test_a_coroutine_may_close_the_hub_and_hears_what_was_found_before() -> None:
    heard: list[str] = []

    async def receive(match: tocsin.Match) -> None:
        await asyncio.sleep(0)
        heard.append(match.events[0])
        hub.close()

    hub = tocsin.Hub()
    hub.subscribe("n >= 0", to=receive)
    hub.publish(*(event(f"e{number}", number) for number in range(3)))
    for thread in [each for each in threading.enumerate() if each.name == "tocsin-receivers"]:
        thread.join(PATIENCE)
    assert heard == ["e0", "e1", "e2"]
    assert not hub.dead_letters


def test_a_forgotten_hub_takes_its_loop_with_it() -> None:
    async def receive(_: tocsin.Match) -> None:
        pass

    hub = tocsin.Hub()
    hub.subscribe("n >= 0", to=receive)
    hub.publish(event("e"))
    (thread,) = [each for each in threading.enumerate() if each.name == "tocsin-receivers"]
    del hub
    for _ in range(100):
        gc.collect()
        thread.join(0.05)
        if not thread.is_alive():
            return
    raise AssertionError("the thread goes on")


@on_loop
async def test_receivers_of_an_async_hub_run_on_its_loop() -> None:
    loop, heard = asyncio.get_running_loop(), []

    def plain(match: tocsin.Match) -> None:
        assert asyncio.get_running_loop() is loop
        heard.append(("plain", match.events[0]))

    async def awaited(match: tocsin.Match) -> None:
        await asyncio.sleep(0)
        assert asyncio.get_running_loop() is loop
        heard.append(("awaited", match.events[0]))

    async with tocsin.AsyncHub(lateness="0s") as hub:
        await hub.subscribe("n >= 0", to=plain)
        handle = await hub.subscribe("n >= 0", to=awaited)
        assert len(await hub.publish(event("e1"))) == 2
        await hub.join()
        assert sorted(heard) == [("awaited", "e1"), ("plain", "e1")]
        await handle.cancel()
        await hub.publish(event("e2"))
        with pytest.raises(tocsin.Problem, match="UnknownSubscriptionError"):
            await handle.cancel()
    assert sorted(heard) == [("awaited", "e1"), ("plain", "e1"), ("plain", "e2")]
    assert not hub.dead_letters
    with pytest.raises(tocsin.Problem, match="HubClosed"):
        await hub.publish(event("e3"))


@on_loop
async def test_when_publish_returns_the_receivers_have_taken_what_it_found() -> None:
    heard: list[str] = []

    async def receive(match: tocsin.Match) -> None:
        await asyncio.sleep(0.002)
        heard.append(match.events[0])

    async with tocsin.AsyncHub(lateness="0s") as hub:
        await hub.subscribe("n >= 0", to=receive)
        await hub.subscribe("!(selector{n = 0}; 10s) selector{n = 99}", language="opsl", to=receive)
        for number in range(3):
            await hub.publish(event(f"e{number}", number))
            assert heard[-1] == f"e{number}"
        await hub.advance_to("2026-01-01T00:01:00Z")
        assert heard == ["e0", "e1", "e2", "e0"]


@on_loop
async def test_a_receiver_that_drops_is_not_waited_for() -> None:
    go, heard = asyncio.Event(), []

    async def receive(match: tocsin.Match) -> None:
        await go.wait()
        heard.append(match.events[0])

    async with tocsin.AsyncHub() as hub:
        handle = await hub.subscribe("n >= 0", to=receive, queue=2, overflow="drop")
        for number in range(6):
            await hub.publish(event(f"e{number}", number))
        await handle.cancel()  # what was found before is told still
        go.set()
    assert heard == ["e0", "e4", "e5"]
    assert [letter.code for letter in hub.dead_letters] == ["QueueOverflow"] * 3


@on_loop
async def test_more_publishers_than_threads_whose_receiver_publishes_itself() -> None:
    heard: list[str] = []

    async def receive(match: tocsin.Match) -> None:
        heard.append(match.events[0])
        if not match.events[0].endswith("+"):
            await hub.publish(event(match.events[0] + "+"))

    async with tocsin.AsyncHub(queue=1) as hub:
        await hub.subscribe("n >= 0", to=receive)
        await asyncio.gather(*(hub.publish(event(f"e{number}", number)) for number in range(80)))
        await hub.join()
    assert len(heard) == 160
    assert len(set(heard)) == 160


@on_loop
async def test_a_publisher_that_gives_up_waiting_harms_nobody() -> None:
    go, heard = asyncio.Event(), []

    async def receive(match: tocsin.Match) -> None:
        await go.wait()
        heard.append(match.events[0])

    async with tocsin.AsyncHub() as hub:
        await hub.subscribe("n >= 0", to=receive)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(hub.publish(event("e1")), 1)
        go.set()
        await hub.publish(event("e2"))
        assert heard == ["e1", "e2"]
    assert not hub.dead_letters


@on_loop
async def test_many_tasks_lose_nothing() -> None:
    heard: list[str] = []
    async with tocsin.AsyncHub() as hub:
        await hub.subscribe("n >= 0", to=lambda match: heard.append(match.events[0]))
        await asyncio.gather(*(hub.publish(event(f"e{number}", number)) for number in range(100)))
        await hub.join()
    assert sorted(heard) == sorted(f"e{number}" for number in range(100))


@on_loop
async def test_matches_can_be_iterated_over() -> None:
    async with tocsin.AsyncHub() as hub:
        async with hub.listen("n >= 0", id="s") as matches:
            for number in range(5):
                await hub.publish(event(f"e{number}", number))
            heard = [(await anext(matches)).events[0] for _ in range(5)]
            assert heard == [f"e{number}" for number in range(5)]
        await hub.subscribe("n >= 0", id="s")  # the name is free again


@on_loop
async def test_an_iteration_ends_with_its_hub() -> None:
    hub = tocsin.AsyncHub()
    heard: list[str] = []

    async def consume() -> None:
        async with hub.listen("n >= 0") as matches:
            async for match in matches:
                heard.append(match.events[0])

    task = asyncio.create_task(consume())
    while not heard:
        await hub.publish(event(f"e{len(hub.dead_letters)}-{hub.counts.events}"))
        await hub.join()
    await hub.close()
    await task
    assert heard


@on_loop
async def test_an_iteration_raises_when_its_subscription_is_suspended() -> None:
    async with tocsin.AsyncHub(lateness="0s", queue_limit=2) as hub:
        pair = "selector{ n < 50 } && selector{ n > 50 }"
        async with hub.listen(pair, language="opsl", id="many") as matches:
            for number in range(6):
                await hub.publish(event(f"e{number}", number))
            with pytest.raises(tocsin.Problem, match="QueueLimitExceeded"):
                await anext(matches)


@on_loop
async def test_a_receiver_may_publish_and_close() -> None:
    heard: list[str] = []
    closed = asyncio.Event()
    hub = tocsin.AsyncHub(queue=1)

    async def receive(match: tocsin.Match) -> None:
        heard.append(match.events[0])
        if len(heard) < 5:
            await hub.publish(event(match.events[0] + "+"), event(match.events[0] + "-", 1))
        else:
            await hub.close()
            closed.set()

    await hub.subscribe("n = 0", to=receive)
    await hub.publish(event("e"))
    await closed.wait()
    assert heard == ["e", "e+", "e++", "e+++", "e++++"]


@on_loop
async def test_problems_are_told_on_the_loop() -> None:
    told: list[DeadLetter] = []
    async with tocsin.AsyncHub(lateness="0s", queue_limit=2) as hub:
        pair = "selector{ n < 50 } && selector{ n > 50 }"
        await hub.subscribe(pair, language="opsl", problems_to=told.append)
        for number in range(6):
            await hub.publish(event(f"e{number}", number))
        await hub.join()
    assert [letter.code for letter in told] == ["QueueLimitExceeded"]


def test_an_async_hub_belongs_to_one_loop() -> None:
    hub = tocsin.AsyncHub()
    asyncio.run(hub.publish(event("e")))
    with pytest.raises(tocsin.Problem, match="WrongLoop"):
        asyncio.run(hub.publish(event("f")))
