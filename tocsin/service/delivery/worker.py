"""The worker: starts a courier for each subscription with new matches, and stores the cursors.

A courier sends the matches of its subscription in order, one message after the other, until none is
left. After the last attempt a match becomes a dead letter, and the next one follows. Cursors are
stored a moment later, for all subscriptions at once: after a crash the last matches are delivered
again, with the same ids, and none is left out.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic
from typing import ParamSpec, Protocol, TypeVar

from tocsin.errors import Problem
from tocsin.events.dead_letter import shown_error
from tocsin.runtime.admission import wall_clock
from tocsin.service.delivery.cursor import DeliveryCursor, Key
from tocsin.service.delivery.outbox import DeliveryMessage, Outbox
from tocsin.service.delivery.store import is_gone
from tocsin.service.delivery.targets import Delivered, Failed, Gone, Outcome, Target
from tocsin.service.outbound.pace import Backoff, SendSlots
from tocsin.values.time import Instant

AHEAD = 50
"""Matches read ahead for a healthy target; a failing one gets one message at a time."""

_SECOND = 1_000_000


class DeliveryCoordinator(Protocol):
    """Source of matches for couriers, and receiver of their outcomes."""

    async def read(self, line: DeliveryCursor, limit: int) -> list[DeliveryMessage]:
        """Return the next matches of a subscription."""

    async def dead_letter(
        self, line: DeliveryCursor, notices: Sequence[DeliveryMessage], failed: Failed
    ) -> None:
        """Make dead letters of matches."""

    def record(self, line: DeliveryCursor, outcome: Outcome) -> None:
        """Note the new state of a delivery cursor."""


@dataclass(slots=True)
class DeliveryTask:
    """Delivery task of one subscription; `more` is True if there may be unread matches."""

    line: DeliveryCursor
    target: Target
    coordinator: DeliveryCoordinator
    send_slots: SendSlots
    backoff: Backoff
    clock: Callable[[], Instant]
    more: bool = True

    async def run(self) -> None:
        """Return when all matches are delivered, or delivery is paused or ended."""
        while self.line.is_open and self.more:
            self.more = False
            while self.line.is_open and (notices := await self._next()):
                await self._deliver(notices)

    async def _next(self) -> list[DeliveryMessage]:
        limit = self.target.batch if self._is_failing else max(self.target.batch, AHEAD)
        return await self.coordinator.read(self.line, limit)

    async def _deliver(self, notices: Sequence[DeliveryMessage]) -> None:
        """Send message after message, up to the first that fails."""
        for start in range(0, len(notices), self.target.batch):
            if not await self._try(notices[start : start + self.target.batch]):
                return

    async def _try(self, notices: Sequence[DeliveryMessage]) -> bool:
        await self._wait()
        async with self.send_slots.acquire(self.target.receiver, failing=self._is_failing):
            outcome = await self._send(notices)
        match outcome:
            case Delivered():
                self._note(self.line.after_success(notices[-1].position, len(notices)), outcome)
                return True
            case Gone(reason):
                self._note(self.line.after_end(reason), outcome)
            case Failed():
                await self._failed(notices, outcome)
        return False

    async def _send(self, notices: Sequence[DeliveryMessage]) -> Outcome:
        try:
            return await self.target.send(notices)
        except Exception as error:  # a fault of ours affects this subscription only
            return Failed(shown_error(error), code="InternalError")

    async def _failed(self, notices: Sequence[DeliveryMessage], failed: Failed) -> None:
        wait = self.backoff.wait(self.line.failed + 1, failed.retry_after)
        tried = self.line.after_failure(failed.reason, self.clock() + int(wait * _SECOND))
        if not self.backoff.is_last(tried.failed):
            self._note(tried, failed)
            return
        await self.coordinator.dead_letter(tried, notices, failed)
        self._note(tried.after_dead_letter(notices[-1].position, len(notices)), failed)

    async def _wait(self) -> None:
        """Wait until the next attempt is due; after a clock was set back, no longer than the
        longest wait.
        """
        left = (self.line.not_before - self.clock()) / _SECOND
        if left > 0:
            longest = max(self.backoff.longest, self.backoff.longest_asked)
            await asyncio.sleep(min(left, longest))

    def _note(self, line: DeliveryCursor, outcome: Outcome) -> None:
        self.line = line
        self.coordinator.record(line, outcome)

    @property
    def _is_failing(self) -> bool:
        return self.line.reason is not None


LOGGER = logging.getLogger(__name__)

T = TypeVar("T")
P = ParamSpec("P")

_LOOKED_AT_ONCE = 5_000
_THREADS = 4
_PAUSE_AFTER_TROUBLE = 1.0


@dataclass(frozen=True, slots=True)
class PollIntervals:
    """Seconds between polls for matches and for changes without a wake-up, and until cursors are
    stored.
    """

    look: float = 0.2
    refresh: float = 1.0
    save: float = 0.1


class Cursors(Protocol):
    """The stored delivery cursors."""

    def changed_after(self, changed: int) -> list[DeliveryCursor]:
        """Return the cursors that owners changed after a change number, oldest first."""

    def save(self, lines: Iterable[DeliveryCursor]) -> None:
        """Store the progress of cursors."""


def _forget(line: DeliveryCursor, notices: Sequence[DeliveryMessage], failed: Failed) -> None:
    """Drop matches that could not be delivered."""


@dataclass(slots=True)
class DeliveryDependencies:
    """Dependencies of a worker: cursors, matches, a target for each subscription, and the store of
    dead letters, which is not needed where `backoff` has no last attempt.

    `hold` returns True while this worker has the lease. `follow` updates the cursors from the
    catalog.
    """

    store: Cursors
    outbox: Outbox
    open_target: Callable[[DeliveryCursor], Target]
    dead_letter: Callable[[DeliveryCursor, Sequence[DeliveryMessage], Failed], None] = _forget
    clock: Callable[[], Instant] = wall_clock
    hold: Callable[[], bool] = lambda: True
    follow: Callable[[], None] = lambda: None
    backoff: Backoff = field(default_factory=Backoff)
    make_send_slots: Callable[[], SendSlots] = SendSlots
    pace: PollIntervals = field(default_factory=PollIntervals)


class DeliveryWorker:
    """Delivers in one event loop while it runs; `wake` may be called from any thread."""

    def __init__(self, work: DeliveryDependencies) -> None:
        self._work = work
        self._lines: dict[Key, DeliveryCursor] = {}
        self._out: dict[Key, tuple[DeliveryTask, asyncio.Task[None]]] = {}
        self._unsaved: dict[Key, DeliveryCursor] = {}
        self._changed = -1
        self._seen = 0
        self._refreshed = self._saved = self._lease_checked_at = float("-inf")
        self._holds = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self.outcomes: Counter[str] = Counter()

    @property
    def lines(self) -> int:
        """Number of subscriptions with a target."""
        return len(self._lines)

    @property
    def is_delivering(self) -> bool:
        """True if this worker holds the lease."""
        return self._holds

    @property
    def under_way(self) -> int:
        """Number of subscriptions with undelivered matches."""
        return len(self._out)

    async def run(self, stop: asyncio.Event) -> None:
        """Deliver until `stop` is set; messages under way then are sent again after a restart.

        Begins with the stored cursors, also when it runs again after a failure.
        """
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="delivery")
        self._holds, self._lease_checked_at = False, float("-inf")
        self._lines.clear()
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._send_slots = self._work.make_send_slots()
        stopping = asyncio.create_task(stop.wait())
        try:
            while not stop.is_set():
                await self._round()
                await _first_of(stopping, self._woken.wait(), self._work.pace.look)
        finally:
            stopping.cancel()
            await self._end()

    def wake(self, *, changed: bool = False) -> None:
        """Announce new matches or, with `changed`, changed cursors."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._note_wake, changed)

    def _note_wake(self, changed: bool) -> None:
        if changed:
            self._refreshed = float("-inf")
        self._woken.set()

    async def _round(self) -> None:
        self._woken.clear()
        try:
            if not await self._is_ours():
                return
            if monotonic() >= self._refreshed + self._work.pace.refresh:
                await self._refresh()
            await self._look()
            if self._unsaved and monotonic() >= self._saved + self._work.pace.save:
                await self._save()
        except Problem as problem:
            await self._trouble(problem)

    async def _is_ours(self) -> bool:
        """True if this worker delivers. A new holder of the lease reads every cursor; one that has
        lost it stops at once.
        """
        if monotonic() < self._lease_checked_at + self._work.pace.refresh:
            return self._holds
        self._lease_checked_at = monotonic()
        held = await self._in_thread(self._work.hold)
        if held and not self._holds:
            self._changed, self._refreshed = -1, float("-inf")
            self._seen = await self._in_thread(self._work.outbox.newest)
        elif self._holds and not held:
            LOGGER.warning("another process delivers from now on")
            await self._call_all_back()
            self._lines.clear()
            self._unsaved.clear()
        self._holds = held
        return held

    async def _refresh(self) -> None:
        """Read the cursors that owners have changed."""
        self._refreshed = monotonic()
        await self._in_thread(self._work.follow)
        for line in await self._in_thread(self._work.store.changed_after, self._changed):
            self._changed = line.changed
            await self._call_back(line.key)
            self._unsaved.pop(line.key, None)
            known = self._lines.pop(line.key, line)
            if not is_gone(line):
                self._take_up(line, known)

    def _take_up(self, line: DeliveryCursor, known: DeliveryCursor) -> None:
        """Continue with a changed cursor, merged with the unsaved progress."""
        joined = line.merge(known)
        self._lines[line.key] = joined
        if joined != line:
            self._unsaved[line.key] = joined
        self._send_out(line.key)

    async def _look(self) -> None:
        """Start couriers for new matches."""
        before = -1
        while before != self._seen:
            before = self._seen
            keys, self._seen = await self._in_thread(
                self._work.outbox.owners_after, before, _LOOKED_AT_ONCE
            )
            for key in keys:
                self._send_out(key)

    def _send_out(self, key: Key) -> None:
        line = self._lines.get(key)
        if line is None or not line.is_open:
            return
        if key in self._out:
            self._out[key][0].more = True
            return
        target = self._work.open_target(line)
        work = self._work
        courier = DeliveryTask(line, target, self, self._send_slots, work.backoff, work.clock)
        task = asyncio.create_task(self._accompany(courier))
        self._out[key] = (courier, task)

    async def _accompany(self, task: DeliveryTask) -> None:
        """Run a courier to its end, despite problems of the storage."""
        key = task.line.key
        while task.more and task.line.is_open:
            try:
                await task.run()
            except Problem as problem:
                await self._trouble(problem)
                task.more = True
        self._out.pop(key, None)

    async def _call_back(self, key: Key) -> None:
        out = self._out.pop(key, None)
        if out is not None:
            out[1].cancel()
            await asyncio.wait([out[1]])

    async def _call_all_back(self) -> None:
        for key in list(self._out):
            await self._call_back(key)

    async def read(self, line: DeliveryCursor, limit: int) -> list[DeliveryMessage]:
        """Return the next matches of a subscription."""
        return await self._in_thread(self._work.outbox.read, line, limit)

    async def dead_letter(
        self, line: DeliveryCursor, notices: Sequence[DeliveryMessage], failed: Failed
    ) -> None:
        """Store dead letters of matches before the cursor moves on."""
        await self._in_thread(self._work.dead_letter, line, notices, failed)
        self.outcomes["buried"] += len(notices)

    def record(self, line: DeliveryCursor, outcome: Outcome) -> None:
        """Note a new cursor, to be stored with the others."""
        self.outcomes[type(outcome).__name__.lower()] += 1
        self._lines[line.key] = self._unsaved[line.key] = line

    async def _save(self) -> None:
        lines, self._unsaved = self._unsaved, {}
        self._saved = monotonic()
        try:
            await self._in_thread(self._work.store.save, list(lines.values()))
        except Problem:
            self._unsaved = lines | self._unsaved
            raise

    async def _end(self) -> None:
        await self._call_all_back()
        try:
            await self._save()
        except Problem as problem:
            LOGGER.warning("delivery cursors not saved: %s", problem)
        self._threads.shutdown(wait=False)

    async def _trouble(self, problem: Problem) -> None:
        LOGGER.warning("delivery waits: %s", problem)
        await asyncio.sleep(_PAUSE_AFTER_TROUBLE)

    async def _in_thread(self, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        assert self._loop is not None
        return await self._loop.run_in_executor(self._threads, lambda: call(*args, **named))


async def _first_of(
    stopping: asyncio.Task[bool], woken: Coroutine[None, None, object], seconds: float
) -> None:
    waking = asyncio.create_task(woken)
    await asyncio.wait([stopping, waking], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    waking.cancel()
