"""Views: every event has attributes, a document and a graph, whatever its data; hostile data is
refused, not run.
"""

from __future__ import annotations

import json
import pickle
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from pyoxigraph import NamedNode

from tests.builders import build_unread_event
from tests.conftest import shared_data
from tocsin.errors import EventProblem, LimitProblem, Problem
from tocsin.events.codecs.base.cloudevents import check_views, from_mapping
from tocsin.events.event import Event
from tocsin.events.views.graph import graph_of
from tocsin.events.views.names import default_iri, xml_name
from tocsin.knowledge.loading import parse_ontology
from tocsin.values.terms import Blank

XML, TURTLE, JSON_LD = "application/xml", "text/turtle", "application/ld+json"
PREFIX = "@prefix : <http://x/> .\n"
XSD = "http://www.w3.org/2001/XMLSchema#"


def document_text(data: object, content_type: str | None = None) -> str:
    return etree.tostring(build_unread_event(data, content_type).document, encoding="unicode")


def triples(data: object, content_type: str | None = None) -> set[str]:
    """The arcs as N-Triples, with the default vocabulary and XML Schema written short."""
    found = (
        f"{subject} <{prop}> {value}"
        for subject, prop, value in build_unread_event(data, content_type).graph.arcs
    )
    return {text.replace("urn:tocsin:vocabulary:", "").replace(XSD, "") for text in found}


def turtle(body: str) -> Event:
    return build_unread_event(PREFIX + body, TURTLE)


# Attributes


@pytest.mark.parametrize(
    ("data", "attributes"),
    [
        ("<o/>", {}),
        ("<o>5</o>", {"#text": "5"}),
        ("<o><a>1</a></o>", {"a": "1"}),
        ("<o><a/></o>", {"a": ""}),
        ("<o><a> 1 </a></o>", {"a": " 1 "}),
        ("<o><a>1</a><b/><a>1</a><a/></o>", {"a": ["1", "1", ""], "b": ""}),
        ("<o><a/><a/></o>", {"a": ["", ""]}),
        ("<o k='1'><a k='2'>3</a></o>", {"@k": "1", "a": {"@k": "2", "#text": "3"}}),
        ("<o>\n <a>\n  <b>1</b>\n </a>\n</o>", {"a": {"b": "1"}}),
        ("<o><a>x<b/>y</a></o>", {"a": {"b": "", "#text": "xy"}}),
        ("<o><a>1<!-- no -->2<?no?>3<![CDATA[<4>]]></a></o>", {"a": "123<4>"}),
        (
            "<p:o xmlns:p='u' xmlns='v' p:k='1'><p:a>1</p:a><a>2</a></p:o>",
            {"@k": "1", "a": ["1", "2"]},
        ),
    ],
)
def test_xml_is_a_nested_map_by_local_names(data: str, attributes: dict[str, Any]) -> None:
    assert build_unread_event(data, XML).attributes == attributes


@pytest.mark.parametrize(
    "content_type", [XML, "text/xml", "image/svg+xml", "Text/XML; charset=utf-8"]
)
def test_every_xml_media_type_is_xml(content_type: str) -> None:
    assert build_unread_event("<o><a>1</a></o>", content_type).attribute(("a",)) == "1"


def test_a_json_object_is_its_own_attributes_and_json_ld_is_json() -> None:
    data = {"a": {"b": [1]}}
    for content_type in (None, "application/json", JSON_LD):
        assert build_unread_event(data, content_type).attributes == data


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        ("<o><a>1</a></o>", "text/plain"),
        ("<o><a>1</a></o>", None),
        ("_:H <http://x/p> 1 .", TURTLE),
        (None, XML),
        ([{"a": 1}], None),
        (
            "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>",
            "application/rdf+xml",
        ),
    ],
)
def test_other_data_has_no_attributes(data: object, content_type: str | None) -> None:
    assert build_unread_event(data, content_type).attributes == {}


# Documents


@pytest.mark.parametrize(
    ("data", "xml"),
    [
        ({}, "<event/>"),
        (None, "<event/>"),
        ({"a": "x"}, "<event><a>x</a></event>"),
        ({"a": {"b": {"c": 1}}}, "<event><a><b><c>1</c></b></a></event>"),
        ({"a": [1, 2]}, "<event><a>1</a><a>2</a></event>"),
        ({"a": []}, "<event/>"),
        ({"a": [[1, 2], []]}, "<event><a><item>1</item><item>2</item></a><a/></event>"),
        ({"a": [{"b": 1}, None]}, "<event><a><b>1</b></a><a/></event>"),
        ({"a": True, "b": False, "c": None}, "<event><a>true</a><b>false</b><c/></event>"),
        (
            {"a": 1.5, "b": 2.0, "c": 10**30, "d": -0.5},
            f"<event><a>1.5</a><b>2.0</b><c>{10**30}</c><d>-0.5</d></event>",
        ),
        ({"a": float("inf"), "b": float("-inf")}, "<event><a>INF</a><b>-INF</b></event>"),
        ({"a": "<&>"}, "<event><a>&lt;&amp;&gt;</a></event>"),
        ({"a": "x\0y\x1f\ufffe"}, "<event><a>x\ufffdy\ufffd\ufffd</a></event>"),
        (
            {"b c": 1, "1": 2, "x:y": 3},
            "<event><b_x0020_c>1</b_x0020_c><_x0031_>2</_x0031_><x_x003A_y>3</x_x003A_y></event>",
        ),
        ([1, {"a": 2}], "<event><item>1</item><item><a>2</a></item></event>"),
        (5, "<event>5</event>"),
    ],
)
def test_json_lifts_to_xml_by_member_names(data: object, xml: str) -> None:
    assert document_text(data) == xml


@pytest.mark.parametrize(
    ("member", "name"),
    [
        ("price", "price"),
        ("größe", "größe"),
        ("价格", "价格"),
        ("_x", "_x005F_x"),
        ("a_x0020_b", "a_x005F_x0020_b"),
        ("-a", "_x002D_a"),
        ("a-b.c", "a-b.c"),
        ("@id", "_x0040_id"),
        ("\U0001f514", "\U0001f514"),
        ("a\U000f0000", "a_x0F0000_"),
    ],
)
def test_member_names_are_encoded_as_sql_xml_does(member: str, name: str) -> None:
    assert xml_name(member) == name


@given(st.text(min_size=1))
def test_any_member_name_is_an_xml_name_that_can_be_read_back(member: str) -> None:
    encoded = xml_name(member)
    decoded = re.sub(
        "_x([0-9A-F]{4}|[0-9A-F]{6})_", lambda code: chr(int(code.group(1), 16)), encoded
    )
    assert decoded == member
    assert etree.fromstring(f"<{encoded}/>").tag == encoded


json_objects = st.dictionaries(
    st.text(min_size=1, max_size=5),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False)
        | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text(min_size=1, max_size=5), inner, max_size=3)
        ),
        max_leaves=8,
    ),
    max_size=4,
)


@given(json_objects)
def test_every_json_event_has_a_document_and_a_graph(data: dict[str, Any]) -> None:
    lifted = build_unread_event(data)
    check_views(lifted)
    assert etree.fromstring(etree.tostring(lifted.document, encoding="utf-8")).tag == "event"
    assert lifted.graph.home == Blank("H")


def test_xml_data_is_its_own_document() -> None:
    xml = '<o xmlns="u" k="1"><a>1</a>tail</o>'
    assert document_text(xml, XML) == xml


@pytest.mark.parametrize("encoding", ["utf-8", "UTF-16", "iso-8859-1", "nonsense"])
def test_the_encoding_that_decoded_xml_declares_is_moot(encoding: str) -> None:
    xml = f'<?xml version="1.0" encoding="{encoding}"?><o><a>é</a></o>'
    assert build_unread_event(xml, XML).attribute(("a",)) == "é"


@pytest.mark.parametrize(
    "data",
    [
        "",
        "text",
        "<a>",
        "<a></b>",
        "<a/><b/>",
        "<a b='1' b='2'/>",
        "<x:a/>",
        "<a>&undeclared;</a>",
        "<a>&#0;</a>",
        "<a>\x01</a>",
        "\ufeff\ufeff<a/>",
        {"a": 1},
        [1],
        5,
    ],
)
def test_malformed_xml_is_an_event_problem(data: object) -> None:
    malformed = build_unread_event(data, XML)
    for ask in (
        lambda: malformed.document,
        lambda: malformed.graph,
        lambda: check_views(malformed),
    ):
        with pytest.raises(EventProblem) as caught:
            ask()
        assert caught.value.code == "MalformedEvent"


def test_a_lone_surrogate_in_xml_is_an_event_problem() -> None:
    broken = Event(
        {"id": "1", "source": "s", "type": "t", "datacontenttype": XML}, "<a>\ud800</a>", None
    )
    with pytest.raises(EventProblem):
        check_views(broken)


def entities(body: str, levels: int = 9) -> str:
    more = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(levels))
    return f'<!DOCTYPE o [<!ENTITY e0 "lol">{more}]>{body}'


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(entities("<o>&e9;</o>"), id="billion laughs in text"),
        pytest.param(entities("<o a='&e9;'/>"), id="billion laughs in an attribute"),
        pytest.param(entities("<o>&e0;</o>"), id="a small entity"),
        pytest.param(entities("<o/>"), id="entities that nobody uses"),
        pytest.param("<!DOCTYPE o SYSTEM 'o.dtd'><o>&e;</o>", id="text of an unread DTD"),
        pytest.param("<!DOCTYPE o><o>&e;</o>", id="of a document type that has none"),
        pytest.param("<!DOCTYPE o []><o>&e;</o>", id="of an empty document type"),
        pytest.param(
            "<!--<!DOCTYPE o>--><!DOCTYPE o [<!ENTITY e 'x'>]><o>&e;</o>", id="behind a comment"
        ),
        pytest.param("<!DOCTYPE o PUBLIC 'p' 'o.dtd'><o/>", id="a DTD elsewhere"),
        pytest.param("<!DOCTYPE o SYSTEM 'o.dtd'><o a='x&e;y'/>", id="attribute of an unread DTD"),
    ],
)
def test_entities_are_refused_and_never_expanded(data: str) -> None:
    with pytest.raises((EventProblem, LimitProblem)):
        check_views(build_unread_event(data, XML))


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE o [<!ENTITY e SYSTEM '{uri}'>]><o>&e;</o>",
        "<!DOCTYPE o [<!ENTITY % e SYSTEM '{uri}'> %e;]><o/>",
    ],
)
def test_an_external_entity_is_neither_read_nor_served(doctype: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("<!ENTITY leaked 'secret'>")
    with pytest.raises(EventProblem, match="entities"):
        check_views(build_unread_event(doctype.format(uri=secret.as_uri()), XML))


def test_a_document_type_is_not_read_from_a_file(tmp_path: Path) -> None:
    dtd = tmp_path / "o.dtd"
    dtd.write_text("<!ATTLIST o k CDATA 'default'>")
    with pytest.raises(EventProblem, match="document type"):
        check_views(build_unread_event(f"<!DOCTYPE o SYSTEM '{dtd.as_uri()}'><o><a>1</a></o>", XML))


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A local server that shows whether anybody called."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def address(server: socket.socket) -> str:
    return f"http://127.0.0.1:{server.getsockname()[1]}/"


def test_a_document_type_is_not_fetched(listener: socket.socket) -> None:
    data = f"<!DOCTYPE o SYSTEM '{address(listener)}o.dtd'><o><a>1</a></o>"
    with pytest.raises(EventProblem, match="document type"):
        check_views(build_unread_event(data, XML))
    with pytest.raises(BlockingIOError):
        listener.accept()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("<a>" * 100_000 + "</a>" * 100_000, id="deep"),
        pytest.param("<a>" * 300 + "</a>" * 300, id="deeper than libxml2 goes"),
        pytest.param("<a>" * 129 + "</a>" * 129, id="a little too deep"),
        pytest.param("<a>" + "x" * 5_000_000 + "</a>", id="long"),
    ],
)
def test_xml_past_the_limits_is_refused(data: str) -> None:
    with pytest.raises(LimitProblem) as caught:
        check_views(build_unread_event(data, XML))
    assert caught.value.code == "EventLimitError"


def test_the_deepest_xml_that_is_served_has_all_its_views() -> None:
    deep = build_unread_event("<a>" * 128 + "1" + "</a>" * 128, XML)
    assert len(list(deep.document.iter())) == 128
    assert deep.attribute(("a",) * 127) == "1"
    assert len(deep.graph.arcs) == 127


# Graphs


def test_json_lifts_to_a_graph_of_typed_literals() -> None:
    data = {
        "p": "x",
        "i": 5,
        "d": 1.5,
        "b": True,
        "n": None,
        "o": {"q": "y"},
        "l": ["x", "x", "z", {"q": "w"}],
    }
    assert triples(data) == {
        '_:H <p> "x"',
        '_:H <i> "5"^^<integer>',
        '_:H <d> "1.5"^^<double>',
        '_:H <b> "true"^^<boolean>',
        "_:H <o> _:b1",
        '_:b1 <q> "y"',
        '_:H <l> "x"',
        '_:H <l> "z"',
        "_:H <l> _:b2",
        '_:b2 <q> "w"',
    }


def test_nested_arrays_and_bare_values_lift_too() -> None:
    assert triples({"a": [[1]]}) == {"_:H <a> _:b1", '_:b1 <item> "1"^^<integer>'}
    assert triples([1]) == {'_:H <item> "1"^^<integer>'}
    assert triples("x") == {'_:H <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> "x"'}
    assert triples(None) == set()


def test_xml_lifts_to_a_graph_of_strings() -> None:
    assert triples("<o k='1'><a>2</a><a k='3'>4</a></o>", XML) == {
        '_:H <k> "1"',
        '_:H <a> "2"',
        "_:H <a> _:b1",
        '_:b1 <k> "3"',
        '_:b1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> "4"',
    }


def test_a_vocabulary_names_the_properties() -> None:
    known = parse_ontology(PREFIX + ":a <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> :b .")
    for given_event in (
        build_unread_event({"a": {"b": 1}}),
        build_unread_event("<o><a><b>1</b></a></o>", XML),
    ):
        assert [prop for _, prop, _ in graph_of(given_event, known).arcs] == [
            "http://x/a",
            "http://x/b",
        ]


@given(st.text(), st.text())
def test_any_two_member_names_have_two_iris(one: str, two: str) -> None:
    # which refuses what is no IRI
    assert NamedNode(default_iri(one)).value.startswith("urn:tocsin:vocabulary:")
    assert (default_iri(one) == default_iri(two)) == (one == two)


@pytest.mark.parametrize(
    ("body", "home"),
    [
        ("<urn:ops:H> :p :m, _:H . :m <urn:ops:home> true . _:H a :T .", "<urn:ops:H>"),
        (":a :p <urn:ops:H> . <urn:ops:H> :p :a .", "<urn:ops:H>"),
        (":m :p _:H ; <urn:ops:home> true . _:H a :T ; :p :m .", "<http://x/m>"),
        ("[] a :T ; :p :a ; <urn:ops:home> true .", "_:b1"),
        (":m <urn:ops:home> true .", "<http://x/m>"),
        ("_:H a :T ; :p :r . :r :p :s .", "_:H"),
        (":r :p _:H . _:H a :T ; :p :r .", "_:H"),
        (":r :p :a . :a :p :b .", "<http://x/r>"),
        (":r :p :a ; :p :r .", "<http://x/r>"),
        ("[] a :T ; :p [ a :U ] .", "_:b1"),
        (":r a :T . :r :p :a . :a a :T .", "<http://x/r>"),
    ],
)
def test_the_home_vertex_is_found_in_the_order_of_the_design(body: str, home: str) -> None:
    assert str(turtle(body).graph.home) == home


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", "roots: none"),
        (":a :p :b . :b :p :a .", "roots: none"),
        (":a :p :b . :c :p :d .", "roots: <http://x/a>, <http://x/c>"),
        (
            ":a <urn:ops:home> true . :b <urn:ops:home> true .",
            "marked as home: <http://x/a>, <http://x/b>",
        ),
    ],
)
def test_a_graph_without_a_single_home_is_refused(body: str, words: str) -> None:
    homeless = turtle(body)
    with pytest.raises(EventProblem) as caught:
        check_views(homeless)
    assert words in caught.value.message
    assert "urn:ops:H" in caught.value.hint


def test_the_mark_of_the_home_is_no_statement_about_it() -> None:
    assert triples(PREFIX + ":m :p :a ; <urn:ops:home> true .", TURTLE) == {
        "<http://x/m> <http://x/p> <http://x/a>"
    }


def test_labels_that_the_author_wrote_stay_and_others_are_numbered() -> None:
    graph = turtle("_:H a :T ; :p _:b1 ; :q [ a :T ] ; :s [ a :T ] . _:b1 a :T .").graph
    assert {str(value) for subject, _, value in graph.arcs if subject == graph.home} == {
        "_:b1",
        "_:b2",
        "_:b3",
    }


def test_a_repeated_triple_is_one_triple() -> None:
    assert len(turtle(":a :p 1 . :a :p 1 . :a :p 01 .").graph.arcs) == 2


SHOW_GRAPHS = """
from tocsin.events.codecs.base.cloudevents import decode
import sys
print([decode(line).graph for line in sys.stdin])
"""


def test_another_process_sees_the_same_triples() -> None:
    cases: list[tuple[object, str]] = [
        (PREFIX + "[] a :T ; :p [ a :T ; :q 1 ], [ a :T ; :q 2 ], ( 1 2 ) .", TURTLE),
        (
            {
                "@type": "http://x/T",
                "http://x/p": [
                    {"@type": "http://x/T", "http://x/q": 1},
                    {"@type": "http://x/T", "http://x/q": 2},
                ],
                "http://x/r": {"@list": [1, 2]},
            },
            JSON_LD,
        ),
        ({"b": {"a": 1}, "a": [{"c": 2}, {"c": 3}]}, "application/json"),
    ]
    base = {"id": "1", "source": "s", "type": "t"}
    lines = "\n".join(
        json.dumps(base | {"data": data, "datacontenttype": kind}) for data, kind in cases
    )
    other = subprocess.run(
        [sys.executable, "-c", SHOW_GRAPHS], input=lines, capture_output=True, text=True, check=True
    )
    here = [build_unread_event(data, kind).graph for data, kind in cases]
    assert other.stdout.strip() == str(here)


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        ("<urn:ops:H> <http://x/p> <http://x/a> .", "application/n-triples"),
        ("<urn:ops:H> <http://x/p> <http://x/a> .", TURTLE),
        ({"@id": "urn:ops:H", "http://x/p": {"@id": "http://x/a"}}, JSON_LD),
        ('{"@id": "urn:ops:H", "http://x/p": {"@id": "http://x/a"}}', JSON_LD),
        (
            {"@context": {"@vocab": "http://x/"}, "@id": "urn:ops:H", "p": {"@id": "http://x/a"}},
            JSON_LD,
        ),
        (
            "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://x/'>"
            "<rdf:Description rdf:about='urn:ops:H'><p rdf:resource='http://x/a'/></rdf:Description></rdf:RDF>",
            "application/rdf+xml",
        ),
    ],
)
def test_every_rdf_format_is_read(data: object, content_type: str) -> None:
    assert triples(data, content_type) == {"<urn:ops:H> <http://x/p> <http://x/a>"}


@pytest.mark.parametrize(
    "context",
    [
        "{uri}",
        [{"a": "http://x/a"}, "{uri}"],
        {"@import": "{uri}"},
        {"a": {"@id": "http://x/a", "@context": "{uri}"}},
    ],
)
def test_a_remote_context_is_refused_and_not_fetched(
    context: object, listener: socket.socket
) -> None:
    body = json.dumps({"@context": context, "@id": "_:H", "a": {"b": 1}, "http://x/p": 1})
    with pytest.raises(EventProblem, match="never fetched"):
        check_views(
            build_unread_event(json.loads(body.replace("{uri}", address(listener))), JSON_LD)
        )
    with pytest.raises(BlockingIOError):
        listener.accept()


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        ("_:H :p 1 .", TURTLE),
        ("_:H <p> 1 .", TURTLE),
        ("_:H <http://x/p> 1", TURTLE),
        ("_:H <http://x/p> 1 .", "application/n-triples"),
        ('_:H <http://x/p> "\\uD800" .', TURTLE),
        ("<< <http://x/a> <http://x/p> 1 >> <http://x/p> 1 .", TURTLE),
        ("_:H <http://x/p> <<( <http://x/a> <http://x/p> 1 )>> .", TURTLE),
        (
            "_:H <http://x/p> " + "<<( _:a <http://x/p> " * 100_000 + "1" + ")>>" * 100_000 + " .",
            TURTLE,
        ),
        ("_:H <http://x/p> " + "[ <http://x/p> " * 100_000, TURTLE),
        ({"a": 1}, TURTLE),
        (5, TURTLE),
        ("{", JSON_LD),
        (5, JSON_LD),
        ({"@id": 5}, JSON_LD),
        ('{"http://x/p":' * 100_000 + "1" + "}" * 100_000, JSON_LD),
        ({"@id": "http://x/g", "@graph": [{"@id": "http://x/a", "http://x/p": 1}]}, JSON_LD),
        (
            entities(
                "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>&e9;</rdf:RDF>"
            ),
            "application/rdf+xml",
        ),
    ],
    ids=lambda value: ascii(str(value)[:40]),
)
def test_malformed_rdf_is_a_problem_of_the_event(data: object, content_type: str) -> None:
    with pytest.raises((EventProblem, LimitProblem)):
        check_views(build_unread_event(data, content_type))


@given(
    st.text(max_size=80) | st.text("<>/ab&;'!_: .[]()@", max_size=80),
    st.sampled_from([XML, TURTLE, JSON_LD]),
)
def test_any_text_has_its_views_or_a_problem(text: str, content_type: str) -> None:
    tried = build_unread_event(text, content_type)
    try:
        check_views(tried)
    except Problem:
        return
    assert isinstance(tried.attributes, dict)
    assert tried.document is not None
    assert tried.graph.home is not None


# Laziness


def test_a_view_is_derived_once() -> None:
    for kept in (
        build_unread_event("<o><a>1</a></o>", XML),
        build_unread_event({"a": 1}),
        turtle(":a :p 1 ."),
    ):
        assert kept.document is kept.document
        assert kept.graph is kept.graph
        assert kept.attributes is kept.attributes


@pytest.mark.parametrize(("data", "content_type"), [("<o", XML), (":a :p", TURTLE)])
def test_malformed_text_is_refused_when_the_event_is_decoded(data: str, content_type: str) -> None:
    with pytest.raises(EventProblem, match="malformed"):
        from_mapping(
            {"id": "1", "source": "s", "type": "t", "datacontenttype": content_type, "data": data}
        )


def test_json_ld_without_a_home_is_still_json() -> None:
    body = {"id": "1", "source": "s", "type": "t", "datacontenttype": JSON_LD, "data": {"price": 5}}
    assert from_mapping(body).attribute(("price",)) == 5


def test_an_event_travels_between_processes_without_its_views() -> None:
    sent = build_unread_event("<o><a>1</a></o>", XML)
    check_views(sent)
    received = pickle.loads(pickle.dumps(sent))
    assert (received.identity, received.attributes, received.graph) == (
        sent.identity,
        sent.attributes,
        sent.graph,
    )


# Documents of others


def _business_documents() -> list[Path]:
    folders = (shared_data("xml-ubl"), shared_data("xml-xrechnung"))
    return [path for folder in folders for path in sorted(folder.rglob("*.xml"))]


def test_business_documents_have_all_their_views() -> None:
    documents = _business_documents()
    assert len(documents) >= 100
    for path in documents:
        seen = build_unread_event(path.read_text(encoding="utf-8-sig"), XML)
        check_views(seen)
        plain = etree.parse(path).getroot()
        assert seen.document.tag == plain.tag
        assert sum(1 for _ in seen.document.iter()) == sum(1 for _ in plain.iter("*"))
        assert set(seen.attributes) >= {
            etree.QName(child).localname for child in plain.iterchildren("*")
        }
        assert seen.graph.arcs


def test_the_id_of_a_business_document_is_an_attribute() -> None:
    path = next(
        path for path in _business_documents() if path.name == "UBL-Invoice-2.1-Example.xml"
    )
    expected = etree.parse(path).getroot().findtext("{*}ID")
    identifier = build_unread_event(path.read_text(encoding="utf-8-sig"), XML).attribute(("ID",))
    assert (identifier["#text"] if isinstance(identifier, dict) else identifier) == expected
