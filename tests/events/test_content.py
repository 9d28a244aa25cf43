"""What a match tells of its members: complete events that can be published again, or their graphs
as Turtle.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tocsin
from tests import strategies
from tests.builders import event_json
from tests.conftest import shared_data
from tests.events.epcis.corpus import FOLDER, VALID, content
from tocsin.errors import MeaningProblem
from tocsin.events.codecs.base.cloudevents import decode, encode, from_mapping
from tocsin.events.codecs.decode import decode_all
from tocsin.events.event import Event
from tocsin.events.matches.match import MemberContent, match_of_event, turtle
from tocsin.events.views.graph import Graph, graph_of
from tocsin.knowledge.loading import KnowledgeSource, ontology_of

TIME = "2026-01-01T00:00:00Z"
PREFIX = "@prefix : <http://e.org/> ."


def body(**more: Any) -> dict[str, Any]:
    return event_json(time=TIME, **more)


SPECIAL = [
    body(),
    body(data=None),
    body(data="text"),
    body(data=[1, [2.5, None], {"a": True}]),
    body(data={"n": float("inf"), "m": [-float("inf")], "Infinity": "Infinity"}),
    body(data={"a": "\u2028\n\"'"}, subject="é", hops=3, urgent=True),
    body(datacontenttype="application/xml", data="<a b='1'>x &amp; y</a>"),
    body(datacontenttype="text/turtle", data=f"{PREFIX} _:H a :A ; :p 1, 'x'@en, [ a :B ] ."),
    body(datacontenttype="text/turtle", data=f"{PREFIX} :x a :A ; :p :y ."),
    body(
        datacontenttype="text/turtle",
        data=f"{PREFIX} _:k a :A ; :p _:m . _:m a :B ; :q _:k ; <urn:ops:home> true .",
    ),
    body(datacontenttype="application/octet-stream", data_base64="AAEC/w=="),
    body(
        datacontenttype="application/ld+json", data={"@type": "http://e.org/A", "http://e.org/p": 3}
    ),
    body(endtime="2026-01-01T01:00:00+01:00", place={"type": "Point", "coordinates": [1, 2]}),
    body(endtime="2026-01-02T00:00:00Z", place="POINT (1 2)"),
]


def same(one: Event, other: Event) -> bool:
    return all(
        getattr(one, name) == getattr(other, name)
        and type(getattr(one, name)) is type(getattr(other, name))
        for name in ("envelope", "data", "interval", "place_source")
    )


def parts(graph: Graph) -> tuple[object, ...]:
    return (graph.home, frozenset(graph.arcs), dict(graph.types))


def read_again(text: str) -> Graph:
    return graph_of(from_mapping(body(datacontenttype="text/turtle", data=text)))


every_event = st.one_of(strategies.events(), st.sampled_from(SPECIAL).map(from_mapping))


@given(every_event)
def test_what_is_told_is_the_same_event_when_it_is_published_again(event: Event) -> None:
    assert same(decode(encode(event)), event)
    (told,) = json.loads(match_of_event("s", event).line("events"))["members"]
    assert same(from_mapping(told), event)
    hub = tocsin.Hub()
    hub.subscribe("", id="s")
    (match,) = hub.publish(told)
    assert same(match.members[0], event)
    assert match == match_of_event("s", event)


def test_an_event_is_told_as_it_came() -> None:
    given_body = body(data={"a": 1})
    assert match_of_event("s", from_mapping(given_body)).as_json("events")["members"] == [
        given_body
    ]


def test_epcis_is_told_so_that_it_is_the_same_event_again() -> None:
    shared_data(FOLDER)
    for event in [event for path in VALID for event in decode_all(content(path))]:
        (again,) = decode_all(encode(event))
        assert same(again, event)
        text = turtle(event)
        assert text is not None
        assert len(read_again(text).arcs) == len(event.graph.arcs)


@given(every_event)
def test_turtle_is_the_same_graph_again(event: Event) -> None:
    text = turtle(event)
    assert text is not None
    assert parts(read_again(text)) == parts(event.graph)


def test_turtle_speaks_the_words_of_the_ontology() -> None:
    ontology = ontology_of(
        [KnowledgeSource(f"{PREFIX} :price a <http://www.w3.org/2002/07/owl#DatatypeProperty> .")]
    )
    text = turtle(from_mapping(body(data={"price": 350})), ontology)
    assert text is not None
    assert ":price 350" in text
    assert [arc[1] for arc in read_again(text).arcs] == ["http://e.org/price"]


@pytest.mark.parametrize(
    "bad",
    [
        body(
            datacontenttype="application/ld+json", data={"@context": "http://e.org/context", "a": 1}
        ),
        body(data={"a": list(range(50_001))}),
    ],
    ids=["a context that would have to be fetched", "too large"],
)
def test_an_event_without_a_graph_is_null_in_its_place(bad: dict[str, Any]) -> None:
    assert match_of_event("s", from_mapping(bad)).as_json("rdf")["members"] == [None]


@pytest.mark.parametrize("wrong", ["all", "", None, 1, ["ids"]])
def test_an_unknown_content_is_refused(wrong: Any) -> None:
    with pytest.raises(MeaningProblem, match="ContentError") as problem:
        match_of_event("s", from_mapping(body())).as_json(wrong)
    assert problem.value.hint == "one of ids, events, rdf"


def test_ids_are_the_fixed_format() -> None:
    match = match_of_event("s", from_mapping(body()))
    assert match.as_json(MemberContent.IDS) == match.as_json() == json.loads(match.line())
    assert "members" not in match.as_json()
