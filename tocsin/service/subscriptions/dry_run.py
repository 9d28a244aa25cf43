"""Dry run of a subscription that is not stored: its problems, its plan, and the matches it would
have had.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tocsin.catalog import Subscription
from tocsin.catalog.tenants import Owned
from tocsin.errors import MeaningProblem
from tocsin.events.matches.match import MemberContent
from tocsin.plan.explain.plan import plan_lines, summary_lines
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.nodes.sources import NO_SOURCES, Sources
from tocsin.plan.wire.wire import plan_to_json
from tocsin.runtime.admission import wall_clock
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.service.base.work import bounded_work, checkpoint
from tocsin.service.storage.log import EventLog
from tocsin.service.subscriptions.subscriptions import SubscriptionService, subscription_of
from tocsin.values.time import parse_duration

_DEFAULT_ID = "asked"
"""Id for a subscription without one."""

SHOWN = 10
"""Matches returned by default, the first ones."""

MAX_TRY_SECONDS = 10.0
"""Processor time of the matching of a try: one event can bring about a match for every second."""

MAX_MATCHES_PER_EVENT = 2
"""Matches of a try, which are all in memory, for each event that it may look at."""

_CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class DryRunResult:
    """Result of a dry run: events evaluated, matches found, and the first matches. `is_whole` is
    True if all stored events of the period were evaluated.
    """

    events: int
    count: int
    is_whole: bool
    matches: list[dict[str, Any]] = field(default_factory=list)
    dead_letters: list[dict[str, Any]] = field(default_factory=list)


def read_subscription(tenant: str, body: Mapping[str, Any]) -> Subscription:
    """Return the subscription of a dry run; an `id` is optional, `paused` is ignored."""
    rest = {name: value for name, value in body.items() if name not in ("id", "paused")}
    id = body.get("id", _DEFAULT_ID)
    if not isinstance(id, str):
        raise MeaningProblem("id must be a string", code="SubscriptionFormatError", token="id")
    return subscription_of(tenant, id, rest)


def explain(entries: SubscriptionService, subscription: Subscription) -> dict[str, Any]:
    """Return the plan, the bounds of its state and its wire form; raise the first problem."""
    entries.mirror.refresh()
    plan, sources = entries.compile_with_sources(subscription)
    return {"language": subscription.language, **describe_plan(plan, sources)}


def describe_plan(plan: Plan, sources: Sources = NO_SOURCES) -> dict[str, Any]:
    """Return a plan in the words of its source texts and in its wire form."""
    return {
        "plan": list(plan_lines(plan, sources)),
        "summary": list(summary_lines(plan, sources)),
        "wire": json.loads(plan_to_json(plan)),
    }


def try_out(
    entries: SubscriptionService,
    log: EventLog,
    subscription: Subscription,
    last: str,
    shown: int = SHOWN,
    most: int = 100_000,
) -> DryRunResult:
    """Return the matches that a subscription would have had in the duration `last`, as if all
    events had arrived in order.

    Reads the newest `most` events at most, and returns the first `shown` matches and dead letters.
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
    content = subscription.content or MemberContent.IDS
    own = {"subscription": Owned.of_key(subscription.id).name}
    told = [match.as_json(content) | own for match in matches[:shown]]
    letters = [letter.as_json() for letter in given.dead_letters[:shown]]
    return DryRunResult(len(given.events), len(matches), is_whole, told, letters)


def _stored(log: EventLog, since: int, most: int) -> tuple[list[bytes], bool]:
    """Return the events received since an instant, the newest `most` at most; True if these are
    all.
    """
    first, head = log.first_since(since), log.head
    position = max(first, head - most)
    lines: list[bytes] = []
    while position < head and (rows := log.read_stored(position, _CHUNK, head)):
        checkpoint()
        lines += (row.body for row in rows if row.code is None)
        position = rows[-1].position
    return lines, head - first <= most
