"""The driver of the service: a process of its own that matches the log on Spark.

The service starts it as `python -m tocsin.service.runner.spark.driver`, writes the settings as the
first line of standard input, and reads its status from standard output, one JSON object per line.
The driver ends when standard input ends: it does not outlive the service.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any, TextIO

import sqlalchemy as sql

from tocsin.catalog import open_catalog
from tocsin.database.database import Database
from tocsin.database.stores import LOG, STATE
from tocsin.errors import Problem, StateProblem
from tocsin.events.dead_letter import shown_error
from tocsin.service.runner.spark.log import log_stream
from tocsin.service.runner.spark.sink import Sink
from tocsin.service.settings.settings import Settings, SparkSettings, spark_settings
from tocsin.service.storage.database import open_database
from tocsin.service.storage.lock import RunnerLock, runner_lock
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.positions import CHECKPOINT, LOG_HEADS, STATE_HEADS
from tocsin.service.storage.progress import RunnerStore
from tocsin.service.storage.results import MatchStore
from tocsin.service.storage.schema import RUNNERS
from tocsin.spark.query.failures import problem_of
from tocsin.spark.query.live import LiveSettings, live_results
from tocsin.spark.query.session import local_session
from tocsin.values.time import parse_duration

LOOK = 0.1
"""Seconds between two checks of the query and of standard input."""

HOLD = 5.0
"""Seconds between two checks of the lock."""

_PREFIX = "spark "


class StatusWriter:
    """Writer of the driver's status to the gateway."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._last: dict[str, object] = {}

    def write(self, **said: object) -> None:
        """Write one line, unless it equals the last one."""
        if said != self._last:
            self._last = said
            print(json.dumps(said), file=self._out, flush=True)


class Driver:
    """One run of the query, from taking the lock to the end."""

    def __init__(
        self, settings: Settings, status_writer: StatusWriter, stopping: threading.Event
    ) -> None:
        self._settings, self._status_writer, self._stopping = settings, status_writer, stopping
        self._spark_settings = spark_settings(settings)
        self._lock: RunnerLock = runner_lock(settings.state_url, settings.data)

    def run(self) -> None:
        """Match until standard input ends; raise the error that ends the query earlier."""
        database = open_database(self._settings.state_url, STATE, heads=STATE_HEADS)
        if not self._has_lock(database):
            return
        log = EventLog(open_database(self._settings.log_url, LOG, heads=LOG_HEADS))
        log.start()
        catalog = open_catalog(self._settings.catalog_url, create=True)
        sink = Sink(log, catalog, MatchStore(database))
        self._status_writer.write(state="starting")
        spark = _session(self._spark_settings)
        try:
            query = self._start(spark, sink, database)
            self._watch(query, sink)
        finally:
            spark.stop()
            log.close()
            self._lock.release()

    def _has_lock(self, database: Database) -> bool:
        while not self._lock.acquire():
            self._status_writer.write(state="waiting", position=_reached(database) or 0)
            if self._stopping.wait(0.5):
                return False
        return True

    def _start(self, spark: Any, sink: Sink, database: Database) -> Any:
        wanted = self._spark_settings
        rows = log_stream(
            spark,
            self._settings.log_url,
            start=_known_position(database),
            partitions=wanted.partitions,
            maxRowsPerBatch=wanted.rows,
            catalog=self._settings.catalog_url,
        )
        both = live_results(rows, self._settings.catalog_url, _live(self._settings, wanted))
        writer = both.writeStream.foreachBatch(sink).queryName("tocsin")
        writer = writer.option("checkpointLocation", checkpoint_of(self._settings))
        every = f"{parse_duration(wanted.every) // 1000} milliseconds"
        query = writer.trigger(processingTime=every).start()
        name = f"{_PREFIX}{query.id}"
        _forget_others(database, name)
        sink.begin(RunnerStore(database, name))
        return query

    def _watch(self, query: Any, sink: Sink) -> None:
        looked = time.monotonic()
        while query.isActive and not self._stopping.wait(LOOK):
            self._report(query, sink)
            if time.monotonic() - looked > HOLD:
                looked = time.monotonic()
                if not self._lock.is_held():
                    raise StateProblem("the lock of the runner is lost", code="StorageError")
        if not self._stopping.is_set():
            query.awaitTermination()  # raises the error that ended it
            raise StateProblem("the query ended by itself", code="SparkError")
        _finish(query)

    def _report(self, query: Any, sink: Sink) -> None:
        last = query.lastProgress
        if last is None:
            return
        sink.position = max(sink.position, json.loads(last.sources[0].endOffset)["position"])
        self._status_writer.write(
            state="ready",
            position=sink.position,
            batch=last.batchId,
            milliseconds=last.batchDuration,
            matches=sink.matches,
            letters=sink.letters,
        )


def checkpoint_of(settings: Settings) -> str:
    """Return the folder or URL of the query's state."""
    given = spark_settings(settings).checkpoint
    return given or str((settings.data / CHECKPOINT).absolute())


def _session(wanted: SparkSettings) -> Any:
    return local_session(
        wanted.master, name="tocsin service", memory=wanted.memory, settings=wanted.conf
    )


def _live(settings: Settings, wanted: SparkSettings) -> LiveSettings:
    return LiveSettings(
        settings.lateness,
        settings.idle,
        settings.ahead,
        settings.interval,
        wanted.remember,
        wanted.shards,
    )


def _known_position(database: Database) -> str:
    """Return the start position for a query without a checkpoint: the highest of all runners, so
    that no event is missed and no old match is repeated.
    """
    found = _reached(database)
    return "earliest" if found is None else str(found)


def _reached(database: Database) -> int | None:
    """Return the highest position of all runners; None before the first run."""
    query = sql.select(sql.func.max(RUNNERS.c.position))
    with database.reading() as connection:
        found = connection.execute(query).scalar()
    return None if found is None else int(found)


def _forget_others(database: Database, name: str) -> None:
    """Remove the positions of other checkpoints, so that retention does not wait for them."""
    others = RUNNERS.c.name.startswith(_PREFIX) & (RUNNERS.c.name != name)
    with database.writing() as connection:
        connection.execute(RUNNERS.delete().where(others))


def _finish(query: Any) -> None:
    """Let the current micro-batch end, for 10 s at most, so that it need not be repeated; stop the
    query.
    """
    deadline = time.monotonic() + 10
    while query.status["isTriggerActive"] and time.monotonic() < deadline:
        time.sleep(0.02)
    query.stop()


def main() -> int:
    """Run the driver; return 0 if it was asked to end, 1 after an error."""
    logging.basicConfig(format="tocsin spark: %(message)s", level=logging.WARNING)
    given = json.loads(sys.stdin.readline())
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # keep Java's output out of the gateway's pipe
    teller, stopping = StatusWriter(out), threading.Event()
    threading.Thread(target=_wait_for_end, args=(stopping,), daemon=True).start()
    settings = Settings(**given | {"data": Path(given["data"])})
    try:
        Driver(settings, teller, stopping).run()
    except Exception as error:
        teller.write(state="failed", error=_describe_error(error))
        return 1
    return 0


def _wait_for_end(stopping: threading.Event) -> None:
    sys.stdin.read()
    stopping.set()


def _describe_error(error: Exception) -> str:
    problem = error if isinstance(error, Problem) else problem_of(error)
    return str(problem) if problem is not None else shown_error(error)


if __name__ == "__main__":
    sys.exit(main())
