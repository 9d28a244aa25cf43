"""What waits for one subscriber: told one at a time, in order, by whoever is there, and never under
a lock.

A thread that brings something also tells it, unless the subscriber is being told already: then the
one who tells goes on with it. What a receiver returns to be awaited is awaited on an event loop,
and what follows waits for it.
"""

from __future__ import annotations

import threading
from asyncio import sleep
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from inspect import isawaitable
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin.hub.receiver_loop import EventLoop

QUEUE = 10_000
"""So much may wait for a subscriber, unless it is said otherwise."""


class Overflow(Enum):
    """What happens when more would wait for a subscriber than may: publishers wait, the oldest
    goes, or all ends.
    """

    BLOCK = "block"
    DROP = "drop"
    SUSPEND = "suspend"


@dataclass(frozen=True, slots=True)
class Room:
    """How much of one subscription may wait while its subscriber is busy, and what happens
    beyond.
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


def overflow_named(name: str) -> Overflow:
    """The policy of a name."""
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
class Item:
    """Something to tell for a subscription: whom to call, and with what."""

    subscription: str
    call: Callable[[Any], object]
    told: Any
    number: int = 0


OnFault = Callable[[Item, BaseException], object]
"""Hears what a receiver raised."""

_inside: ContextVar[bool] = ContextVar("inside a receiver", default=False)
"""Whether a receiver is being called: it must not wait for itself."""

_hurried: ContextVar[bool] = ContextVar("waits for no subscriber", default=False)


class Mailbox:
    """The items of one subscriber, numbered in order. Each `put` is followed by a `deliver` up to
    its number.
    """

    __slots__ = (
        "_changed",
        "_counts",
        "_is_busy",
        "_loop",
        "_number",
        "_on_fault",
        "_telling",
        "_waiters",
        "_waiting",
        "_wanted",
        "users",
    )

    def __init__(self, loop: EventLoop, on_fault: OnFault) -> None:
        self._loop = loop
        self._on_fault = on_fault
        self._changed = threading.Condition(threading.Lock())
        self._waiting: deque[Item] = deque()
        self._counts: Counter[str] = Counter()
        self._is_busy = False
        self._number = self._wanted = self._telling = 0
        self._waiters: list[tuple[int, Future[None]]] = []
        self.users = 0
        """How many subscriptions are told here."""

    def __len__(self) -> int:
        return len(self._waiting)

    def is_full(self, subscription: str, room: Room) -> bool:
        """Whether the subscriber is busy and no more of the subscription may wait."""
        with self._changed:
            return self._is_busy and self._counts[subscription] >= room.size

    def put(self, subscription: str, call: Callable[[Any], object], told: Any) -> int:
        """One more to tell; its number."""
        with self._changed:
            self._number += 1
            self._waiting.append(Item(subscription, call, told, self._number))
            self._counts[subscription] += 1
            return self._number

    def drop_oldest(self, subscription: str) -> Item | None:
        """Takes away what has waited longest for a subscription."""
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
        """Nothing more is told for a subscription."""
        with self._changed:
            self._waiting = deque(
                each for each in self._waiting if each.subscription != subscription
            )
            del self._counts[subscription]
            self._notify()

    def abandon(self) -> list[Item]:
        """What nobody will tell any more: all that waits, unless somebody is telling it."""
        with self._changed:
            if self._is_busy:
                return []
            left, self._waiting, self._counts = list(self._waiting), deque(), Counter()
            self._notify()
            return left

    def deliver(self, number: int) -> None:
        """Tells the items up to a number; where the subscriber is busy, whoever tells it does this
        too, afterwards.
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

    def await_room(self, subscription: str, room: Room) -> None:
        """Returns when no more waits than may. A receiver that publishes does not wait: it would
        wait for itself.
        """
        if room.overflow is not Overflow.BLOCK or _inside.get() or _hurried.get():
            return
        with self._changed:
            self._changed.wait_for(
                lambda: not self._is_busy or self._counts[subscription] <= room.size
            )

    def when_told(self, number: int) -> Future[None]:
        """Done when nothing up to a number is still to be told."""
        told: Future[None] = Future()
        with self._changed:
            self._waiters.append((number, told))
            self._notify()
        return told

    def _notify(self) -> None:
        """Something has changed for those who wait."""
        self._changed.notify_all()
        if not self._waiters:
            return
        first = self._telling or (self._waiting[0].number if self._waiting else self._number + 1)
        done = [told for number, told in self._waiters if number < first]
        self._waiters = [(number, told) for number, told in self._waiters if number >= first]
        for told in done:
            if told.set_running_or_notify_cancel():
                told.set_result(None)

    def _has_started(self, item: Item, pending: Awaitable[object]) -> bool:
        """Goes on with it on the event loop; not where that is closed."""
        work = self._deliver_on_loop(item, pending)
        try:
            self._loop.run(work)
        except RuntimeError as error:
            work.close()
            self._on_fault(item, error)
            return False
        return True

    async def _deliver_on_loop(self, item: Item, pending: Awaitable[object]) -> None:
        """Awaits what a receiver returned, then tells all that waits, until nothing does."""
        _inside.set(True)
        following: tuple[Item, Awaitable[object]] | None = (item, pending)
        try:
            while following is not None:
                try:
                    await following[1]
                except Exception as error:
                    self._on_fault(following[0], error)
                await sleep(0)  # others are on the loop, too
                following = self._next_to_await()
        except BaseException as error:
            if following is not None:
                self._on_fault(following[0], error)
            self._rest()
            raise

    def _next_to_await(self) -> tuple[Item, Awaitable[object]] | None:
        """Tells what needs no waiting; then the item that does, or None where nothing waits any
        more.
        """
        while True:
            with self._changed:
                if not self._waiting:
                    self._rest_now()
                    return None
                item = self._popped()
            pending = self._call(item)
            if pending is not None:
                return item, pending

    def _popped(self) -> Item:
        item = self._waiting.popleft()
        self._counts[item.subscription] -= 1
        self._telling = item.number
        self._notify()
        return item

    def _call(self, item: Item) -> Awaitable[object] | None:
        """Calls the receiver; what it returns to be awaited, if anything."""
        token = _inside.set(True)
        try:
            returned = item.call(item.told)
        except Exception as error:
            self._on_fault(item, error)
            return None
        finally:
            _inside.reset(token)
        return returned if isawaitable(returned) else None

    def _next(self) -> Item | None:
        """The next item that somebody wants told; None where there is none, and somebody else may
        tell then.
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
        self._is_busy, self._telling = False, 0
        self._notify()


def is_inside() -> bool:
    """Whether a receiver is being called, and this is what it does."""
    return _inside.get()


@contextmanager
def without_waiting() -> Iterator[None]:
    """Whoever publishes for others waits for no subscriber."""
    token = _hurried.set(True)
    try:
        yield
    finally:
        _hurried.reset(token)
