"""The background worker of the interface: follows the log, and delivers the reports of queries.

Reports are delivered as matches are, by the same delivery worker: in order for each subscription, a
slow receiver delays no other one, and a cursor is stored after the receiver has accepted a report,
so that after a crash the same events are sent again.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Callable
from time import monotonic

from tocsin.errors import Problem
from tocsin.runtime.admission import wall_clock
from tocsin.service.base.feed import Feed
from tocsin.service.base.worker import EventLoopWorker
from tocsin.service.delivery.cursor import DeliveryCursor
from tocsin.service.delivery.targets import RefusedTarget, Target
from tocsin.service.delivery.worker import DeliveryDependencies, DeliveryWorker
from tocsin.service.epcis.event_search import EventQuery
from tocsin.service.epcis.queries import NamedQuery
from tocsin.service.epcis.query_subscriptions import QuerySubscription
from tocsin.service.epcis.reports import AT_ONCE, News, QueryReports, ReportReceiver
from tocsin.service.epcis.repository import Repository
from tocsin.service.outbound.addresses import AddressRules, WebhookUrl, parse_webhook_url
from tocsin.service.outbound.http_sender import DnsResolver, HttpSender
from tocsin.service.outbound.pace import Backoff
from tocsin.service.storage.lock import Lease
from tocsin.service.storage.log import EventLog
from tocsin.values.time import Instant

_WORKER_LOG = logging.getLogger(__name__)

_LOOK = 0.5
_FORGET = 60.0
_SECOND = 1_000_000

_UNTIL_ACCEPTED = Backoff(tries=sys.maxsize, longest=60.0)
"""The standard has no dead letters: a report is tried until it is accepted."""


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
        self._rules = rules
        self._lease = lease
        self._growth = Feed(repository.index.last_number())
        self._reports = QueryReports(repository, ask)
        self._deliverer = DeliveryWorker(
            DeliveryDependencies(
                self._reports,
                self._reports,
                self._open_target,
                clock=wall_clock,
                hold=lease.hold,
                backoff=_UNTIL_ACCEPTED,
            )
        )
        self._background = EventLoopWorker("epcis", self._work, _WORKER_LOG)

    def start(self) -> None:
        """Start to follow the log and to deliver reports."""
        self._background.start()

    def stop(self) -> None:
        """Stop; reports under way are sent again after a restart."""
        self._background.stop()
        self._growth.close()

    def wake(self) -> None:
        """Announce changed subscriptions."""
        self._deliverer.wake(changed=True)

    def require_reachable(self, dest: str) -> WebhookUrl:
        """Return the parts of a URL; raise AddressProblem if it may not be reached."""
        return parse_webhook_url(dest, self._rules)

    def _open_target(self, line: DeliveryCursor) -> Target:
        subscription = self._reports.subscription(line)
        try:
            url = self.require_reachable(subscription.dest)
        except Problem as problem:
            _WORKER_LOG.warning("the EPCIS subscription %s waits: %s", subscription.id, problem)
            return RefusedTarget(problem)
        return ReportReceiver(subscription, url, self._sender)

    async def _work(self, stop: asyncio.Event) -> None:
        names = DnsResolver()
        self._sender = HttpSender(self._rules, names.look_up)
        following = asyncio.create_task(self._follow())
        delivering = asyncio.create_task(self._deliverer.run(stop))
        try:
            ended, _ = await asyncio.wait(
                [following, delivering], return_when=asyncio.FIRST_COMPLETED
            )
            for each in ended:
                each.result()  # raises what it has raised
        finally:
            self._log.nudge()
            for task in (following, delivering):
                task.cancel()
            await asyncio.gather(following, delivering, return_exceptions=True)
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
                _WORKER_LOG.warning("the EPCIS index waits for the storage: %s", problem)
                await asyncio.sleep(1)

    def _catch_up(self) -> None:
        self._repository.catch_up()
        head = self._growth.head
        self._growth.notice(self._repository.index.last_number())
        if self._growth.head > head:
            self._deliverer.wake()

    # Results for a WebSocket, which has no cursor that is stored.

    async def news(self, subscription: QuerySubscription) -> AsyncIterator[News]:
        """Yield new results without end: after a capture, or when due. Raises EpcisException when
        the query was dropped.
        """
        cursor, due = subscription.cursor, subscription.due
        while True:
            if due is not None:
                await _sleep_until(due)
                due = subscription.terms.next_after(max(due, wall_clock()))
                await asyncio.to_thread(self._catch_up)
                found = await asyncio.to_thread(
                    self._reports.news_since, subscription, cursor, None
                )
            else:
                found = await self._next_of_stream(subscription, cursor)
            cursor = found.until
            yield found

    async def _next_of_stream(self, subscription: QuerySubscription, cursor: int) -> News:
        while True:
            found = await asyncio.to_thread(self._reports.news_since, subscription, cursor, AT_ONCE)
            if found.events:
                return found
            if found.until > cursor:
                cursor = found.until
                continue
            await self._growth.beyond(cursor, _LOOK)


async def _sleep_until(due: Instant) -> None:
    """Sleep in steps, so that a change of the clock is noticed."""
    while (left := (due - wall_clock()) / _SECOND) > 0:
        await asyncio.sleep(min(left, 1.0))
