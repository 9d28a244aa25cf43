"""The background worker of the interface: follows the log, and notifies subscribers of queries.

Each subscription has its own task, so that a slow receiver delays no other one. A cursor is stored
after the receiver has accepted the document: after a crash the same events are sent again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.events.event import Event
from tocsin.runtime.admission import wall_clock
from tocsin.service.base.feed import Feed
from tocsin.service.base.worker import EventLoopWorker
from tocsin.service.epcis.answers import RESPONSE_HEADERS, to_json_events
from tocsin.service.epcis.documents import query_document
from tocsin.service.epcis.event_search import EventQuery, find_between
from tocsin.service.epcis.exceptions import NO_SUCH_NAME, EpcisException
from tocsin.service.epcis.queries import NamedQuery
from tocsin.service.epcis.query_subscriptions import QuerySubscription, signature
from tocsin.service.epcis.repository import Repository
from tocsin.service.outbound.addresses import AddressRules, WebhookUrl, parse_webhook_url
from tocsin.service.outbound.http_sender import DnsResolver, HttpSender
from tocsin.service.outbound.pace import Backoff
from tocsin.service.storage.lock import Lease
from tocsin.service.storage.log import EventLog
from tocsin.values.time import Instant

_LOG = logging.getLogger(__name__)

AT_ONCE = 1_000
"""New events examined for one document, at most."""

_LOOK = 0.5
_REFRESH = 1.0
_FORGET = 60.0
_SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class News:
    """New results for a subscription, up to a number."""

    events: Sequence[Event]
    until: int


class QueryWorker:
    """A worker with an event loop. `wake` and `news` may be called from any thread."""

    def __init__(
        self,
        repository: Repository,
        log: EventLog,
        ask: Callable[[NamedQuery, str], EventQuery],
        rules: AddressRules,
        lease: Lease,
    ) -> None:
        self._repository = repository
        self._log = log
        self._ask = ask
        self._rules = rules
        self._lease = lease
        self._growth = Feed(repository.index.last_number())
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._backoff = Backoff(longest=60.0)
        self._background = EventLoopWorker("epcis", self._work, _LOG)

    def start(self) -> None:
        """Start to follow the log and to notify subscribers."""
        self._background.start()

    def stop(self) -> None:
        """Stop; documents under way are sent again after a restart."""
        self._background.stop()
        self._growth.close()

    def wake(self) -> None:
        """Announce changed subscriptions."""
        self._background.call(self._note_change)

    def _note_change(self) -> None:
        self._changed.set()

    def require_reachable(self, dest: str) -> WebhookUrl:
        """Return the parts of a URL; raise AddressProblem if it may not be reached."""
        return parse_webhook_url(dest, self._rules)

    async def _work(self, stop: asyncio.Event) -> None:
        self._changed = asyncio.Event()
        names = DnsResolver()
        self._sender = HttpSender(self._rules, names.look_up)
        stopping = asyncio.create_task(stop.wait())
        helpers = [asyncio.create_task(self._follow()), asyncio.create_task(self._supervise())]
        try:
            ended, _ = await asyncio.wait([stopping, *helpers], return_when=asyncio.FIRST_COMPLETED)
            for each in ended:
                each.result()  # raises what a helper has raised
        finally:
            self._log.nudge()
            tasks = (stopping, *helpers, *self._tasks.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._tasks.clear()
            await self._sender.close()
            names.close()
            self._lease.release()

    async def _follow(self) -> None:
        """Keep the index up to date, also without queries."""
        forgot = monotonic()
        while True:
            try:
                position = await asyncio.to_thread(self._repository.index.position)
                await asyncio.to_thread(self._log.wait_beyond, position, _LOOK)
                await asyncio.to_thread(self._catch_up)
                if monotonic() - forgot > _FORGET:
                    forgot = monotonic()
                    await asyncio.to_thread(self._repository.forget)
            except Problem as problem:
                _LOG.warning("the EPCIS index waits for the storage: %s", problem)
                await asyncio.sleep(1)

    def _catch_up(self) -> None:
        self._repository.catch_up()
        self._growth.notice(self._repository.index.last_number())

    async def _supervise(self) -> None:
        """Keep one task for each stored subscription; none while another process has the lease."""
        while True:
            self._changed.clear()
            try:
                found = await asyncio.to_thread(self._subscriptions_to_serve)
            except Problem as problem:
                _LOG.warning("EPCIS subscriptions wait for the storage: %s", problem)
            else:
                self._assign({each.id: each for each in found})
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _REFRESH)

    def _subscriptions_to_serve(self) -> list[QuerySubscription]:
        return self._repository.all_subscriptions() if self._lease.hold() else []

    def _assign(self, found: dict[str, QuerySubscription]) -> None:
        for id in [id for id in self._tasks if id not in found]:
            self._tasks.pop(id).cancel()
        for id, subscription in found.items():
            if id not in self._tasks:
                self._tasks[id] = asyncio.create_task(self._serve(subscription))

    async def _serve(self, subscription: QuerySubscription) -> None:
        """Notify one receiver until its subscription is removed."""
        while True:
            try:
                async for news in self.news(subscription):
                    told = await self._send(subscription, news)
                    now = wall_clock()
                    subscription = subscription.moved(news.until, now, was_notified=told)
                    if not await asyncio.to_thread(
                        self._repository.save_subscription, subscription
                    ):
                        return
            except (Problem, EpcisException) as problem:
                _LOG.warning("the EPCIS subscription %s waits: %s", subscription.id, problem)
                await asyncio.sleep(1)

    async def news(self, subscription: QuerySubscription) -> AsyncIterator[News]:
        """Yield new results without end: after a capture, or when due.

        The next request for results confirms the last ones: it continues behind them. Raises
        EpcisException when the query was deleted.
        """
        cursor, due = subscription.cursor, subscription.due
        while True:
            if due is not None:
                await _sleep_until(due)
                due = subscription.terms.next_after(max(due, wall_clock()))
                await asyncio.to_thread(self._catch_up)
                found = await asyncio.to_thread(self._since, subscription, cursor, None)
            else:
                found = await self._next_of_stream(subscription, cursor)
            cursor = found.until
            yield found

    async def _next_of_stream(self, subscription: QuerySubscription, cursor: int) -> News:
        while True:
            found = await asyncio.to_thread(self._since, subscription, cursor, AT_ONCE)
            if found.events:
                return found
            if found.until > cursor:
                cursor = found.until
                continue
            await self._growth.beyond(cursor, _LOOK)

    def _since(self, subscription: QuerySubscription, cursor: int, most: int | None) -> News:
        """Return the results among at most `most` events after a number."""
        query = self._repository.query(subscription.tenant, subscription.query)
        last = self._repository.index.last_number()
        until = last if most is None else min(last, cursor + most)
        if query is None:
            raise EpcisException(NO_SUCH_NAME, f"the query {subscription.query!r} was dropped")
        if until <= cursor:
            return News((), cursor)
        return News(
            find_between(
                self._repository.index, self._ask(query, subscription.tenant), cursor, until
            ),
            until,
        )

    async def _send(self, subscription: QuerySubscription, news: News) -> bool:
        """Send a document until the receiver accepts it; False if there is nothing to send."""
        if not news.events and not subscription.terms.report_if_empty:
            return False
        body = document_of(subscription, news.events, wall_clock())
        headers = {"content-type": "application/json", **RESPONSE_HEADERS}
        if subscription.token:
            headers["GS1-Signature"] = signature(subscription.token, body)
        failed = 0
        while True:
            reason = await self._try(subscription, headers, body)
            if not reason:
                return True
            failed += 1
            _LOG.warning("the EPCIS subscription %s is tried again: %s", subscription.id, reason)
            await asyncio.sleep(self._backoff.wait(failed))

    async def _try(
        self, subscription: QuerySubscription, headers: dict[str, str], body: bytes
    ) -> str:
        """Make one attempt; return the reason of a failure, or ""."""
        try:
            url = self.require_reachable(subscription.dest)
            answer = await self._sender.post(url, headers, body)
        except Problem as problem:
            return problem.message
        return "" if 200 <= answer.status < 300 else f"the receiver answered {answer.status}"


def document_of(subscription: QuerySubscription, events: Sequence[Event], now: Instant) -> bytes:
    """Return the document for a subscriber."""
    told = to_json_events(events, subscription.terms.epc_format)
    return json_text(query_document(told, subscription.query, now, subscription.id)).encode()


async def _sleep_until(due: Instant) -> None:
    """Sleep in steps, so that a change of the clock is noticed."""
    while (left := (due - wall_clock()) / _SECOND) > 0:
        await asyncio.sleep(min(left, 1.0))
