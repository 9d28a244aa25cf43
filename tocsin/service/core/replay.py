"""Replay of dead letters after a fix: an event is published again, a suspended subscription is
resumed.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from tocsin.catalog.tenants import Owned
from tocsin.errors import EventProblem, StateProblem
from tocsin.service.core.ingest import IngestResult
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.rows import REPLAYED, LetterRow, NewRow
from tocsin.service.subscriptions.subscriptions import SubscriptionService

Replayer = Callable[[LetterRow], bool]
"""Handler that replays the letters of its kind; returns False for any other letter."""


@dataclass(slots=True)
class Replays:
    """Replay of dead letters of all kinds; the handlers in `others` go first."""

    log: EventLog
    entries: SubscriptionService
    others: list[Replayer]

    def replay(self, letter: LetterRow, replacement: bytes | None = None) -> Future[int] | None:
        """Replay a letter; return a future that is done when its event is on disk.

        `replacement` replaces the stored event. None where no event was published: another handler
        took the letter, or its subscription was resumed. Raises EventProblem for an event that
        cannot be read, and StateProblem where there is nothing to replay.
        """
        if any(other(letter) for other in self.others):
            return None
        if replacement is None and letter.event is None:
            self._serve_again(letter)
            return None
        return self.log.append([self._row(letter, replacement)])

    def _row(self, letter: LetterRow, replacement: bytes | None) -> NewRow:
        body = self._stored(letter) if replacement is None else replacement
        found = IngestResult(letter.tenant)
        found.take(0, body)
        if found.rejected:
            first = found.rejected[0]
            raise EventProblem(
                first.reason, code=first.code, hint="send the mended event as the body"
            )
        row = found.rows[0]
        return NewRow(row.body, row.tenant, reason=REPLAYED, events=row.events)

    def _stored(self, letter: LetterRow) -> bytes:
        assert letter.event is not None
        row = self.log.rows_at([letter.event]).get(letter.event)
        if row is None:
            raise _cannot("its event is no longer stored", "send the event as the body")
        return row.body

    def _serve_again(self, letter: LetterRow) -> None:
        if letter.subscription is None:
            raise _cannot("it is about no event and no subscription", "there is nothing to do")
        self.entries.renew(Owned(letter.tenant, letter.subscription))


def _cannot(why: str, hint: str) -> StateProblem:
    return StateProblem(f"the letter cannot be replayed: {why}", code="ReplayError", hint=hint)
