"""The Hub for asyncio: the engine works in a thread, receivers run on the event loop, and matches
can be awaited.

It belongs to the event loop in which it is first used. Each subscriber is told one match at a time,
in order. Whoever publishes waits until the receivers have taken what was found, unless it is a
receiver itself; on the loop, so that no thread is taken up by it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, TypeVar

from tocsin.catalog import Definition
from tocsin.errors import StateProblem
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.events.warning import EventWarning
from tocsin.hub.dispatch import Listener, Posted, Receiver, require_callable
from tocsin.hub.hub import PATIENCE, Counts, Hub
from tocsin.hub.mailbox import Overflow, is_inside, without_waiting

if TYPE_CHECKING:
    from tocsin.languages.rule.building import Rule

Told = TypeVar("Told", Match, DeadLetter)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class AsyncHandle:
    """A live subscription: its id, and the way to end it."""

    id: str
    hub: AsyncHub

    async def cancel(self) -> None:
        """Ends the subscription; it rings no more from the next event on."""
        await self.hub.unsubscribe(self.id)


class AsyncHub:
    """Subscriptions and events meet here, as in a Hub, whose settings it takes."""

    def __init__(self, **settings: Any) -> None:
        self._hub = Hub(**settings)
        self._listening: dict[str, _Listening] = {}

    async def __aenter__(self) -> AsyncHub:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def counts(self) -> Counts:
        """What has passed through so far."""
        return self._hub.counts

    @property
    def dead_letters(self) -> deque[DeadLetter]:
        """The newest dead letters."""
        return self._hub.dead_letters

    @property
    def warnings(self) -> deque[EventWarning]:
        """The newest warnings about events that were served."""
        return self._hub.warnings

    async def subscribe(
        self,
        expression: str | Rule,
        *,
        to: Receiver | None = None,
        problems_to: Listener | None = None,
        **settings: Any,
    ) -> AsyncHandle:
        """Adds a subscription, as `Hub.subscribe` does; receivers, coroutine functions or not, run
        on the loop.
        """
        require_callable("to", to)
        require_callable("problems_to", problems_to)
        handle = await self._run(
            lambda: self._hub.subscribe(
                expression, to=_on_loop(to), problems_to=_on_loop(problems_to), **settings
            )
        )
        return AsyncHandle(handle.id, self)

    @asynccontextmanager
    async def listen(
        self, expression: str | Rule, **settings: Any
    ) -> AsyncIterator[AsyncIterator[Match]]:
        """The matches of a subscription, one after the other, for as long as the block lasts.

        If the subscription is suspended or breaks, the iteration raises; when the hub is closed, it
        ends.
        """
        listening = _Listening()
        handle = await self.subscribe(
            expression, to=listening.hear, problems_to=listening.break_off, **settings
        )
        self._listening[handle.id] = listening
        try:
            yield listening
        finally:
            del self._listening[handle.id]
            await listening.end()
            with suppress(StateProblem):  # it may have ended, or the hub
                await handle.cancel()

    async def unsubscribe(self, id: str) -> None:
        """Removes a subscription; raises where it is not there."""
        await self._run(lambda: self._hub.unsubscribe(id))

    async def define(self, *definitions: Definition) -> None:
        """Regions, parts and ontologies that subscriptions may use from now on."""
        await self._run(lambda: self._hub.define(*definitions))

    async def publish(self, *events: Event | Mapping[str, Any] | bytes | str) -> list[Match]:
        """Matches events and returns the matches, when their receivers have taken them.

        It does not wait for one that drops or is suspended where it is too slow, nor for one who
        listens, unless too much waits for it.
        """
        return await self._told(*await self._run(lambda: self._hub.publish_and_post(*events)))

    async def advance_to(self, now: str | datetime) -> list[Match]:
        """Tells the hub the time, as `publish` does events; timers may ring."""
        return await self._told(*await self._run(lambda: self._hub.advance_and_post(now)))

    async def refresh(self) -> None:
        """Takes over what others have changed since, in the catalog and in the files of
        ontologies.
        """
        await self._run(self._hub.refresh)

    async def join(self) -> None:
        """Returns when every receiver has taken what was found so far, by whomever; not to be
        called by a receiver.
        """
        while running := self._hub.deliveries:
            await asyncio.wait([asyncio.wrap_future(each) for each in running])

    async def close(self) -> None:
        """Stops the clock and waits a while for receivers. A closed hub takes nothing more."""
        if self._hub.is_closed:
            return
        for each in tuple(self._listening.values()):
            await each.end()
        await asyncio.to_thread(self._hub.stop)
        if not is_inside():
            await self._finish_deliveries()
        await asyncio.to_thread(self._hub.close)

    async def _finish_deliveries(self) -> None:
        """Waits a while for receivers, then cancels them."""
        running = self._hub.deliveries
        if running:
            await asyncio.wait([asyncio.wrap_future(each) for each in running], timeout=PATIENCE)
        for left in self._hub.deliveries:
            left.cancel()

    async def _run(self, work: Callable[[], Result]) -> Result:
        """Has the hub work in a thread, so that the loop goes on meanwhile."""
        if not self._hub.run_receivers_on(asyncio.get_running_loop()):
            raise StateProblem(
                "the hub belongs to another event loop",
                code="WrongLoop",
                hint="make an AsyncHub for each asyncio.run",
            )
        return await asyncio.to_thread(_without_waiting, work)

    async def _told(self, found: list[Match], posted: Posted) -> list[Match]:
        """Waits until what was found is told."""
        if is_inside():
            return found
        last = {
            (box, id, room): number
            for box, number, id, room in posted
            if room.overflow is Overflow.BLOCK
        }
        for (box, id, room), number in last.items():
            slack = room.size if id in self._listening else 0
            await asyncio.wrap_future(box.when_told(number - slack))
        return found


def _without_waiting(work: Callable[[], Result]) -> Result:
    with without_waiting():
        return work()


class _Listening:
    """An iterator over matches: what is heard is taken one by one."""

    def __init__(self) -> None:
        self._changed = asyncio.Condition()
        self._match: Match | None = None
        self._is_over = False
        self._why: DeadLetter | None = None

    def __aiter__(self) -> _Listening:
        return self

    async def __anext__(self) -> Match:
        async with self._changed:
            await self._changed.wait_for(lambda: self._match is not None or self._is_over)
            match, self._match = self._match, None
            self._changed.notify_all()
        if match is not None:
            return match
        if self._why is not None:
            raise StateProblem(self._why.reason, code=self._why.code)
        raise StopAsyncIteration

    async def hear(self, match: Match) -> None:
        """Waits until the one before is taken, or nobody takes any more."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._match is None or self._is_over)
            self._match = None if self._is_over else match
            self._changed.notify_all()

    async def break_off(self, why: DeadLetter) -> None:
        """Nothing more comes after what was heard, and this is why."""
        self._why = why
        async with self._changed:
            await self._changed.wait_for(lambda: self._match is None or self._is_over)
        await self.end()

    async def end(self) -> None:
        """Nothing more comes; whoever waits is told."""
        async with self._changed:
            self._is_over, self._match = True, None
            self._changed.notify_all()


def _on_loop(receiver: Callable[[Told], object] | None) -> Callable[[Told], Awaitable[None]] | None:
    """The same receiver, to be awaited: whatever it is, it runs on the loop. Equal receivers stay
    equal.
    """
    return None if receiver is None else _Awaited(receiver)


@dataclass(frozen=True, slots=True)
class _Awaited:
    receiver: Callable[[Any], object]

    async def __call__(self, told: Any) -> None:
        returned = self.receiver(told)
        if isawaitable(returned):
            await returned
