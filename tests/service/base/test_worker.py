"""The background threads of the service by themselves: rounds, waits, failures, the end."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.waiting import PATIENCE
from tocsin.errors import StateProblem
from tocsin.service.base.worker import BackgroundWorker, EventLoopWorker

LOG = logging.getLogger("tocsin.test")


class Counted(BackgroundWorker):
    """A worker that does not wait: it notes for how long it would have, and ends after some."""

    def __init__(self, work: Callable[[], object], waits: int, **terms: Any) -> None:
        super().__init__("counted", work, LOG, **terms)
        self.waits: list[float] = []
        self._most = waits
        self.ended = threading.Event()

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        if len(self.waits) >= self._most:
            self._stopping.set()
            self.ended.set()
        return self.is_stopping

    def play(self) -> list[float]:
        """Run to the end; return the waits."""
        self.start()
        assert self.ended.wait(PATIENCE)
        self.stop()
        return self.waits


def fail(text: str = "no disk") -> None:
    raise StateProblem(text, code="StorageError")


def run_in_turn(*rounds: Callable[[], object]) -> Callable[[], object]:
    """Return a function that does another thing in each round, the last one for ever."""
    left = list(rounds)

    def run() -> object:
        return (left.pop(0) if len(left) > 1 else left[0])()

    return run


def ends(worker: BackgroundWorker) -> bool:
    """True if the thread has ended within a bounded time."""
    worker._thread.join(PATIENCE)
    return not worker.is_alive


def test_rounds_follow_after_the_delay_and_each_pause() -> None:
    done: list[str] = []
    worker = Counted(lambda: done.append("round"), 4, delay=7.0, pause=3.0)
    assert worker.play() == [7.0, 3.0, 3.0, 3.0]
    assert done == ["round"] * 3


def test_waits_double_up_to_the_longest_and_start_again_after_a_success() -> None:
    rounds = run_in_turn(fail, fail, fail, fail, int, fail)
    worker = Counted(rounds, 8, pause=5.0, first_wait=1.0, longest_wait=3.0)
    assert worker.play() == [0.0, 1.0, 2.0, 3.0, 3.0, 5.0, 1.0, 2.0]


def test_a_success_within_a_round_that_fails_later_counts() -> None:
    def advance_then_fail() -> None:
        worker.succeed()
        fail()

    worker = Counted(run_in_turn(fail, fail, advance_then_fail), 5, first_wait=1.0)
    assert worker.play() == [0.0, 1.0, 2.0, 1.0, 1.0]


def test_the_last_failure_is_kept_until_a_success() -> None:
    seen: list[str | None] = []

    def look() -> None:
        seen.append(worker.error)

    worker = Counted(run_in_turn(look, fail, look, look), 5)
    worker.play()
    assert seen == [None, "StorageError: no disk", None]


def test_failures_are_logged_and_an_unexpected_one_with_its_place_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def divide() -> None:
        _ = 1 / 0

    Counted(run_in_turn(fail, divide), 4, first_wait=1.0).play()
    first, second, third = caplog.records
    assert {each.levelname for each in caplog.records} == {"WARNING"}
    assert first.getMessage() == "counted: StorageError: no disk; trying again in 1.0 s"
    assert second.getMessage().startswith("counted: ZeroDivisionError")
    assert "trying again in 4.0 s" in third.getMessage()
    assert [each.exc_info is not None for each in caplog.records] == [False, True, False]


def test_a_failure_while_stopping_is_not_promised_another_try(
    caplog: pytest.LogCaptureFixture,
) -> None:
    begun = threading.Event()

    def wait_then_fail() -> None:
        begun.set()
        worker.wait(PATIENCE)
        fail()

    worker = BackgroundWorker("last", wait_then_fail, LOG)
    worker.start()
    begun.wait(PATIENCE)
    worker.stop()
    assert [each.getMessage() for each in caplog.records] == ["last: StorageError: no disk"]


def test_stop_ends_a_wait_and_returns_after_the_end() -> None:
    begun, ended = threading.Event(), threading.Event()
    worker = BackgroundWorker("waiting", begun.set, LOG, pause=PATIENCE, finish=ended.set)
    worker.start()
    assert begun.wait(PATIENCE)
    assert worker.is_alive
    worker.stop()
    assert ended.is_set()
    assert not worker.is_alive
    worker.stop()


def test_stop_wakes_a_round_that_waits_for_something_else() -> None:
    begun, more = threading.Event(), threading.Event()

    def wait_for_more() -> None:
        begun.set()
        assert more.wait(PATIENCE)

    worker = BackgroundWorker("fed", wait_for_more, LOG, wake=more.set)
    worker.start()
    begun.wait(PATIENCE)
    worker.stop()
    assert worker.error is None


def test_stop_before_start_keeps_the_thread_from_running() -> None:
    done: list[str] = []
    worker = BackgroundWorker("never", lambda: done.append("round"), LOG)
    worker.stop()
    worker.start()
    assert not worker.is_alive
    assert done == []


def test_a_round_may_stop_its_own_worker() -> None:
    done: list[str] = []

    def end() -> None:
        done.append("round")
        worker.stop()

    worker = BackgroundWorker("own", end, LOG)
    worker.start()
    assert ends(worker)
    assert done == ["round"]


def test_stop_returns_in_time_though_a_round_does_not_end() -> None:
    gate = threading.Event()
    worker = BackgroundWorker("stuck", lambda: gate.wait(PATIENCE), LOG)
    worker.start()
    worker.stop(within=0.001)
    assert worker.is_alive
    gate.set()
    assert ends(worker)


def test_a_thread_has_the_name_of_its_worker() -> None:
    names: list[str] = []
    worker = Counted(lambda: names.append(threading.current_thread().name), 2)
    worker.play()
    assert names == ["tocsin-counted"]


def test_a_loop_has_begun_when_start_returns_and_has_ended_when_stop_does() -> None:
    told: list[str] = []

    async def work(end: asyncio.Event) -> None:
        told.append("begun")
        await end.wait()
        told.append("ended")

    worker = EventLoopWorker("loop", work, LOG)
    worker.start()
    assert told == ["begun"]
    worker.stop()
    assert told == ["begun", "ended"]
    assert worker.loop is None


def test_a_function_is_called_in_the_loop_while_there_is_one() -> None:
    called = threading.Event()
    names: list[str] = []

    async def work(end: asyncio.Event) -> None:
        await end.wait()

    def note() -> None:
        names.append(threading.current_thread().name)
        called.set()

    worker = EventLoopWorker("loop", work, LOG)
    worker.call(note)
    worker.start()
    worker.call(note)
    assert called.wait(PATIENCE)
    worker.stop()
    worker.call(note)
    assert names == ["tocsin-loop"]


def test_a_loop_that_fails_is_run_again(caplog: pytest.LogCaptureFixture) -> None:
    rounds: list[asyncio.AbstractEventLoop] = []
    begun = threading.Event()

    async def work(end: asyncio.Event) -> None:
        rounds.append(asyncio.get_running_loop())
        if len(rounds) == 1:
            fail()
        begun.set()
        await end.wait()

    worker = EventLoopWorker("loop", work, LOG)
    worker._next_wait = 0.001
    worker.start()
    assert begun.wait(PATIENCE)
    worker.stop()
    assert len(set(rounds)) == 2
    assert [each.getMessage() for each in caplog.records] == [
        "loop: StorageError: no disk; trying again in 0.0 s"
    ]


def test_a_loop_that_was_stopped_before_it_starts_does_not_begin() -> None:
    async def work(_: asyncio.Event) -> None:
        raise AssertionError("it must not begin")

    worker = EventLoopWorker("loop", work, LOG)
    worker.stop()
    worker.start()
    assert not worker.is_alive
    assert worker.error is None


def test_a_loop_that_is_stopped_while_it_begins_ends() -> None:
    told: list[str] = []

    async def work(end: asyncio.Event) -> None:
        worker._stopping.set()
        worker._request_end()
        told.append("begun")
        await end.wait()
        told.append("ended")

    worker = EventLoopWorker("loop", work, LOG)
    worker.start()
    assert ends(worker)
    assert told == ["begun", "ended"]


def test_a_coroutine_that_ends_at_once_lets_start_return() -> None:
    rounds: list[str] = []

    async def work(_: asyncio.Event) -> None:
        rounds.append("round")
        worker._stopping.set()

    worker = EventLoopWorker("loop", work, LOG)
    worker.start()
    assert ends(worker)
    assert rounds == ["round"]
