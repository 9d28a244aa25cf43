"""Questions about a subscription that is not there: what is wrong with it, what it means, and what
it would have rung for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tocsin.catalog import Subscription
from tocsin.catalog.tenants import Owned
from tocsin.errors import MeaningProblem
from tocsin.events.content import Content
from tocsin.gateway.storage.log import EventLog
from tocsin.gateway.subscriptions import Entries, subscription_of
from tocsin.gateway.work import bounded_work, checkpoint
from tocsin.hosts.local.alarm import wall_clock
from tocsin.hosts.local.finite import match_events, read_events
from tocsin.plan.composites import Plan
from tocsin.plan.explain.plan import plan_lines, summary_lines
from tocsin.plan.wire import plan_to_json
from tocsin.values.time import parse_duration

_ASKED = "asked"
"""The id of a subscription that has none."""

SHOWN = 10
"""So many of the first matches are told, unless more are asked for."""

MAX_TRY_SECONDS = 10.0
"""Processor time of the matching of a try: one event can bring about a match for every second."""

MAX_MATCHES_PER_EVENT = 2
"""Matches of a try, which are all in memory, for each event that it may look at."""

_CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class Tried:
    """What a subscription would have rung for: how many events were looked at, how many matches
    there are, and the first of them. `is_whole` tells whether all stored events were looked at.
    """

    events: int
    count: int
    is_whole: bool
    matches: list[dict[str, Any]] = field(default_factory=list)
    dead_letters: list[dict[str, Any]] = field(default_factory=list)


def asked_subscription(tenant: str, body: Mapping[str, Any]) -> Subscription:
    """The subscription of a question; it may have an id, and `paused` says nothing here."""
    rest = {name: value for name, value in body.items() if name not in ("id", "paused")}
    id = body.get("id", _ASKED)
    if not isinstance(id, str):
        raise MeaningProblem("id must be a string", code="SubscriptionFormatError", token="id")
    return subscription_of(tenant, id, rest)


def explain(entries: Entries, subscription: Subscription) -> dict[str, Any]:
    """The plan, how much it has to keep, and its wire form; raises the first problem."""
    entries.mirror.refresh()
    plan = entries.compile(subscription)
    return {"language": subscription.language, **plan_told(plan)}


def plan_told(plan: Plan) -> dict[str, Any]:
    """A plan in words and in its wire form."""
    return {
        "plan": list(plan_lines(plan)),
        "summary": list(summary_lines(plan)),
        "wire": json.loads(plan_to_json(plan)),
    }


def try_out(
    entries: Entries,
    log: EventLog,
    subscription: Subscription,
    last: str,
    shown: int = SHOWN,
    most: int = 100_000,
) -> Tried:
    """What a subscription would have rung for in the last so and so long, as if all had come in
    order.
    """
    entries.mirror.refresh()
    plan = entries.compile(subscription)
    now = wall_clock()
    lines, is_whole = _stored(log, now - parse_duration(last), most)
    given = read_events(lines)
    matches = bounded_work(
        MAX_TRY_SECONDS,
        match_events,
        {subscription.id: plan},
        given,
        until=now,
        most=MAX_MATCHES_PER_EVENT * most,
    )
    content = subscription.content or Content.IDS
    own = {"subscription": Owned.of_key(subscription.id).name}
    told = [match.as_json(content) | own for match in matches[:shown]]
    letters = [letter.as_json() for letter in given.dead_letters[:shown]]
    return Tried(len(given.events), len(matches), is_whole, told, letters)


def _stored(log: EventLog, since: int, most: int) -> tuple[list[bytes], bool]:
    """The events that were received since an instant, the newest where there are too many."""
    first, head = log.first_since(since), log.head
    position = max(first, head - most)
    lines: list[bytes] = []
    while position < head and (rows := log.read_stored(position, _CHUNK, head)):
        checkpoint()
        lines += (row.body for row in rows if row.code is None)
        position = rows[-1].position
    return lines, head - first <= most
