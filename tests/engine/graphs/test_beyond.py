"""What goes beyond the paper: paths, absent and optional groups, and the images that a
match tells.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engine.graphs.auction import (  # type: ignore[attr-defined]
    CHEAP,
    EX,
    LETTERS,
    auction,
    below,
    event,
    pattern,
    statement,
)
from tests.engine.graphs.worlds import pairs
from tocsin.engine.graphs.matcher import GraphMatcher
from tocsin.errors import MeaningProblem
from tocsin.events.event import Event
from tocsin.papers.graph_matcher import PaperMatcher
from tocsin.plan.bindings import Rows
from tocsin.plan.explain.graphs import graph_lines
from tocsin.plan.nodes.graphs import (
    Comparison,
    FilterAll,
    FilterAny,
    FilterNot,
    GraphPattern,
    Injective,
    Regex,
    StatementPattern,
    Variable,
    filter_truth,
)
from tocsin.reference import graphs as reference
from tocsin.values.terms import DECIMAL, INTEGER, THING, Iri, Literal
from tocsin.values.truth import Truth

BIDDER = pattern("_:H ?1 Selling bidder Customer")
OTHER_BIDDER = (statement("_:H ?2 Selling bidder Customer"),)
CHAIN = pattern("_:H ?1 A p1+ D", ontology=LETTERS)


def bidders(*names: str) -> Event:
    return event(
        "_:H a :Selling . "
        + "".join(f"_:H :bidder _:{name} . _:{name} a :Customer . " for name in names)
    )


def verdicts(wanted: GraphPattern, given: Event) -> set[bool]:
    """What the reference and both strategies say; one answer when they agree."""
    said = {reference.holds(wanted, given)}
    for matcher in (GraphMatcher(), PaperMatcher()):
        matcher.add("s", wanted)
        said.add(bool(pairs(matcher, [given])))
    return said


def rows(wanted: GraphPattern, given: Event) -> Rows:
    """What all three say that a match tells."""
    said = {
        reference.rows(wanted, given),
        GraphMatcher().rows(wanted, given),
        PaperMatcher().rows(wanted, given),
    }
    assert len(said) == 1
    return said.pop()


@pytest.mark.parametrize(("names", "rings"), [(["a"], True), (["a", "b"], False), ([], False)])
def test_an_absent_group_with_another_name_means_no_other(names: list[str], rings: bool) -> None:
    alone = replace(BIDDER, absents=(OTHER_BIDDER,))
    assert verdicts(alone, bidders(*names)) == {rings}


def test_without_injectivity_the_other_may_be_the_same() -> None:
    never = replace(BIDDER, absents=(OTHER_BIDDER,), injective=Injective.NONE)
    assert verdicts(never, bidders("a")) == {False}


def test_an_absent_group_about_the_same_vertex_refuses_some_maps_only() -> None:
    unnamed = replace(BIDDER, absents=((statement("?1 ?2 Customer name string"),),))
    given = event(
        '_:H a :Selling ; :bidder _:a , _:b . _:a a :Customer ; :name "A" . _:b a :Customer .'
    )
    assert verdicts(unnamed, given) == {True}
    assert rows(replace(unnamed, select=("1",)), given) == ((("1", "_:b"),),)


@pytest.mark.parametrize(
    ("arcs", "rings"),
    [
        ("_:H :p1 _:d . _:d a :D .", True),
        ("_:H :p1 _:b . _:b a :B ; :p1 _:c . _:c a :C ; :p1 _:d . _:d a :D .", True),
        ("_:H :p1 _:b . _:b a :B ; :p2 _:d . _:d a :D .", False),
        ("_:H :p1 _:b . _:b a :B ; :p1 _:H .", False),
        ("_:H :p1 _:b . _:b a :B ; :p1 _:H , _:d . _:d a :D .", True),
    ],
    ids=["one arc", "three arcs", "another property", "a cycle", "out of a cycle"],
)
def test_a_repeated_property_is_a_path_whose_ends_have_the_classes(arcs: str, rings: bool) -> None:
    assert verdicts(CHAIN, event("_:H a :A . " + arcs)) == {rings}


def test_a_path_may_come_back_to_where_it_began() -> None:
    itself = pattern("_:H ?1 A p1 B", "?1 ?1 B p1+ B", ontology=LETTERS)
    assert verdicts(
        itself, event("_:H a :A ; :p1 _:b . _:b a :B ; :p1 _:c . _:c a :C ; :p1 _:b .")
    ) == {True}
    assert verdicts(itself, event("_:H a :A ; :p1 _:b . _:b a :B ; :p1 _:c . _:c a :C .")) == {
        False
    }


def test_a_match_tells_the_first_map_in_the_order_of_the_document() -> None:
    told = replace(BIDDER, select=("1",))
    assert rows(told, bidders("z", "a", "m")) == ((("1", "_:z"),),)


def test_values_are_told_plainly() -> None:
    told = replace(CHEAP, select=("3", "1"))
    assert rows(told, auction("399.5")) == ((("1", "_:c"), ("3", 399.5)),)
    assert rows(told, auction("350")) == ((("1", "_:c"), ("3", 350)),)


def test_an_optional_group_is_told_where_it_is_there() -> None:
    named = replace(
        BIDDER, select=("1", "n"), optionals=((statement("?1 ?n Customer name string"),),)
    )
    with_name = event('_:H a :Selling ; :bidder _:a . _:a a :Customer ; :name "A" .')
    assert rows(named, with_name) == ((("1", "_:a"), ("n", "A")),)
    assert rows(named, bidders("a")) == ((("1", "_:a"),),)
    assert verdicts(named, bidders("a")) == {True}


def test_optional_groups_build_on_each_other() -> None:
    groups = ((statement("?1 ?2 B p1 B"),), (statement("?2 ?3 B p1 B"),))
    wanted = replace(
        pattern("_:H ?1 A p1 B", ontology=LETTERS), optionals=groups, select=("2", "3")
    )
    given = event("_:H a :A ; :p1 _:b . _:b a :B ; :p1 _:c . _:c a :B ; :p1 _:d . _:d a :B .")
    assert rows(wanted, given) == ((("2", "_:c"), ("3", "_:d")),)


@pytest.mark.parametrize(
    ("code", "statements", "select"),
    [
        ("NO_HOME_PATTERN", [statement("?1 ?2 A p1 B")], ()),
        ("PATTERN_UNREACHABLE", [statement("_:H ?1 A p1 B"), statement("?2 ?3 A p1 B")], ()),
        ("UNKNOWN_VARIABLE", [statement("_:H ?1 A p1 B")], ("9",)),
    ],
)
def test_a_pattern_that_cannot_be_meant_is_not_built(
    code: str, statements: list[StatementPattern], select: tuple[str, ...]
) -> None:
    with pytest.raises(MeaningProblem) as problem:
        GraphPattern(tuple(statements), LETTERS, select=select)
    assert problem.value.code == code


def test_a_literal_has_no_arcs() -> None:
    with pytest.raises(MeaningProblem, match="LITERAL_SUBJECT"):
        StatementPattern(Literal("a"), Variable("1"), THING, EX + "p1", THING)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("condition", "literal", "expected"),
    [
        (below("400"), Literal("400", INTEGER), Truth.FALSE),
        (below("400"), Literal("399.99", DECIMAL), Truth.TRUE),
        (below("400"), Literal("cheap"), Truth.UNKNOWN),
        (FilterNot(below("400")), Literal("cheap"), Truth.UNKNOWN),
        (FilterAny((below("400"), Regex("^ch"))), Literal("cheap"), Truth.TRUE),
        (FilterAll((below("400"), Regex("^x"))), Literal("cheap"), Truth.FALSE),
        (Regex("CHEAP", "i"), Literal("so cheap"), Truth.TRUE),
        (Comparison("=", Iri(EX + "x")), Literal("x"), Truth.FALSE),
        (Comparison("<", Iri(EX + "x")), Literal("x"), Truth.UNKNOWN),
    ],
)
def test_filters_follow_three_valued_logic(
    condition: FilterNot, literal: Literal, expected: Truth
) -> None:
    assert filter_truth(condition, literal) is expected


def test_a_pattern_is_explained_in_its_own_words() -> None:
    named = replace(
        CHEAP,
        select=("3",),
        optionals=((statement("?1 ?4 Computer manufacture Company"),),),
        absents=(OTHER_BIDDER,),
    )
    lines = [
        line.replace("<http://example.org/", ":").replace(">", "") for line in graph_lines(named)
    ]
    assert lines == [
        "graph pattern, different resources for different names",
        "  (_:H, ?1, (:Selling, :target, :Computer))",
        "  (_:H, ?2, (:Selling, :price, :MoneyValue))",
        "  (?2, :dollar, (:MoneyValue, :currency, owl:Thing))",
        '  (?2, ?3, (:MoneyValue, rdf:value, xsd:decimal), ?3 < "400.00"^^xsd:decimal)',
        "  absent, together with the above",
        "    (_:H, ?2, (:Selling, :bidder, :Customer))",
        "  told where it is there",
        "    (?1, ?4, (:Computer, :manufacture, :Company))",
        "  tells ?3 of the first map",
    ]
