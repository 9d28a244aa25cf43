"""Delivery of one subscription: sends its matches in order, one message after the other, until none
is left.

After the last attempt a match becomes a dead letter, and the next one follows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tocsin.events.dead_letter import shown_error
from tocsin.service.delivery.cursor import DeliveryCursor
from tocsin.service.delivery.message import DeliveryMessage
from tocsin.service.delivery.outcomes import Delivered, Failed, Gone, Outcome
from tocsin.service.delivery.targets import Target
from tocsin.service.outbound.backoff import Backoff
from tocsin.service.outbound.send_slots import SendSlots
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
