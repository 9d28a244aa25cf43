"""The auction of the paper for tests of the graph language, and short ways to read a text."""

from __future__ import annotations

from functools import cache

from tests.scenarios.loading import scenarios
from tocsin.errors import Problem
from tocsin.knowledge.loading import parse_ontology
from tocsin.knowledge.ontology import Ontology
from tocsin.languages import parse_subscription, problems_in_subscription
from tocsin.languages.base.reading import Context
from tocsin.plan.nodes.graphs import GraphPattern

AUCTION = "http://auction.example/"
UNITS = "http://units.example/"


@cache
def auction() -> Ontology:
    scenario = next(scenarios("graph.toml"))
    assert scenario.ontology is not None
    return parse_ontology(scenario.ontology)


def cheap() -> str:
    return next(scenarios("graph.toml")).subscription.expression


def parsed(text: str, **options: object) -> GraphPattern:
    pattern = parse_subscription("graph", text, options, Context(ontology=auction())).pattern
    assert isinstance(pattern, GraphPattern)
    return pattern


def problems_of(text: str, **options: object) -> list[Problem]:
    return problems_in_subscription("graph", text, options, Context(ontology=auction()))


def told(problem: Problem) -> tuple[str, int, int, str]:
    assert problem.place is not None
    return (problem.code, problem.place.line, problem.place.column, problem.token)
