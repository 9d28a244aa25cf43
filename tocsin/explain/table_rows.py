"""Why a rule matches a row of a Spark table, or why not: the explanation that files have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.catalog import Subscription, Surroundings, compile_with_sources
from tocsin.errors import MeaningProblem
from tocsin.explain.why_not import EventExplanation, explain_event, query_among
from tocsin.plan.nodes.atoms import Atom
from tocsin.spark.input.own_tables import PerTable, TableOptions, Tables
from tocsin.spark.plans.sources import FIXED_VERSION, Subscriptions, source_of
from tocsin.spark.query.event_rows import RowChoice, events_around


@dataclass(frozen=True, slots=True)
class RowExplanation:
    """A verdict about one row, with its steps: `print` shows them line by line."""

    subscription: str
    event: str
    explanation: EventExplanation

    @property
    def matches(self) -> bool:
        """True if the rule matches with the row as one of its events."""
        return self.explanation.matches

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        named = {"subscription": self.subscription, "event": self.event}
        return named | self.explanation.as_json()

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        verdict = "matches" if self.matches else "does not match"
        yield f"{self.subscription} {verdict} with {self.event}"
        yield from self.explanation.lines()


def explain_match(
    events: Tables,
    rule: Subscriptions,
    row: RowChoice,
    *,
    time: PerTable = None,
    name: str | None = None,
    id: PerTable = None,
    zone: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> RowExplanation:
    """Return why a rule matches a row of a batch, or why not, step by step.

    The row is one of the DataFrame, a mapping of values, or a condition such as "order_id = 17". Of
    a rule about several events the events nearest in time are replayed, at most 2,000.
    """
    held = source_of(rule).snapshot(FIXED_VERSION)
    subscription = _only(held.subscriptions)
    settings = Surroundings.of(held.definitions)
    plan, sources = compile_with_sources(subscription, settings)
    options = TableOptions(time, name, id, zone)
    alone = isinstance(plan.pattern, Atom)
    found = events_around(events, row, options, columns, alone=alone)
    query = query_among(found.events, found.index)
    explained = explain_event(plan.pattern, query, sources)
    return RowExplanation(subscription.id, query.event.id, explained)


def _only(given: tuple[Subscription, ...]) -> Subscription:
    if len(given) != 1:
        raise MeaningProblem(
            f"one rule is explained at a time, got {len(given)}",
            code="SubscriptionFormatError",
            hint='explain_match(orders, "WHEN order(amount > 100)", "order_id = 17", ...)',
        )
    return given[0]
