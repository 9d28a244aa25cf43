"""Evaluation of concept tests by refutation: assume that the event is not an instance.

The test matches iff every branch has a clash. An undecided test (by the limits) does not match. An
event that contradicts itself would match every test; it matches none.
"""

from __future__ import annotations

from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.knowledge.concepts.assertions import EVENT, Assertions, World
from tocsin.knowledge.concepts.concept import Symbol, normal_form
from tocsin.knowledge.concepts.tableau import (
    DEFAULT_LIMITS,
    TableauLimits,
    TableauResult,
    examine,
)
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.plan.bindings import Rows
from tocsin.plan.nodes.concepts import MAX_ROWS, ConceptTest
from tocsin.plan.semantics.assertions import (
    assertions_of,
    contradiction,
    correlation_rows,
    row_count,
)


def holds(test: ConceptTest, event: Event, limits: TableauLimits = DEFAULT_LIMITS) -> bool:
    """True if the event is an instance of the concept.

    False if that is undecided or the event cannot be read.
    """
    try:
        said = assertions_of(event, test.tbox)
    except Problem:
        return False
    if len(test.correlate) > 1 and row_count(test, event) > MAX_ROWS:
        return False
    return refutation(test, said, limits).is_inconsistent and not contradicts_itself(
        said, test.world, limits
    )


def rows(test: ConceptTest, event: Event) -> Rows:
    """Return the values of the roles to correlate by, for an event that is an instance."""
    return correlation_rows(test, event)


def refutation(
    test: ConceptTest, said: Assertions, limits: TableauLimits = DEFAULT_LIMITS
) -> TableauResult:
    """Return the result of assuming that the event is not an instance of the concept."""
    return examine(said, [(EVENT, normal_form(test.concept, negated=True))], test.world, limits)


def require_consistent(event: Event, tbox: TBox) -> None:
    """Raise EVENT_INCONSISTENT if the assertions of the event contradict each other."""
    problem = contradiction(assertions_of(event, tbox), event)
    if problem is not None:
        raise problem


def contradicts_itself(
    said: Assertions, world: World, limits: TableauLimits = DEFAULT_LIMITS
) -> bool:
    """True if the assertions of an event contradict each other, or that is undecided."""
    if all(isinstance(concept, Symbol) for _, concept in said.concepts):
        return False  # symbols alone never clash
    outcome = examine(said, (), world, limits)
    return outcome.open is None
