"""The worker: sends couriers out for the lines that have matches, and keeps how far they have come.

What was delivered is noted a moment later, in one go for all lines: after a crash the last matches
of a moment come again, with the same ids; none is left out.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic
from typing import ParamSpec, TypeVar

from tocsin.errors import Problem
from tocsin.service.delivery.cursor import Key, Line
from tocsin.service.delivery.delivery_task import Courier
from tocsin.service.delivery.message import Notice
from tocsin.service.delivery.outbox import Outbox
from tocsin.service.delivery.outcomes import Failed, Outcome
from tocsin.service.delivery.store import DeliveryStore, is_gone
from tocsin.service.delivery.targets import Target
from tocsin.service.outbound.backoff import Backoff
from tocsin.service.outbound.send_slots import Lanes
from tocsin.values.time import Instant

LOGGER = logging.getLogger(__name__)

T = TypeVar("T")
P = ParamSpec("P")

_LOOKED_AT_ONCE = 5_000
_THREADS = 4
_PAUSE_AFTER_TROUBLE = 1.0


@dataclass(frozen=True, slots=True)
class Pace:
    """In seconds: how often to look for matches and for changes where nobody wakes the worker, and
    how long what was delivered may be unsaved.
    """

    look: float = 0.2
    refresh: float = 1.0
    save: float = 0.1


@dataclass(slots=True)
class Work:
    """What a worker needs: lines, matches, a target for each line, and a place for dead letters.

    `hold` says whether this worker is the one who delivers, now or still. `follow` brings the lines
    up to date with the catalog.
    """

    store: DeliveryStore
    outbox: Outbox
    open_target: Callable[[Line], Target]
    bury: Callable[[Line, Sequence[Notice], Failed], None]
    clock: Callable[[], Instant]
    hold: Callable[[], bool] = lambda: True
    follow: Callable[[], None] = lambda: None
    backoff: Backoff = field(default_factory=Backoff)
    make_lanes: Callable[[], Lanes] = Lanes
    pace: Pace = field(default_factory=Pace)


class Worker:
    """Delivers for as long as it runs, in one event loop; `wake` may be called from any thread."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="delivery")
        self._lines: dict[Key, Line] = {}
        self._out: dict[Key, tuple[Courier, asyncio.Task[None]]] = {}
        self._unsaved: dict[Key, Line] = {}
        self._changed = -1
        self._seen = 0
        self._refreshed = self._saved = self._asked = float("-inf")
        self._holds = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self.outcomes: Counter[str] = Counter()

    @property
    def lines(self) -> int:
        """How many subscriptions are delivered."""
        return len(self._lines)

    @property
    def is_delivering(self) -> bool:
        """Whether this worker is the one who delivers."""
        return self._holds

    @property
    def under_way(self) -> int:
        """How many of them have matches that are not delivered yet."""
        return len(self._out)

    async def run(self, stop: asyncio.Event) -> None:
        """Delivers until it is to stop; what is under way then will be tried again."""
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._lanes = self._work.make_lanes()
        stopping = asyncio.create_task(stop.wait())
        try:
            while not stop.is_set():
                await self._round()
                await _first_of(stopping, self._woken.wait(), self._work.pace.look)
        finally:
            stopping.cancel()
            await self._end()

    def wake(self, *, changed: bool = False) -> None:
        """There are new matches, or changes of lines."""
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
        """Whether this worker delivers. Who begins to knows nothing, and looks at every line; who
        has to stop does so at once.
        """
        if monotonic() < self._asked + self._work.pace.refresh:
            return self._holds
        self._asked = monotonic()
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
        """Takes up what owners have changed."""
        self._refreshed = monotonic()
        await self._in_thread(self._work.follow)
        for line in await self._in_thread(self._work.store.changed_after, self._changed):
            self._changed = line.changed
            await self._call_back(line.key)
            self._unsaved.pop(line.key, None)
            known = self._lines.pop(line.key, line)
            if not is_gone(line):
                self._take_up(line, known)

    def _take_up(self, line: Line, known: Line) -> None:
        """A line as its owner wants it, from where it is by now."""
        joined = line.joined(known)
        self._lines[line.key] = joined
        if joined != line:
            self._unsaved[line.key] = joined
        self._send_out(line.key)

    async def _look(self) -> None:
        """Sends couriers out for new matches."""
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
        courier = Courier(line, target, self, self._lanes, work.backoff, work.clock)
        task = asyncio.create_task(self._accompany(courier))
        self._out[key] = (courier, task)

    async def _accompany(self, courier: Courier) -> None:
        """Lets a courier work, over troubles of the storage."""
        key = courier.line.key
        while courier.more and courier.line.is_open:
            try:
                await courier.run()
            except Problem as problem:
                await self._trouble(problem)
                courier.more = True
        self._out.pop(key, None)

    async def _call_back(self, key: Key) -> None:
        out = self._out.pop(key, None)
        if out is not None:
            out[1].cancel()
            await asyncio.wait([out[1]])

    async def _call_all_back(self) -> None:
        for key in list(self._out):
            await self._call_back(key)

    async def read(self, line: Line, limit: int) -> list[Notice]:
        """The next matches of a line."""
        return await self._in_thread(
            self._work.outbox.read, line.key, line.position, limit, line.since
        )

    async def bury(self, line: Line, notices: Sequence[Notice], failed: Failed) -> None:
        """Dead letters of matches, stored before the line goes on."""
        await self._in_thread(self._work.bury, line, notices, failed)
        self.outcomes["buried"] += len(notices)

    def keep(self, line: Line, outcome: Outcome) -> None:
        """Notes how far a line has come, to be saved with the others."""
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
            LOGGER.warning("how far deliveries have come is not saved: %s", problem)
        self._threads.shutdown(wait=False)

    async def _trouble(self, problem: Problem) -> None:
        LOGGER.warning("delivery waits for the storage: %s", problem)
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
