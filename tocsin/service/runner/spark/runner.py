"""The runner that starts a Spark driver, reads its status, and restarts it when it ends."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from tocsin.errors import StateProblem
from tocsin.service.base.worker import BackgroundWorker
from tocsin.service.runner import RunnerStatus
from tocsin.service.runner.inspection import Look, not_here
from tocsin.service.settings.settings import ServiceEngine, Settings, spark_settings

_LOG = logging.getLogger("tocsin.spark")

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
PATIENCE = 30.0
"""Seconds that a driver has to end after a request to stop."""

_MODULE = "tocsin.service.runner.spark.driver"
_DRIVER_SETTINGS = {"data", "database", "engine", "lateness", "idle", "ahead", "interval", "spark"}
"""Settings that the driver needs; it does not get the secrets of other components."""


class SparkRunner:
    """A driver in a process of its own. Its standard error goes into `spark.log` in the data
    folder.
    """

    def __init__(self, settings: Settings) -> None:
        spark_settings(settings)
        self._settings = settings
        self._process: subprocess.Popen[str] | None = None
        self._worker = BackgroundWorker(
            "spark",
            self._run_driver,
            _LOG,
            first_wait=FIRST_WAIT,
            longest_wait=LONGEST_WAIT,
            wake=self._ask_to_end,
        )
        self._said: dict[str, object] = {}

    @property
    def process_id(self) -> int | None:
        """Id of the driver's process; None before the first start."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the driver in a thread."""
        self._worker.start()

    def stop(self) -> None:
        """Make the driver end after the current micro-batch; kill it after PATIENCE seconds."""
        self._worker.stop(within=PATIENCE)
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()

    def _ask_to_end(self) -> None:
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()

    def catalog_changed(self, version: int) -> None:
        """Do nothing: the driver reads the catalog in every micro-batch."""

    def status(self) -> RunnerStatus:
        """Return the status that the driver reported last."""
        said = self._said
        error = said.get("error")
        return RunnerStatus(
            said.get("state") in ("ready", "waiting"),  # waiting: another gateway's driver matches
            int(str(said.get("position", 0))),
            error=None if error is None else str(error),
        )

    def inspect(self, look: Look) -> Future[Any]:
        """Raise `NotHere`: the state is in the query."""
        raise not_here(ServiceEngine.SPARK)

    def engine_health(self) -> dict[str, object]:
        """Return the state of the query, its last micro-batch and that one's duration."""
        return dict(self._said)

    def _run_driver(self) -> None:
        """Run one driver; raise StateProblem if it ends although nothing stopped it."""
        code = self._drive()
        if self._worker.is_stopping:
            return
        if self._said.get("state") == "ready":
            self._worker.succeed()
        reason = str(self._said.get("error") or f"it ended with {code}")
        self._said = {"state": "failed", "error": reason}
        raise StateProblem(f"the driver stopped: {reason}", code="SparkError")

    def _drive(self) -> int:
        """Run one driver from start to end; return its exit code."""
        self._settings.data.mkdir(parents=True, exist_ok=True)
        with (self._settings.data / "spark.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", _MODULE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=_environment(),
                start_new_session=True,  # Ctrl-C is for the gateway, which asks the driver to end
            )
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            told = self._settings.model_dump_json(include=_DRIVER_SETTINGS)
            print(told, file=process.stdin, flush=True)
            for line in process.stdout:
                self._said = json.loads(line)
        except (OSError, ValueError) as error:
            _LOG.warning("the Spark driver cannot be heard: %s", error)
            process.kill()
        return process.wait()


def _environment() -> dict[str, str]:
    """Return the environment of the driver, which imports the package from where we did."""
    root = str(Path(__file__).resolve().parents[4])
    known = os.environ.get("PYTHONPATH", "")
    paths = [root, *(each for each in known.split(os.pathsep) if each and each != root)]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
