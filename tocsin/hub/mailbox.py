"""Queue of one subscriber: its items are delivered one at a time, in order, without a lock.

A thread that adds an item also delivers it. If another thread is delivering to the subscriber, that
one goes on with it. An awaitable that a receiver returns is awaited on an event loop, a given one
or one in a thread of its own, and later items wait for it.
"""

from __future__ import annotations

import asyncio
import threading
from asyncio import sleep
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from inspect import isawaitable
from typing import Any

from tocsin.errors import MeaningProblem


class EventLoop:
    """Runs coroutines from any thread on one event loop: a given one, or one in its own thread.

    The thread starts with the first receiver that needs it and never keeps a program alive.
    """

    __slots__ = ("__weakref__", "_is_closed", "_is_own", "_lock", "_loop", "_running", "_thread")

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._loop = loop
        self._is_own = loop is None
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._running: set[Future[None]] = set()

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a coroutine and return at once; raises RuntimeError if the loop is closed."""
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the hub is closed")
            future = asyncio.run_coroutine_threadsafe(work, self._started())
            self._running.add(future)
        future.add_done_callback(self._running.discard)

    def adopt(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Run everything on a given loop; return False if it runs on another already."""
        with self._lock:
            if self._loop is None:
                self._loop, self._is_own = loop, False
            return self._loop is loop

    @property
    def running(self) -> list[Future[None]]:
        """The coroutines that are running."""
        return list(self._running)

    def close(self, patience: float) -> None:
        """Wait up to `patience` seconds for running coroutines, then cancel them and end the
        thread.

        A coroutine that closes its own loop is not waited for. With patience 0 none is.
        """
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        is_inside = threading.current_thread() is thread
        if not is_inside:
            wait(self.running, patience)
            for future in self.running:
                future.cancel()
        asyncio.run_coroutine_threadsafe(_stop_when_quiet(patience), loop)
        if patience and not is_inside:
            thread.join()

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=_run, args=(loop,), name="tocsin-receivers", daemon=True
            )
            self._thread.start()
        return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _stop_when_quiet(patience: float) -> None:
    """Stop the loop once the other tasks have finished, or after `patience` seconds."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others and patience:
        await asyncio.wait(others, timeout=patience)
    asyncio.get_running_loop().stop()


QUEUE = 10_000
"""The default number of items of a subscription that may wait for its subscriber."""


class Overflow(Enum):
    """Policy for a full queue: block publishers, drop the oldest item, or suspend."""

    BLOCK = "block"
    DROP = "drop"
    SUSPEND = "suspend"


@dataclass(frozen=True, slots=True)
class QueueLimit:
    """Limit on the items of one subscription that wait while its subscriber is busy, and its
    policy.
    """

    size: int = QUEUE
    overflow: Overflow = Overflow.BLOCK

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, int) or self.size < 1:
            raise MeaningProblem(
                f"a queue has room for 1 or more, got {self.size!r}",
                code="QueueError",
                token="queue",
            )


def parse_overflow(name: str) -> Overflow:
    """Return the policy of a name; raises if it is unknown."""
    try:
        return Overflow(name)
    except ValueError:
        names = ", ".join(each.value for each in Overflow)
        raise MeaningProblem(
            f"overflow {name!r} is not known",
            code="QueueError",
            token="overflow",
            hint=f"one of {names}",
        ) from None


@dataclass(frozen=True, slots=True, eq=False)
class QueuedCall:
    """One delivery: the subscription, the function to call, and its argument."""

    subscription: str
    call: Callable[[Any], object]
    argument: Any
    number: int = 0


OnFault = Callable[[QueuedCall, BaseException], object]
"""Takes an item and the error that its receiver raised."""

_inside: ContextVar[bool] = ContextVar("inside a receiver", default=False)
"""True while a receiver is called: it must not wait for itself."""

_skips_waiting: ContextVar[bool] = ContextVar("waits for no subscriber", default=False)


class Mailbox:
    """The items of one subscriber, numbered in order. Each `put` is followed by a `deliver` up to
    its number.
    """

    __slots__ = (
        "_changed",
        "_counts",
        "_delivering",
        "_is_busy",
        "_loop",
        "_number",
        "_on_fault",
        "_waiters",
        "_waiting",
        "_wanted",
        "users",
    )

    def __init__(self, loop: EventLoop, on_fault: OnFault) -> None:
        self._loop = loop
        self._on_fault = on_fault
        self._changed = threading.Condition(threading.Lock())
        self._waiting: deque[QueuedCall] = deque()
        self._counts: Counter[str] = Counter()
        self._is_busy = False
        self._number = self._wanted = self._delivering = 0
        self._waiters: list[tuple[int, Future[None]]] = []
        self.users = 0
        """The number of subscriptions that use this mailbox."""

    def __len__(self) -> int:
        return len(self._waiting)

    def is_full(self, subscription: str, room: QueueLimit) -> bool:
        """True if the subscriber is busy and the subscription has reached its limit."""
        with self._changed:
            return self._is_busy and self._counts[subscription] >= room.size

    def put(self, subscription: str, call: Callable[[Any], object], argument: Any) -> int:
        """Add an item and return its number."""
        with self._changed:
            self._number += 1
            self._waiting.append(QueuedCall(subscription, call, argument, self._number))
            self._counts[subscription] += 1
            return self._number

    def drop_oldest(self, subscription: str) -> QueuedCall | None:
        """Remove and return the oldest item of a subscription; None if it has no item."""
        with self._changed:
            oldest = next(
                (each for each in self._waiting if each.subscription == subscription), None
            )
            if oldest is not None:
                self._waiting.remove(oldest)
                self._counts[subscription] -= 1
                self._notify()
            return oldest

    def discard(self, subscription: str) -> None:
        """Remove all items of a subscription."""
        with self._changed:
            self._waiting = deque(
                each for each in self._waiting if each.subscription != subscription
            )
            del self._counts[subscription]
            self._notify()

    def abandon(self) -> list[QueuedCall]:
        """Remove and return all items that wait; [] if a thread is delivering them."""
        with self._changed:
            if self._is_busy:
                return []
            left, self._waiting, self._counts = list(self._waiting), deque(), Counter()
            self._notify()
            return left

    def deliver(self, number: int) -> None:
        """Deliver the items up to a number; if the subscriber is busy, leave them to the delivering
        thread.
        """
        with self._changed:
            self._wanted = max(self._wanted, number)
            if self._is_busy:
                return
            self._is_busy = True
        try:
            while (item := self._next()) is not None:
                pending = self._call(item)
                if pending is not None and self._has_started(item, pending):
                    return
        except BaseException:
            self._rest()
            raise

    def await_room(self, subscription: str, room: QueueLimit) -> None:
        """Wait until the subscription is within its limit or the subscriber is idle.

        Returns at once under other policies than "block", and for a receiver that publishes: it
        would wait for itself.
        """
        if room.overflow is not Overflow.BLOCK or _inside.get() or _skips_waiting.get():
            return
        with self._changed:
            self._changed.wait_for(
                lambda: not self._is_busy or self._counts[subscription] <= room.size
            )

    def when_delivered(self, number: int) -> Future[None]:
        """Return a future that is done when all items up to a number are delivered."""
        told: Future[None] = Future()
        with self._changed:
            self._waiters.append((number, told))
            self._notify()
        return told

    def _notify(self) -> None:
        """Wake waiting threads and complete the futures whose items are delivered."""
        self._changed.notify_all()
        if not self._waiters:
            return
        first = self._delivering or (self._waiting[0].number if self._waiting else self._number + 1)
        done = [told for number, told in self._waiters if number < first]
        self._waiters = [(number, told) for number, told in self._waiters if number >= first]
        for told in done:
            if told.set_running_or_notify_cancel():
                told.set_result(None)

    def _has_started(self, item: QueuedCall, pending: Awaitable[object]) -> bool:
        """Continue an item on the event loop; return False and report it if the loop is closed."""
        work = self._deliver_on_loop(item, pending)
        try:
            self._loop.run(work)
        except RuntimeError as error:
            work.close()
            self._on_fault(item, error)
            return False
        return True

    async def _deliver_on_loop(self, item: QueuedCall, pending: Awaitable[object]) -> None:
        """Await the result of a receiver, then deliver all items that wait, until none is left."""
        _inside.set(True)
        following: tuple[QueuedCall, Awaitable[object]] | None = (item, pending)
        try:
            while following is not None:
                try:
                    await following[1]
                except Exception as error:
                    self._on_fault(following[0], error)
                await sleep(0)  # let other tasks of the loop run
                following = self._next_to_await()
        except BaseException as error:
            if following is not None:
                self._on_fault(following[0], error)
            self._rest()
            raise

    def _next_to_await(self) -> tuple[QueuedCall, Awaitable[object]] | None:
        """Deliver items until one returns an awaitable, and return both; None at the end."""
        while True:
            with self._changed:
                if not self._waiting:
                    self._rest_now()
                    return None
                item = self._popped()
            pending = self._call(item)
            if pending is not None:
                return item, pending

    def _popped(self) -> QueuedCall:
        item = self._waiting.popleft()
        self._counts[item.subscription] -= 1
        self._delivering = item.number
        self._notify()
        return item

    def _call(self, item: QueuedCall) -> Awaitable[object] | None:
        """Call the receiver; return its awaitable, or None."""
        token = _inside.set(True)
        try:
            returned = item.call(item.argument)
        except Exception as error:
            self._on_fault(item, error)
            return None
        finally:
            _inside.reset(token)
        return returned if isawaitable(returned) else None

    def _next(self) -> QueuedCall | None:
        """Remove and return the next item to deliver; if there is no such item, end the delivery:
        None.
        """
        with self._changed:
            if self._waiting and self._waiting[0].number <= self._wanted:
                return self._popped()
            self._rest_now()
            return None

    def _rest(self) -> None:
        with self._changed:
            self._rest_now()

    def _rest_now(self) -> None:
        self._is_busy, self._delivering = False, 0
        self._notify()


def is_inside() -> bool:
    """True if the caller runs inside a receiver."""
    return _inside.get()


@contextmanager
def without_waiting() -> Iterator[None]:
    """Let publishing in this block not wait for full queues."""
    token = _skips_waiting.set(True)
    try:
        yield
    finally:
        _skips_waiting.reset(token)
