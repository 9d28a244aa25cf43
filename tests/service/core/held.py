"""A service whose runner stands still until it is let run, and can die before or after any write."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.builders import event_json
from tests.waiting import PATIENCE
from tocsin.service.core.service import Service
from tocsin.service.runner import local
from tocsin.service.runner.local import LocalRunner
from tocsin.service.settings.settings import load_settings
from tocsin.service.storage.progress import RunnerOutput, RunnerStore
from tocsin.service.storage.rows import MatchRow, NewRow

Rung = Counter[tuple[str, tuple[str, ...]]]
"""How often a subscription rang for these events."""


class Killed(BaseException):
    """The process of the runner ends here."""


def event(number: int, value: int) -> dict[str, Any]:
    """An event at a second and at a place of its own."""
    place = f"POINT({10 * value + 5} 5)"
    return event_json(number, "n", number, specversion="1.0", place=place, data={"v": value})


@dataclass
class HeldService:
    """A data folder that is served; events are accepted, and matched when `run` is called."""

    folder: Path
    rows_at_once: int = 1000
    always_snapshot: bool = False
    count: int = 0
    service: Service = field(init=False)

    def __post_init__(self) -> None:
        self._open()

    def _open(self) -> None:
        settings = load_settings(data=self.folder, auth=False, idle="off", lateness="0s")
        self.service = Service(settings)
        self.service.catalog.place(self.service.log.stored_head)
        self.service.log.start()

    def close(self) -> None:
        self.service.stop()

    def restart(self) -> None:
        """The service ends and begins again in the same folder."""
        self.service.stop()
        self._open()

    def publish(self, *values: int) -> list[dict[str, Any]]:
        """Events are accepted, as the service says with 202."""
        given = [event(self.count + number, value) for number, value in enumerate(values)]
        self.count += len(given)
        rows = [NewRow(json.dumps(each).encode()) for each in given]
        if rows:
            self.service.log.append(rows).result(PATIENCE)
        return given

    def run(self, dies: Callable[[], bool] = lambda: False) -> None:
        """The runner goes on until nothing is left to do; where `dies` says so, it is killed before
        or after what it writes, and another one begins.
        """
        while not self._runs_to_the_end(dies):
            pass

    def _runs_to_the_end(self, dies: Callable[[], bool]) -> bool:
        runner = self.service.local_runner()
        runner.catalog_changed(self.service.catalog.version())
        save = RunnerStore.save

        def saved(progress: RunnerStore, results: RunnerOutput) -> list[MatchRow]:
            if dies():
                raise Killed
            rows = save(progress, results)
            if dies():
                raise Killed
            return rows

        with (
            patch.object(local, "BATCH", self.rows_at_once),
            patch.object(local, "SNAPSHOT_SECONDS", 0.0 if self.always_snapshot else 10.0),
            patch.object(local, "SNAPSHOT_SHARE", 0 if self.always_snapshot else 200),
            patch.object(RunnerStore, "save", saved),
            patch.object(self.service.log, "wait_beyond", _ending(runner)),
        ):
            try:
                hub = runner._resumed()
                runner._work(hub)
                runner._save(snapshot_of=hub)
            except Killed:
                return False
        return True

    def rung(self) -> Rung:
        found: Rung = Counter()
        for row in self._matches():
            body = json.loads(row.body)
            found[row.subscription, tuple(body["events"])] += 1
        return found

    def _matches(self) -> Iterator[MatchRow]:
        after = 0
        while rows := self.service.matches.read(after, 1000):
            yield from rows
            after = rows[-1].position


def _ending(runner: LocalRunner) -> Callable[..., bool]:
    """The runner waits only when nothing is left to do: then it ends."""

    def wait_beyond(*_: object) -> bool:
        runner._worker.stop()
        return False

    return wait_beyond
