"""The Hub for asyncio: the engine works in a thread, receivers run on the event loop, and matches
can be awaited.

It belongs to the event loop in which it is first used. Each subscriber receives one match at a
time, in order. A publisher awaits, without blocking a thread, until the receivers have taken its
matches; a receiver that publishes does not.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, TypeVar

from tocsin.catalog import Definition
from tocsin.errors import StateProblem
from tocsin.events.dead_letter import DeadLetter, EventWarning
from tocsin.events.matches.match import Match
from tocsin.hub.dispatch import Listener, QueuedDeliveries, Receiver, require_callable
from tocsin.hub.hub import PATIENCE, Hub
from tocsin.hub.mailbox import Overflow, is_inside, without_waiting
from tocsin.hub.step_hub import Counts, Given

if TYPE_CHECKING:
    from tocsin.languages.rule.building import Rule

Told = TypeVar("Told", Match, DeadLetter)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class AsyncHandle:
    """A live subscription: its id, and the method that ends it."""

    id: str
    hub: AsyncHub

    async def cancel(self) -> None:
        """End the subscription; from the next event on it does not match."""
        await self.hub.unsubscribe(self.id)


class AsyncHub:
    """Publish/subscribe in process for asyncio; takes the settings of `Hub`."""

    def __init__(self, **settings: Any) -> None:
        self._hub = Hub(**settings)
        self._listening: dict[str, _Listening] = {}

    async def __aenter__(self) -> AsyncHub:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def counts(self) -> Counts:
        """The numbers of events, matches and dead letters that have passed through the hub."""
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
        """Add a subscription, as `Hub.subscribe` does; all receivers run on the event loop.

        They may be functions or coroutine functions.
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
        """Subscribe for the duration of the block; the context value iterates over the matches.

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
            with suppress(StateProblem):  # the subscription or the hub may have ended
                await handle.cancel()

    async def unsubscribe(self, id: str) -> None:
        """Remove a subscription; raises if the id is unknown."""
        await self._run(lambda: self._hub.unsubscribe(id))

    async def define(self, *definitions: Definition) -> None:
        """Add regions, parts and ontologies that subscriptions may use from now on."""
        await self._run(lambda: self._hub.define(*definitions))

    async def publish(self, *events: Given) -> list[Match]:
        """Match events and return the matches, once their receivers have taken them.

        Does not wait for a subscriber whose overflow is "drop" or "suspend", nor for an iteration
        of `listen` until its queue is full.
        """
        return await self._await_delivery(
            *await self._run(lambda: self._hub.publish_and_post(*events))
        )

    async def advance_to(self, now: str | datetime) -> list[Match]:
        """Advance the time and return the matches, as `publish` does; timers may fire."""
        return await self._await_delivery(*await self._run(lambda: self._hub.advance_and_post(now)))

    async def refresh(self) -> None:
        """Apply what others have changed in the catalog and in the ontology files."""
        await self._run(self._hub.refresh)

    async def join(self) -> None:
        """Wait until every receiver has taken all matches found up to now. Not for use in a
        receiver.
        """
        while running := self._hub.deliveries:
            await asyncio.wait([asyncio.wrap_future(each) for each in running])

    async def close(self) -> None:
        """Stop the clock and wait up to `PATIENCE` seconds for receivers. A closed hub accepts
        nothing.
        """
        if self._hub.is_closed:
            return
        for each in tuple(self._listening.values()):
            await each.end()
        await asyncio.to_thread(self._hub.stop)
        if not is_inside():
            await self._finish_deliveries()
        await asyncio.to_thread(self._hub.close)

    async def _finish_deliveries(self) -> None:
        """Wait up to `PATIENCE` seconds for receivers, then cancel them."""
        running = self._hub.deliveries
        if running:
            await asyncio.wait([asyncio.wrap_future(each) for each in running], timeout=PATIENCE)
        for left in self._hub.deliveries:
            left.cancel()

    async def _run(self, work: Callable[[], Result]) -> Result:
        """Run work of the hub in a thread, so that the event loop continues."""
        if not self._hub.run_receivers_on(asyncio.get_running_loop()):
            raise StateProblem(
                "the hub belongs to another event loop",
                code="WrongLoop",
                hint="make an AsyncHub for each asyncio.run",
            )
        return await asyncio.to_thread(_without_waiting, work)

    async def _await_delivery(self, found: list[Match], posted: QueuedDeliveries) -> list[Match]:
        """Wait until the matches found are delivered."""
        if is_inside():
            return found
        last = {
            (box, id, room): number
            for box, number, id, room in posted
            if room.overflow is Overflow.BLOCK
        }
        for (box, id, room), number in last.items():
            slack = room.size if id in self._listening else 0
            await asyncio.wrap_future(box.when_delivered(number - slack))
        return found


def _without_waiting(work: Callable[[], Result]) -> Result:
    with without_waiting():
        return work()


class _Listening:
    """An asynchronous iterator over matches, with room for one match."""

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
        """Offer a match, once the one before is taken; drop it if the iteration has ended."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._match is None or self._is_over)
            self._match = None if self._is_over else match
            self._changed.notify_all()

    async def break_off(self, why: DeadLetter) -> None:
        """End the iteration after the match offered; then it raises with this reason."""
        self._why = why
        async with self._changed:
            await self._changed.wait_for(lambda: self._match is None or self._is_over)
        await self.end()

    async def end(self) -> None:
        """End the iteration; waiting callers return."""
        async with self._changed:
            self._is_over, self._match = True, None
            self._changed.notify_all()


def _on_loop(receiver: Callable[[Told], object] | None) -> Callable[[Told], Awaitable[None]] | None:
    """Wrap a receiver to be awaited, so that it runs on the loop. Equal receivers stay equal."""
    return None if receiver is None else _Awaited(receiver)


@dataclass(frozen=True, slots=True)
class _Awaited:
    receiver: Callable[[Any], object]

    async def __call__(self, item: Any) -> None:
        returned = self.receiver(item)
        if isawaitable(returned):
            await returned
