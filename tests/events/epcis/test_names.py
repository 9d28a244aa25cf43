"""Prefixes and terms of a document's own context: values are expanded as names are, and types are
honoured.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.events.epcis.writing import EVENTS, as_document, as_xml
from tocsin.errors import EventProblem
from tocsin.events.codecs.decode import as_line, decode_all
from tocsin.events.codecs.epcis import decode_document, normal_events
from tocsin.events.codecs.epcis.json_context import KNOWN, _names_in, _remembered, names_of
from tocsin.events.event import Event
from tocsin.events.views.epcis import EpcisData, epcis_to_triples
from tocsin.languages import parse_subscription
from tocsin.reference.atoms import holds
from tocsin.values.terms import XSD, Iri, Literal

ACME = "https://acme.example/"
BARE: dict[str, Any] = {
    "type": "ObjectEvent",
    "eventTime": "2026-01-31T08:00:00Z",
    "eventTimeZoneOffset": "+00:00",
    "action": "OBSERVE",
    "epcList": ["urn:epc:id:sgtin:0614141.107346.2017"],
}


def report(**members: Any) -> dict[str, Any]:
    return {"sensorElementList": [{"sensorReport": [members]}]}


def decoded(fields: dict[str, Any], context: Any = None) -> Event:
    document = as_document(BARE | fields)
    document["@context"] = [document["@context"][0], *([context] if context else [])]
    (event,) = decode_document(json.dumps(document))
    return event


URI_FIELDS: dict[str, Any] = {
    "epcList": lambda uri: {"epcList": [uri]},
    "eventID": lambda uri: {"eventID": uri},
    "bizStep": lambda uri: {"bizStep": uri},
    "disposition": lambda uri: {"disposition": uri},
    "set": lambda uri: {"persistentDisposition": {"set": [uri]}},
    "readPoint": lambda uri: {"readPoint": {"id": uri}},
    "bizLocation": lambda uri: {"bizLocation": {"id": uri}},
    "transaction type": lambda uri: {
        "bizTransactionList": [{"type": uri, "bizTransaction": "urn:x:1"}]
    },
    "transaction": lambda uri: {"bizTransactionList": [{"type": "po", "bizTransaction": uri}]},
    "source type": lambda uri: {"sourceList": [{"type": uri, "source": "urn:x:1"}]},
    "source": lambda uri: {"sourceList": [{"type": "location", "source": uri}]},
    "destination type": lambda uri: {"destinationList": [{"type": uri, "destination": "urn:x:1"}]},
    "destination": lambda uri: {"destinationList": [{"type": "location", "destination": uri}]},
    "epcClass": lambda uri: {"quantityList": [{"epcClass": uri, "quantity": 1}]},
    "reason": lambda uri: {
        "errorDeclaration": {"declarationTime": "2026-02-01T00:00:00Z", "reason": uri}
    },
    "certificationInfo": lambda uri: {"certificationInfo": [uri]},
    "sensor type": lambda uri: report(type=uri),
    "exception": lambda uri: report(exception=uri),
    "component": lambda uri: report(component=uri),
    "deviceID": lambda uri: report(deviceID=uri),
    "uriValue": lambda uri: report(uriValue=uri),
    "microorganism": lambda uri: report(microorganism=uri),
    "bizRules": lambda uri: {
        "sensorElementList": [{"sensorMetadata": {"bizRules": uri}, "sensorReport": [{}]}]
    },
}


@pytest.mark.parametrize("field", URI_FIELDS)
def test_a_prefixed_value_is_its_uri(field: str) -> None:
    short = decoded(URI_FIELDS[field]("acme:milling"), {"acme": ACME})
    long = decoded(URI_FIELDS[field](ACME + "milling"))
    other = decoded(
        URI_FIELDS[field]("a:milling"), {"a": {"@id": "base:", "@prefix": True}, "base": ACME}
    )
    assert short.attributes == long.attributes == other.attributes
    assert short.identity == long.identity == other.identity
    assert ACME + "milling" in json.dumps(short.attributes)


def test_a_prefix_of_xml_stands_for_its_namespace_in_values_too() -> None:
    document = as_xml(BARE | {"readPoint": {"id": "other:dock"}})
    (short,) = decode_document(document)
    (long,) = decode_document(document.replace("other:dock", "http://example.com/ext/dock"))
    assert short.attributes == long.attributes
    assert short.attributes["readPoint"] == {"id": "http://example.com/ext/dock"}


def test_a_standard_term_by_a_prefix_of_ones_own_is_its_bare_word() -> None:
    assert (
        decoded({"bizStep": "v:BizStep-shipping"}, {"v": "https://ref.gs1.org/cbv/"}).attributes[
            "bizStep"
        ]
        == "shipping"
    )
    milled = decoded({"bizStep": "milling"}, {"milling": "acme:milling", "acme": ACME})
    assert milled.attributes["bizStep"] == ACME + "milling"


def test_names_of_the_standard_may_be_written_in_full() -> None:
    full = {f"epcis:{name}" if name != "type" else name: value for name, value in BARE.items()}
    (event,) = decode_document(
        json.dumps(as_document(full | {"type": "https://ref.gs1.org/epcis/ObjectEvent"}))
    )
    assert event.attributes == decoded({}).attributes
    spelled = [
        {"ilmd": {name: "L1"}} for name in ("cbvmda:lotNumber", "urn:epcglobal:cbv:mda:lotNumber")
    ]
    assert decoded(spelled[0]).attributes == decoded(spelled[1]).attributes


def test_prefixes_without_a_declaration_and_other_schemes_stay() -> None:
    event = decoded(
        {"readPoint": {"id": "nobody:dock"}, "epcList": ["urn:acme:1", "https://acme.example/2"]}
    )
    assert event.attributes["readPoint"]["id"] == "nobody:dock"
    assert event.attributes["epcList"] == ["urn:acme:1", "https://acme.example/2"]


@pytest.mark.parametrize(
    "context", [{"a": "b:x", "b": "a:y"}, {"a": "a:"}, {"a": 7, "b": None, "c": {"@id": 3}}, "x", 4]
)
def test_a_context_that_goes_round_in_circles_does_no_harm(context: Any) -> None:
    assert decoded({"bizStep": "a:milling"}, context).attributes["bizStep"].endswith("milling")


TYPED = {
    "acme": ACME,
    "xsd": XSD,
    "count": {"@id": "acme:count", "@type": "xsd:integer"},
    "acme:weight": {"@type": "xsd:decimal"},
    "acme:sealed": {"@type": "xsd:boolean"},
    "acme:carrier": {"@type": "@id"},
    "acme:packed": {"@type": "xsd:dateTime"},
    "colour": "acme:colour",
}
TOLD = {
    "count": "5",
    "acme:weight": "2.50",
    "acme:sealed": "true",
    "acme:carrier": ["acme:rail", "urn:x:road"],
    "acme:packed": "2026-01-30T08:00:00+01:00",
    "colour": "red",
}


def test_typed_terms_give_values_of_their_type() -> None:
    event = decoded(TOLD, TYPED)
    told = {
        name.removeprefix(ACME): value
        for name, value in event.attributes.items()
        if name.startswith(ACME)
    }
    assert told == {
        "count": 5,
        "weight": 2.5,
        "sealed": True,
        "carrier": [ACME + "rail", "urn:x:road"],
        "packed": "2026-01-30T08:00:00+01:00",
        "colour": "red",
    }
    query = {"@context": {"a": ACME}, "GT_a:count": 4, "EQ_a:carrier": ["a:rail"]}
    assert not holds(
        parse_subscription("epcis", json.dumps(query | {"GT_a:count": 5}), {}).pattern, event
    )


def test_typed_terms_are_typed_in_the_graph() -> None:
    event = decoded(TOLD, TYPED)
    assert isinstance(event.data, EpcisData)
    told = {
        name.removeprefix(ACME): value
        for _, name, value in epcis_to_triples(event.data)[1]
        if name.startswith(ACME)
    }
    assert told["count"] == Literal("5", XSD + "integer")
    assert told["weight"] == Literal("2.5", XSD + "decimal")
    assert told["sealed"] == Literal("true", XSD + "boolean")
    assert told["packed"] == Literal("2026-01-30T08:00:00+01:00", XSD + "dateTime")
    assert told["carrier"] == Iri("urn:x:road")
    assert told["colour"] == Literal("red")


def test_types_survive_the_way_over_a_line() -> None:
    event = decoded(TOLD, TYPED)
    (again,) = decode_all(as_line(event))
    assert again.attributes == event.attributes
    assert normal_events(event.data) == [event.attributes]
    assert isinstance(event.data, EpcisData)
    assert isinstance(again.data, EpcisData)
    assert epcis_to_triples(again.data)[1] == epcis_to_triples(event.data)[1]


def test_a_value_that_is_none_of_its_type_stays_as_it_is() -> None:
    wrong = {"count": "many", "acme:weight": "heavy", "acme:sealed": "perhaps", "acme:carrier": 4}
    event = decoded(wrong, TYPED)
    assert [event.attributes[ACME + name] for name in ("count", "weight", "sealed", "carrier")] == [
        "many",
        "heavy",
        "perhaps",
        4,
    ]


def test_values_may_bring_their_type_along() -> None:
    event = decoded(
        {"acme:n": {"@value": "7", "@type": "xsd:int"}, "acme:to": {"@id": "acme:rail"}},
        {"acme": ACME},
    )
    assert event.attributes[ACME + "n"] == 7
    assert event.attributes[ACME + "to"] == {"@id": ACME + "rail"}
    assert isinstance(event.data, EpcisData)
    assert (ACME + "to", Iri(ACME + "rail")) in {
        (name, value) for _, name, value in epcis_to_triples(event.data)[1]
    }


def test_a_vocabulary_makes_bare_names_fields_of_ones_own() -> None:
    event = decoded({"colour": "red"}, {"@vocab": ACME})
    assert event.attributes[ACME + "colour"] == "red"


def test_a_query_writes_values_with_its_own_prefixes() -> None:
    event = decoded(
        {
            "bizStep": ACME + "milling",
            "bizTransactionList": [{"type": ACME + "job", "bizTransaction": ACME + "1"}],
        }
    )
    context = {"@context": {"a": ACME}}
    for query in ({"EQ_bizStep": ["a:milling"]}, {"EQ_bizTransaction_a:job": ["a:1"]}):
        assert holds(parse_subscription("epcis", json.dumps(context | query), {}).pattern, event)
    assert not holds(
        parse_subscription("epcis", json.dumps({"EQ_bizStep": ["a:milling"]}), {}).pattern, event
    )


@given(
    EVENTS,
    st.sampled_from(["", "@type", "@id"]),
    st.recursive(
        st.none() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(
                st.sampled_from(["@type", "@value", "@id", "@context", "a:b"]), inner, max_size=2
            )
        ),
    ),
)
def test_an_extension_is_in_the_graph_or_refused_by_name(
    event: dict[str, Any], keyword: str, value: Any
) -> None:
    (found,) = decode_document(
        json.dumps(as_document(event | {"ext:odd": {keyword: value} if keyword else value}))
    )
    assert isinstance(found.data, EpcisData)
    refused = ""
    try:
        home, triples = epcis_to_triples(found.data)
    except EventProblem as problem:
        refused = str(problem)
    if refused:
        assert refused.startswith(("EVENT_PARSE: @id is a text", "EVENT_PARSE: @type is a text"))
        return
    assert all(isinstance(name, str) for _, name, _ in triples)
    assert home is not None


# Contexts that come again

_IRIS = st.sampled_from(["https://a.example/", "b:x", "a:", "urn:x", "epcis:", 1, None, True])
_TERMS = st.one_of(
    _IRIS,
    st.fixed_dictionaries({}, optional={"@id": _IRIS, "@type": st.sampled_from(["@id", "b:t"])}),
)
_PARTS = st.dictionaries(st.sampled_from(["a", "b", "c", "a:b", "@vocab", "@base"]), _TERMS)
_CONTEXTS = st.one_of(st.just("https://c.example/"), _PARTS, st.lists(_PARTS, max_size=2))


@given(st.lists(_CONTEXTS, max_size=6))
def test_a_context_that_is_remembered_says_what_it_said(contexts: list[Any]) -> None:
    """Also inside of others, and as a copy."""
    found, anew = KNOWN, KNOWN
    for context in contexts:
        copy = json.loads(json.dumps(context))
        inside = names_of(context, found)
        assert names_of(copy, found) is inside
        found, anew = inside, _names_in(copy, anew)
        assert found == anew


def test_one_context_of_many_events_is_read_once() -> None:
    event = BARE | {"@context": ["https://c.example/", {"acme": ACME + "once/"}], "acme:n": "x"}
    before = _remembered.cache_info().misses
    for _ in range(20):
        [each] = decode_all(json.dumps(event))
        assert each.data[f"{ACME}once/n"] == "x"
    assert _remembered.cache_info().misses == before + 1
