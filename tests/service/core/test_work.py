"""The pool of work by itself: turns of tenants, queues that are full, and work that ends early."""

from __future__ import annotations

import asyncio
import importlib
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.waiting import PATIENCE, wait_until
from tocsin.errors import LimitProblem, StateProblem
from tocsin.service.base.work import WorkEnded, WorkPool, bounded_work, checkpoint


def test_a_tenant_that_holds_its_threads_leaves_those_of_others() -> None:
    pool = WorkPool(at_once=2, waiting=3, threads=4)
    gate = threading.Event()

    async def story() -> None:
        held = [asyncio.create_task(pool.run("a", gate.wait, PATIENCE)) for _ in range(5)]
        await asyncio.sleep(0)
        with pytest.raises(LimitProblem) as refused:
            await pool.run("a", int)
        assert refused.value.code == "RateLimitExceeded"
        assert await pool.run("b", int, "7") == 7
        gate.set()
        assert await asyncio.gather(*held) == [True] * 5
        assert await pool.run("a", int, "8") == 8

    asyncio.run(story())


@given(
    jobs=st.lists(st.sampled_from("abc"), max_size=40),
    at_once=st.integers(1, 3),
    threads=st.integers(1, 4),
)
def test_no_tenant_has_more_at_once_than_it_may(
    jobs: list[str], at_once: int, threads: int
) -> None:
    pool = WorkPool(at_once, waiting=100, threads=threads)
    lock, now, most = threading.Lock(), Counter[str](), Counter[str]()

    def work(tenant: str) -> str:
        with lock:
            now[tenant] += 1
            now["all"] += 1
            most[tenant] = max(most[tenant], now[tenant])
            most["all"] = max(most["all"], now["all"])
        time.sleep(0.0005)
        with lock:
            now[tenant] -= 1
            now["all"] -= 1
        return tenant

    async def story() -> list[str]:
        return await asyncio.gather(*(pool.run(tenant, work, tenant) for tenant in jobs))

    assert asyncio.run(story()) == jobs
    assert all(most[tenant] <= at_once for tenant in "abc")
    assert most["all"] <= threads
    wait_until(lambda: not pool._tenants)
    assert not pool._turns


def test_one_with_many_jobs_does_not_go_before_one_with_a_single() -> None:
    """With one thread for all, tenants take turns."""
    pool = WorkPool(at_once=1, waiting=100, threads=1)
    order: list[str] = []

    async def story() -> None:
        gate = threading.Event()
        first = asyncio.create_task(pool.run("a", gate.wait, PATIENCE))
        many = [asyncio.create_task(pool.run("a", order.append, "a")) for _ in range(20)]
        await asyncio.sleep(0)
        single = asyncio.create_task(pool.run("b", order.append, "b"))
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(first, single, *many)

    asyncio.run(story())
    assert order.index("b") <= 1


def test_a_fault_is_raised_where_it_is_waited_for() -> None:
    with pytest.raises(ValueError, match="x"):
        asyncio.run(WorkPool(1, 1).run("a", int, "x"))


def _forever() -> None:
    while True:
        checkpoint()
        time.sleep(0.001)


def _loop() -> None:
    while True:
        len("")


def _forever_unaware() -> None:
    bounded_work(1_000.0, _loop)


@pytest.mark.parametrize("work", [_forever, _forever_unaware])
def test_work_ends_with_the_task_that_waits_for_it(work: Callable[[], None]) -> None:
    pool = WorkPool(1, 1)
    ended = threading.Event()

    def watched() -> None:
        try:
            work()
        except WorkEnded:
            ended.set()
            raise

    async def story() -> None:
        task = asyncio.create_task(pool.run("a", watched))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await pool.run("a", int, "1") == 1

    asyncio.run(story())
    assert ended.is_set()


def test_what_waits_and_is_left_never_runs() -> None:
    pool = WorkPool(1, 5)
    ran: list[int] = []

    async def story() -> None:
        gate = threading.Event()
        held = asyncio.create_task(pool.run("a", gate.wait, PATIENCE))
        left = asyncio.create_task(pool.run("a", ran.append, 1))
        await asyncio.sleep(0.01)
        left.cancel()
        await asyncio.gather(left, return_exceptions=True)
        gate.set()
        await held
        await pool.run("a", ran.append, 2)

    asyncio.run(story())
    assert ran == [2]


def test_a_pool_that_is_closed_ends_all_work() -> None:
    pool = WorkPool(1, 5)

    async def story() -> None:
        tasks = [asyncio.create_task(pool.run("a", _forever)) for _ in range(3)]
        await asyncio.sleep(0.05)
        pool.close()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(end) for end in ends] == [
            StateProblem,
            asyncio.CancelledError,
            asyncio.CancelledError,
        ]
        with pytest.raises(StateProblem):
            await pool.run("a", int)

    asyncio.run(story())


def test_bounded_work_is_bounded_in_processor_time_however_it_is_written() -> None:
    def recursive(depth: int) -> int:
        return 0 if depth == 0 else recursive(depth - 1) + recursive(depth - 1)

    def guarded() -> None:
        while True:
            try:
                recursive(5)
            except Exception:
                continue

    def slow_steps() -> None:
        while True:
            sum(range(1_000_000))

    for work in (
        lambda: recursive(60),
        guarded,
        lambda: min(range(10**9), key=lambda n: -n),
        slow_steps,
    ):
        with pytest.raises(LimitProblem) as refused:
            bounded_work(0.05, work)
        assert refused.value.code == "TooMuchWork"


def test_an_interruption_that_is_lost_is_repeated() -> None:
    """What is raised while a generator or an object is given up is lost."""
    lost: list[type[BaseException]] = []

    class Unlucky:
        def __del__(self) -> None:
            try:
                while not lost:
                    len("")
            except BaseException as error:
                lost.append(type(error))

    def work() -> None:
        while True:
            Unlucky()

    with pytest.raises(LimitProblem) as refused:
        bounded_work(0.01, work)
    assert refused.value.code == "TooMuchWork"
    assert len(lost) == 1


def test_a_module_is_loaded_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "n = 0\nwhile n < 3_000_000:\n    n += 1\nis_whole = True\n"
    (tmp_path / "slow_to_load.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)

    def work() -> None:
        importlib.import_module("slow_to_load")
        _loop()

    with pytest.raises(LimitProblem):
        bounded_work(0.01, work)
    assert importlib.import_module("slow_to_load").is_whole


def test_bounded_work_that_is_small_is_as_it_was() -> None:
    assert bounded_work(5.0, sum, map(abs, range(-100, 100))) == 10_000
    with pytest.raises(KeyError):
        bounded_work(5.0, dict[str, int]().__getitem__, "a")


def test_what_follows_bounded_work_is_not_interrupted() -> None:
    """Whenever the time ends: in the work, after it, or while it is left."""
    for number in range(200):
        with suppress(LimitProblem):
            bounded_work(0.0001 * (number % 10), sum, range(number * 1_000))
        sum(range(20_000))
    time.sleep(0.1)
