"""Graph patterns over an ontology: an event rings when the pattern can be found in its graph, by
meaning.

Statement patterns `(subject, object, (class, property, class), filter)`, or SPARQL-like triples
`ASK { ... }`. Without an ontology every IRI is a class or a property of its own, and bare names are
those that JSON and XML members have.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tocsin.errors import Place, Problem
from tocsin.events.views.names import VOCABULARY
from tocsin.knowledge.ontology import Ontology, open_ontology
from tocsin.languages.base.context import Context
from tocsin.languages.base.reading import Language
from tocsin.languages.base.texts import Problems
from tocsin.languages.graph.checks import warn_of_contradictions
from tocsin.languages.graph.limits import Limits, exceeded
from tocsin.languages.graph.lower import lowered
from tocsin.languages.graph.options import settings_of
from tocsin.languages.graph.read import read
from tocsin.languages.graph.sparql import as_statements
from tocsin.languages.graph.syntax import Query, Subscription
from tocsin.plan.composites import Plan
from tocsin.plan.graphs import GraphPattern

__all__ = ["LANGUAGE", "Limits", "parse", "problems", "warnings"]

_DEFAULT_LIMITS = Limits()


def parse(
    text: str, options: Mapping[str, object], context: Context, limits: Limits = _DEFAULT_LIMITS
) -> Plan:
    """The plan of a subscription; raises its first problem."""
    pattern, found = _meaning(text, options, context, limits)
    if pattern is None:
        raise found[0]
    return Plan(pattern)


def problems(
    text: str, options: Mapping[str, object], context: Context, limits: Limits = _DEFAULT_LIMITS
) -> list[Problem]:
    """Every problem of a subscription in the order of its places; empty iff it parses."""
    try:
        return _meaning(text, options, context, limits)[1]
    except Problem as problem:
        return [problem]


def warnings(text: str, options: Mapping[str, object], context: Context) -> list[Problem]:
    """What a text says that is probably not meant; nothing where it has problems."""
    found = Problems(text)
    try:
        subscription = statements_of(text, _DEFAULT_LIMITS, found)
        pattern = lowered(subscription, _ontology(context), settings_of(options), found)
    except Problem:
        return []
    if pattern is None:
        return []
    warned = Problems(text)
    warn_of_contradictions(pattern, subscription, warned)
    return warned.in_reading_order()


LANGUAGE = Language(parse, problems, warnings)


def statements_of(text: str, limits: Limits, found: Problems) -> Subscription:
    """The statements of a text in either spelling; raises where it is not in the grammar or too
    large.
    """
    syntax = read(text, limits)
    subscription = (
        as_statements(syntax, found, limits.statements) if isinstance(syntax, Query) else syntax
    )
    size = sum(len(group) for group in subscription.groups())
    if size > limits.statements:
        raise exceeded(
            f"the subscription has more than {limits.statements:,} statements, which is the limit",
            Place(1, 1),
            "split it; a triple is a statement for each pair of classes of its ends",
        )
    return subscription


def _meaning(
    text: str, options: Mapping[str, object], context: Context, limits: Limits
) -> tuple[GraphPattern | None, list[Problem]]:
    settings = settings_of(options)
    found = Problems(text)
    pattern = lowered(statements_of(text, limits, found), _ontology(context), settings, found)
    return (pattern, found.in_reading_order())


def _ontology(context: Context) -> Ontology:
    return context.ontology if isinstance(context.ontology, Ontology) else _open()


@cache
def _open() -> Ontology:
    return open_ontology(VOCABULARY)
