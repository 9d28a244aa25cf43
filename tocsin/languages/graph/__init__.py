"""The language `graph`: patterns found in the graph of an event, by an ontology.

Begin with `parse` in this file. `grammar.lark` and `transformer.py` read statements
`(subject, object, (class, property, class), filter)`, `sparql.py` triples `ASK { ... }`; `lower.py`
makes and checks the pattern, `filters.py` its filters, `printer.py` writes it. Without an ontology
every IRI is a class or property of its own, and bare names are those of JSON and XML members.

Imports: `errors`, `events`, `knowledge`, `languages.base`, `plan`, `values`.
Test a change with: `tests/languages/graph`, `tests/engine/graphs`, `tests/scenarios`.
"""

from __future__ import annotations

from functools import partial

from tocsin.knowledge.ontology import Ontology
from tocsin.languages.base.reading import (
    EMPTY_CONTEXT,
    NO_OPTIONS,
    Context,
    Options,
    Reading,
    capture_problems,
    whole_text,
)
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.graph.checks import warnings_of
from tocsin.languages.graph.lower import lower
from tocsin.languages.graph.names import without_ontology
from tocsin.languages.graph.read import GraphLimits, read, settings_of
from tocsin.plan.nodes.composites import Plan

__all__ = ["GraphLimits", "parse"]

_DEFAULT_LIMITS = GraphLimits()


@capture_problems
def parse(
    text: str,
    options: Options = NO_OPTIONS,
    context: Context = EMPTY_CONTEXT,
    limits: GraphLimits = _DEFAULT_LIMITS,
) -> Reading:
    """Return the reading of a subscription, with its problems in the order of their places."""
    settings, found = settings_of(options), ProblemCollector(text)
    syntax = read(text, limits, found)
    known = context.ontology
    ontology = known if isinstance(known, Ontology) else without_ontology()
    pattern = lower(syntax, ontology, settings, found)
    if pattern is None:
        return Reading(problems=tuple(found.in_reading_order()), syntax=syntax)
    plan, warn = Plan(pattern), partial(warnings_of, text, pattern, syntax)
    return Reading(plan, syntax=syntax, warn=warn, recorder=whole_text(plan, text))
