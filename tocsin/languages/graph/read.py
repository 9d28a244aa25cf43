"""Text to statements within the limits; every failure is a problem with its place.

Options: injective, strict and strategy. A text beyond a limit is refused with LIMIT.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TypeVar

from tocsin.languages.base.grammar import Grammar, TextLimits, grammar_of, limit_problems
from tocsin.languages.base.parsing import Parser
from tocsin.languages.base.reading import option_problem, refuse_unknown
from tocsin.languages.base.texts import START, ProblemCollector
from tocsin.languages.graph.sparql import as_statements
from tocsin.languages.graph.syntax import GraphSubscription, SparqlQuery
from tocsin.languages.graph.syntax_errors import syntax_problem
from tocsin.languages.graph.transformer import GraphTransformer
from tocsin.plan.nodes.graphs import Injective, Strategy


@dataclass(frozen=True, slots=True)
class GraphLimits(TextLimits):
    """Bytes of text in UTF-8; levels of nesting in a filter or of groups; statements after
    translation.
    """

    statements: int = 256


exceeded = limit_problems("LIMIT")


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


Choice = TypeVar("Choice", bound=Enum)

_OPTIONS = ("injective", "strict", "strategy")


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """Options of a subscription.

    `injective`: the ids that must have different images. `strict`: refuse types wider than the
    ontology allows. `strategy`: the matching algorithm.
    """

    injective: Injective = Injective.RESOURCES
    strict: bool = False
    strategy: Strategy = Strategy.DEFAULT


def settings_of(options: Mapping[str, object]) -> GraphOptions:
    """Return the settings of a subscription's options; raise if one is unknown or invalid."""
    refuse_unknown(options, "graph", _OPTIONS)
    return GraphOptions(
        _choice("injective", options.get("injective", "resources"), Injective),
        _strict(options.get("strict", False)),
        _choice("strategy", options.get("strategy", "default"), Strategy),
    )


def _choice(name: str, value: object, kind: type[Choice]) -> Choice:
    choices = {choice.value: choice for choice in kind}
    if not isinstance(value, str) or value not in choices:
        raise option_problem(
            f"{name} {value!r} is not known", name, f"write one of {', '.join(choices)}"
        )
    return choices[value]


def _strict(value: object) -> bool:
    if not isinstance(value, bool):
        raise option_problem(
            f"strict is true or false, got {value!r}", "strict", "write true or false"
        )
    return value
