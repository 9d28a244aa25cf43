"""The reports of standing queries, and the background worker that delivers them.

A report is a document with the results of a query since the last report. It is made once and stays
the same through all attempts; its position is the number of the last event that was examined.

The worker follows the log.

Reports are delivered as matches are, by the same delivery worker: in order for each subscription, a
slow receiver delays no other one, and a cursor is stored after the receiver has accepted a report,
so that after a crash the same events are sent again.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from tocsin.errors import Problem, StateProblem
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.events.event import Event
from tocsin.runtime.admission import wall_clock
from tocsin.service.base.feed import Feed
from tocsin.service.base.worker import EventLoopWorker
from tocsin.service.delivery.cursor import DeliveryCursor, Key
from tocsin.service.delivery.outbox import DeliveryMessage
from tocsin.service.delivery.store import GONE
from tocsin.service.delivery.targets import Delivered, Failed, Outcome, RefusedTarget, Target
from tocsin.service.delivery.worker import DeliveryDependencies, DeliveryWorker
from tocsin.service.epcis.answers import RESPONSE_HEADERS, to_json_events
from tocsin.service.epcis.documents import query_document
from tocsin.service.epcis.event_search import EventQuery, NamedQuery, find_between
from tocsin.service.epcis.exceptions import NO_SUCH_NAME, EpcisException
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
"""New events examined for one report of a stream, at most."""


@dataclass(frozen=True, slots=True)
class News:
    """New results for a subscription, up to a number."""

    events: Sequence[Event]
    until: int


def report_of(
    subscription: QuerySubscription, events: Sequence[Event], now: Instant
) -> dict[str, Any]:
    """Return the document for a subscriber."""
    told = to_json_events(events, subscription.terms.epc_format)
    return query_document(told, subscription.query, now, subscription.id)


@dataclass(slots=True)
class _Standing:
    """A subscription with the report that its receiver has not accepted yet.

    `examined` is the number up to which events were examined; `delivered` counts the accepted
    reports before `report`, and so tells a further attempt from the request for the next report.
    """

    subscription: QuerySubscription
    examined: int
    due: Instant | None
    report: DeliveryMessage | None = None
    delivered: int = -1
    saved: int = 0

    def has_news(self, last: int, now: Instant) -> bool:
        """True if there may be something to report."""
        if self.subscription.terms.is_stream:
            return self.examined < last
        return self.due is not None and self.due <= now


class QueryReports:
    """Outbox and cursors of the standing queries, for a delivery worker."""

    def __init__(
        self, repository: Repository, ask: Callable[[NamedQuery, str], EventQuery]
    ) -> None:
        self._repository = repository
        self._ask = ask
        self._standing: dict[Key, _Standing] = {}
        self._changes = 0

    def news_since(self, subscription: QuerySubscription, cursor: int, most: int | None) -> News:
        """Return the results among at most `most` events after a number; raise EpcisException when
        the query was dropped.
        """
        query = self._repository.query(subscription.tenant, subscription.query)
        if query is None:
            raise EpcisException(NO_SUCH_NAME, f"the query {subscription.query!r} was dropped")
        index = self._repository.index
        last = index.last_number()
        until = last if most is None else min(last, cursor + most)
        if until <= cursor:
            return News((), cursor)
        asked = self._ask(query, subscription.tenant)
        return News(find_between(index, asked, cursor, until), until)

    # The cursors.

    def changed_after(self, changed: int) -> list[DeliveryCursor]:
        """Return new and removed subscriptions as cursors; all of them after a number below 0."""
        stored = {(each.tenant, each.id): each for each in self._repository.all_subscriptions()}
        if changed < 0:
            self._standing.clear()
        gone = [key for key in self._standing if key not in stored]
        new = [key for key in stored if key not in self._standing]
        self._changes += 1
        for key in gone:
            del self._standing[key]
        for key in new:
            each = stored[key]
            self._standing[key] = _Standing(each, each.cursor, each.due)
        return [self._cursor(key, GONE, 0) for key in gone] + [
            self._cursor(key, json.dumps({"webhook": stored[key].dest}), stored[key].cursor)
            for key in new
        ]

    def _cursor(self, key: Key, deliver: str, position: int) -> DeliveryCursor:
        return DeliveryCursor(*key, deliver, self._changes, paused=False, position=position)

    def save(self, lines: Iterable[DeliveryCursor]) -> None:
        """Store the progress of the subscriptions whose receivers have accepted a report."""
        for line in lines:
            standing = self._standing.get(line.key)
            if standing is not None and standing.saved < line.delivered:
                self._move(standing, line.position, was_notified=True)
                standing.saved = line.delivered

    def _move(self, standing: _Standing, position: int, *, was_notified: bool) -> None:
        standing.subscription = standing.subscription.moved(
            position, standing.due, wall_clock(), was_notified=was_notified
        )
        self._repository.save_subscription(standing.subscription)

    def subscription(self, line: DeliveryCursor) -> QuerySubscription:
        """Return the subscription of a cursor."""
        return self._standing[line.key].subscription

    # The outbox.

    def newest(self) -> int:
        """Return the number of the last event."""
        return self._repository.index.last_number()

    def owners_after(self, position: int, limit: int) -> tuple[Collection[Key], int]:
        """Return the subscriptions that may have something to report, and the last number."""
        last, now = self.newest(), wall_clock()
        keys = [key for key, each in list(self._standing.items()) if each.has_news(last, now)]
        return keys, max(position, last)

    def read(self, line: DeliveryCursor, limit: int) -> list[DeliveryMessage]:
        """Return the next report of a subscription, the same one until it is delivered."""
        standing = self._standing.get(line.key)
        if standing is None:
            return []
        if standing.report is None or standing.delivered != line.delivered:
            standing.report = self._next_report(standing)
            standing.delivered = line.delivered
        return [standing.report] if standing.report else []

    def _next_report(self, standing: _Standing) -> DeliveryMessage | None:
        subscription = standing.subscription
        look = self._new_events if subscription.terms.is_stream else self._due_events
        try:
            events = look(standing)
        except EpcisException as refused:
            raise StateProblem(
                f"the EPCIS subscription {subscription.id}: {refused.detail}", code="QueryError"
            ) from None
        if events is None:
            return None
        until = standing.examined
        report = report_of(subscription, events, wall_clock())
        return DeliveryMessage(until, f"{subscription.id}:{until}", subscription.id, report)

    def _new_events(self, standing: _Standing) -> Sequence[Event] | None:
        """Return the next results of a stream; None without any."""
        while True:
            news = self.news_since(standing.subscription, standing.examined, AT_ONCE)
            if news.until == standing.examined:
                return None
            standing.examined = news.until
            if news.events:
                return news.events

    def _due_events(self, standing: _Standing) -> Sequence[Event] | None:
        """Return the results when the schedule asks for them; None if nothing is to be told."""
        now = wall_clock()
        if standing.due is None or now < standing.due:
            return None
        self._repository.catch_up()
        news = self.news_since(standing.subscription, standing.examined, None)
        standing.examined = news.until
        terms = standing.subscription.terms
        standing.due = terms.next_after(max(standing.due, now))
        if news.events or terms.report_if_empty:
            return news.events
        self._move(standing, news.until, was_notified=False)
        return None


@dataclass(frozen=True, slots=True)
class ReportReceiver:
    """The receiver of a subscription to a query. The standard has no way to end one by an answer:
    every status but 2xx is tried again.
    """

    subscription: QuerySubscription
    url: WebhookUrl
    sender: HttpSender
    batch: int = 1

    @property
    def receiver(self) -> str:
        """Scheme, host and port."""
        return self.url.origin

    async def send(self, notices: Sequence[DeliveryMessage]) -> Outcome:
        """Send a report."""
        body = json_text(notices[0].match).encode()
        outcome = await self._post(body)
        if isinstance(outcome, Failed):
            _LOG.warning(
                "the EPCIS subscription %s is tried again: %s", self.subscription.id, outcome.reason
            )
        return outcome

    async def _post(self, body: bytes) -> Outcome:
        try:
            answer = await self.sender.post(self.url, self._headers(body), body)
        except Problem as problem:
            return Failed(problem.message, code=problem.code)
        if 200 <= answer.status < 300:
            return Delivered()
        return Failed(f"the receiver answered {answer.status}")

    def _headers(self, body: bytes) -> Mapping[str, str]:
        token = self.subscription.token
        signed = {"GS1-Signature": signature(token, body)} if token else {}
        return {"content-type": "application/json", **RESPONSE_HEADERS, **signed}


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
        self._background = EventLoopWorker("epcis", self._work, _LOG)

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
            _LOG.warning("the EPCIS subscription %s waits: %s", subscription.id, problem)
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
                _LOG.warning("the EPCIS index waits for the storage: %s", problem)
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
