"""Hierarchies, names and statements of an ontology, told by small Turtle texts; and its
identity.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import LimitProblem, MeaningProblem, SyntaxProblem
from tocsin.knowledge.loading import KnowledgeSource, load_ontology, ontology_of, parse_ontology
from tocsin.knowledge.meta_statements import ancestors_of, ems_of
from tocsin.knowledge.ontology import MetaStatement, Ontology, local_name, open_ontology
from tocsin.values.media_types import JSON_LD, N_TRIPLES, RDF_XML
from tocsin.values.terms import (
    ANY_LITERAL,
    DECIMAL,
    INTEGER,
    OWL,
    RDF,
    RDF_VALUE,
    RDFS,
    STRING,
    THING,
    XSD,
)

X = "http://x/"
PREFIXES = f"""@prefix : <{X}> . @prefix owl: <{OWL}> . @prefix xsd: <{XSD}> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
META = """[] a <urn:tocsin:MetaStatement> ;
  <urn:tocsin:subject> {} ; <urn:tocsin:property> {} ; <urn:tocsin:object> {} ."""


def known(text: str, **options: bool) -> Ontology:
    return parse_ontology(PREFIXES + text, **options)


def full(*names: str) -> set[str]:
    return {name if ":" in name else X + name for name in names}


def statements(ontology: Ontology) -> set[tuple[str, ...]]:
    return {tuple(map(local_name, each)) for each in ontology.meta_statements}


# Hierarchies


def test_classes_have_several_parents_and_all_are_things() -> None:
    ontology = known(":C rdfs:subClassOf :A, :B . :A rdfs:subClassOf :T . :B rdfs:subClassOf :T .")
    assert ontology.superclasses(X + "C") == full("C", "A", "B", "T", THING)
    assert ontology.subclasses(X + "T") == full("T", "A", "B", "C")
    assert ontology.subclasses(THING) >= full("T", "A", "B", "C", THING)


def test_datatypes_are_literals_and_no_things() -> None:
    ontology = known(
        ":Percent a rdfs:Datatype . :Small a rdfs:Datatype ; rdfs:subClassOf xsd:integer ."
    )
    assert ontology.superclasses(XSD + "int") == full(
        XSD + "int", XSD + "long", INTEGER, DECIMAL, ANY_LITERAL
    )
    assert ontology.superclasses(X + "Percent") == full("Percent", ANY_LITERAL)
    assert ontology.superclasses(X + "Small") == full("Small", INTEGER, DECIMAL, ANY_LITERAL)
    assert ontology.is_datatype(X + "Small")
    assert not ontology.is_datatype(THING)


def test_a_restricted_datatype_is_below_its_base() -> None:
    ontology = known(
        ":Age a rdfs:Datatype ; owl:equivalentClass [ a rdfs:Datatype ; owl:onDatatype xsd:int ] ."
    )
    assert INTEGER in ontology.superclasses(X + "Age")


def test_unknown_classes_are_things_and_unknown_datatypes_literals() -> None:
    ontology = known("")
    assert ontology.superclasses(X + "Gizmo") == full("Gizmo", THING)
    assert ontology.superdatatypes(X + "gizmo") == full("gizmo", ANY_LITERAL)
    assert not ontology.is_class(X + "Gizmo")


def test_a_literal_is_not_an_instance_of_a_class() -> None:
    ontology = known(":Laptop rdfs:subClassOf :Computer . :Percent a rdfs:Datatype .")
    assert ontology.superdatatypes(X + "Laptop") == {ANY_LITERAL}
    assert ontology.superdatatypes(THING) == {ANY_LITERAL}
    assert ontology.superdatatypes(X + "Percent") == full("Percent", ANY_LITERAL)


def test_properties() -> None:
    ontology = known(
        ":cell rdfs:subPropertyOf :phone . :phone rdfs:subPropertyOf :contact, :number ."
    )
    assert ontology.superproperties(X + "cell") == full("cell", "phone", "contact", "number")
    assert ontology.subproperties(X + "contact") == full("contact", "phone", "cell")
    assert ontology.superproperties(X + "unknown") == full("unknown")


@pytest.mark.parametrize(
    ("text", "code", "shown"),
    [
        (":A rdfs:subClassOf :B . :B rdfs:subClassOf :A .", "CLASS_CYCLE", "A -> B -> A"),
        (":A rdfs:subClassOf :A .", "CLASS_CYCLE", "A -> A"),
        (
            ":C rdfs:subClassOf :B . :B rdfs:subClassOf :A . :A rdfs:subClassOf :C .",
            "CLASS_CYCLE",
            "A -> C -> B -> A",
        ),
        (":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :p .", "PROPERTY_CYCLE", "p -> q -> p"),
        (
            ":A owl:equivalentClass :A2 . :A rdfs:subClassOf :B . :B rdfs:subClassOf :A2 .",
            "CLASS_CYCLE",
            "A -> B -> A",
        ),
    ],
)
def test_a_cycle_is_refused_and_shown(text: str, code: str, shown: str) -> None:
    with pytest.raises(MeaningProblem) as caught:
        known(text)
    assert caught.value.code == code
    assert shown in caught.value.message
    assert caught.value.hint


def test_equivalent_classes_stand_at_one_place() -> None:
    ontology = known(
        ":A owl:equivalentClass :B . :B owl:equivalentClass :A . :C rdfs:subClassOf :B . :A rdfs:subClassOf :T ."
    )
    assert ontology.canonical_class(X + "B") == X + "A"
    assert ontology.superclasses(X + "C") == full("C", "A", "T", THING)
    assert ontology.superclasses(X + "B") == full("B", "A", "T", THING)
    assert ontology.subclasses(X + "B") == full("A", "B", "C")


def test_an_equivalent_subclass_is_no_cycle() -> None:
    assert (
        known(":A owl:equivalentClass :B . :A rdfs:subClassOf :B .").canonical_class(X + "B")
        == X + "A"
    )


def test_equivalent_properties_stand_at_one_place() -> None:
    ontology = known(":p owl:equivalentProperty :q . :r rdfs:subPropertyOf :q .")
    assert ontology.superproperties(X + "r") == full("r", "p")
    assert ontology.subproperties(X + "p") == full("p", "q", "r")


def test_of_equivalent_names_the_declared_one_is_canonical() -> None:
    assert known(":Z a owl:Class ; owl:equivalentClass :A .").canonical_class(X + "A") == X + "Z"


@pytest.mark.parametrize("relation", ["rdfs:subClassOf", "owl:equivalentClass"])
def test_members_of_an_intersection_are_above(relation: str) -> None:
    ontology = known(f":A {relation} [ owl:intersectionOf (:B [ a owl:Restriction ] :C) ] .")
    assert ontology.superclasses(X + "A") == full("A", "B", "C", THING)


def test_members_of_a_union_are_below() -> None:
    ontology = known(":A owl:equivalentClass [ owl:unionOf (:B :C) ] .")
    assert ontology.subclasses(X + "A") == full("A", "B", "C")


def test_what_follows_from_expressions_never_makes_a_cycle() -> None:
    ontology = known(
        ":A rdfs:subClassOf :B . :B owl:equivalentClass [ owl:intersectionOf (:A :C) ] ."
    )
    assert ontology.superclasses(X + "B") == full("B", "C", THING)


EDGES = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda edge: edge[0] < edge[1]),
    max_size=20,
)


@given(EDGES)
def test_the_order_is_the_reflexive_transitive_closure(edges: list[tuple[int, int]]) -> None:
    ontology = known(" ".join(f":c{low} rdfs:subClassOf :c{high} ." for low, high in edges))
    reach = {(one, one) for edge in edges for one in edge} | set(edges)
    for middle in range(10):
        reach |= {
            (one, other)
            for one in range(10)
            for other in range(10)
            if {(one, middle), (middle, other)} <= reach
        }
    for low, high in {
        (one, other) for edge in edges for one in edge for pair in edges for other in pair
    }:
        assert (f"{X}c{high}" in ontology.superclasses(f"{X}c{low}")) == ((low, high) in reach)
        assert (f"{X}c{low}" in ontology.subclasses(f"{X}c{high}")) == ((low, high) in reach)


# Meta-statements


def test_declared_statements_close_downwards() -> None:
    ontology = known(
        ":Laptop rdfs:subClassOf :Product . :main rdfs:subPropertyOf :target ."
        + META.format(":Sale", ":target", ":Product")
    )
    assert ontology.allows(X + "Sale", X + "main", X + "Laptop")
    assert not ontology.allows(X + "Sale", X + "target", THING)
    assert not ontology.allows(X + "Product", X + "target", X + "Product")


def test_a_type_is_satisfiable_when_something_legal_is_at_or_below_it() -> None:
    ontology = known(
        ":Laptop rdfs:subClassOf :Product, :Gift . :main rdfs:subPropertyOf :target, :aim ."
        + META.format(":Sale", ":target", ":Product")
    )
    assert ontology.satisfiable(THING, X + "target", THING)
    assert ontology.satisfiable(X + "Sale", X + "main", X + "Laptop")
    assert ontology.satisfiable(X + "Sale", X + "aim", X + "Gift"), "by way of main and Laptop"
    assert not ontology.satisfiable(X + "Sale", X + "target", X + "Sale")
    assert not ontology.satisfiable(X + "Sale", X + "target", ANY_LITERAL)


def test_without_statements_everything_is_allowed() -> None:
    ontology = known(":A rdfs:subClassOf :B .")
    assert ontology.allows(X + "A", X + "p", X + "A")
    assert ontology.satisfiable(X + "A", X + "p", STRING)


def test_statements_from_shapes() -> None:
    ontology = known(
        """:S sh:targetClass :Sale ; sh:property
        [ sh:path :target ; sh:class :Product ], [ sh:path :at ; sh:datatype xsd:dateTime ],
        [ sh:path :note ; sh:nodeKind sh:Literal ], [ sh:path :seller ; sh:nodeKind sh:IRI ], [ sh:path :any ],
        [ sh:path [ sh:inversePath :p ] ; sh:class :Product ] .
        :Person a owl:Class, sh:NodeShape ; sh:property [ sh:path :name ; sh:datatype xsd:string ] ."""
    )
    assert statements(ontology) == {
        ("Sale", "target", "Product"),
        ("Sale", "at", "dateTime"),
        ("Sale", "note", "Literal"),
        ("Sale", "seller", "Thing"),
        ("Sale", "any", "Thing"),
        ("Sale", "any", "Literal"),
        ("Person", "name", "string"),
    }


def test_statements_from_domains_and_ranges_on_request() -> None:
    text = ":p rdfs:domain :A, :B ; rdfs:range :C . :q rdfs:domain :A . :r rdfs:range :C ."
    assert statements(known(text)) == set()
    assert statements(known(text, domain_and_range=True)) == {
        ("A", "p", "C"),
        ("B", "p", "C"),
        ("A", "q", "Thing"),
        ("A", "q", "Literal"),
    }


RESTRICTED = "[ owl:onProperty :p ; owl:allValuesFrom {} ]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":A rdfs:subClassOf " + RESTRICTED.format(":C"), {("A", "p", "C")}),
        (":A owl:equivalentClass " + RESTRICTED.format(":C"), {("A", "p", "C")}),
        (RESTRICTED.format(":C") + " owl:equivalentClass :A", {("A", "p", "C")}),
        (":A owl:intersectionOf (:B " + RESTRICTED.format(":C") + ")", {("A", "p", "C")}),
        (
            ":A rdfs:subClassOf [ owl:intersectionOf (:B [ owl:intersectionOf ("
            + RESTRICTED.format("xsd:int")
            + ") ]) ]",
            {("A", "p", "int")},
        ),
        (
            ":A rdfs:subClassOf " + RESTRICTED.format("[ owl:unionOf (:C :D) ]"),
            {("A", "p", "C"), ("A", "p", "D")},
        ),
        (":A rdfs:subClassOf " + RESTRICTED.format("[ owl:complementOf :C ]"), set()),
        (RESTRICTED.format(":C") + " rdfs:subClassOf :A", set()),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :C ]", set()),
        (":p rdfs:domain :A ; rdfs:range :C", {("A", "p", "C")}),
    ],
)
def test_meta_statements_are_read_from_axioms_where_they_are_asked_for(
    text: str, expected: set[tuple[str, ...]]
) -> None:
    assert statements(known(text + " .")) == set()
    told = parse_ontology(PREFIXES + text + " .", infer="meta-statements")
    assert statements(told) == expected
    assert not told.rules


def test_to_class_of_daml_is_a_meta_statement_where_it_is_asked_for() -> None:
    text = (
        "@prefix daml: <http://www.daml.org/2001/03/daml+oil#> . :A a daml:Class ; daml:subClassOf"
        " [ a daml:Restriction ; daml:onProperty :p ; daml:toClass :C ] ."
    )
    assert statements(parse_ontology(PREFIXES + text, infer="meta-statements")) == {("A", "p", "C")}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (META.format(":A", "rdf:type", ":B"), "META_RESERVED"),
        (
            "[] a <urn:tocsin:MetaStatement> ; <urn:tocsin:subject> :A ; <urn:tocsin:property> :p .",
            "UNKNOWN_CLASS",
        ),
        (
            "[] a <urn:tocsin:MetaStatement> ; <urn:tocsin:subject> :A ; <urn:tocsin:object> :B .",
            "UNKNOWN_PROPERTY",
        ),
        (":p a owl:Class ." + META.format(":A", ":p", ":B"), "UNKNOWN_PROPERTY"),
        (":A a owl:ObjectProperty ." + META.format(":A", ":p", ":B"), "UNKNOWN_CLASS"),
    ],
)
def test_wrong_statements_are_refused(text: str, code: str) -> None:
    with pytest.raises(MeaningProblem) as caught:
        known(text)
    assert caught.value.code == code
    assert caught.value.hint


# Extended meta-statements


def test_the_array_of_the_specification() -> None:
    ontology = known(
        ":B1 rdfs:subClassOf :B ."
        + META.format(":A", ":p1", ":B")
        + META.format(":A", ":p2", ":C")
        + META.format(":B, :C", ":p3", ":D")
    )
    ems = ems_of(ontology)
    assert [tuple(map(local_name, entry)) for entry in ems.entries] == [
        ("A", "p1", "B"),
        ("A", "p1", "B1"),
        ("A", "p2", "C"),
        ("B", "p3", "D"),
        ("B1", "p3", "D"),
        ("C", "p3", "D"),
    ]
    assert [ems.ancestors(number) for number in range(6)] == [(), (0,), (), (), (3,), ()]


def test_an_ancestor_over_a_diamond_counts_once() -> None:
    ontology = known(
        ":E rdfs:subClassOf :L, :R . :L rdfs:subClassOf :T . :R rdfs:subClassOf :T ."
        + META.format(":A", ":p", ":T")
    )
    ems = ems_of(ontology)
    number = ems.index[MetaStatement(X + "A", X + "p", X + "E")]
    assert [local_name(ems.entries[each].object) for each in ems.ancestors(number)] == [
        "L",
        "R",
        "T",
    ]


def test_the_array_has_a_limit() -> None:
    ontology = known(
        "".join(f":c{number} rdfs:subClassOf :C ." for number in range(50))
        + META.format(":C", ":p", ":C")
    )
    assert len(ems_of(ontology)) == 51 * 51
    with pytest.raises(LimitProblem) as caught:
        ems_of(ontology, limit=2_600)
    assert caught.value.code == "EMS_LIMIT"


def test_ancestors_of_a_statement_that_is_not_legal() -> None:
    ontology = known(":B rdfs:subClassOf :A .")
    found = ancestors_of(ontology, MetaStatement(X + "B", X + "p", STRING))
    assert {(local_name(each.subject), local_name(each.object)) for each in found} == {
        (one, other) for one in ("B", "A", "Thing") for other in ("string", "Literal")
    } - {("B", "string")}


# Names


def test_names() -> None:
    ontology = known(
        ":Sale a owl:Class . :price a owl:DatatypeProperty . <http://y/Car> a owl:Class . :one a :Sale ."
    )
    assert ontology.named("Sale") == (X + "Sale",)
    assert ontology.named("Car") == ("http://y/Car",)
    assert ontology.named("one") == (X + "one",)
    assert ontology.named("none") == ()
    assert ontology.class_named("price") is None
    assert ontology.property_named("price") == X + "price"
    assert ontology.property_named(":price") == X + "price"
    assert ontology.property_named("value") == RDF_VALUE
    assert ontology.class_named(X + "Sale") == X + "Sale"
    assert ontology.resolve("xsd:string") == STRING
    assert ontology.resolve("nowhere:x") is None
    assert ontology.short(X + "Sale") == ":Sale"
    assert ontology.short("http://y/Car") == "<http://y/Car>"


def test_the_default_namespace_comes_first_and_otherwise_a_name_is_unique_or_means_nothing() -> (
    None
):
    both = "<http://y/Car> a owl:Class . <http://z/Car> a owl:Class ."
    assert known(both + ":Car a owl:Class .").class_named("Car") == X + "Car"
    assert known(both).class_named("Car") is None
    assert known(both).named("Car") == ("http://y/Car", "http://z/Car")


def test_an_open_ontology_knows_every_name() -> None:
    ontology = open_ontology("urn:x:")
    assert ontology.is_class("urn:any")
    assert ontology.is_property("urn:any")
    assert not ontology.is_property("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    assert ontology.superclasses("urn:any") == {"urn:any", THING}


# Sources


def test_every_format_says_the_same(tmp_path: Path) -> None:
    subclass = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
    texts = {
        "o.ttl": f"<{X}A> <{subclass}> <{X}B> .",
        "o.nt": f"<{X}A> <{subclass}> <{X}B> .",
        "o.nq": f"<{X}A> <{subclass}> <{X}B> <{X}graph> .",
        "o.jsonld": f'{{"@id": "{X}A", "{subclass}": {{"@id": "{X}B"}}}}',
        "o.owl": "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
        "xmlns:rdfs='http://www.w3.org/2000/01/rdf-schema#'>"
        f"<rdf:Description rdf:about='{X}A'><rdfs:subClassOf rdf:resource='{X}B'/></rdf:Description></rdf:RDF>",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        assert load_ontology([tmp_path / name]).superclasses(X + "A") == full("A", "B", THING), name


def test_several_sources_merge_and_blank_nodes_do_not_meet() -> None:
    meta = META.format(":A", ":p", ":B").replace("[]", "_:m")
    one, two = (
        KnowledgeSource(PREFIXES + meta),
        KnowledgeSource(PREFIXES.replace("x/", "y/") + meta),
    )
    ontology = ontology_of((one, two))
    assert len(ontology.meta_statements) == 2
    assert ontology.prefixes[""] == X, "the first meaning of a prefix counts"


@pytest.mark.parametrize("media_type", [N_TRIPLES, RDF_XML, JSON_LD, "text/turtle"])
def test_a_malformed_source_is_named(media_type: str) -> None:
    with pytest.raises(SyntaxProblem, match=r"o\.x: malformed") as caught:
        ontology_of((KnowledgeSource("<", media_type, "o.x"),))
    assert caught.value.code == "ONTOLOGY_SYNTAX"


def test_a_remote_context_is_refused() -> None:
    with pytest.raises(SyntaxProblem, match="never fetched"):
        parse_ontology('{"@context": "http://127.0.0.1:9/context", "@id": "x"}', JSON_LD)


@pytest.mark.parametrize("name", ["o.docx", "absent.ttl"])
def test_a_file_that_is_none_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(MeaningProblem) as caught:
        load_ontology([tmp_path / name])
    assert caught.value.code == "ONTOLOGY_FORMAT"


# Identity


def test_identity_is_the_fingerprint() -> None:
    one, two = (
        known(":A rdfs:subClassOf :B . :C a owl:Class ."),
        known(":C a owl:Class . :A rdfs:subClassOf :B ."),
    )
    assert one == two
    assert hash(one) == hash(two)
    assert one != known(":A rdfs:subClassOf :B .")
    assert one != one.with_tbox("knowledge of another kind")
    assert one.with_tbox("x") == two.with_tbox("x")


def test_an_ontology_travels_between_processes_and_arrives_once() -> None:
    sent = known(":A rdfs:subClassOf :B ; owl:equivalentClass :C ." + META.format(":A", ":p", ":B"))
    received, again = pickle.loads(pickle.dumps(sent)), pickle.loads(pickle.dumps(sent))
    assert received == sent
    assert received is again
    assert received.superclasses(X + "C") == sent.superclasses(X + "C")
    assert received.meta_statements == sent.meta_statements


# Words of RDF Schema


LABEL, SEQ, MEMBER, FIRST_MEMBER = RDFS + "label", RDF + "Seq", RDFS + "member", RDF + "_1"


def test_every_ontology_knows_the_words_of_rdf_schema() -> None:
    ontology = known(META.format(":A", ":p", ":B"))
    for prop in (
        LABEL,
        MEMBER,
        FIRST_MEMBER,
        RDF + "_20",
        RDFS + "comment",
        RDFS + "seeAlso",
        OWL + "sameAs",
        RDF_VALUE,
    ):
        assert ontology.is_property(prop)
    assert not any(ontology.is_property(RDF + name) for name in ("_0", "_01", "_", "_1x", "type"))
    assert ontology.superproperties(FIRST_MEMBER) == {FIRST_MEMBER, MEMBER}
    assert ontology.superclasses(SEQ) == {SEQ, RDFS + "Container", THING}
    assert ontology.canonical_class(RDFS + "Resource") == THING


def test_a_bare_name_means_them_only_where_the_ontology_speaks_of_them() -> None:
    assert known(":A rdfs:subClassOf :B .").property_named("label") is None
    assert known(":title rdfs:subPropertyOf rdfs:label .").property_named("label") == LABEL
    assert known(META.format(":A", "rdfs:label", "xsd:string")).property_named("label") == LABEL
    assert known(":A rdfs:subClassOf :B .").property_named("rdfs:label") == LABEL
    assert known(":A rdfs:subClassOf :B .").property_named("value") == RDF_VALUE


def test_meta_statements_restrict_only_the_words_that_they_are_about() -> None:
    ontology = known(META.format(":A", ":p", ":B"))
    assert ontology.allows(X + "A", LABEL, STRING)
    assert ontology.satisfiable(X + "A", FIRST_MEMBER, X + "B")
    assert not ontology.satisfiable(X + "A", RDF_VALUE, X + "B")
    strict = known(META.format(":A", "rdfs:label", "xsd:string"))
    assert not strict.allows(X + "C", LABEL, STRING)
    assert strict.allows(X + "A", LABEL, STRING)


def test_a_numbered_member_of_the_ontology_is_a_member() -> None:
    ontology = known(META.format("rdf:Seq", "rdf:_1", ":B"))
    assert ontology.subproperties(MEMBER) == {MEMBER, FIRST_MEMBER}
    assert ontology.satisfiable(SEQ, MEMBER, X + "B")
    assert not ontology.satisfiable(SEQ, FIRST_MEMBER, STRING)
