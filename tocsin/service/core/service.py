"""The service without its routes: log, catalog, matches and runner; opened, started and stopped in
order.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections import Counter
from concurrent.futures import Future
from contextlib import ExitStack
from typing import Any, Protocol

from tocsin.catalog import Catalog, ontologies, open_catalog
from tocsin.catalog.store import read_version
from tocsin.database.stores import LOG, STATE
from tocsin.errors import Problem, StateProblem
from tocsin.hub.step_hub import StepHub
from tocsin.service.base.feed import Feed
from tocsin.service.base.work import WorkPool
from tocsin.service.base.worker import BackgroundWorker
from tocsin.service.console.network import NetworkViews
from tocsin.service.console.statistics import Statistics
from tocsin.service.core.ingest import Replays
from tocsin.service.core.keyring import Keyring
from tocsin.service.core.retention import RetentionJob
from tocsin.service.runner import Runner, RunnerStatus
from tocsin.service.runner.inspection import Counters, Look, not_here
from tocsin.service.runner.leader_runner import LeaderRunner
from tocsin.service.runner.local import LocalRunner
from tocsin.service.runner.spark.runner import SparkRunner
from tocsin.service.settings.settings import ServiceEngine, Settings
from tocsin.service.storage.database import open_database, write_ahead
from tocsin.service.storage.faults import require_sound
from tocsin.service.storage.keys import KeyStore
from tocsin.service.storage.lock import runner_lock
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.log_reader import Browsing
from tocsin.service.storage.marks import Mark, MarkFile, mark_path
from tocsin.service.storage.positions import CATALOG, FILES, LOG_HEADS, STATE_HEADS
from tocsin.service.storage.progress import RunnerStore
from tocsin.service.storage.results import LetterStore, MatchStore
from tocsin.service.storage.subscription_status import StatusStore
from tocsin.service.storage.tallies import LateEvents, Tallies
from tocsin.service.subscriptions.definitions import DefinitionService
from tocsin.service.subscriptions.subscriptions import SubscriptionService

_LOCAL = "local"
_POLL = 0.05
"""Seconds between two looks for matches that other processes have stored."""


class Part(Protocol):
    """A component that runs alongside the core of the service."""

    def start(self) -> None:
        """Start without blocking."""

    def stop(self) -> None:
        """Stop; return when it has ended."""


class Service:
    """All components of one gateway. Nothing runs before `start`; `stop` may be called at any time.
    `parts` start after the core and stop before it.

    With `recovering`, stores that have lost data are opened as well, and the caller has exclusive
    use of the folder.
    """

    def __init__(self, settings: Settings, *, recovering: bool = False) -> None:
        self.settings = settings
        self._lock = None if recovering else _open_folder(settings)
        self.log_database = open_database(settings.log_url, LOG, heads=LOG_HEADS)
        self.database = open_database(settings.state_url, STATE, heads=STATE_HEADS)
        self.catalog = open_catalog(settings.catalog_url, create=True)
        write_ahead(settings.catalog_url)
        self._catalog_mark = None if settings.database else _catalog_mark(settings)
        self._note_version(self.catalog.version())
        self.own = ontologies([str(path) for path in settings.ontology] or None)
        self.progress = RunnerStore(self.database, _LOCAL)
        self.log = EventLog(self.log_database)
        self.matches = MatchStore(self.database)
        self.letters = LetterStore(self.database)
        self.feed = Feed(self.matches.head())
        self.browsing = Browsing(self.log_database)
        tallies = Tallies(self.database)
        self.late = LateEvents(tallies)
        self.counters = Counters()
        self.runner: Runner = self._make_runner()
        limits = settings.limits
        self.entries = SubscriptionService(
            self.catalog,
            StatusStore(self.database),
            limits,
            self.catalog_changed,
            self.log.stored_head,
            self.own,
            lambda: self.runner.status().watermark,
        )
        self.network = NetworkViews(self.runner, self.entries)
        self.definitions = DefinitionService(
            self.catalog, self.entries, limits, self.log.stored_head
        )
        self.replays = Replays(self.log, self.entries, [])
        self.keys = KeyStore(self.database)
        self.keyring = Keyring(self.keys, limits)
        self.work = WorkPool(limits.tenant_work, limits.tenant_waiting)
        """Threads for requests that may take long: try, why, replay, queries."""
        self.reads = WorkPool(limits.tenant_reads, limits.tenant_waiting)
        """Threads for requests that only read or change stored data."""
        self.intake = WorkPool(limits.tenant_work, limits.tenant_waiting)
        """Threads for parsing request bodies."""
        self.streams = 0
        self.tenant_streams: Counter[str] = Counter()
        self._watcher = self._make_watcher() if self._is_shared else None
        keeper = RetentionJob(self.log_database, self.database, settings.retention)
        self.statistics = Statistics(
            self.log,
            self.browsing,
            tallies,
            self.feed,
            self.runner.status,
            shared=not self.log_database.is_sqlite,
            reports_position=settings.engine is not ServiceEngine.NONE,
        )
        self.parts: list[Part] = [keeper.worker, self.statistics.worker]

    @property
    def _is_shared(self) -> bool:
        """True if other processes may store matches."""
        return self.settings.engine is not ServiceEngine.LOCAL or not self.database.is_sqlite

    def start(self) -> None:
        """Start to accept and match events."""
        self.catalog.place(self.log.stored_head)  # of versions made while the service was stopped
        self.log.start()
        self.runner.start()
        if self._watcher is not None:
            self._watcher.start()
        for part in self.parts:
            part.start()

    def stop(self) -> None:
        """Stop accepting, write what is queued, and save the position of the runner.

        A part that fails to stop does not keep the others from stopping.
        """
        with ExitStack() as last_to_first:
            end = last_to_first.callback
            end(self._unlock)
            if self._catalog_mark is not None:
                end(self._catalog_mark.close)
            end(self.log_database.close)
            end(self.database.close)
            end(self.runner.stop)
            end(self.log.close)
            if self._watcher is not None:
                end(self._watcher.stop)
            for part in self.parts:
                end(part.stop)
            for pool in (self.work, self.reads, self.intake):
                end(pool.close)
            end(self.feed.close)

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def catalog_changed(self, version: int) -> None:
        """Note a new catalog version and inform the runner; called for each change before the hooks
        are.
        """
        self._note_version(version)
        self.runner.catalog_changed(version)

    def _note_version(self, version: int) -> None:
        if self._catalog_mark is not None:
            self._catalog_mark.note(Mark(CATALOG, version))

    def _make_watcher(self) -> BackgroundWorker:
        """Return the worker that announces matches of other processes to the feed."""
        return BackgroundWorker(
            "watcher",
            lambda: self.feed.notice(self.matches.head()),
            logging.getLogger("tocsin.watcher"),
            delay=_POLL,
            pause=_POLL,
            first_wait=1.0,
            longest_wait=1.0,
        )

    def _make_runner(self) -> Runner:
        match self.settings.engine:
            case ServiceEngine.LOCAL if self.database.is_sqlite:
                return self.local_runner()
            case ServiceEngine.LOCAL:
                lock = runner_lock(self.settings.state_url, self.settings.data)
                return LeaderRunner(self.local_runner, lock, self.progress.position)
            case ServiceEngine.NONE:
                return NoRunner()
            case ServiceEngine.SPARK:
                return SparkRunner(self.settings)

    def local_runner(self) -> LocalRunner:
        """Return a runner in this process that is not started."""
        return LocalRunner(
            self.log,
            self.progress,
            self.catalog,
            self.feed,
            self.make_hub,
            counters=self.counters,
            shared=not self.log_database.is_sqlite,
            newest_version=None if self.database.is_sqlite else self._newest_version,
        )

    def _newest_version(self) -> int:
        """Return the newest version of a catalog that shares the database, by a connection that is
        already open.
        """
        with self.database.reading() as connection:
            return read_version(connection)

    def make_hub(self, catalog: Catalog) -> StepHub:
        """Return a new hub with the settings of the service."""
        settings = self.settings
        return StepHub(
            catalog,
            idle=settings.idle,
            lateness=settings.lateness,
            ahead=settings.ahead,
            interval=settings.interval,
            remember=settings.remember,
            queue_limit=settings.limits.waiting,
            match_limit=settings.limits.matches,
            tenant_match_limit=settings.limits.tenant_matches,
            ontology=self.own or None,
        )


class NoRunner:
    """Runner of a process that leaves the matching to another process."""

    def start(self) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""

    def catalog_changed(self, version: int) -> None:
        """Do nothing: the process that matches reads the catalog itself."""

    def status(self) -> RunnerStatus:
        """Return a status that is always ready."""
        return RunnerStatus(True)

    def inspect(self, look: Look) -> Future[Any]:
        """Raise StateProblem: the state is in another process."""
        raise not_here(ServiceEngine.NONE)

    def engine_health(self) -> None:
        """Return None: the health of the other process is unknown."""
        return None


def lock_folder(settings: Settings) -> int | None:
    """Lock the data folder for this process; return the file descriptor, to be closed by the
    caller.

    None if the data are in a database that several processes may use. Raises StateProblem if the
    folder is not usable or another process has the lock.
    """
    try:
        settings.data.mkdir(parents=True, exist_ok=True)
        number = os.open(settings.data / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StateProblem(
            f"the folder {settings.data} cannot be used: {error.strerror}",
            code="DataFolderError",
            hint="give another one with --data",
        ) from None
    if settings.database is not None:
        os.close(number)
        return None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(number)
        raise StateProblem(
            f"another process serves the folder {settings.data}",
            code="DataFolderError",
            hint="stop it first, or give another folder with --data",
        ) from None
    return number


def _catalog_mark(settings: Settings) -> MarkFile:
    return MarkFile(mark_path(settings.data / FILES[CATALOG]))


def _open_folder(settings: Settings) -> int | None:
    """Lock the folder; raise if a store in it has lost data."""
    lock = lock_folder(settings)
    try:
        require_sound(settings.data, settings.database)
    except Problem:
        if lock is not None:
            os.close(lock)
        raise
    return lock


def check_ontologies(settings: Settings) -> None:
    """Raise the problem of an ontology file in the settings."""
    ontologies([str(path) for path in settings.ontology] or None)
