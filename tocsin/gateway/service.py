"""The service without its addresses: log, catalog, matches, runner. Opened, started, stopped in
order.
"""

from __future__ import annotations

import fcntl
import os
from collections import Counter
from concurrent.futures import Future
from contextlib import ExitStack
from typing import Any, Protocol

from tocsin.catalog import Catalog, ontologies, open_catalog
from tocsin.catalog.store import read_version
from tocsin.errors import Problem, StateProblem
from tocsin.gateway.console.late import LateEvents
from tocsin.gateway.console.network import NetworkViews
from tocsin.gateway.console.statistics import Statistics
from tocsin.gateway.definitions import Definitions
from tocsin.gateway.feed import Feed
from tocsin.gateway.keyring import Keyring
from tocsin.gateway.replay import Replays
from tocsin.gateway.retention import Keeper
from tocsin.gateway.runner import Runner, RunnerStatus
from tocsin.gateway.runner.counting import Counters
from tocsin.gateway.runner.exclusive import ExclusiveRunner
from tocsin.gateway.runner.inspecting import Look, not_here
from tocsin.gateway.runner.local import LocalRunner
from tocsin.gateway.settings import EngineName, Settings
from tocsin.gateway.spark.runner import SparkRunner
from tocsin.gateway.storage.browsing import Browsing
from tocsin.gateway.storage.database import Database, write_ahead
from tocsin.gateway.storage.dead_letters import LetterStore
from tocsin.gateway.storage.faults import require_sound
from tocsin.gateway.storage.heads import LOG_HEADS, STATE_HEADS
from tocsin.gateway.storage.keys import KeyStore
from tocsin.gateway.storage.lock import runner_lock
from tocsin.gateway.storage.log import EventLog
from tocsin.gateway.storage.marks import Mark, MarkFile, mark_path
from tocsin.gateway.storage.matches import MatchStore
from tocsin.gateway.storage.paused import Standing
from tocsin.gateway.storage.positions import CATALOG, FILES
from tocsin.gateway.storage.progress import Progress
from tocsin.gateway.storage.schema import LOG_METADATA, METADATA
from tocsin.gateway.storage.tallies import Tallies
from tocsin.gateway.subscriptions import Entries
from tocsin.gateway.watcher import Watcher
from tocsin.gateway.work import WorkPool
from tocsin.hosts.local.driven import DrivenHub

_LOCAL = "local"


class Part(Protocol):
    """Something that runs beside the service."""

    def start(self) -> None:
        """Begins; returns at once."""

    def stop(self) -> None:
        """Ends, and returns when it has ended."""


class Service:
    """All parts of one gateway. Nothing is done before `start`; `stop` may be called at any
    time. `parts` start after the core, and stop before it. While `recovering`, stores that have
    lost something are opened all the same, and the caller has the folder to itself.
    """

    def __init__(self, settings: Settings, *, recovering: bool = False) -> None:
        self.settings = settings
        self._lock = None if recovering else _open_folder(settings)
        self.log_database = Database(settings.log_url, LOG_METADATA, heads=LOG_HEADS)
        self.database = Database(settings.state_url, METADATA, heads=STATE_HEADS)
        self.catalog = open_catalog(settings.catalog_url, create=True)
        write_ahead(settings.catalog_url)
        self._catalog_mark = None if settings.database else _catalog_mark(settings)
        self._note_version(self.catalog.version())
        self.own = ontologies([str(path) for path in settings.ontology] or None)
        self.progress = Progress(self.database, _LOCAL)
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
        self.entries = Entries(
            self.catalog,
            Standing(self.database),
            limits,
            self.catalog_changed,
            self.log.stored_head,
            self.own,
            lambda: self.runner.status().watermark,
        )
        self.network = NetworkViews(self.runner, self.entries)
        self.definitions = Definitions(self.catalog, self.entries, limits, self.log.stored_head)
        self.replays = Replays(self.log, self.entries, [])
        self.keys = KeyStore(self.database)
        self.keyring = Keyring(self.keys, limits)
        self.work = WorkPool(limits.tenant_work, limits.tenant_waiting)
        """Of requests that may take long: try, why, replay, queries."""
        self.reads = WorkPool(limits.tenant_reads, limits.tenant_waiting)
        """Of requests that only read or change what is kept."""
        self.intake = WorkPool(limits.tenant_work, limits.tenant_waiting)
        """Of bodies that are read."""
        self.streams = 0
        self.tenant_streams: Counter[str] = Counter()
        self._watcher = Watcher(self.matches, self.feed) if self._is_shared else None
        keeper = Keeper(self.log_database, self.database, settings.retention)
        self.statistics = Statistics(
            self.log,
            self.browsing,
            tallies,
            self.feed,
            self.runner.status,
            shared=not self.log_database.is_sqlite,
            tells_position=settings.engine is not EngineName.NONE,
        )
        self.parts: list[Part] = [keeper, self.statistics]

    @property
    def _is_shared(self) -> bool:
        """Whether other processes may keep matches."""
        return self.settings.engine is not EngineName.LOCAL or not self.database.is_sqlite

    def start(self) -> None:
        """Begins to accept and to match."""
        self.catalog.place(self.log.stored_head)  # what was changed while nothing was accepted
        self.log.start()
        self.runner.start()
        if self._watcher is not None:
            self._watcher.start()
        for part in self.parts:
            part.start()

    def stop(self) -> None:
        """Accepts nothing more, writes what waits, keeps where it is; what fails to end keeps
        nothing else from ending.
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
        """After every change of the catalog, before anybody is told of it."""
        self._note_version(version)
        self.runner.catalog_changed(version)

    def _note_version(self, version: int) -> None:
        if self._catalog_mark is not None:
            self._catalog_mark.note(Mark(CATALOG, version))

    def _make_runner(self) -> Runner:
        match self.settings.engine:
            case EngineName.LOCAL if self.database.is_sqlite:
                return self.local_runner()
            case EngineName.LOCAL:
                lock = runner_lock(self.settings.state_url, self.settings.data)
                return ExclusiveRunner(self.local_runner, lock, self.progress.position)
            case EngineName.NONE:
                return NoRunner()
            case EngineName.SPARK:
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
        """Return the newest version of a catalog that is in the same database as the rest, by a
        connection that is open already.
        """
        with self.database.reading() as connection:
            return read_version(connection)

    def make_hub(self, catalog: Catalog) -> DrivenHub:
        """Return a hub with the settings of the service that has taken no step."""
        settings = self.settings
        return DrivenHub(
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
    """Where another process matches."""

    def start(self) -> None:
        """Nothing to begin."""

    def stop(self) -> None:
        """Nothing to end."""

    def catalog_changed(self, version: int) -> None:
        """The other process looks at the catalog itself."""

    def status(self) -> RunnerStatus:
        """Always ready."""
        return RunnerStatus(True)

    def inspect(self, look: Look) -> Future[Any]:
        """The state is that of the other process."""
        raise not_here(EngineName.NONE)

    def engine_health(self) -> None:
        """Nothing is known of it."""
        return None


def lock_folder(settings: Settings) -> int | None:
    """The folder for this process alone; None where the data are in a database that several may
    use.
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
    """Lock the folder, and raise where a store in it has lost something."""
    lock = lock_folder(settings)
    try:
        require_sound(settings.data, settings.database)
    except Problem:
        if lock is not None:
            os.close(lock)
        raise
    return lock


def check_ontologies(settings: Settings) -> None:
    """Raises what is wrong with the ontology files of the settings."""
    ontologies([str(path) for path in settings.ontology] or None)
