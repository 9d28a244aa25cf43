"""Every problem of a text has its code, its place, the token and a way out; and no problem hides
another.
"""

from __future__ import annotations

import pytest

from tests.languages.asked import GRAPH
from tests.languages.graph.texts import cheap, parsed, problems_of, told
from tocsin.errors import LimitProblem, MeaningProblem, SyntaxProblem, UnsupportedProblem
from tocsin.knowledge.loading import parse_ontology
from tocsin.knowledge.ontology import Ontology
from tocsin.languages import problems_in_subscription
from tocsin.languages.base.reading import Context
from tocsin.languages.graph import GraphLimits

parse = GRAPH.parse

SYNTAX = [
    ("", 1, 1, "", "(_:H, ?1"),
    ("(_:H, ?1, (Selling, target, Computer)", 1, 38, "", "not closed"),
    ("(_:H, ?1)", 1, 9, ")", "(subject, object, (class, property, class))"),
    ("(_:H, ?1, (Selling, target))", 1, 27, ")", "(subject, object"),
    ("(_:H ?1, (Selling, target, Computer))", 1, 6, "?1", ""),
    ("(_:H, ?1, (Selling, target, Computer)) x", 1, 40, "x", ""),
    ("(_:H, ?, (Selling, target, Computer))", 1, 7, "?", "?1"),
    ("(_:H, $x, (Selling, target, Computer))", 1, 7, "$", "question mark"),
    ("(._:H, ?1, (Selling, target, Computer))", 1, 2, ".", "write _:H"),
    ('(_:H, "abc, (Customer, name, xsd:string))', 1, 7, '"', "closing quote"),
    ("(_:H, ?1, (Customer, name, xsd:string), ?1 <)", 1, 45, ")", ""),
    ("(_:H, ?1, (Customer, name, xsd:string), ?1)", 1, 43, ")", "a filter compares"),
    ("(_:H, ?1, (nowhere:Selling, target, Computer))", 1, 12, "nowhere:Selling", "PREFIX nowhere:"),
    ('(_:H, "\\q", (Customer, name, xsd:string))', 1, 8, "\\q", "escapes are"),
    ('(_:H, "\\uD800", (Customer, name, xsd:string))', 1, 8, "\\uD800", "escapes are"),
    ("PREFIX x <http://x/>\n(_:H, ?1, (A, p, B))", 1, 8, "x", "PREFIX ex:"),
    ("ASK { _:H :target ?1", 1, 21, "", "brace is not closed"),
    ("ASK { _:H :target }", 1, 19, "}", "triples are subject property object"),
    ("ASK { _:H :target ?1 ?2 }", 1, 22, "?2", "dot between them"),
    ("(_:H, ?1, (Selling, target, Computer))\n\ud800", 2, 1, "'\\ud800'", "Unicode"),
    ("(_:H, ?1, (or, target, Computer))", 1, 12, "or", ""),
]

UNSUPPORTED = [
    ("ASK { { _:H :target ?1 } UNION { _:H :seller ?1 } }", 1, 7, "{"),
    ("ASK { _:H :target ?1 UNION }", 1, 22, "U"),
    ("ASK { _:H :target ?1 . MINUS { _:H :seller ?1 } }", 1, 30, "{"),
    (
        "ASK { _:H :target ?1 . OPTIONAL { ?1 :size ?2 . OPTIONAL { ?1 :size ?3 } } }",
        1,
        49,
        "OPTIONAL",
    ),
    ("ASK { _:H :target* ?1 }", 1, 18, "*"),
    ("ASK { _:H ^:target ?1 }", 1, 11, "^"),
    ("ASK { _:H :target|:seller ?1 }", 1, 18, "|"),
    ("ASK { _:H :target [ a :Computer ] }", 1, 19, "["),
    ("ASK { _:H ?p ?1 }", 1, 11, "?p"),
    ("ASK { _:H a ?t ; :target ?1 }", 1, 13, "?t"),
    ("ASK { _:H :target ?1 } LIMIT 5", 1, 24, "L"),
    ("ASK { _:H :target ?1 } GROUP BY ?1", 1, 24, "G"),
    ("SELECT DISTINCT ?1 { _:H :target ?1 }", 1, 8, "D"),
    ("SELECT * { _:H :target ?1 }", 1, 8, "*"),
    ("CONSTRUCT { _:H :target ?1 }", 1, 1, "C"),
    ("ASK { _:H :price ?1 . ?1 rdf:value ?2 FILTER(abs(?2) < 3) }", 1, 49, "("),
]

MEANING = [
    ("(?1, ?2, (Selling, target, Computer))", ("NO_HOME_PATTERN", 1, 2, "?1")),
    ("ASK { }", ("NO_HOME_PATTERN", 1, 1, "")),
    ("(?1, Selling)", ("NO_HOME_PATTERN", 1, 2, "?1")),
    ("(_:H, Sellling)", ("UNKNOWN_CLASS", 1, 7, "Sellling")),
    ("(_:H, xsd:string)", ("KIND_CONFLICT", 1, 2, "_:H")),
    (
        "(_:H, ?1, (Selling, target, Computer))\n(?2, ?2, (owl:Thing, currency, owl:Thing))",
        ("PATTERN_UNREACHABLE", 2, 2, "?2"),
    ),
    ("ASK { _:H :target ?1 . ?9 a :Computer }", ("PATTERN_UNREACHABLE", 1, 24, "?9")),
    ("(_:H, ?1, (Gizmo, target, Computer))", ("UNKNOWN_CLASS", 1, 12, "Gizmo")),
    ("(_:H, ?1, (Selling, target, :Gizmo))", ("UNKNOWN_CLASS", 1, 29, ":Gizmo")),
    ("(_:H, ?1, (Selling, aim, Computer))", ("UNKNOWN_PROPERTY", 1, 21, "aim")),
    ("(_:H, ?1, (Selling, Computer, Computer))", ("UNKNOWN_PROPERTY", 1, 21, "Computer")),
    ("(_:H, ?1, (target, target, Computer))", ("UNKNOWN_CLASS", 1, 12, "target")),
    ("(_:H, ?1, (Selling, rdf:type, Computer))", ("META_RESERVED", 1, 21, "rdf:type")),
    ("(_:H, ?1, (Customer, target, Computer))", ("META_UNSATISFIABLE", 1, 22, "target")),
    ("(_:H, ?1, (Selling, name/seller, owl:Thing))", ("META_UNSATISFIABLE", 1, 21, "name")),
    ("(_:H, ?1, (Selling, seller/name, Company))", ("META_UNSATISFIABLE", 1, 28, "name")),
    ("(_:H, ?1, (Selling, seller+, Company))", ("META_UNSATISFIABLE", 1, 21, "seller")),
    ("(_:H, ?1, (Selling, target, Computer), ?1 = 5)", ("FILTER_NOT_ALLOWED", 1, 43, "=")),
    ("(_:H, 5, (MoneyValue, minBid, xsd:decimal), ?1 = 5)", ("FILTER_NOT_ALLOWED", 1, 48, "=")),
    ("ASK { _:H :price ?1 FILTER(?2 < 5) }", ("FILTER_NOT_ALLOWED", 1, 28, "?2")),
    ("(_:H, ?1, (MoneyValue, minBid, xsd:decimal), ?2 = 5)", ("FILTER_VARIABLE", 1, 46, "?2")),
    ("ASK { _:H :price ?1 . ?1 :minBid ?2 FILTER(?2 < ?3) }", ("FILTER_VARIABLE", 1, 49, "?3")),
    ("(_:H, ?1, (MoneyValue, minBid, xsd:decimal), 4 = 5)", ("FILTER_VARIABLE", 1, 48, "=")),
    ("(_:H, ?1, (MoneyValue, minBid, xsd:decimal), ?1 = ?1)", ("FILTER_VARIABLE", 1, 49, "=")),
    ("ASK { _:H :target ?1 FILTER(4 < 5) }", ("FILTER_VARIABLE", 1, 31, "<")),
    ('(_:H, ?1, (Customer, name, xsd:string), ?1 =~ "(")', ("BAD_REGEX", 1, 47, '"("')),
    ('(_:H, ?1, (Customer, name, xsd:string), ?1 =~ "(a)\\\\1")', ("BAD_REGEX", 1, 47, '"(a)\\\\1"')),
    ('(_:H, ?1, (Customer, name, xsd:string), ?1 !~ "(?=a)")', ("BAD_REGEX", 1, 47, '"(?=a)"')),
    ('(_:H, ?1, (Customer, name, xsd:string), regex(?1, "a", "z"))', ("BAD_REGEX", 1, 51, '"a"')),
    ('("a", ?1, (Selling, owner, Customer)) (_:H, ?1, (Selling, owner, Customer))', ("LITERAL_SUBJECT", 1, 2, '"a"')),
    (
        "(_:H, ?1, (owl:Thing, rdf:value, xsd:decimal)) (_:H, ?1, (Selling, seller, Customer))",
        ("KIND_CONFLICT", 1, 54, "?1"),
    ),
    (
        "(_:H, ?1, (owl:Thing, rdf:value, xsd:decimal)) (?1, ?2, (Product, manufacture, Company))",
        ("KIND_CONFLICT", 1, 49, "?1"),
    ),
    ("(_:H, units:dollar, (owl:Thing, rdf:value, xsd:decimal))", ("KIND_CONFLICT", 1, 7, "units:dollar")),
    ('(_:H, "a", (Selling, seller, Customer))', ("KIND_CONFLICT", 1, 7, '"a"')),
    ("(_:H, _:x, (Selling, seller, Customer))", ("BLANK_LABEL", 1, 7, "_:x")),
    ("(_:H, ?1, (Selling, seller, Customer)) select ?2", ("UNKNOWN_VARIABLE", 1, 47, "?2")),
    ("SELECT ?2 { _:H :seller ?1 FILTER NOT EXISTS { _:H :bidder ?2 } }", ("UNKNOWN_VARIABLE", 1, 8, "?2")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "token", "hint"), SYNTAX)
def test_syntax(text: str, line: int, column: int, token: str, hint: str) -> None:
    (problem,) = problems_of(text)
    assert isinstance(problem, SyntaxProblem)
    assert told(problem) == ("SYNTAX", line, column, token)
    assert hint in problem.hint
    assert problem.hint


@pytest.mark.parametrize(("text", "line", "column", "token"), UNSUPPORTED)
def test_features_that_are_not_served(text: str, line: int, column: int, token: str) -> None:
    (problem,) = problems_of(text)
    assert isinstance(problem, UnsupportedProblem)
    assert told(problem)[:3] == ("UNSUPPORTED", line, column)
    assert problem.token.startswith(token)
    assert problem.hint


@pytest.mark.parametrize("word", ["MINUS", "GRAPH", "SERVICE"])
def test_a_word_that_is_not_served_is_named(word: str) -> None:
    (problem,) = problems_of(f"ASK {{ _:H :target ?1 . {word} {{ _:H :seller ?1 }} }}")
    assert problem.message == f"{word} is not served"


@pytest.mark.parametrize(("text", "expected"), MEANING)
def test_meaning(text: str, expected: tuple[str, int, int, str]) -> None:
    (problem,) = problems_of(text)
    assert told(problem) == expected
    assert problem.hint
    with pytest.raises(type(problem)) as caught:
        parsed(text)
    assert told(caught.value) == expected


def test_all_problems_of_a_text_are_told_in_its_order() -> None:
    text = """(_:H, ?1, (Selling, aim, Gizmo))
(?5, _:x, (Customer, target, Computer))
(_:H, ?2, (owl:Thing, rdf:value, xsd:decimal), ?3 < 4 and ?2 =~ "(")
select ?7"""
    assert [
        (problem.code, problem.place.line) for problem in problems_of(text) if problem.place
    ] == [
        ("UNKNOWN_PROPERTY", 1),
        ("UNKNOWN_CLASS", 1),
        ("PATTERN_UNREACHABLE", 2),
        ("BLANK_LABEL", 2),
        ("META_UNSATISFIABLE", 2),
        ("FILTER_VARIABLE", 3),
        ("BAD_REGEX", 3),
        ("UNKNOWN_VARIABLE", 4),
    ]


def test_a_slip_in_a_name_is_answered_with_names_like_it() -> None:
    (problem,) = problems_of("(_:H, ?1, (Selling, target, Computr))")
    assert ":Computer" in problem.hint


def test_an_unsatisfiable_type_is_answered_with_what_is_allowed() -> None:
    (problem,) = problems_of("(_:H, ?1, (Customer, target, Computer))")
    assert "(:Selling, :target, :Product)" in problem.hint


def test_strict_refuses_types_that_are_wider_than_the_ontology() -> None:
    wide = "(_:H, ?1, (owl:Thing, target, owl:Thing))"
    assert problems_of(wide) == []
    assert [problem.code for problem in problems_of(wide, strict=True)] == ["META_UNSATISFIABLE"]
    assert problems_of(cheap(), strict=True) == []


@pytest.mark.parametrize("options", [{"injective": "some"}, {"strict": "yes"}, {"world": "open"}])
def test_wrong_options(options: dict[str, object]) -> None:
    (problem,) = problems_of(cheap(), **options)
    assert isinstance(problem, MeaningProblem)
    assert problem.code == "OptionError"
    assert problem.hint


@pytest.mark.parametrize(
    "text",
    [
        "(_:H, ?1, (Selling, target, Computer))" * 300,
        "# " + "x" * 70_000,
        f"(_:H, ?1, (MoneyValue, minBid, xsd:decimal), {'(?1 = 4 or ' * 100}?1 = 5{')' * 100})",
        f"(_:H, ?1, (MoneyValue, minBid, xsd:decimal), {'!' * 100}?1 = 5)",
    ],
)
def test_limits(text: str) -> None:
    (problem,) = problems_of(text)
    assert isinstance(problem, LimitProblem)
    assert problem.code == "LIMIT"


def test_limits_can_be_set() -> None:
    with pytest.raises(LimitProblem):
        parse(cheap(), {}, Context(), GraphLimits(statements=3))


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(.*)*x", "((a{1,20}){1,20}){1,20}", "a" * 2_000]
)
def test_hostile_regular_expressions_are_harmless_or_refused(pattern: str) -> None:
    text = f'(_:H, ?1, (Customer, name, xsd:string), ?1 =~ "{pattern}")'
    assert [problem.code for problem in problems_of(text)] in ([], ["BAD_REGEX"])


def test_an_ambiguous_bare_name_is_refused_with_the_choices() -> None:
    (problem,) = problems_in_subscription(
        "graph", "(_:H, ?1, (Thing, p, owl:Thing))", {}, Context(ontology=_two_things())
    )
    assert problem.code == "UNKNOWN_CLASS"
    assert "<http://one/Thing>" in problem.hint
    assert "<http://two/Thing>" in problem.hint


def _two_things() -> Ontology:
    subclass = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    return parse_ontology(
        f"<http://one/Thing> {subclass} <http://one/A> . <http://two/Thing> {subclass} <http://one/A> ."
        "<http://one/p> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <http://one/q> ."
    )
