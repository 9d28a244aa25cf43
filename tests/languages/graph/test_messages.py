"""What a person who slips in a graph pattern is told: the code, the place and a way out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.languages.messages import Row, require_problem, require_silence, require_warning
from tocsin.languages import parse_subscription, warnings_in_subscription
from tocsin.plan.nodes.graphs import GraphPattern, filter_truth
from tocsin.values.terms import STRING, XSD, Literal
from tocsin.values.truth import Truth

PRICE = "(_:H, ?x, (owl:Thing, price, rdfs:Literal){})"

PROBLEMS: list[Row] = [
    ("?x", "SYNTAX", (1, 3), "triples are subject property object"),
    ("?x.", "SYNTAX", (1, 3), "something is missing before the dot"),
    ("<urn:h> <urn:p> ?x", "SYNTAX", (1, 1), "ASK { <urn:h> <urn:p> ?x . }"),
    ("_:b <urn:p> ?y select ?z", "UNKNOWN_VARIABLE", (1, 23), "select variables of statements"),
    ("?x <urn:p> ?y . ?y <urn:q> ?x", "NO_HOME_PATTERN", (1, 1), "say what home points to"),
    ("?x <urn:p> ?y select ?x", "NO_HOME_PATTERN", (1, 1), "say what home points to"),
    ("ASK _:H <urn:p> ?x", "SYNTAX", (1, 5), "ASK { _:H <urn:p> ?x . }"),
    ("ASK { _:H <urn:p> ?x ?x <urn:q> ?y }", "SYNTAX", (1, 22), "a dot is missing before it"),
    ("ASK { ?x. }", "SYNTAX", (1, 9), "something is missing before the dot"),
    ("ASK { _:H <urn:p> . }", "SYNTAX", (1, 19), "something is missing before the dot"),
    ("ASK { _:H <urn:p> ?x . ?x }", "SYNTAX", (1, 27), "triples are subject property object"),
    ("ASK { _:H <urn:p> ?x . ", "SYNTAX", (1, 23), "a brace is not closed"),
    (
        "ASK { _:H <urn:p> ?x . FILTER ?x < 5 }",
        "SYNTAX",
        (1, 34),
        "a filter stands in parentheses: FILTER (",
    ),
    ("ASK { _:H <urn:p> “x” }", "SYNTAX", (1, 19), "write straight quotes"),
    (
        "PREFIX ex: http://x/ ASK { _:H ex:p ?x }",
        "SYNTAX",
        (1, 12),
        "an IRI stands in angle brackets",
    ),
    (
        PRICE.format("") + " FILTER ?x < 5",
        "SYNTAX",
        (1, 52),
        "inside its statement: (_:H, ?x, (owl:Thing, price",
    ),
    (PRICE.format("") + " ?x < 5", "SYNTAX", (1, 45), "rdfs:Literal), ?x < 5)"),
    (PRICE.format("") + " .", "SYNTAX", (1, 45), "a dot stands between triples"),
    (PRICE.format("") + " select ?x.", "SYNTAX", (1, 54), "leave the dot out"),
    ("(_:H, ?x, price)", "SYNTAX", (1, 11), "class, property and class in parentheses"),
    ("(_:H price ?x)", "SYNTAX", (1, 6), "commas stand between the things of a statement"),
    ("(_:H, ?x, (owl:Thing price rdfs:Literal))", "SYNTAX", (1, 22), "commas stand between"),
    ("select ?x", "SYNTAX", (1, 10), "a pattern is missing"),
    (" ", "SYNTAX", (1, 1), "write (_:H, ?1, (Selling, target, Computer))"),
    ("\n\t", "SYNTAX", (1, 1), "write (_:H, ?1, (Selling, target, Computer))"),
    ("// x", "SYNTAX", (1, 1), "a comment begins with #"),
]

TWO = "ASK {{ _:H <urn:p> ?x . _:H <urn:q> ?y FILTER({}) }}"
WARNINGS: list[Row] = [
    (
        PRICE.format(", ?x < 5 and ?x > 7"),
        "UNSATISFIABLE",
        (1, 48),
        "no literal meets all that is asked of ?x",
    ),
    (PRICE.format(", not ?x < 5 and ?x < 4"), "UNSATISFIABLE", (1, 52), "it never rings"),
    (PRICE.format(", ?x = 'a' and ?x = 5"), "UNSATISFIABLE", (1, 48), "no literal meets all"),
    (PRICE.format(", ?x = <urn:y>"), "UNSATISFIABLE", (1, 48), "no literal meets all"),
    (
        "ASK { _:H <urn:p> ?x FILTER(?x < 5) FILTER(?x > 7) }",
        "UNSATISFIABLE",
        (1, 32),
        "no literal meets all",
    ),
    (TWO.format("?x = ?y"), "UNSATISFIABLE", (1, 7), "?x a rdfs:Literal"),
    (TWO.format("!(?x != ?y)"), "UNSATISFIABLE", (1, 7), "?x = ?y never holds"),
    (TWO.format("?x != ?y"), "TAUTOLOGY", (1, 7), "?x != ?y always holds"),
    (TWO.format("!(?x = ?y)"), "TAUTOLOGY", (1, 7), "?x != ?y always holds"),
    (
        "ASK { _:H <urn:p> ?x FILTER NOT EXISTS { _:H <urn:q> ?y FILTER(?x = ?y) } }",
        "UNSATISFIABLE",
        (1, 7),
        "?x = ?y never holds",
    ),
]

SILENT = [
    PRICE.format(", ?x < 5 or ?x > 7"),
    PRICE.format(", ?x = 5 and ?x = 5.0"),
    PRICE.format(", ?x >= 5 and ?x <= 5"),
    "ASK { _:H <urn:p> ?x FILTER(?x < 5) . _:H <urn:q> ?y FILTER(?y > 7) }",
    TWO.format("?x != ?y && ?x > 0"),
    TWO.format("?x = ?y || ?x != <urn:a>"),
    TWO.format("?x < ?y"),
    "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>"
    " ASK { _:H <urn:p> ?x . ?x a rdfs:Literal . _:H <urn:q> ?y FILTER(?x != ?y) }",
]


@pytest.mark.parametrize("row", PROBLEMS, ids=[row[0] for row in PROBLEMS])
def test_a_slip_is_told_with_a_way_out(row: Row) -> None:
    require_problem("graph", row)


@pytest.mark.parametrize("row", WARNINGS, ids=[row[0] for row in WARNINGS])
def test_what_never_rings_is_warned_of(row: Row) -> None:
    require_warning("graph", row)


@pytest.mark.parametrize("text", SILENT)
def test_what_can_ring_is_not_warned_of(text: str) -> None:
    require_silence("graph", text)


VALUES = ("1", "2", "2.0", "'a'", "'b'", "true", '"2026-01-01T00:00:00Z"^^xsd:dateTime')
LITERALS = [
    *(Literal(each, XSD + "decimal") for each in ("0", "1", "1.5", "2", "3")),
    *(Literal(each, STRING) for each in ("", "a", "ab", "b", "c")),
    *(Literal(each, XSD + "boolean") for each in ("true", "false")),
    Literal("2026-01-01T00:00:00Z", XSD + "dateTime"),
]
tests = st.builds(
    "?x {} {}".format, st.sampled_from(("<", "<=", "=", "!=", ">", ">=")), st.sampled_from(VALUES)
)
negated = tests.map("! {}".format)
filters = st.lists(st.one_of(tests, negated), min_size=1, max_size=4).map(" && ".join)


@given(st.lists(filters, min_size=1, max_size=2).map(" || ".join))
def test_what_is_said_never_to_ring_never_does(condition: str) -> None:
    text = PRICE.format(f", {condition}")
    if warnings_in_subscription("graph", text, {}):
        pattern = parse_subscription("graph", text, {}).pattern
        assert isinstance(pattern, GraphPattern)
        wanted = pattern.statements[0].filter
        assert wanted is not None
        assert not [each for each in LITERALS if filter_truth(wanted, each) is Truth.TRUE]
