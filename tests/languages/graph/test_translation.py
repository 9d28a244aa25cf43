"""Both spellings mean statements: the table of the specification, names and paths, groups, and the
way back to text.
"""

from __future__ import annotations

import pytest

from tests.languages.graph.texts import AUCTION, UNITS, cheap, parsed
from tocsin.languages import parse_subscription
from tocsin.languages.base.reading import Context
from tocsin.languages.graph.printer import as_query, as_statements
from tocsin.plan.nodes.graphs import (
    Comparison,
    FilterAll,
    FilterAny,
    FilterNot,
    GraphPattern,
    Home,
    Injective,
    Regex,
    StatementPattern,
    Variable,
)
from tocsin.values.terms import (
    ANY_LITERAL,
    DECIMAL,
    INTEGER,
    LANG_STRING,
    RDF_VALUE,
    STRING,
    THING,
    XSD,
    Iri,
    Literal,
)

H, ONE, TWO, THREE = Home(), Variable("1"), Variable("2"), Variable("3")
DECIMAL_FILTER = "(_:H, ?1, (MoneyValue, minBid, xsd:decimal), {})"


def statement(
    subject: Home | Variable,
    value: Variable | Iri | Literal,
    one: str,
    prop: str,
    other: str,
    **more: object,
) -> StatementPattern:
    names = (name if ":" in name else AUCTION + name for name in (one, prop, other))
    return StatementPattern(subject, value, *names, **more)  # type: ignore[arg-type]


def statements(text: str) -> list[StatementPattern]:
    return list(parsed(text).statements)


def filter_in(text: str) -> object:
    return parsed(DECIMAL_FILTER.format(text)).statements[0].filter


def test_the_subscription_of_the_paper() -> None:
    assert statements(cheap()) == [
        statement(H, ONE, "Selling", "target", "Computer"),
        statement(H, TWO, "Selling", "price", "MoneyValue"),
        statement(TWO, Iri(UNITS + "dollar"), "MoneyValue", "currency", THING),
        statement(
            TWO,
            THREE,
            "MoneyValue",
            RDF_VALUE,
            DECIMAL,
            filter=Comparison("<", Literal("400.00", DECIMAL)),
        ),
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "_:H :target ?1 . _:H a :Selling . ?1 a :Computer .",
            [statement(H, ONE, "Selling", "target", "Computer")],
        ),
        (
            "_:H a :Selling ; :target ?1 . ?1 a :Laptop, :Gift",
            [
                statement(H, ONE, "Selling", "target", "Laptop"),
                statement(H, ONE, "Selling", "target", "Gift"),
            ],
        ),
        (
            "_:H :currency units:dollar",
            [statement(H, Iri(UNITS + "dollar"), THING, "currency", THING)],
        ),
        ('_:H :name "x"', [statement(H, Literal("x"), THING, "name", ANY_LITERAL)]),
        (
            "_:H :minBid ?1 FILTER(?1 > 5)",
            [
                statement(
                    H,
                    ONE,
                    THING,
                    "minBid",
                    ANY_LITERAL,
                    filter=Comparison(">", Literal("5", INTEGER)),
                )
            ],
        ),
        (
            "_:H rdf:value ?3 . ?3 a xsd:decimal . FILTER(?3 < 400.00)",
            [
                statement(
                    H,
                    THREE,
                    THING,
                    RDF_VALUE,
                    DECIMAL,
                    filter=Comparison("<", Literal("400.00", DECIMAL)),
                )
            ],
        ),
        (
            "FILTER regex(?1, 'a') _:H :name ?1 FILTER(?1 != 'b')",
            [
                statement(
                    H,
                    ONE,
                    THING,
                    "name",
                    ANY_LITERAL,
                    filter=FilterAll((Regex("a"), Comparison("!=", Literal("b")))),
                )
            ],
        ),
        (
            "_:H :minBid ?3 ; rdf:value ?3 FILTER(?3 < 4)",
            [
                statement(
                    H,
                    THREE,
                    THING,
                    "minBid",
                    ANY_LITERAL,
                    filter=Comparison("<", Literal("4", INTEGER)),
                ),
                statement(H, THREE, THING, RDF_VALUE, ANY_LITERAL),
            ],
        ),
        ("_:H rdf:type :Selling ; :target ?1", [statement(H, ONE, "Selling", "target", THING)]),
    ],
)
def test_triples_are_statements(query: str, expected: list[StatementPattern]) -> None:
    assert statements(f"ASK {{ {query} }}") == expected


@pytest.mark.parametrize(
    ("name", "iri"),
    [
        ("Computer", AUCTION + "Computer"),
        (":Computer", AUCTION + "Computer"),
        (f"<{AUCTION}Computer>", AUCTION + "Computer"),
        ("a:Computer", AUCTION + "Computer"),
        ("owl:Thing", THING),
        ("daml:Thing", THING),
    ],
)
def test_names(name: str, iri: str) -> None:
    text = f"PREFIX a: <{AUCTION}> (_:H, ?1, (Selling, target, {name}))"
    assert statements(text) == [statement(H, ONE, "Selling", "target", iri)]


def test_a_default_prefix_of_the_text_is_for_bare_names_too() -> None:
    text = (
        f"PREFIX : <{UNITS}> (_:H, dollar, (<{AUCTION}MoneyValue>, <{AUCTION}currency>, owl:Thing))"
    )
    assert parsed(text).statements[0].object == Iri(UNITS + "dollar")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?1 ≤ 5", Comparison("<=", Literal("5", INTEGER))),
        ("5 < ?1", Comparison(">", Literal("5", INTEGER))),
        ("5.0 ≥ ?1", Comparison("<=", Literal("5.0", DECIMAL))),
        ("?1 ≠ 5e1", Comparison("!=", Literal("5e1", XSD + "double"))),
        ("?1 = true", Comparison("=", Literal("true", XSD + "boolean"))),
        ("?1 = units:dollar", Comparison("=", Iri(UNITS + "dollar"))),
        ('?1 = "a\\"\\n\\u00e9"', Comparison("=", Literal('a"\né'))),
        ('?1 = "a"@EN-gb', Comparison("=", Literal("a", LANG_STRING, "en-gb"))),
        ('?1 = "2026-01-01"^^xsd:date', Comparison("=", Literal("2026-01-01", XSD + "date"))),
        ('?1 =~ "^a"', Regex("^a")),
        ('?1 !~ "a"', FilterNot(Regex("a"))),
        ('regex(?1, "a", "i")', Regex("a", "i")),
        ("! ?1 = 5", FilterNot(Comparison("=", Literal("5", INTEGER)))),
        (
            "?1 = 1 or ?1 = 2 and not ?1 = 3",
            FilterAny(
                (
                    Comparison("=", Literal("1", INTEGER)),
                    FilterAll(
                        (
                            Comparison("=", Literal("2", INTEGER)),
                            FilterNot(Comparison("=", Literal("3", INTEGER))),
                        )
                    ),
                )
            ),
        ),
        (
            "(?1 = 1 ∨ ?1 = 2) ∧ ¬ ?1 = 3",
            FilterAll(
                (
                    FilterAny(
                        (
                            Comparison("=", Literal("1", INTEGER)),
                            Comparison("=", Literal("2", INTEGER)),
                        )
                    ),
                    FilterNot(Comparison("=", Literal("3", INTEGER))),
                )
            ),
        ),
    ],
)
def test_filters(text: str, expected: object) -> None:
    assert filter_in(text) == expected


def test_filters_touch_their_operators() -> None:
    assert filter_in("?1<4&&?1>-2") == filter_in("?1 < 4 and ?1 > -2")


def test_a_path_has_fresh_vertices_between_its_properties() -> None:
    one, two = statements("(_:H, ?1, (Selling, price/minBid, xsd:decimal), ?1 = 5)")
    assert isinstance(one.object, Variable)
    assert one == statement(H, one.object, "Selling", "price", THING)
    assert two == statement(
        one.object, ONE, THING, "minBid", DECIMAL, filter=Comparison("=", Literal("5", INTEGER))  # type: ignore[arg-type]
    )  # fmt: skip
    assert not one.object.name.isalnum()


def test_two_classes_at_the_end_of_a_path_are_about_the_same_path() -> None:
    first, one, other = statements("ASK { _:H :price/:currency ?1 . ?1 a :Customer, :Company }")
    between = first.object
    assert first == statement(H, between, THING, "price", THING)  # type: ignore[arg-type]
    assert {each.object_class for each in (one, other)} == {
        AUCTION + "Customer",
        AUCTION + "Company",
    }
    assert {each.subject for each in (one, other)} == {between}


def test_a_class_in_a_group_is_about_the_same_path() -> None:
    found = parsed("ASK { _:H :price/:currency ?1 FILTER NOT EXISTS { ?1 a :Customer } }")
    assert found.absents[0][0] == found.statements[0]
    assert found.absents[0][1].subject == found.statements[1].subject


def test_two_paths_have_different_fresh_vertices() -> None:
    found = statements(
        "(_:H, ?1, (Selling, price/minBid, xsd:decimal)) (_:H, ?2, (Selling, price/minBid, xsd:decimal))"
    )
    assert len({each.object for each in found}) == 4


def test_a_repeated_property() -> None:
    (found,) = statements("ASK { _:H :currency+ ?1 }")
    assert found == statement(H, ONE, THING, "currency", THING, repeated=True)


def test_groups_and_selection() -> None:
    text = """select ?1 ?2 (_:H, ?1, (Selling, seller, Customer))
    OPTIONAL { (?1, ?2, (Customer, name, xsd:string)) } NOT EXISTS { (_:H, ?3, (Selling, bidder, Customer)) }"""
    query = """SELECT ?1 ?2 WHERE { _:H a :Selling ; :seller ?1 . ?1 a :Customer
    OPTIONAL { ?1 :name ?2 . ?2 a xsd:string } FILTER NOT EXISTS { _:H :bidder ?3 . ?3 a :Customer } }"""
    assert parsed(text) == parsed(query)
    assert parsed(text).select == ("1", "2")
    assert parsed(text).optionals == ((statement(ONE, TWO, "Customer", "name", STRING),),)
    assert parsed(text).absents == ((statement(H, THREE, "Selling", "bidder", "Customer"),),)


def test_a_group_that_only_classifies_a_vertex_is_said_of_the_arc_to_it() -> None:
    found = parsed("ASK { _:H a :Selling ; :target ?1 . FILTER NOT EXISTS { ?1 a :Laptop } }")
    assert found.absents == ((statement(H, ONE, "Selling", "target", "Laptop"),),)


def test_thousands_of_filters_on_one_variable_are_one_flat_filter() -> None:
    found = parsed(f"ASK {{ _:H :minBid ?1 {'FILTER(?1 < 5) ' * 3_000} }}").statements[0].filter
    assert found == FilterAll((Comparison("<", Literal("5", INTEGER)),) * 3_000)


def test_a_selection_may_follow_the_statements() -> None:
    assert parsed(cheap() + "select ?1 ?3") == parsed("SELECT ?1 ?3 " + cheap())


def test_options() -> None:
    assert parsed(cheap()).injective is Injective.RESOURCES
    assert parsed(cheap(), injective="all").injective is Injective.ALL


def test_without_an_ontology_every_name_is_known_and_bare_names_are_members_of_json() -> None:
    pattern = parse_subscription(
        "graph", "(_:H, ?1, (owl:Thing, price, rdfs:Literal), ?1 < 5)", {}
    ).pattern
    assert isinstance(pattern, GraphPattern)
    assert pattern.statements[0].property == "urn:tocsin:vocabulary:price"


def test_a_repeated_statement_counts_once() -> None:
    assert len(statements(cheap() + cheap())) == 4


def test_an_atom_of_another_language() -> None:
    text = "graph{ (_:H, ?1, (Selling, target, Computer)) } && graph{ ASK { _:H :target ?1 } }"
    pattern = parse_subscription(
        "opsl", text, {}, Context(ontology=parsed(cheap()).ontology)
    ).pattern
    assert parsed("(_:H, ?1, (Selling, target, Computer))") in pattern.parts  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text",
    [
        cheap(),
        cheap() + "select ?1 ?3",
        "(_:H, ?1, (Selling, seller, Customer)) OPTIONAL { (?1, ?2, (Customer, name, xsd:string)) } select ?2",
        "(_:H, ?1, (Selling, seller, Customer)) NOT EXISTS { (_:H, ?2, (Selling, bidder, Customer)) }",
        '(_:H, ?1, (Customer, name, xsd:string), ?1 =~ "a\\"\\\\\\\\" || !(?1 = "b") && regex(?1, "c", "i"))',
        "ASK { _:H :currency+ ?1 }",
        '(_:H, "a\\n"@en, (Customer, name, rdfs:Literal))',
    ],
)
def test_what_is_written_reads_as_the_same(text: str) -> None:
    pattern = parsed(text)
    assert parsed(as_statements(pattern)) == pattern
    assert parsed(as_query(pattern)) == pattern


def test_what_has_paths_is_written_with_names_inside_them() -> None:
    text = "(_:H, ?_1, (Selling, price/minBid, xsd:decimal))"
    written = as_statements(parsed(text))
    assert statements(written) == [
        statement(H, Variable("__1"), "Selling", "price", THING),
        statement(Variable("__1"), Variable("_1"), THING, "minBid", DECIMAL),
    ]
    assert parsed(as_query(parsed(text))) == parsed(written)


@pytest.mark.parametrize(
    ("bare", "braced"),
    [
        ("_:H :target ?1 . ?1 a :Laptop", "ASK { _:H :target ?1 . ?1 a :Laptop }"),
        ("?x a :Selling", "ASK { _:H a :Selling }"),
        ("?x :target ?1 ; a :Selling .", "ASK { _:H :target ?1 ; a :Selling . }"),
        ("_:sale :target ?1 select ?1", "select ?1 { _:H :target ?1 }"),
        (
            "?x :price ?1 . ?1 rdf:value ?2 FILTER(?2 < 5) OPTIONAL { ?x :target ?3 }",
            "ASK { _:H :price ?1 . ?1 rdf:value ?2 FILTER(?2 < 5) OPTIONAL { _:H :target ?3 } }",
        ),
        (
            "?x :target ?1 FILTER NOT EXISTS { ?x :seller ?2 }",
            "ASK { _:H :target ?1 FILTER NOT EXISTS { _:H :seller ?2 } }",
        ),
    ],
)
def test_bare_triples_begin_at_home(bare: str, braced: str) -> None:
    assert parsed(bare) == parsed(braced)
