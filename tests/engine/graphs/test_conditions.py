"""Filters between variables, with IRIs and with dates, from the text to the match: both strategies
and the reference say what is expected.
"""

from __future__ import annotations

import pytest

from tests.engine.graphs.worlds import event_of, pairs
from tests.languages.asked import GRAPH
from tocsin.engine.graphs.matcher import GraphMatcher
from tocsin.errors import MeaningProblem
from tocsin.knowledge.ontology import open_ontology
from tocsin.languages import warnings_in_subscription
from tocsin.languages.base.reading import Context
from tocsin.papers.graph_matcher import PaperMatcher
from tocsin.plan.explain.graphs import graph_lines
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.plan.wire.wire import plan_from_json, plan_to_json
from tocsin.reference import graphs as reference

CONTEXT = Context(ontology=open_ontology("http://x/"))
PREFIXES = "@prefix : <http://x/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . "


def pattern_of(text: str) -> GraphPattern:
    pattern = GRAPH.parse(text, {}, CONTEXT).pattern
    assert isinstance(pattern, GraphPattern)
    return pattern


@pytest.mark.parametrize(
    ("text", "body", "expected"),
    [
        ("ASK { _:H :low ?a ; :high ?b FILTER(?a < ?b) }", ":low 3 ; :high 4.5", True),
        ("ASK { _:H :low ?a ; :high ?b FILTER(?a < ?b) }", ":low 5 ; :high 4.5", False),
        ("ASK { _:H :low ?a ; :high ?b FILTER(?a < ?b) }", ":low 5, 1 ; :high 4", True),
        ("ASK { _:H :low ?a ; :high ?b FILTER(?a < ?b) }", ":low 'a' ; :high 4", False),
        ("ASK { _:H :p ?a ; :q ?b FILTER(?a = ?b && ?a > 0) }", ":p 1 ; :q 1.0", True),
        ("ASK { _:H :p ?a ; :q ?b FILTER(?a != ?b && ?a > 0) }", ":p 1 ; :q 1.0", False),
        ("ASK { _:H :p ?a ; :q ?b FILTER(?a > 0 || ?b > 5) }", ":p 0 ; :q 6", True),
        ("ASK { _:H :p ?a FILTER(?a = <http://x/i>) }", ":p :i", True),
        ("ASK { _:H :p ?a FILTER(?a = :i) }", ":p :k", False),
        ("ASK { _:H :p ?a FILTER(?a != :i) }", ":p :k", True),
        ("ASK { _:H :p ?a FILTER(?a != :i) }", ":p [ :q 1 ]", True),
        ("ASK { _:H :p ?a FILTER(?a != :i) }", ":p :i", False),
        ('ASK { _:H :d ?d FILTER(?d > "2006-08-22"^^xsd:date) }', ":d '2006-08-23'^^xsd:date", True),
        ('ASK { _:H :d ?d FILTER(?d > "2006-08-22"^^xsd:date) }', ":d '2006-08-22'^^xsd:date", False),
        ('ASK { _:H :d ?d FILTER(?d != "2006-08-22"^^xsd:date) }', ":d '2006-08-21'^^xsd:date", True),
        ("ASK { _:H :from ?a ; :to ?b FILTER(?a < ?b) }",
         ":from '2026-01-01T10:00:00'^^xsd:dateTime ; :to '2026-01-01T11:00:00'^^xsd:dateTime", True),
        ("ASK { _:H :low ?a FILTER NOT EXISTS { _:H :high ?b FILTER(?b < ?a) } }",
         ":low 5 ; :high 4", False),
        ("ASK { _:H :low ?a FILTER NOT EXISTS { _:H :high ?b FILTER(?b < ?a) } }",
         ":low 3 ; :high 4", True),
        ("ASK { _:H :low ?a FILTER NOT EXISTS { _:H :high ?b FILTER(?a > 4) } }",
         ":low 3 ; :high 4", True),
        ("ASK { _:H :p/:q ?a ; :r ?b FILTER(?a >= ?b) }", ":p [ :q 4 ] ; :r 4", True),
        ("(_:H, ?a, (owl:Thing, low, rdfs:Literal)) (_:H, ?b, (owl:Thing, high, rdfs:Literal), ?a < ?b)",
         ":low 3 ; :high 4", True),
    ],
)  # fmt: skip
def test_conditions(text: str, body: str, expected: bool) -> None:
    pattern, event = pattern_of(text), event_of(f"{PREFIXES} _:H {body} .")
    assert reference.holds(pattern, event) is expected
    for make in (GraphMatcher, PaperMatcher):
        matcher = make()
        matcher.add("s", pattern)
        assert pairs(matcher, [event]) == ([(0, "s")] if expected else [])


def test_an_optional_group_is_told_where_its_condition_holds() -> None:
    pattern = pattern_of("select ?b { _:H :low ?a OPTIONAL { _:H :high ?b FILTER(?a < ?b) } }")
    for body, rows in ((":low 3 ; :high 1, 4", ((("b", 4),),)), (":low 3 ; :high 1", ((),))):
        event = event_of(f"{PREFIXES} _:H {body} .")
        assert GraphMatcher().rows(pattern, event) == reference.rows(pattern, event) == rows


def test_a_condition_is_explained_and_has_a_wire_form() -> None:
    pattern = pattern_of("ASK { _:H :low ?a ; :high ?b FILTER(?a < ?b && ?a > 0) }")
    assert any("?a < ?b" in line for line in graph_lines(pattern))
    text = plan_to_json(Plan(pattern))
    assert '"tocsin-plan":3' in text
    assert plan_from_json(text, [pattern.ontology]) == Plan(pattern)
    alone = pattern_of("ASK { _:H :low ?a FILTER(?a > 0) }")
    assert '"across"' not in plan_to_json(Plan(alone))


def test_a_variable_that_no_statement_has_is_refused() -> None:
    with pytest.raises(MeaningProblem, match="FILTER_VARIABLE"):
        pattern_of("ASK { _:H :low ?a FILTER(?a < ?c) }")


@pytest.mark.parametrize(
    ("condition", "codes"),
    [
        ("?a = ?b", ["UNSATISFIABLE"]),
        ("?a != ?b", ["TAUTOLOGY"]),
        ("?a < ?b", []),
        ("?a = :i", []),
    ],
)
def test_what_has_one_answer_for_resources_is_warned_of(condition: str, codes: list[str]) -> None:
    text = f"ASK {{ _:H :p ?a ; :q ?b FILTER({condition}) }}"
    found = warnings_in_subscription("graph", text, {}, CONTEXT)
    assert [each.code for each in found] == codes
