"""Text to statements within the limits; every failure is a problem with its place."""

from __future__ import annotations

from functools import cache

from tocsin.languages.base.grammar import Grammar, grammar_of
from tocsin.languages.base.parsing import Parser
from tocsin.languages.base.texts import START, ProblemCollector
from tocsin.languages.graph.limits import GraphLimits, exceeded
from tocsin.languages.graph.sparql import as_statements
from tocsin.languages.graph.syntax import GraphSubscription, SparqlQuery
from tocsin.languages.graph.syntax_errors import syntax_problem
from tocsin.languages.graph.transformer import GraphTransformer

_GRAMMAR = Grammar(
    "SYNTAX",
    syntax_problem,
    exceeded,
    flatter="drop parentheses that change nothing",
    shorter="split it",
    nesting="filter",
)


def read(text: str, limits: GraphLimits, problems: ProblemCollector) -> GraphSubscription:
    """Return the statements of a text in either spelling.

    Raises if it is not in the grammar or too large.
    """
    syntax: GraphSubscription | SparqlQuery = _GRAMMAR.read(_parser(limits.nesting), text, limits)
    subscription = (
        as_statements(syntax, problems, limits.statements)
        if isinstance(syntax, SparqlQuery)
        else syntax
    )
    if sum(len(group) for group in subscription.groups()) > limits.statements:
        raise exceeded(
            f"the subscription has more than {limits.statements:,} statements, which is the limit",
            START,
            "split it; a triple is a statement for each pair of classes of its ends",
        )
    return subscription


@cache
def _parser(nesting: int) -> Parser:
    return Parser(grammar_of("graph"), GraphTransformer(nesting))
