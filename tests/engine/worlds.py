"""Subscriptions and events for the engine's tests, and what the reference says about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

from tests.strategies import boolean_nodes, events
from tocsin.engine.columns.batch import Batch, EventBatch
from tocsin.engine.conditions.matcher import Matcher
from tocsin.engine.conditions.scan import ScanMatcher
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import BooleanNode, Condition
from tocsin.reference import holds

AnyMatcher = TypeVar("AnyMatcher", Matcher, ScanMatcher)
Pairs = list[tuple[int, str]]

expressions = st.lists(boolean_nodes(), max_size=6)
event_lists = st.lists(events(), min_size=1, max_size=6)


def subscribed(matcher: AnyMatcher, nodes: Sequence[BooleanNode]) -> AnyMatcher:
    """The matcher with one subscription per node, named by its place."""
    for place, node in enumerate(nodes):
        matcher.add(str(place), Condition(node))
    return matcher


def pairs(matcher: Matcher | ScanMatcher, batch: EventBatch) -> Pairs:
    """The hits as pairs of event index and key, in the order in which they came."""
    hits = matcher.match(batch)
    return list(zip(hits.events.tolist(), matcher.keys_of(hits.slots), strict=True))


def pairs_of_reference(nodes: Sequence[BooleanNode], given: Sequence[Event]) -> Pairs:
    """What the hits must be, in their promised order."""
    return [
        (i, str(place))
        for i, one in enumerate(given)
        for place, node in enumerate(nodes)
        if holds(Condition(node), one)
    ]


def cut(given: Sequence[Event], sizes: Sequence[int]) -> list[Batch]:
    """The events in batches of the sizes, the last with all that remain."""
    batches, start = [], 0
    for size in sizes:
        batches.append(Batch(given[start : start + size]))
        start += size
    return [*batches, Batch(given[start:])]
