"""The worker of an intake, with a source of the test: one connection until it fails."""

from __future__ import annotations

import pytest

from tests.waiting import wait_until
from tocsin.errors import LimitProblem
from tocsin.service.sources import worker as worker_module
from tocsin.service.sources.worker import IntakeWorker


class Broker:
    """A broker that notes connections; its plan says how many batches each one yields."""

    def __init__(self, *batches: int) -> None:
        self.told: list[str] = []
        self._batches = list(batches)

    def open(self) -> Broker:
        self.told.append("open")
        if not self._batches:
            raise OSError("no broker")
        self._left = self._batches.pop(0)
        return self

    def take(self) -> int:
        if not self._left:
            raise LimitProblem("more waits than may", code="LogBusy")
        self._left -= 1
        self.told.append("take")
        return 1

    def close(self) -> None:
        self.told.append("close")


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "FIRST_WAIT", 0.001)
    monkeypatch.setattr(worker_module, "LONGEST_WAIT", 0.001)


def test_a_failure_closes_the_connection_and_another_is_opened() -> None:
    broker = Broker(2, 1)
    worker = IntakeWorker("test", broker.open)
    worker.start()
    wait_until(lambda: broker.told.count("open") > 3)
    worker.stop()
    assert broker.told[:7] == ["open", "take", "take", "close", "open", "take", "close"]
    assert set(broker.told[7:]) == {"open"}, "a connection that was not made is not closed"
    assert "no broker" in str(worker.error)


def test_stop_closes_the_connection() -> None:
    broker = Broker(1 << 60)
    worker = IntakeWorker("test", broker.open)
    worker.start()
    wait_until(lambda: "take" in broker.told)
    worker.stop()
    assert broker.told[0] == "open"
    assert broker.told[-1] == "close"
    assert set(broker.told[1:-1]) == {"take"}
    assert worker.error is None
