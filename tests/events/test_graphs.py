"""The graph of an event: its rules with their codes, the classes of vertices, and lifts in the
words of an ontology.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tocsin
from tests.builders import build_event
from tocsin.errors import EventProblem
from tocsin.events.codecs.base.cloudevents import check_views, decode
from tocsin.events.codecs.epcis import decode_document
from tocsin.events.event import Event
from tocsin.events.views.graph import MAX_TRIPLES, Graph, graph_in
from tocsin.knowledge.loading import parse_ontology
from tocsin.knowledge.ontology import open_ontology
from tocsin.values.terms import (
    BOOLEAN,
    DATE_TIME,
    DECIMAL,
    INTEGER,
    LANG_STRING,
    RDF_TYPE,
    STRING,
    THING,
    Blank,
    Iri,
    Literal,
)

X = "http://x/"
TURTLE, JSON_LD, XML = "text/turtle", "application/ld+json", "application/xml"
H = Blank("H")


def event(data: object, content_type: str | None = None, type: str = "t") -> Event:
    return build_event("1", type, content_type=content_type, data=data)


def graph(body: str) -> Graph:
    return event(
        f"@prefix : <{X}> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . {body}", TURTLE
    ).graph


# Rules


@pytest.mark.parametrize(
    ("body", "code", "token"),
    [
        ("", "EVENT_NO_HOME", ""),
        (":a :p :b . :b :p :a .", "EVENT_NO_HOME", ""),
        (":a :p :b . :c :p :d .", "EVENT_MANY_HOMES", ""),
        (":a <urn:ops:home> true . :b <urn:ops:home> true .", "EVENT_MANY_HOMES", ""),
        ("<urn:ops:H> :p :a . :b :p :c .", "EVENT_UNREACHABLE", "<http://x/b>"),
        ("<urn:ops:H> :p :a . :b a :T .", "EVENT_UNREACHABLE", "<http://x/b>"),
        ("<urn:ops:H> :p :a . :b :p <urn:ops:H> .", "EVENT_UNREACHABLE", "<http://x/b>"),
        ("_:H a :T", "EVENT_PARSE", ""),
        ("_:H a nowhere:T .", "EVENT_PARSE", ""),
    ],
)
def test_a_graph_that_breaks_a_rule_is_refused(body: str, code: str, token: str) -> None:
    with pytest.raises(EventProblem) as caught:
        graph(body)
    assert (caught.value.code, caught.value.token) == (code, token)


def test_malformed_text_has_its_place() -> None:
    with pytest.raises(EventProblem) as caught:
        event("@prefix : <http://x/> .\n:a :p", TURTLE)
    assert caught.value.place is not None
    assert caught.value.place.line == 2


@pytest.mark.parametrize(
    ("body", "types"),
    [
        ("_:H a :T, :U ; :p :i .", {H: (X + "T", X + "U"), Iri(X + "i"): (THING,)}),
        (
            "_:H a :T ; :p 'a', 'b'@EN .",
            {
                H: (X + "T",),
                Literal("a"): (STRING,),
                Literal("b", LANG_STRING, "en"): (LANG_STRING,),
            },
        ),
        (
            "_:H a :T ; :p 1, '2'^^:own .",
            {
                H: (X + "T",),
                Literal("1", INTEGER): (INTEGER,),
                Literal("2", X + "own"): (X + "own",),
            },
        ),
        ("<urn:ops:H> :p <urn:ops:H> .", {Iri("urn:ops:H"): (THING,)}),
        ("_:H :p :a .", {H: (THING,), Iri(X + "a"): (THING,)}),
        (
            "_:H a :T ; :p [ :q :a ] .",
            {H: (X + "T",), Blank("b1"): (THING,), Iri(X + "a"): (THING,)},
        ),
        ("_:H a :T ; :p _:x .", {H: (X + "T",), Blank("x"): (THING,)}),
    ],
)
def test_every_vertex_has_its_classes(body: str, types: dict[object, tuple[str, ...]]) -> None:
    assert graph(body).types == types


def test_types_are_no_arcs_and_arcs_keep_the_order_of_the_text() -> None:
    found = graph("_:H a :T ; :q :b ; :p :a ; :p :H2 . :a :p :b .")
    assert [(str(subject), prop) for subject, prop, _ in found.arcs] == [
        ("_:H", X + "q"),
        ("_:H", X + "p"),
        ("_:H", X + "p"),
        ("<http://x/a>", X + "p"),
    ]


def test_a_class_that_is_also_a_vertex_is_one_where_an_arc_says_so() -> None:
    assert Iri(X + "T") not in graph("_:H a :T .").types
    assert graph("_:H a :T ; :about :T .").types[Iri(X + "T")] == (THING,)


def test_cycles_self_loops_and_parallel_arcs_are_legal() -> None:
    found = graph("_:H a :T ; :p _:H, :a ; :q :a . :a :p _:H .")
    assert len(found.arcs) == 4


def test_equal_literals_are_one_vertex_and_different_forms_are_two() -> None:
    assert (
        len(
            [
                term
                for term in graph("_:H a :T ; :p 1 ; :q 1 ; :r 01 .").types
                if isinstance(term, Literal)
            ]
        )
        == 2
    )


def test_nodes_of_a_list_are_lists() -> None:
    found = graph("_:H a :T ; :p (1 2) .")
    lists = [
        classes for term, classes in found.types.items() if isinstance(term, Blank) and term != H
    ]
    assert lists == [("http://www.w3.org/1999/02/22-rdf-syntax-ns#List",)] * 2


def test_a_json_ld_object_is_refused_when_its_graph_is_asked_for() -> None:
    homeless = event(
        {
            "@graph": [
                {"@id": "http://x/a", "http://x/p": 1},
                {"@id": "http://x/b", "http://x/p": 1},
            ]
        },
        JSON_LD,
    )
    with pytest.raises(EventProblem) as caught:
        _ = homeless.graph
    assert caught.value.code == "EVENT_MANY_HOMES"


# Size


def test_a_graph_of_a_hundred_thousand_triples_is_refused() -> None:
    text = "<urn:ops:H> <http://x/p> " + ",".join(map(str, range(100_000))) + " ."
    with pytest.raises(EventProblem) as caught:
        event(text, TURTLE)
    assert caught.value.code == "EVENT_TOO_LARGE"


def test_a_large_json_event_keeps_its_other_views() -> None:
    large = decode(
        json.dumps(
            {
                "id": "1",
                "source": "s",
                "type": "t",
                "data": {"n": list(range(MAX_TRIPLES + 1)), "a": 1},
            }
        )
    )
    assert large.attribute(("a",)) == 1
    with pytest.raises(EventProblem) as caught:
        _ = large.graph
    assert caught.value.code == "EVENT_TOO_LARGE"


def test_the_largest_graph_that_is_served() -> None:
    text = "<urn:ops:H> <http://x/p> " + ",".join(map(str, range(MAX_TRIPLES))) + " ."
    assert len(event(text, TURTLE).graph.arcs) == MAX_TRIPLES


# Lifts


ONTOLOGY = parse_ontology(
    """@prefix : <http://x/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix sh: <http://www.w3.org/ns/shacl#> .
    :Sale rdfs:subClassOf :Event . :Laptop rdfs:subClassOf :Product .
    [] sh:targetClass :Sale ; sh:property
      [ sh:path :target ; sh:class :Product ], [ sh:path :price ; sh:datatype xsd:decimal ],
      [ sh:path :at ; sh:datatype xsd:dateTime ], [ sh:path :open ; sh:datatype xsd:boolean ], [ sh:path :note ] ."""
)


def lifted(
    data: object, content_type: str | None = None, type: str = "t"
) -> dict[tuple[str, str], object]:
    found = graph_in(event(data, content_type, type), ONTOLOGY)
    return {(str(subject), prop.removeprefix(X)): value for subject, prop, value in found.arcs}


def test_members_are_properties_of_the_ontology_and_values_have_its_datatypes() -> None:
    assert lifted({"price": 350.5, "at": "2026-01-01T00:00:00Z", "note": "x", "other": 1}) == {
        ("_:H", "price"): Literal("350.5", DECIMAL),
        ("_:H", "at"): Literal("2026-01-01T00:00:00Z", DATE_TIME),
        ("_:H", "note"): Literal("x"),
        ("_:H", "urn:tocsin:vocabulary:other"): Literal("1", INTEGER),
    }


def test_a_value_that_is_none_of_the_datatype_stays_what_it_is() -> None:
    assert lifted({"price": "cheap"}) == {("_:H", "price"): Literal("cheap")}


def test_texts_of_xml_have_the_datatypes_of_the_ontology() -> None:
    assert lifted("<sale><price>350.50</price><open>true</open></sale>", XML) == {
        ("_:H", "price"): Literal("350.50", DECIMAL),
        ("_:H", "open"): Literal("true", BOOLEAN),
    }


def test_a_text_that_is_an_iri_is_a_resource_where_the_ontology_wants_one() -> None:
    assert lifted({"target": "http://y/laptop"}) == {("_:H", "target"): Iri("http://y/laptop")}
    assert lifted({"note": "http://y/laptop"}) == {("_:H", "note"): Literal("http://y/laptop")}
    assert lifted({"target": "a laptop"}) == {("_:H", "target"): Literal("a laptop")}


@pytest.mark.parametrize("name", ["type", "@type"])
@pytest.mark.parametrize("kind", ["Laptop", ":Laptop", X + "Laptop"])
def test_a_type_member_is_the_class(name: str, kind: str) -> None:
    found = graph_in(event({name: "Sale", "target": {name: [kind, "Product"]}}), ONTOLOGY)
    assert found.types == {H: (X + "Sale",), Blank("b1"): (X + "Laptop", X + "Product")}
    assert len(found.arcs) == 1


def test_a_type_that_is_no_class_is_a_property_like_any_other() -> None:
    found = graph_in(event({"type": "gizmo"}), ONTOLOGY)
    assert found.types[H] == (THING,)
    assert [prop for _, prop, _ in found.arcs] == ["urn:tocsin:vocabulary:type"]


def test_the_type_of_the_event_is_the_class_of_home() -> None:
    assert graph_in(event({"note": "x"}, type="Sale"), ONTOLOGY).types[H] == (X + "Sale",)


def test_objects_without_a_class_are_things() -> None:
    assert set(graph_in(event({"a": {"b": {}}}), ONTOLOGY).types.values()) == {(THING,)}


def test_rdf_has_its_own_words() -> None:
    given = event("<urn:ops:H> <http://y/price> 5 .", TURTLE)
    assert graph_in(given, ONTOLOGY) is given.graph


def test_an_epcis_event_has_the_words_of_its_standard() -> None:
    body = {
        "type": "ObjectEvent",
        "eventTime": "2026-01-31T08:00:00Z",
        "eventTimeZoneOffset": "+00:00",
        "action": "ADD",
    }
    (given,) = decode_document(
        json.dumps({**body, "epcList": ["urn:epc:id:sgtin:0614141.107346.2017"]})
    )
    assert graph_in(given, ONTOLOGY) is given.graph
    assert given.graph.types[given.graph.home] == ("https://ref.gs1.org/epcis/ObjectEvent",)
    assert (
        given.graph.home,
        "https://ref.gs1.org/epcis/action",
        Literal("ADD"),
    ) in given.graph.arcs


def test_an_open_ontology_lifts_as_no_ontology() -> None:
    given = event({"type": "Sale", "a": {"b": [1, 2.5, None, True]}})
    assert graph_in(given, open_ontology("urn:tocsin:vocabulary:")) == given.graph
    check_views(given)


# Names


def linked(data: object) -> set[tuple[str, str, str]]:
    found = graph_in(event(data), open_ontology("urn:tocsin:vocabulary:"))
    return {
        (str(subject), prop.removeprefix("urn:tocsin:vocabulary:"), str(value))
        for subject, prop, value in found.arcs
    }


def test_objects_with_one_id_are_one_vertex() -> None:
    found = linked(
        {
            "from": {"@id": "http://x/a", "n": 1},
            "to": {"@id": "http://x/b", "next": {"@id": "http://x/a"}},
        }
    )
    assert found == {
        ("_:H", "from", "<http://x/a>"),
        ("_:H", "to", "<http://x/b>"),
        ("<http://x/b>", "next", "<http://x/a>"),
        ("<http://x/a>", "n", str(Literal("1", INTEGER))),
    }


def test_references_make_cycles_and_lead_home() -> None:
    assert linked(
        {
            "@id": "http://x/e",
            "part": {"@id": "_:p", "of": {"@id": "http://x/e"}, "next": {"@id": "_:p"}},
        }
    ) == {
        ("<http://x/e>", "part", "_:p"),
        ("_:p", "of", "<http://x/e>"),
        ("_:p", "next", "_:p"),
    }
    assert graph_in(event({"@id": "http://x/e"}), ONTOLOGY).home == Iri("http://x/e")
    assert linked({"back": {"@id": "_:H"}}) == {("_:H", "back", "_:H")}


def test_a_name_that_is_no_iri_is_one_as_patterns_read_it() -> None:
    assert linked({"at": {"@id": "dock 7"}}) == {("_:H", "at", "<urn:tocsin:vocabulary:dock%207>")}
    found = graph_in(event({"target": [{"@id": ":box"}, {"@id": "box"}, "http://x/box"]}), ONTOLOGY)
    assert [value for _, _, value in found.arcs] == [Iri(X + "box")]


def test_labels_that_are_given_are_none_that_are_made_up() -> None:
    found = linked(
        {"a": {"n": 1}, "b": {"@id": "_:b1"}, "c": {"@id": "_:b 1"}, "d": {"@id": "_:n"}}
    )
    assert len({value for _, prop, value in found if prop in "abcd"}) == 4


def test_members_of_both_places_belong_to_the_vertex() -> None:
    found = graph_in(
        event({"a": {"@id": "x", "@type": "Sale"}, "b": {"@id": "x", "@type": ["Laptop"]}}),
        ONTOLOGY,
    )
    assert found.types[Iri(X + "x")] == (X + "Sale", X + "Laptop")


@pytest.mark.parametrize(
    "data",
    [
        {"@id": 7}, {"@id": None}, {"@id": ["x"]}, {"@id": {"a": 1}}, {"@id": ""}, {"@id": True},
        {"@type": 7}, {"@type": None}, {"@type": [{"sensorReport": []}]}, {"@type": ["Sale", None]},
        {"@type": {"a": 1}}, {"@type": [["Sale"]]}, {"a": {"b": [{"@id": 7}]}}, {"a": [{"@type": [1.5]}]},
    ],
    ids=str,
)  # fmt: skip
def test_other_kinds_of_names_are_problems_of_the_event(data: object) -> None:
    for ontology in (ONTOLOGY, open_ontology("urn:tocsin:vocabulary:")):
        with pytest.raises(EventProblem) as caught:
            graph_in(event(data), ontology)
        assert (caught.value.code, caught.value.token[0], caught.value.hint != "") == (
            "EVENT_PARSE",
            "@",
            True,
        )


def test_attributes_of_xml_are_no_names() -> None:
    assert lifted("<sale id='7'><note id='8'>x</note></sale>", XML)[
        ("_:H", "urn:tocsin:vocabulary:id")
    ] == Literal("7")


# Any event


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
    | st.sampled_from(["Sale", "Laptop", "http://y/a", "2026-01-01T00:00:00Z", "350"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["type", "price", "target", "at", "note", "other"]), inner, max_size=4)
    | st.fixed_dictionaries({"@id": st.sampled_from(["_:b1", "a", "http://y/a"])}, optional={"note": inner}),
    max_leaves=10,
)  # fmt: skip
VERTICES = st.sampled_from(["_:H", "_:a", ":a", ":b", "<urn:ops:H>"])
LINES = st.one_of(
    st.tuples(
        VERTICES, st.sampled_from([":p", ":q"]), st.one_of(VERTICES, st.sampled_from(["1", "'x'"]))
    ),
    st.tuples(VERTICES, st.just("a"), st.sampled_from([":T", ":U"])),
    st.tuples(VERTICES, st.just("<urn:ops:home>"), st.just("true")),
)


def is_proper(found: Graph) -> bool:
    """EG1 to EG3, straight from their words."""
    reached = {found.home}
    for _ in found.arcs:
        reached |= {value for subject, _, value in found.arcs if subject in reached}
    ends = {end for subject, _, value in found.arcs for end in (subject, value)}
    return (
        ends <= reached == set(found.types)
        and all(found.types.values())
        and len(set(found.arcs)) == len(found.arcs)
    )


@given(st.dictionaries(st.text(min_size=1, max_size=3), VALUES, max_size=3) | VALUES)
def test_any_json_has_a_proper_graph(data: object) -> None:
    assert is_proper(event(data).graph)
    assert is_proper(graph_in(event(data, type="Sale"), ONTOLOGY))


@given(st.lists(LINES, max_size=6))
def test_any_turtle_has_a_proper_graph_or_a_problem_with_a_code(
    lines: list[tuple[str, str, str]],
) -> None:
    try:
        found = graph(" ".join(f"{subject} {verb} {value} ." for subject, verb, value in lines))
    except EventProblem as problem:
        assert problem.code.startswith("EVENT_")  # noqa: PT017
        return
    assert is_proper(found)
    assert all(prop != RDF_TYPE for _, prop, _ in found.arcs)


NAMED_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["Sale", "_:x", "http://y/a", ""]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["@id", "@type", "type", "note"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(NAMED_VALUES)
def test_any_names_give_a_proper_graph_or_a_problem_of_the_event(data: object) -> None:
    try:
        found = graph_in(event(data), ONTOLOGY)
    except EventProblem as problem:
        assert problem.code == "EVENT_PARSE"  # noqa: PT017
        return
    assert is_proper(found)


def test_an_event_without_a_graph_is_a_dead_letter_with_its_reason() -> None:
    hub = tocsin.Hub()
    hub.subscribe("ASK { _:H <urn:tocsin:vocabulary:a> ?x }", language="graph")
    hub.publish(
        {"id": "1", "source": "s", "type": "t", "data": {"a": {"@type": [{"sensorReport": []}]}}}
    )
    (letter,) = hub.dead_letters
    assert letter.code == "EVENT_PARSE"
