"""The runner in this process: a hub that takes one step after the other along the log.

The output of steps is stored in one transaction with them, so that a process that dies anywhere
continues as if it had not: the snapshot is read, the steps after it are repeated and their output
is dropped, since it was stored with them. Time is that of the log: an event is not late because it
was queued there. In a snapshot an event that is not parsed yet is its original text.

A version of the catalog applies to the events after its position in the log (decision 0063), so a
step ends at the position of the next version.

A change of the catalog stores the head of the log in its own transaction: an event that was
accepted before the change was sent is at or before that position, one that is sent after the change
was answered is behind it. Changes without access to the log, such as those of the command line,
have no position; they get the head of the log when they are noticed here.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from tocsin.catalog import Catalog, PlacedVersion, ReadPosition
from tocsin.engine.detection.base import State
from tocsin.engine.json_scan.batch_reader import scan_events
from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.events.codecs.decode import decode_all
from tocsin.events.event import Event, ScannedEvent
from tocsin.hub.step_hub import StepHub, StepOutcome
from tocsin.service.base.feed import Feed
from tocsin.service.base.worker import BackgroundWorker
from tocsin.service.runner import RunnerStatus
from tocsin.service.runner.inspection import Counters, Inspections, Look
from tocsin.service.runner.rendering import (
    Positions,
    kept_letters,
    kept_match,
    refused_letter,
)
from tocsin.service.runner.warm_up import warm_up
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.progress import (
    KeptSnapshot,
    NewTrouble,
    RunnerOutput,
    RunnerStep,
    RunnerStore,
)
from tocsin.service.storage.rows import REPLAYED, LogRow, MatchRow
from tocsin.spark.match_task.serde import PlainEvent, event_of_plain, pack, plain_event, unpack
from tocsin.values.time import Instant

SECONDS_TO_TRY_AGAIN = 30.0
"""Seconds until a locked catalog is tried again; meanwhile events are matched as before."""


class CatalogVersions:
    """The versions of a catalog with their positions, read once each. `note` may be called from any
    thread, everything else by the runner alone.

    `newest` reads the newest version, `head` the position of the newest event.
    """

    def __init__(self, catalog: Catalog, newest: Callable[[], int], head: ReadPosition) -> None:
        self._catalog, self._read_newest, self._head = catalog, newest, head
        self._lock = threading.Lock()
        self._newest = 0
        self._read = -1
        self._ahead: list[PlacedVersion] = []
        self._not_before = float("-inf")

    def note(self, version: int) -> None:
        """Note that the catalog has this version."""
        with self._lock:
            self._newest = max(version, self._newest)

    def look(self) -> None:
        """Read the newest version from the catalog."""
        self.note(self._read_newest())

    def restart(self) -> None:
        """Forget all versions read: the runner restarts at an earlier one."""
        self._read, self._ahead = -1, []

    def at(self, position: int, current: int) -> int:
        """Return the version that applies to the events after a position; `current`, the runner's
        current one, if no later version does.
        """
        self._read_on(current)
        self._ahead = [each for each in self._ahead if each.version > current]
        return max(
            (each.version for each in self._ahead if each.position <= position), default=current
        )

    def end_of(self, version: int) -> int | None:
        """Return the last position that a version applies to; None if no later one is known."""
        return min((each.position for each in self._ahead if each.version > version), default=None)

    def _read_on(self, current: int) -> None:
        newest, after = self._newest, max(current, self._read)
        if newest <= after:
            return
        found = self._catalog.placed(after)
        if (not found or found[-1].version < newest) and time.monotonic() >= self._not_before:
            found = self._place(after) or found
        head = self._head()  # read last: the log has lost any position beyond it
        self._ahead += [PlacedVersion(each.version, min(each.position, head)) for each in found]
        self._read = max((each.version for each in found), default=self._read)

    def _place(self, after: int) -> list[PlacedVersion]:
        try:
            self._catalog.place(self._head)
            return self._catalog.placed(after)
        except Problem as problem:
            self._not_before = time.monotonic() + SECONDS_TO_TRY_AGAIN
            _LOG.warning("a change of the catalog waits to be served: %s", problem)
            return []


def pack_state(state: State) -> bytes:
    """Return the snapshot of a hub as bytes."""
    return pack({**state, "held": [(_kept(event), names) for event, names in state["held"]]})


def unpack_state(raw: bytes) -> State:
    """Return the snapshot from its bytes."""
    state: State = unpack(raw)
    usual = iter(scan_events([kept for kept, _ in state["held"] if isinstance(kept, bytes)]))
    state["held"] = [
        (
            next(usual) or decode(kept) if isinstance(kept, bytes) else event_of_plain(kept),
            names,
        )
        for kept, names in state["held"]
    ]
    return state


def _kept(event: Event) -> PlainEvent | bytes:
    return event.raw if isinstance(event, ScannedEvent) else plain_event(event)


_LOG = logging.getLogger("tocsin.runner")

BATCH = 1_000
"""Rows per step, at most."""

COUNT = 1.0
"""Seconds between two counts of partial matches."""

POLL = 1.0
"""Seconds between two checks of the catalog and the log, which other processes may change."""

SNAPSHOT_SECONDS = 10.0
SNAPSHOT_SHARE = 200
"""The pause between snapshots is at least this multiple of the time that the last one took, and at
least SNAPSHOT_SECONDS.
"""

MakeHub = Callable[[Catalog], StepHub]


class LocalRunner:
    """A worker that takes the steps. With `shared`, other processes may append to the log.

    `newest_version` reads the newest version of the catalog, if there is a faster way than the
    catalog itself.
    """

    def __init__(
        self,
        log: EventLog,
        progress: RunnerStore,
        catalog: Catalog,
        feed: Feed,
        make_hub: MakeHub,
        *,
        counters: Counters | None = None,
        shared: bool = False,
        newest_version: Callable[[], int] | None = None,
    ) -> None:
        self._log, self._progress, self._catalog, self._feed = log, progress, catalog, feed
        self._versions = CatalogVersions(
            catalog, newest_version or catalog.version, log.stored_head
        )
        self._make_hub = make_hub
        self.counters = counters or Counters()
        self._shared = shared
        self._ready = threading.Event()
        self._worker = BackgroundWorker("runner", self._run, _LOG, wake=log.nudge)
        self._position, self._number = 0, 0
        self._hub: StepHub | None = None
        self._resumes = True
        self._positions = Positions()
        self._unsaved = RunnerOutput()
        self._unsaved_since = 0.0
        self._looked = self._snapped = time.monotonic()
        self._waiting, self._counted = 0, float("-inf")
        self._steps_since = 0
        self._snapshot_cost = 0.0
        self._inspections = Inspections()

    def load(self) -> StepHub:
        """Return the hub in its last stored state, for a runner that is not started."""
        return self._resumed()

    def start(self) -> None:
        """Continue from the stored position, with the catalog as it is now."""
        self.catalog_changed(self._catalog.version())
        self._worker.start()

    def stop(self) -> None:
        """Stop after the current step, and store a snapshot."""
        self._worker.stop()
        self._inspections.refuse()

    def catalog_changed(self, version: int) -> None:
        """Note a new version of the catalog, for the events after its position."""
        self._versions.note(version)
        self._log.nudge()

    def status(self) -> RunnerStatus:
        """Return the current status; not ready before the first load and after an error."""
        hub = self._hub
        error = self._worker.error
        if hub is None or not self._ready.is_set():
            return RunnerStatus(False, error=error)
        return RunnerStatus(
            error is None,
            self._position,
            hub.version,
            hub.watermark,
            self._waiting,
            error,
        )

    def inspect(self, look: Look) -> Future[Any]:
        """Queue a function that the runner's thread calls with the hub between two steps."""
        done = self._inspections.ask(look)
        self._log.nudge()
        return done

    def engine_health(self) -> None:
        """Return None: the engine is in this process."""
        return None

    def _run(self) -> None:
        """Continue from the last stored state, until stopped or an error."""
        warm_up()
        if self._worker.is_stopping:
            return
        hub = self._resumed()
        self._ready.set()
        self._worker.error = None
        self._work(hub)
        self._save(snapshot_of=hub)

    def _resumed(self) -> StepHub:
        """Return a hub in the last stored state."""
        self._unsaved, self._positions = RunnerOutput(), Positions()
        self._versions.restart()
        hub = self._make_hub(self._catalog)
        snapshot, steps = self._progress.load()
        self._position = self._number = self._steps_since = 0
        if snapshot is not None:
            hub.restore(unpack_state(snapshot.body))
            self._position, self._number = snapshot.position, snapshot.step
        for step in steps:
            rows = self._log.read_stored(self._position, step.until - self._position, step.until)
            if step.resumes:
                hub.resume(step.now)
            self._step(hub, step.now, step.version, rows)
            self._position, self._number = step.until, step.number
            self._steps_since += 1
        self._hub = hub
        self._resumes = True
        return hub

    def _work(self, hub: StepHub) -> None:
        while not self._worker.is_stopping:
            rows = self._log.read(self._position, BATCH)
            self._look_around(bool(rows))
            self._count_waiting(hub)
            self._inspections.take(hub)
            version = self._versions.at(self._position, hub.version)
            if rows:
                end = self._versions.end_of(version)
                given = [row for row in rows if end is None or row.position <= end]
                self._take(hub, given, rows[0].received, version)
                continue
            now = self._log.quiet_until(self._position)
            if now is None:
                continue
            wake = now if self._resumes else hub.next_wake()
            if hub.version != version or (wake is not None and wake <= now):
                self._take(hub, (), now, version)
                continue
            if self._unsaved.steps and time.monotonic() - self._unsaved_since > POLL:
                self._save()
            left = POLL if wake is None else min(POLL, (wake - now) / 1_000_000)
            self._log.wait_beyond(self._position, max(0.001, left))

    def _count_waiting(self, hub: StepHub) -> None:
        """Count partial matches every COUNT seconds, in the thread that changes them."""
        if time.monotonic() - self._counted > COUNT:
            self._waiting = hub.pending_count
            self._counted = time.monotonic()

    def _take(self, hub: StepHub, rows: Sequence[LogRow], now: Instant, version: int) -> None:
        """Take one step, and store its output when due."""
        begun = time.monotonic()
        resumes, self._resumes = self._resumes, False
        if resumes:
            hub.resume(now)
        outcome = self._step(hub, now, version, rows)
        self._note(hub, rows, outcome)
        until = rows[-1].position if rows else self._position
        self._number += 1
        self._steps_since += 1
        if not self._unsaved.steps:
            self._unsaved_since = begun
        self._unsaved.steps.append(RunnerStep(self._number, until, now, version, resumes))
        self._position = until
        if self._is_snapshot_due():
            self._save(snapshot_of=hub)
        elif self._unsaved.is_urgent or begun - self._unsaved_since > POLL:
            self._save()
        self.counters.count(outcome, time.monotonic() - begun, hub)

    def _step(
        self, hub: StepHub, now: Instant, version: int, rows: Sequence[LogRow]
    ) -> StepOutcome:
        given = self._given(rows)
        if any(row.reason == REPLAYED for row in rows):
            again = {row.position for row in rows if row.reason == REPLAYED}
            hub.forget(identity for identity in self._positions.at(again))
        return hub.step(now, version, given)

    def _given(self, rows: Sequence[LogRow]) -> list[Event | bytes]:
        """Return the events of rows for the hub, an undecodable one as text; refused rows are left
        out.
        """
        given: list[Event | bytes] = []
        served = [row for row in rows if row.code is None]
        for row, events in zip(served, _events_of(served), strict=True):
            if events is None:
                given.append(row.body)
            else:
                self._positions.note(row, events)
                given += events
        return given

    def _note(self, hub: StepHub, rows: Sequence[LogRow], outcome: StepOutcome) -> None:
        unsaved = self._unsaved
        held = hub.subscriptions()
        letters = [refused_letter(row) for row in rows if row.code is not None]
        letters += kept_letters(outcome.letters, self._positions)
        unsaved.letters += letters
        self.counters.count_letters(letters)
        unsaved.matches += [
            kept_match(each, held, self._positions, hub.words_of, hub.version)
            for each in outcome.matches
        ]
        unsaved.troubles += [
            NewTrouble(each.subscription, each.letter.code, each.letter.reason)
            for each in outcome.troubles
        ]
        unsaved.recovered |= outcome.renewed - {each.subscription for each in outcome.troubles}

    def _save(self, snapshot_of: StepHub | None = None) -> None:
        """Store the steps and their output, with a snapshot if a hub is given; retry until it
        works.
        """
        if snapshot_of is not None:
            self._unsaved.snapshot = self._snapshot(snapshot_of)
        rows = self._patiently(self._progress.save, self._unsaved)
        self._unsaved = RunnerOutput()
        self._feed.publish(rows)

    def _patiently(
        self, save: Callable[[RunnerOutput], list[MatchRow]], results: RunnerOutput
    ) -> list[MatchRow]:
        wait = 0.1
        while True:
            try:
                rows = save(results)
                self._worker.error = None
                return rows
            except Problem as problem:
                self._worker.error = str(problem)
                if self._worker.is_stopping:
                    raise
                _LOG.warning("%s; trying again in %.1f s", problem, wait)
                self._worker.wait(wait)
                wait = min(5.0, 2 * wait)

    def _snapshot(self, hub: StepHub) -> KeptSnapshot:
        begun = time.monotonic()
        body = pack_state(hub.snapshot())
        self.counters.snapshot_bytes = len(body)
        self._snapped = time.monotonic()
        self._snapshot_cost = self._snapped - begun
        self._steps_since = 0
        return KeptSnapshot(self._number, self._position, body)

    def _is_snapshot_due(self) -> bool:
        if not self._steps_since:
            return False
        pause = max(SNAPSHOT_SECONDS, SNAPSHOT_SHARE * self._snapshot_cost)
        return time.monotonic() - self._snapped > pause

    def _look_around(self, has_rows: bool) -> None:
        """Notice changes of other processes to the catalog and the log.

        Called after rows were read. With several gateways the catalog is checked each time, so that
        an event which was sent after a change was answered is never matched without it.
        """
        is_due = time.monotonic() - self._looked >= (0.02 if self._shared else POLL)
        if is_due or (self._shared and has_rows):
            self._versions.look()
        if not is_due:
            return
        self._looked = time.monotonic()
        if self._shared:
            self._log.look_for_others()


def _events_of(rows: Sequence[LogRow]) -> list[Sequence[Event] | None]:
    """Return the events of each row, None if undecodable; rows not decoded yet are scanned in one
    batch.
    """
    usual = iter(scan_events([row.body for row in rows if row.events is None]))
    return [row.events if row.events is not None else _read(row, next(usual)) for row in rows]


def _read(row: LogRow, scanned: Event | None) -> Sequence[Event] | None:
    return _decoded(row.body) if scanned is None else (scanned,)


def _decoded(body: bytes) -> list[Event] | None:
    """Return the events of a text; None if it can no longer be decoded, which the hub reports."""
    try:
        return decode_all(body)
    except Exception:
        return None
