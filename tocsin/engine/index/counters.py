"""Work counted, not timed: counters of a matcher, so that tests can prove what it did not do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class WorkCounters:
    """Counters of one matcher, from its creation on.

    One predicate decided for one event is one evaluation, also if a whole batch is decided in one
    step; an index lookup that rules a predicate out is not. A matcher that keeps the rule "each
    distinct predicate at most once per event" has `predicate_evaluations <= distinct predicates *
    events`. A candidate is a subscription whose condition was checked beyond its first required
    tests, for one event or one block of events.
    """

    events: int = 0
    predicate_evaluations: int = 0
    like_checks: int = 0
    place_checks: int = 0
    candidates: int = 0
    hits: int = 0
