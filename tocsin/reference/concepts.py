"""Evaluation of concept tests by refutation: assume that the event is not an instance.

The test matches iff every branch has a clash. An undecided test (by the limits) does not match. An
event that contradicts itself would match every test; it matches none.
"""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.knowledge.concepts.assertions import EVENT, Assertions, World
from tocsin.knowledge.concepts.concept import Conjunction, Disjunction, ForAll, Symbol, normal_form
from tocsin.knowledge.concepts.tableau import (
    DEFAULT_LIMITS,
    Assumption,
    OpenBranch,
    TableauLimits,
    TableauResult,
    assumption_text,
    examine,
)
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.plan.bindings import Rows
from tocsin.plan.nodes.concepts import (
    MAX_ROWS,
    ConceptTest,
    concept_test_text,
    correlation_rows,
    row_count,
)
from tocsin.plan.semantics.assertions import assertions_of, contradiction

SHOWN = 12
"""Most branches, and most assumptions of one branch, in an explanation."""


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
    return refutation(test, said, limits).is_inconsistent and not _contradicts_itself(
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


def why_lines(test: ConceptTest, event: Event, indent: str = "") -> Iterator[str]:
    """Yield why the event is an instance (clash of every branch), or why not (an open branch)."""
    try:
        said = assertions_of(event, test.tbox)
    except Problem as problem:
        yield f"{indent}does not ring: {problem.message}"
        return
    outcome = refutation(test, said)
    if _contradicts_itself(said, test.world, DEFAULT_LIMITS):
        yield f"{indent}does not ring: the event contradicts itself"
    elif outcome.is_inconsistent:
        yield f"{indent}rings: it cannot be that the event is not {concept_test_text(test)}"
        yield from (f"{indent}  {line}" for line in _closed_lines(outcome))
    elif outcome.open is not None:
        yield (
            f"{indent}does not ring: the event need not be {concept_test_text(test)}; it may be"
            " that"
        )
        yield from (f"{indent}  {line}" for line in _open_lines(outcome.open, said))
    else:
        yield f"{indent}does not ring: undecided after {len(outcome.closed):,} branches"


def _contradicts_itself(said: Assertions, world: World, limits: TableauLimits) -> bool:
    if all(isinstance(concept, Symbol) for _, concept in said.concepts):
        return False  # symbols alone never clash
    outcome = examine(said, (), world, limits)
    return outcome.open is None


def _closed_lines(outcome: TableauResult) -> Iterator[str]:
    for branch in outcome.closed[:SHOWN]:
        chosen = " and ".join(map(assumption_text, branch.choices))
        yield f"{f'if {chosen}: ' if chosen else ''}{branch.clash.words} ({branch.clash.criterion})"
    if len(outcome.closed) > SHOWN:
        yield f"and {len(outcome.closed) - SHOWN:,} more such branches"


def _open_lines(branch: OpenBranch, said: Assertions) -> Iterator[str]:
    known = set(said.concepts)
    new = [each for each in branch.assumptions if each not in known and _is_plain(each)]
    yield from map(assumption_text, new[:SHOWN])
    if not new:
        yield "nothing more is said of it"
    if len(new) > SHOWN:
        yield f"and {len(new) - SHOWN:,} more"


def _is_plain(assumption: Assumption) -> bool:
    return not isinstance(assumption[1], Conjunction | Disjunction | ForAll)
