"""Send slots: bounded in total and per receiver. Failing receivers have slots of their own, so that
healthy ones need not wait for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Gate:
    """The slots of one receiver, as long as one is used or awaited."""

    turns: asyncio.Semaphore
    users: int = 0


@dataclass(slots=True)
class SendSlots:
    """`at_once` sends under way, `failing` more to receivers that failed the last time, and at most
    `to_one` of all these to the same receiver.
    """

    at_once: int = 256
    failing: int = 64
    to_one: int = 8
    _sound: asyncio.Semaphore = field(init=False)
    _unsound: asyncio.Semaphore = field(init=False)
    _gates: dict[str, _Gate] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._sound = asyncio.Semaphore(self.at_once)
        self._unsound = asyncio.Semaphore(self.failing)

    @asynccontextmanager
    async def acquire(self, receiver: str, *, failing: bool) -> AsyncIterator[None]:
        """Hold a send slot. Waiting for a receiver takes no slot from others."""
        gate = self._gates.setdefault(receiver, _Gate(asyncio.Semaphore(self.to_one)))
        gate.users += 1
        try:
            async with gate.turns, self._unsound if failing else self._sound:
                yield
        finally:
            gate.users -= 1
            if not gate.users:
                self._gates.pop(receiver, None)
