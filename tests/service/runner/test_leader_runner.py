"""The runner of one gateway among several, with a lock and a runner that only take notes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.waiting import wait_until
from tocsin.errors import StateProblem
from tocsin.service.runner import RunnerStatus, leader_runner
from tocsin.service.runner.leader_runner import LeaderRunner


class NotedLock:
    """A lock that is free or not; `told` has what is done with it and with runners."""

    def __init__(self, told: list[str]) -> None:
        self.told = told
        self.is_free = True
        self.is_broken = False
        self._has = False

    def acquire(self) -> bool:
        if self.is_broken:
            raise StateProblem("no database", code="StorageError")
        if self.is_free and not self._has:
            self._has = True
            self.told.append("acquired")
        return self._has

    def is_held(self) -> bool:
        self._has = self._has and self.is_free
        return self._has

    def release(self) -> None:
        self.told.append("released")
        self._has = False


class NotedRunner:
    """A runner that fails to start for as often as `failures` says."""

    def __init__(self, told: list[str], failures: list[str]) -> None:
        self._told, self._failures = told, failures

    def start(self) -> None:
        if self._failures:
            raise RuntimeError(self._failures.pop())
        self._told.append("started")

    def stop(self) -> None:
        self._told.append("stopped")

    def catalog_changed(self, version: int) -> None:
        self._told.append(f"version {version}")

    def status(self) -> RunnerStatus:
        return RunnerStatus(True, 7)


class Gateway:
    """A runner with its lock, and what happened."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.failures: list[str] = []
        self.lock = NotedLock(self.told)
        self.runner = LeaderRunner(
            lambda: NotedRunner(self.told, self.failures),  # type: ignore[arg-type,return-value]
            self.lock,
            lambda: 3,
        )


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gateway]:
    monkeypatch.setattr(leader_runner, "LOOK", 0.001)
    monkeypatch.setattr(leader_runner, "PAUSE", 0.001)
    made = Gateway()
    yield made
    made.runner.stop()


def test_the_runner_stops_before_the_lock_is_released(gateway: Gateway) -> None:
    gateway.runner.start()
    wait_until(lambda: gateway.runner.status().position == 7)
    gateway.runner.stop()
    assert gateway.told == ["acquired", "started", "stopped", "released"]
    assert gateway.runner.status().position == 3


def test_the_runner_stops_when_the_lock_is_lost_and_another_starts_when_it_is_back(
    gateway: Gateway,
) -> None:
    gateway.runner.start()
    wait_until(lambda: gateway.told[-1:] == ["started"])
    gateway.lock.is_free = False
    wait_until(lambda: gateway.told[-1:] == ["stopped"])
    gateway.lock.is_free = True
    wait_until(lambda: gateway.told[-1:] == ["started"])
    assert gateway.told == ["acquired", "started", "stopped", "acquired", "started"]


def test_a_gateway_waits_for_a_lock_that_cannot_be_asked_for(gateway: Gateway) -> None:
    gateway.lock.is_broken = True
    gateway.runner.start()
    wait_until(lambda: gateway.runner._worker.error is not None)
    assert gateway.told == []
    gateway.lock.is_broken = False
    wait_until(lambda: gateway.told == ["acquired", "started"])


def test_a_runner_that_cannot_start_is_made_again(gateway: Gateway) -> None:
    """It was the end of the thread, with the lock held: no gateway matched from then on."""
    gateway.failures.append("the catalog cannot be read")
    gateway.runner.start()
    wait_until(lambda: gateway.told == ["acquired", "started"])
