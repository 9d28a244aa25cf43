"""Verdicts of an atom on an event, of every family, step by step.

Steps are predicates, the statements of a graph, the operands of a concept, the patterns and
conditions of an XML block. The first element that fails together with all before it is the failure.

An event is an instance of a concept or not by refutation: a match shows the clash of every branch,
a miss one open branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.explain.conditions import condition_steps
from tocsin.explain.namespaces import graph_elsewhere
from tocsin.explain.wording import Explanation, ExplanationStep, plain
from tocsin.explain.xml_misses import miss_of
from tocsin.knowledge.concepts.assertions import Assertions
from tocsin.knowledge.concepts.concept import Conjunction, Disjunction, ForAll
from tocsin.knowledge.concepts.tableau import (
    Assumption,
    OpenBranch,
    TableauResult,
    assumption_text,
)
from tocsin.plan.explain import exmlql
from tocsin.plan.explain.exmlql import Spaces
from tocsin.plan.explain.graphs import statement_text
from tocsin.plan.nodes.atoms import Atom, Condition
from tocsin.plan.nodes.concepts import ConceptTest, concept_test_text
from tocsin.plan.nodes.graphs import GraphPattern, Home, StatementPattern, Vertex
from tocsin.plan.semantics.assertions import assertions_of
from tocsin.plan.semantics.match_rendering import values_of
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.plan.xml.xml_patterns import XmlBlock
from tocsin.reference.atoms import holds, rows_of, truth_of
from tocsin.reference.concepts import contradicts_itself, refutation
from tocsin.values.truth import Truth

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


def verdict_line(atom: Atom, event: Event) -> str:
    """Return one sentence: rings, does not ring, or is unknown."""
    holds, reason = evaluate_atom(atom, event)
    if isinstance(atom, Condition) and truth_of(atom.expression, event) is Truth.UNKNOWN:
        reason = "a value is missing or has another type (UNKNOWN)"
    because = f": {reason}" if reason else ""
    return f"event {event.id}: {'rings' if holds else 'does not ring'}{because}"


def atom_steps(atom: Atom, event: Event, depth: int = 0) -> Explanation:
    """Return the steps of an atom for an event."""
    match atom:
        case Condition(expression):
            return condition_steps(expression, event, depth)
        case GraphPattern():
            return plain(_graph_steps(atom, event, depth))
        case ConceptTest():
            return plain(_concept_steps(atom, event, depth))
        case XmlBlock():
            return plain(_block_steps(atom, event, depth))
        case _:
            assert_never(atom)


def evaluate_atom(atom: Atom, event: Event) -> tuple[bool | None, str | None]:
    """Return True if an event is an occurrence of an atom; None and the reason if it is unknown."""
    try:
        return holds(atom, event), None
    except Problem as problem:
        return None, problem.message
    except WorkLimitExceeded as why:
        return None, why.reason


def _graph_steps(pattern: GraphPattern, event: Event, depth: int) -> Iterator[ExplanationStep]:
    """Yield a step for each statement, evaluated with all before it."""
    statements = _connected(pattern.statements)
    plainly = replace(pattern, select=(), optionals=(), absents=())
    for count, statement in enumerate(statements, 1):
        part = replace(plainly, statements=tuple(statements[:count]))
        met, reason = evaluate_atom(part, event)
        text = statement_text(statement, pattern.ontology)
        if not met:
            reason = reason or "; ".join(graph_elsewhere(part, event)) or None
        yield ExplanationStep(text, met, reason, depth=depth)
        if not met:
            rest = statements[count:]
            yield from (
                ExplanationStep(statement_text(each, pattern.ontology), None, depth=depth)
                for each in rest
            )
            return
    if pattern.absents:
        yield ExplanationStep(
            "nothing that is said to be absent", evaluate_atom(pattern, event)[0], depth=depth
        )


def _connected(statements: tuple[StatementPattern, ...]) -> list[StatementPattern]:
    """Return the statements in an order in which each is connected to those before it."""
    known: set[Vertex] = {Home()}
    waiting, found = list(statements), list[StatementPattern]()
    while waiting:
        following = next((each for each in waiting if each.subject in known), waiting[0])
        waiting.remove(following)
        found.append(following)
        known.update(following.ends())
    return found


def _concept_steps(test: ConceptTest, event: Event, depth: int) -> Iterator[ExplanationStep]:
    concept = test.concept
    operands = concept.operands if isinstance(concept, Conjunction) else (concept,)
    for each in operands:
        part = replace(test, concept=each, correlate=(), named=())
        met, reason = evaluate_atom(part, event)
        if met is not None:
            lines = [line.strip() for line in concept_reasons(part, event)]
            reason = "; ".join(lines[1:]) or None
        yield ExplanationStep(concept_test_text(part), met, reason, depth=depth)
    whole, _ = evaluate_atom(test, event)
    if not whole:
        yield ExplanationStep("all of it together", whole, depth=depth)


def _block_steps(block: XmlBlock, event: Event, depth: int) -> Iterator[ExplanationStep]:
    spaces = Spaces(block.patterns)
    texts = [
        *(spaces.pattern(each) for each in block.patterns),
        *(exmlql.condition_text(each) for each in block.conditions),
    ]
    known: set[str] = set()
    for count, text in enumerate(texts, 1):
        patterns = block.patterns[: min(count, len(block.patterns))]
        conditions = block.conditions[: max(0, count - len(block.patterns))]
        part = XmlBlock(patterns, conditions)
        met, reason = evaluate_atom(part, event)
        actual: object = miss_of(part, event) if met is False else reason
        if met:
            values = values_of(rows_of(part, event))
            actual = {name: values[name] for name in values if name not in known} or None
            known |= values.keys()
        yield ExplanationStep(text, met, actual, depth=depth)
        if not met:
            yield from (ExplanationStep(each, None, depth=depth) for each in texts[count:])
            return
