"""Everything that can tell whether an event rings a condition; each test of meaning runs on all of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.builders import build_event
from tocsin.engine.columns.batch import Batch
from tocsin.engine.conditions.matcher import Matcher
from tocsin.engine.conditions.scan import ScanMatcher
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Condition
from tocsin.plan.nodes.composites import Plan
from tocsin.reference import holds

Evaluator = Callable[[Plan, Event], bool]


def by_reference(plan: Plan, event: Event) -> bool:
    """The meaning itself."""
    return holds(condition_of(plan), event)


def by_scan(plan: Plan, event: Event) -> bool:
    """The engine without indexes."""
    return _rings(ScanMatcher(), plan, event)


def by_index(plan: Plan, event: Event) -> bool:
    """The engine with indexes, one event at a time."""
    return _rings(Matcher(), plan, event)


def by_index_in_batches(plan: Plan, event: Event) -> bool:
    """The engine with indexes, on the path of large batches."""
    return _rings(Matcher(few=0), plan, event)


EVALUATORS: tuple[Evaluator, ...] = (by_reference, by_scan, by_index, by_index_in_batches)


def condition_of(plan: Plan) -> Condition:
    """The one condition of a selector's plan."""
    assert isinstance(plan.pattern, Condition)
    return plan.pattern


def event_with(data: Mapping[str, Any] | None = None, **envelope: Any) -> Event:
    """An event that holds the data; what matters not is filled in."""
    return build_event(**{"id": "e1", "source": "test"} | envelope, data=dict(data or {}))


def _rings(matcher: Matcher | ScanMatcher, plan: Plan, event: Event) -> bool:
    matcher.add("s", condition_of(plan))
    return len(matcher.match(Batch([event]))) == 1
