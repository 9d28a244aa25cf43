"""EPCIS queries as subscriptions: reference and engine against an independent reading of the
standard.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import shared_data
from tests.events.epcis.asking import answers
from tests.events.epcis.corpus import FOLDER, VALID, content, raw_events
from tocsin.engine.atoms import AtomMatchers
from tocsin.engine.columns.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.events.codecs.epcis import decode_document
from tocsin.events.event import Event
from tocsin.knowledge.loading import parse_ontology
from tocsin.languages import parse_subscription
from tocsin.languages.base.reading import Context
from tocsin.plan.nodes.atoms import Condition
from tocsin.plan.passes import prepared
from tocsin.plan.wire.wire import plan_from_json, plan_to_json
from tocsin.reference.atoms import holds


def plan_of(query: dict[str, Any] | str, context: Context | None = None) -> Any:
    text = query if isinstance(query, str) else json.dumps(query)
    return prepared(parse_subscription("epcis", text, {}, context))


def rings(query: dict[str, Any] | str, event: Event, context: Context | None = None) -> bool:
    """What the reference says, having asked the engine too."""
    plan = plan_of(query, context)
    assert isinstance(plan.pattern, Condition)
    engine = Engine()
    engine.add("q", plan)
    expected = holds(plan.pattern, event)
    assert len(engine.match(Batch([event])).atomic_matches) == expected
    return expected


def event_of(**fields: Any) -> Event:
    given = {
        "type": "ObjectEvent",
        "eventTime": "2026-01-31T08:00:00+01:00",
        "eventTimeZoneOffset": "+01:00",
        "action": "OBSERVE",
        "epcList": [],
    } | fields
    (event,) = decode_document(
        json.dumps({name: value for name, value in given.items() if value is not None})
    )
    return event


SHIPPED = event_of(
    bizStep="shipping",
    disposition="in_transit",
    recordTime="2026-01-31T09:00:00Z",
    eventID="urn:uuid:1",
    epcList=["urn:epc:id:sgtin:0614141.107346.2017"],
    readPoint={"id": "urn:epc:id:sgln:0614141.07346.1234"},
    bizLocation={"id": "urn:epc:id:sgln:0614141.00888.0"},
    bizTransactionList=[
        {"type": "po", "bizTransaction": "urn:x:po:1"},
        {"type": "inv", "bizTransaction": "urn:x:i:2"},
    ],
    sourceList=[{"type": "owning_party", "source": "urn:epc:id:pgln:4012345.00225"}],
    quantityList=[
        {"epcClass": "urn:epc:class:lgtin:4012345.012345.998877", "quantity": 200, "uom": "KGM"},
        {"epcClass": "urn:epc:idpat:sgtin:4012345.012345.*", "quantity": 3},
    ],
    persistentDisposition={"set": ["recalled"]},
    sensorElementList=[
        {
            "sensorMetadata": {
                "deviceID": "urn:epc:id:giai:4000001.111",
                "startTime": "2026-01-31T06:00:00Z",
            },
            "sensorReport": [
                {"type": "Temperature", "value": 26.5, "uom": "CEL", "booleanValue": True},
                {
                    "type": "Speed",
                    "value": 80,
                    "uom": "KMH",
                    "component": "x",
                    "hexBinaryValue": "F0a1",
                },
            ],
        }
    ],
    errorDeclaration={"declarationTime": "2026-02-01T00:00:00Z", "reason": "incorrect_data"},
    ilmd={"cbvmda:lotNumber": "L1"},
    **{
        "@context": {"ext": "http://example.com/ext/"},
        "ext:score": "7",
        "ext:when": "2026-01-01T00:00:00Z",
        "ext:outer": {"ext:inner": ["a", "b"], "ext:unit": "KGM"},
    },
)
SCHEME = {"@context": {"e": "http://example.com/ext/"}}

ASKED: list[tuple[dict[str, Any], bool]] = [
    ({}, True),
    ({"eventType": ["ObjectEvent", "AggregationEvent"]}, True),
    ({"eventType": "TransactionEvent"}, False),
    ({"eventType": ["QuantityEvent"]}, False),
    ({"eventType": []}, False),
    ({"EQ_bizStep": []}, False),
    ({"EQ_bizStep": [], "EQ_action": ["OBSERVE"]}, False),
    ({"EQ_readPoint": []}, False),
    ({"EQ_bizTransaction_po": []}, False),
    ({"MATCH_anyEPC": []}, False),
    ({"EQ_value_CEL": []}, False),
    ({"EQ_hexBinaryValue": []}, False),
    ({"EXISTS_ilmd": []}, True),
    ({"EQ_hexBinaryValue": ["f0A1"]}, True),
    ({"EQ_hexBinaryValue": ["F0A1"]}, True),
    ({"EQ_hexBinaryValue": ["F0A2"]}, False),
    ({"GE_eventTime": "2026-01-31T07:00:00Z"}, True),
    ({"LT_eventTime": "2026-01-31T07:00:00Z"}, False),
    ({"LT_recordTime": "2026-01-31T10:00:00.5+00:59"}, True),
    ({"GE_errorDeclarationTime": "2026-02-01T00:00:00.001Z"}, False),
    ({"EQ_action": ["ADD"]}, False),
    ({"EQ_bizStep": ["receiving", "https://ref.gs1.org/cbv/BizStep-shipping"]}, True),
    ({"EQ_disposition": ["urn:epcglobal:cbv:disp:in_transit"], "EQ_action": ["ADD"]}, False),
    ({"EQ_persistentDisposition_set": ["cbv:Disp-recalled"]}, True),
    ({"EQ_persistentDisposition_unset": ["recalled"]}, False),
    ({"EQ_eventID": ["urn:uuid:1"]}, True),
    ({"EQ_readPoint": ["https://id.gs1.org/414/0614141073467/254/1234"]}, True),
    ({"EQ_readPoint": ["urn:epc:id:sgln:0614141.07346.0"]}, False),
    ({"WD_bizLocation": ["urn:epc:id:sgln:0614141.00888.0"]}, True),
    ({"EQ_bizTransaction_po": ["urn:x:po:1"]}, True),
    ({"EQ_bizTransaction_po": ["urn:x:i:2"]}, False),
    ({"EQ_bizTransaction_urn:epcglobal:cbv:btt:inv": ["urn:x:i:2"]}, True),
    ({"EQ_source_owning_party": ["https://id.gs1.org/417/4012345002256"]}, True),
    ({"EQ_destination_owning_party": ["urn:epc:id:pgln:4012345.00225"]}, False),
    ({"MATCH_epc": ["urn:epc:id:sgtin:0614141.107346.2017"]}, True),
    ({"MATCH_epc": ["https://other.example/01/10614141073464/21/2017"]}, True),
    ({"MATCH_anyEPC": ["urn:epc:idpat:sgtin:0614141.107346.*"]}, True),
    ({"MATCH_epc": ["urn:epc:idpat:sgtin:0614141.*.*"]}, True),
    ({"MATCH_epc": ["urn:epc:idpat:sgtin:061414.*.*"]}, True),
    ({"MATCH_epc": ["urn:epc:idpat:sgtin:0614142.*.*"]}, False),
    ({"MATCH_epc": ["urn:epc:idpat:sscc:0614141.*"]}, False),
    ({"MATCH_epc": ["https://id.gs1.org/01/10614141073464/21/*"]}, True),
    ({"MATCH_parentID": ["urn:epc:id:sgtin:0614141.107346.2017"]}, False),
    ({"MATCH_inputEPC": ["urn:epc:idpat:sgtin:*.*.*"]}, False),
    ({"MATCH_epcClass": ["urn:epc:class:lgtin:4012345.012345.998877"]}, True),
    ({"MATCH_epcClass": ["urn:epc:class:lgtin:4012345.*.*"]}, True),
    ({"MATCH_epcClass": ["urn:epc:idpat:sgtin:4012345.012345.*"]}, True),
    ({"MATCH_outputEPCClass": ["urn:epc:class:lgtin:4012345.*.*"]}, False),
    ({"EQ_quantity": [3]}, True),
    ({"EQ_quantity_KGM": [3]}, False),
    ({"GT_quantity": 200}, False),
    ({"GE_quantity_KGM": 200}, True),
    ({"EQ_type": ["Temperature"]}, True),
    ({"EQ_type": ["gs1:Pressure"]}, False),
    ({"GE_value_CEL": 26.5}, True),
    ({"GT_value_CEL": 26.5}, False),
    ({"LE_value_KMH": "80.0"}, True),
    ({"EQ_component": ["cbv:Comp-x"]}, True),
    ({"EQ_booleanValue": False}, False),
    ({"EQ_deviceID": ["https://id.gs1.org/8004/4000001111"]}, True),
    ({"EQ_SENSORREPORT_deviceID": ["urn:epc:id:giai:4000001.111"]}, False),
    ({"LT_startTime": "2026-01-31T06:00:01Z"}, True),
    ({"EXISTS_errorDeclaration": None, "EQ_errorReason": ["incorrect_data"]}, True),
    ({"EXISTS_sensorElementList": 1}, True),
    ({"EQ_correctiveEventID": ["urn:uuid:2"]}, False),
    ({"EQ_ILMD_cbvmda:lotNumber": ["L1"]}, True),
    ({"EXISTS_ILMD_cbvmda:netWeight": None}, False),
    (SCHEME | {"EQ_e:score": 7, "GT_e:score": 6}, True),
    (SCHEME | {"LT_e:score": 7}, False),
    (SCHEME | {"EQ_e:score": ["7.0"]}, False),
    (SCHEME | {"GE_e:when": "2026-01-01T00:00:00Z"}, True),
    (SCHEME | {"EQ_INNER_e:inner": ["b"]}, True),
    (SCHEME | {"EQ_e:inner": ["b"]}, False),
    (SCHEME | {"EXISTS_INNER_e:outer": None}, False),
    ({"EXISTS_http://example.com/ext/#outer": None}, True),
    (SCHEME | {"HASATTR_e:outer": ["e:unit"]}, True),
    (SCHEME | {"EQATTR_e:outer_e:unit": ["GRM"]}, False),
]


@pytest.mark.parametrize(("query", "expected"), ASKED, ids=json.dumps)
def test_each_parameter(query: dict[str, Any], expected: bool) -> None:
    assert rings(query, SHIPPED) is expected


def test_a_plan_survives_the_wire() -> None:
    for query, _ in ASKED:
        plan = plan_of(query)
        assert plan_from_json(plan_to_json(plan)) == plan


def test_a_quantity_event_is_found_by_its_own_fields() -> None:
    counted = event_of(
        type="QuantityEvent", action=None, epcList=None, epcClass="urn:x:c", quantity=5
    )
    assert rings({"eventType": ["QuantityEvent"], "GE_quantity": 5}, counted)
    assert not rings({"eventType": ["ObjectEvent"]}, counted)
    assert not rings({"eventType": ["QuantityEvent"]}, SHIPPED)
    assert rings({"eventType": ["ObjectEvent", "QuantityEvent"]}, counted)
    assert rings({"EQ_quantity": [4, 5]}, counted)
    assert not rings({"GT_quantity": 5}, counted)
    assert not rings({"EQ_quantity_KGM": [5]}, counted)
    assert rings({"MATCH_epcClass": ["urn:x:c"]}, counted)
    assert rings({"MATCH_anyEPCClass": ["urn:x:*"]}, counted)
    assert not rings({"MATCH_inputEPCClass": ["urn:x:c"]}, counted)


def test_within_a_location_means_below_it_in_the_ontology() -> None:
    site, hall, dock = (f"urn:epc:id:sgln:0614141.00888.{part}" for part in ("0", "7", "8"))
    below = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    context = Context(
        ontology=parse_ontology(f"<{dock}> {below} <{hall}> . <{hall}> {below} <{site}> .")
    )
    event = event_of(bizLocation={"id": dock})
    assert rings({"WD_bizLocation": [site]}, event, context)
    assert rings({"WD_bizLocation": ["https://id.gs1.org/414/0614141008889"]}, event, context)
    assert rings({"WD_bizLocation": [dock]}, event, context)
    assert not rings({"WD_bizLocation": [site]}, event)
    assert not rings({"EQ_bizLocation": [site]}, event, context)
    assert not rings({"WD_bizLocation": [dock]}, event_of(bizLocation={"id": site}), context)
    assert not rings({"WD_readPoint": [site]}, event, context)


def test_other_ways_to_write_a_query() -> None:
    plan = plan_of({"EQ_bizStep": ["shipping"]})
    assert plan_of('"EQ_bizStep": ["shipping"]') == plan
    assert plan_of({"name": "mine", "query": {"EQ_bizStep": ["shipping"]}}) == plan
    request = """<q:Poll xmlns:q="urn:epcglobal:epcis-query:xsd:1"><queryName>SimpleEventQuery</queryName><params>
      <param><name>EQ_bizStep</name><value><string>urn:epcglobal:cbv:bizstep:shipping</string></value></param>
      </params></q:Poll>"""
    assert plan_of(request) == plan


@cache
def corpus() -> tuple[list[dict[str, Any]], list[Event]]:
    """Every event of the JSON documents, as written and decoded."""
    shared_data(FOLDER)
    paths = [path for path in VALID if path.suffix == ".json"]
    raw = [event for path in paths for event in raw_events(path)]
    return raw, [event for path in paths for event in decode_document(content(path))]


PLACES = [
    "urn:epc:id:sgln:4012345.00005.0",
    "urn:epc:id:sgln:0614141.07346.1234",
    "urn:epc:id:sgln:0012345.11111.400",
]
EPCS = [
    "urn:epc:id:sgtin:0614141.107346.2018",
    "urn:epc:idpat:sgtin:4012345.*.*",
    "urn:epc:idpat:sgtin:0614141.*.*",
    "urn:epc:id:sscc:0614141.1234567890",
]
WORDS = ["receiving", "urn:epcglobal:cbv:bizstep:inspecting", "cbv:BizStep-shipping"]
TIMES = ["2005-04-04T02:33:31.116Z", "2013-10-31T14:58:56.591+00:00", "2020-06-08T20:11:16+02:00"]
QUERIES = st.fixed_dictionaries(
    {},
    optional={
        "eventType": st.lists(
            st.sampled_from(["ObjectEvent", "AggregationEvent", "TransactionEvent"]), min_size=1
        ),
        "EQ_action": st.lists(st.sampled_from(["ADD", "OBSERVE", "DELETE"]), min_size=1),
        "EQ_bizStep": st.lists(st.sampled_from(WORDS), min_size=1),
        "EQ_disposition": st.just(["in_progress", "urn:epcglobal:cbv:disp:in_transit"]),
        "EQ_readPoint": st.lists(st.sampled_from(PLACES), min_size=1),
        "EQ_bizLocation": st.just(
            ["urn:epc:id:sgln:0614141.00888.0", "urn:epc:id:sgln:0012345.11111.0"]
        ),
        "GE_eventTime": st.sampled_from(TIMES),
        "LT_eventTime": st.sampled_from(TIMES),
        "MATCH_epc": st.lists(st.sampled_from(EPCS), min_size=1),
        "MATCH_anyEPC": st.lists(st.sampled_from(EPCS), min_size=1),
        "MATCH_parentID": st.just(["urn:epc:id:sscc:0614141.1234567890"]),
        "MATCH_inputEPC": st.just(["urn:epc:idpat:sgtin:4012345.*.*"]),
        "EQ_quantity": st.lists(st.sampled_from([10, 200, 3]), min_size=1),
        "GE_quantity_KGM": st.sampled_from([10, 100, 300.5]),
        "LT_value_CEL": st.sampled_from([26, 26.1]),
        "GE_value_CEL": st.sampled_from([26, 26.1]),
        "EQ_type": st.just(["gs1:Temperature"]),
        "EXISTS_errorDeclaration": st.none(),
        "EQ_bizTransaction_po": st.just(["http://transaction.acme.com/po/12345678"]),
        "EQ_source_owning_party": st.just(["urn:epc:id:pgln:4012345.00225"]),
    },
).map(lambda query: dict(list(query.items())[:3]))


@given(st.lists(QUERIES, min_size=1, max_size=3))
def test_the_engine_and_the_reference_answer_as_the_standard_reads(
    queries: list[dict[str, Any]],
) -> None:
    raw, events = corpus()
    expected = {
        (at, n)
        for n, query in enumerate(queries)
        for at, event in enumerate(raw)
        if answers(query, event)
    }
    plans = [plan_of(query) for query in queries]
    said = {
        (at, n)
        for n, plan in enumerate(plans)
        for at, event in enumerate(events)
        if holds(plan.pattern, event)
    }
    assert said == expected
    engine = Engine()
    for number, plan in enumerate(plans):
        engine.add(str(number), plan)
    rung = engine.match(Batch(events)).atomic_matches
    assert {(at, int(key)) for at, key in rung} == expected


@pytest.mark.parametrize(
    "name", ["EQ_bizStep", "MATCH_anyEPC", "GE_value_CEL", "EQ_readPoint", "EQ_source_owning_party"]
)
def test_the_pool_of_values_finds_some_events_and_not_all(name: str) -> None:
    """Else the comparison above would prove nothing about the parameter."""
    raw, _ = corpus()
    values = {
        "EQ_bizStep": ["receiving"],
        "MATCH_anyEPC": ["urn:epc:idpat:sgtin:4012345.*.*"],
        "GE_value_CEL": 26,
        "EQ_readPoint": ["urn:epc:id:sgln:4012345.00005.0"],
        "EQ_source_owning_party": ["urn:epc:id:pgln:4012345.00225"],
    }
    assert 0 < sum(answers({name: values[name]}, event) for event in raw) < len(raw)


def test_places_are_left_to_an_index() -> None:
    """However many subscriptions ask for a place, each event costs a few evaluations."""
    matchers = AtomMatchers()
    engine = Engine(matchers)
    for number in range(1000):
        engine.add(
            str(number), plan_of({"EQ_readPoint": [f"urn:epc:id:sgln:0614141.{number:05d}.0"]})
        )
    event = event_of(readPoint={"id": "https://id.gs1.org/414/0614141000074"})
    assert engine.match(Batch([event])).atomic_matches.keys == ["7"]
    assert matchers.work.predicate_evaluations < 20
