"""The runner of a Spark driver, with drivers that only report and end."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE, wait_until
from tocsin.service.runner.spark import runner as runner_module
from tocsin.service.runner.spark.runner import SparkRunner
from tocsin.service.settings.settings import load_settings

READY: dict[str, object] = {"state": "ready", "position": 5}


class Reports(SparkRunner):
    """A runner whose drivers report one status each and end; the last one runs until stopped."""

    def __init__(self, folder: Path, *reports: dict[str, object]) -> None:
        super().__init__(load_settings(data=folder, engine="spark"))
        self._left = list(reports)
        self.waits: list[float] = []
        self.runs = threading.Event()

    def _drive(self) -> int:
        self.waits.append(self._worker._next_wait)
        self._said = self._left.pop(0)
        if not self._left:
            self.runs.set()
            self._worker.wait(PATIENCE)
        return 3


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "FIRST_WAIT", 0.001)


def started(folder: Path, *reports: dict[str, object]) -> Reports:
    runner = Reports(folder, *reports)
    runner.start()
    assert runner.runs.wait(PATIENCE)
    return runner


def test_a_driver_that_ends_is_started_again_after_longer_waits_until_one_was_ready(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    failed: dict[str, Any] = {"state": "failed", "error": "no memory"}
    runner = started(tmp_path, failed, failed, READY, READY)
    assert runner.status().is_ready
    runner.stop()
    assert runner.waits == [0.001, 0.002, 0.004, 0.002]
    assert [each.getMessage().partition("; ")[0] for each in caplog.records] == [
        "spark: SparkError: the driver stopped: no memory",
        "spark: SparkError: the driver stopped: no memory",
        "spark: SparkError: the driver stopped: it ended with 3",
    ]


def test_the_reason_of_the_end_is_the_status_until_the_next_driver_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "FIRST_WAIT", PATIENCE)
    runner = Reports(tmp_path, {}, READY)
    runner.start()
    wait_until(lambda: runner.status().error is not None)
    assert runner.status().error == "it ended with 3"
    assert not runner.status().is_ready
    runner.stop()
    assert runner.waits == [PATIENCE]


def test_a_driver_that_was_stopped_has_not_failed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    runner = started(tmp_path, READY)
    runner.stop()
    assert caplog.records == []
    assert runner.engine_health() == READY
