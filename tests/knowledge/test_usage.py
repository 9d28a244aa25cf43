"""Which axioms of an ontology are used: every word that states something is counted, and none is
passed over.
"""

from __future__ import annotations

import pytest

from tests.conftest import shared_data
from tocsin.catalog import Definition, unused_by_concepts, usage_in
from tocsin.knowledge.loading import read_ontology
from tocsin.knowledge.rules import Infer
from tocsin.knowledge.usage import Usage, merge_usages, usage_of
from tocsin.values.media_types import TURTLE
from tocsin.values.rdf import EXTENSIONS
from tocsin.values.terms import OWL, RDF, RDFS, Iri

PREFIXES = f"@prefix : <http://x/> . @prefix owl: <{OWL}> . @prefix rdf: <{RDF}> . @prefix rdfs: <{RDFS}> . "
TEXT = """
:A rdfs:subClassOf :B , [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :C ] ; rdfs:label "A" .
:p a owl:ObjectProperty , owl:TransitiveProperty , owl:FunctionalProperty ; rdfs:domain :A ; owl:inverseOf :q .
:q rdfs:range [ owl:unionOf (:A :B) ] ; owl:propertyChainAxiom (:p :p) ; owl:invented :p .
:i a :A ; :p :j . :C owl:disjointWith :A , :B .
"""


def usage(*infer: Infer) -> Usage:
    return usage_of(read_ontology(PREFIXES + TEXT, TURTLE), infer)


def test_what_is_used_without_any_option() -> None:
    assert dict(usage().used) == {"rdfs:subClassOf": 2, "owl:unionOf": 1}
    assert dict(usage().unused) == {
        "owl:disjointWith": 2,
        "facts about individuals": 1,
        "owl:FunctionalProperty": 1,
        "owl:TransitiveProperty": 1,
        "owl:inverseOf": 1,
        "owl:invented": 1,
        "owl:propertyChainAxiom": 1,
        "owl:someValuesFrom": 1,
        "rdfs:domain": 1,
        "rdfs:range of a union": 1,
    }
    assert (
        usage()
        .text()
        .startswith("uses: rdfs:subClassOf 2, owl:unionOf 1; not used: owl:disjointWith 2, ")
    )


@pytest.mark.parametrize(
    ("infer", "words"),
    [
        (Infer.DOMAIN_RANGE, {"rdfs:domain"}),
        (Infer.INVERSE, {"owl:inverseOf", "owl:TransitiveProperty"}),
        (Infer.EXISTENTIAL, {"owl:someValuesFrom"}),
    ],
)
def test_an_option_uses_what_its_hint_says(infer: Infer, words: set[str]) -> None:
    assert dict(usage(infer).used).keys() - dict(usage().used) == words
    (hint,) = (each for each in usage().hints() if each.startswith(f"infer {infer} "))
    assert all(word in hint for word in words)
    assert not any(each.startswith(f"infer {infer} ") for each in usage(infer).hints())


def test_meta_statements_use_domains_ranges_and_to_class_as_constraints() -> None:
    assert dict(usage(Infer.META_STATEMENTS).used)["rdfs:domain"] == 1
    restricted = read_ontology(
        "@prefix : <http://x/> . @prefix owl: <http://www.w3.org/2002/07/owl#> ."
        " :A owl:equivalentClass [ owl:onProperty :p ; owl:allValuesFrom :B ] .",
        "text/turtle",
    )
    hint = "infer meta-statements would use owl:allValuesFrom as a constraint"
    assert hint in usage_of(restricted).hints()
    assert hint not in usage_of(restricted, (Infer.META_STATEMENTS,)).hints()


def test_concepts_use_what_graphs_do_not() -> None:
    assert any("concept" in each and "owl:disjointWith" in each for each in usage().hints())


@pytest.mark.parametrize(
    ("text", "without", "concluding"),
    [
        ("[ owl:intersectionOf (:A :C) ] rdfs:subClassOf :G .", {"owl:intersectionOf"}, set()),
        (
            ":A rdfs:subClassOf [ owl:intersectionOf (:B [ owl:intersectionOf (:C :D) ]) ] .",
            set(),
            set(),
        ),
        (":A rdfs:subClassOf [ owl:unionOf (:B :C) ] .", {"owl:unionOf"}, {"owl:unionOf"}),
        (
            "[ owl:onProperty :p ; owl:someValuesFrom [ owl:complementOf :A ] ] rdfs:subClassOf :B .",
            {"owl:someValuesFrom", "owl:complementOf"},
            {"owl:someValuesFrom", "owl:complementOf"},
        ),
        (
            ":A rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue :v ] .",
            {"owl:hasValue"},
            set(),
        ),
    ],
)
def test_an_expression_that_nothing_follows_from_is_not_used(
    text: str, without: set[str], concluding: set[str]
) -> None:
    read = read_ontology(PREFIXES + text, TURTLE)
    for infer, expected in (((), without), ((Infer.EXISTENTIAL,), concluding)):
        assert dict(usage_of(read, infer).unused).keys() == expected


def test_what_concepts_do_not_use_is_told() -> None:
    text = (
        ":A rdfs:subClassOf :B , [ owl:onProperty :p ; owl:cardinality 1 ] ."
        ":C owl:equivalentClass [ owl:onProperty :p ; owl:someValuesFrom :C ] ."
    )
    lines = list(unused_by_concepts(Definition("d", ontology=PREFIXES + text, media_type=TURTLE)))
    assert lines == [
        "concepts do not use all axioms about http://x/A",
        "concepts refuse http://x/C: the definition of 'http://x/C' is cyclic:"
        " http://x/C -> http://x/C",
    ]


def test_usages_add_up() -> None:
    both = merge_usages([usage(), usage(Infer.INVERSE)])
    assert (dict(both.used)["rdfs:subClassOf"], dict(both.used)["owl:inverseOf"]) == (4, 1)
    assert dict(both.unused)["owl:inverseOf"] == 1


def test_a_definition_tells_its_usage() -> None:
    told = usage_in(
        Definition("d", ontology=PREFIXES + TEXT, media_type=TURTLE, infer=("inverse",))
    )
    assert told == usage(Infer.INVERSE)
    assert usage_in(Definition("d", ontology="A <: B", media_type="text/x-tbox")) is None


@pytest.mark.parametrize("folder", ["schemaorg", "goodrelations", "owl-time", "iof"])
def test_no_word_of_owl_in_a_real_ontology_is_passed_over(folder: str) -> None:
    """Every property of OWL that states something stands on one side or the other."""
    for path in shared_data(f"ontologies/{folder}").rglob("*"):
        if path.suffix not in EXTENSIONS:
            continue
        text = read_ontology(path.read_text(encoding="utf-8-sig"), EXTENSIONS[path.suffix])
        found = usage_of(text)
        told = {word.split()[0] for word, _ in (*found.used, *found.unused)}
        kinds = {
            value.text
            for _, prop, value in text.triples
            if prop.endswith("#type") and isinstance(value, Iri)
        }
        for name in (
            "inverseOf",
            "allValuesFrom",
            "disjointWith",
            "hasValue",
            "cardinality",
            "TransitiveProperty",
        ):
            stated = any(prop == OWL + name for _, prop, _ in text.triples) or OWL + name in kinds
            assert ("owl:" + name in told) == stated


def test_a_range_that_gives_a_datatype_is_used() -> None:
    text = ":p rdfs:range <http://www.w3.org/2001/XMLSchema#decimal> . :q rdfs:range :A ."
    found = usage_of(read_ontology(PREFIXES + text, TURTLE))
    assert (found.used, found.unused) == ((("rdfs:range", 1),), (("rdfs:range", 1),))
