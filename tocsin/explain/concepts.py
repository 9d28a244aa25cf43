"""Reasons why an event is an instance of a concept or not, by refutation.

A match shows the clash of every branch, a miss one open branch.
"""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.knowledge.concepts.assertions import Assertions
from tocsin.knowledge.concepts.concept import Conjunction, Disjunction, ForAll
from tocsin.knowledge.concepts.tableau import (
    Assumption,
    OpenBranch,
    TableauResult,
    assumption_text,
)
from tocsin.plan.nodes.concepts import ConceptTest, concept_test_text
from tocsin.plan.semantics.assertions import assertions_of
from tocsin.reference.concepts import contradicts_itself, refutation

SHOWN = 12
"""Most branches, and most assumptions of one branch, in an explanation."""


def concept_reasons(test: ConceptTest, event: Event) -> Iterator[str]:
    """Yield why the event is an instance (clash of every branch), or why not (an open branch)."""
    try:
        said = assertions_of(event, test.tbox)
    except Problem as problem:
        yield f"does not ring: {problem.message}"
        return
    outcome = refutation(test, said)
    if contradicts_itself(said, test.world):
        yield "does not ring: the event contradicts itself"
    elif outcome.is_inconsistent:
        yield f"rings: it cannot be that the event is not {concept_test_text(test)}"
        yield from (f"  {line}" for line in _closed_lines(outcome))
    elif outcome.open is not None:
        yield f"does not ring: the event need not be {concept_test_text(test)}; it may be that"
        yield from (f"  {line}" for line in _open_lines(outcome.open, said))
    else:
        yield f"does not ring: undecided after {len(outcome.closed):,} branches"


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
