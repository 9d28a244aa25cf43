"""The reports of standing queries, in the form in which the delivery worker sends matches.

A report is a document with the results of a query since the last report. It is made once and stays
the same through all attempts; its position is the number of the last event that was examined.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tocsin.errors import Problem, StateProblem
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.events.event import Event
from tocsin.runtime.admission import wall_clock
from tocsin.service.delivery.cursor import DeliveryCursor, Key
from tocsin.service.delivery.outbox import DeliveryMessage
from tocsin.service.delivery.store import GONE
from tocsin.service.delivery.targets import Delivered, Failed, Outcome
from tocsin.service.epcis.answers import RESPONSE_HEADERS, to_json_events
from tocsin.service.epcis.documents import query_document
from tocsin.service.epcis.event_search import EventQuery, find_between
from tocsin.service.epcis.exceptions import NO_SUCH_NAME, EpcisException
from tocsin.service.epcis.queries import NamedQuery
from tocsin.service.epcis.query_subscriptions import QuerySubscription, signature
from tocsin.service.epcis.repository import Repository
from tocsin.service.outbound.addresses import WebhookUrl
from tocsin.service.outbound.http_sender import HttpSender
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
