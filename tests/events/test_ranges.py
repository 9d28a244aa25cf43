"""Numbers of JSON and XML take the datatype of `rdfs:range`: one number is one value, however it is
written.
"""

from __future__ import annotations

import gc
import json
import pickle
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import build_event
from tocsin.engine.columns.batch import Batch
from tocsin.engine.graphs.matcher import GraphMatcher
from tocsin.events.event import Event
from tocsin.events.views.graph import graph_in
from tocsin.knowledge.loading import parse_ontology
from tocsin.knowledge.ontology import Ontology
from tocsin.languages import parse_subscription
from tocsin.languages.base.reading import Context
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.reference.graphs import holds
from tocsin.values.terms import (
    BOOLEAN,
    DATE_TIME,
    DECIMAL,
    DOUBLE,
    INTEGER,
    XSD,
    Iri,
    Literal,
    Term,
)

X = "http://x/"
PREFIXES = f"""@prefix : <{X}> . @prefix xsd: <{XSD}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
ABOVE = {
    "decimal": ("decimal",),
    "double": ("double",),
    "float": ("float",),
    "integer": ("integer", "decimal"),
    "long": ("long", "integer", "decimal"),
    "int": ("int", "long", "integer", "decimal"),
    "byte": ("byte", "short", "int", "long", "integer", "decimal"),
    "nonNegativeInteger": ("nonNegativeInteger", "integer", "decimal"),
    "negativeInteger": ("negativeInteger", "nonPositiveInteger", "integer", "decimal"),
}
BOUNDS = {"byte": (-128, 127), "nonNegativeInteger": (0, None), "negativeInteger": (None, -1)}
RELATIONS = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, "!=": ne}


def known(text: str) -> Ontology:
    return parse_ontology(PREFIXES + text)


RANGES = {each: known(f":p rdfs:range xsd:{each} .") for each in ABOVE}


def event(data: object, content_type: str = "application/json") -> Event:
    return build_event("1", content_type=content_type, data=data)


def pattern_of(text: str, ontology: Ontology) -> GraphPattern:
    pattern = parse_subscription("graph", text, {}, Context(ontology=ontology)).pattern
    assert isinstance(pattern, GraphPattern)
    return pattern


def spellings(number: Fraction) -> list[Event]:
    """Return an event for each way to write a number in JSON and in XML."""
    point = str(float(number))
    numbers = [float(number), json.loads(f"{point}e0"), json.loads(f"{float(number * 10)}e-1")]
    texts = [point, f" {point}\n"]
    if number.denominator == 1:
        numbers.append(int(number))
        texts += [str(int(number)), f"{int(number):+04d}"]
    return [
        *(event({"p": each}) for each in numbers),
        *(event(f"<e><p>{each}</p></e>", "application/xml") for each in texts),
    ]


def is_of(number: Fraction, datatype: str) -> bool:
    if "integer" not in ABOVE[datatype]:
        return True
    low, high = BOUNDS.get(datatype, (None, None))
    return (
        number.denominator == 1
        and (low is None or number >= low)
        and (high is None or number <= high)
    )


@given(
    st.sampled_from(sorted(ABOVE)),
    st.one_of(
        st.integers(-300, 300).map(Fraction),
        st.integers(-1200, 1200).map(lambda each: Fraction(each, 8)),
    ),
    st.sampled_from(sorted(ABOVE)),
    st.sampled_from(sorted(RELATIONS)),
    st.integers(-300, 300),
)
def test_one_number_matches_alike_however_it_is_written(
    given_range: str, number: Fraction, asked: str, relation: str, limit: int
) -> None:
    if not is_of(number, given_range):
        pattern = pattern_of(f"(_:H, ?1, (owl:Thing, p, xsd:{given_range}))", RANGES[given_range])
        assert not any(holds(pattern, each) for each in spellings(number))
        return
    has = {*ABOVE[given_range]}
    if given_range == "decimal" and number.denominator == 1:
        has.add("integer")  # 350 of Turtle is an integer, and so a decimal
    expected = asked in has and RELATIONS[relation](number, limit)
    text = f"(_:H, ?1, (owl:Thing, p, xsd:{asked}), ?1 {relation} {limit})"
    pattern, found = pattern_of(text, RANGES[given_range]), spellings(number)
    assert [holds(pattern, each) for each in found] == [expected] * len(found)
    matcher = GraphMatcher()
    matcher.add("s", pattern)
    assert len(matcher.match(Batch(found)).events) == expected * len(found)


@pytest.mark.parametrize(
    ("ranges", "data", "expected"),
    [
        (":p rdfs:range xsd:integer .", 1e22, Literal("1" + "0" * 22, INTEGER)),
        (":p rdfs:range xsd:decimal .", 1.5e-7, Literal("0.00000015", DECIMAL)),
        (":p rdfs:range xsd:decimal .", float("inf"), Literal("INF", DOUBLE)),
        (":p rdfs:range xsd:decimal .", True, Literal("true", BOOLEAN)),
        (":p rdfs:range xsd:boolean, xsd:decimal .", 1, Literal("1", INTEGER)),
        (":p rdfs:range xsd:string .", "350", Literal("350")),
        (":p rdfs:range rdfs:Literal .", 350.0, Literal("350.0", DOUBLE)),
        (":p rdfs:range :Thing .", "350", Literal("350")),
        (":p rdfs:range :Thing .", "urn:a:b", Iri("urn:a:b")),
        (":Text a rdfs:Datatype . :p rdfs:range :Text .", "urn:a:b", Literal("urn:a:b")),
        (":p rdfs:subPropertyOf :q . :q rdfs:range xsd:byte .", "7", Literal("7", XSD + "byte")),
        (":q owl:equivalentProperty :p . :q rdfs:range xsd:int .", 7.0, Literal("7", XSD + "int")),
        (":p rdfs:range xsd:integer, xsd:byte .", 7, Literal("7", XSD + "byte")),
        (":p rdfs:range xsd:integer, xsd:byte .", 700.0, Literal("700", INTEGER)),
        (":p rdfs:range xsd:integer, xsd:double .", 7.5, Literal("7.5", DOUBLE)),
        (":p rdfs:range xsd:date .", "2026-01-31", Literal("2026-01-31", XSD + "date")),
        (":p rdfs:range xsd:date .", "soon", Literal("soon")),
        (":p rdfs:range xsd:dateTime .", "2026-01-31T08:00:00Z", Literal("2026-01-31T08:00:00Z", DATE_TIME)),
    ],
)  # fmt: skip
def test_a_value_has_the_narrowest_datatype_that_fits(
    ranges: str, data: object, expected: Term
) -> None:
    (arc,) = graph_in(event({"p": data}), known(f":p a owl:DatatypeProperty . {ranges}")).arcs
    assert arc[2] == expected


def test_texts_of_many_digits_are_numbers() -> None:
    digits = "7" * 10_000
    (arc,) = graph_in(event(f"<e><p>{digits}.0</p></e>", "application/xml"), RANGES["decimal"]).arcs
    assert arc[2] == Literal(digits, INTEGER)


def test_ranges_are_part_of_an_ontology_and_of_its_pickle() -> None:
    one, other, without = (
        known(f":p a owl:DatatypeProperty . {text}")
        for text in (":p rdfs:range xsd:decimal .", ":p rdfs:range xsd:integer .", "")
    )
    assert len({one.fingerprint, other.fingerprint, without.fingerprint}) == 3
    packed = pickle.dumps(one)
    del one
    gc.collect()
    assert pickle.loads(packed).value_classes(X + "p") == {DECIMAL}
