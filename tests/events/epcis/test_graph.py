"""The graph of an EPCIS event speaks the vocabulary of the standard."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.events.epcis.corpus import VALID, content
from tocsin.events.codecs.epcis import decode_document
from tocsin.events.views.epcis import EpcisData, epcis_to_triples
from tocsin.values.terms import RDF_TYPE, Blank, Iri, Literal

EPCIS, CBV = "https://ref.gs1.org/epcis/", "https://ref.gs1.org/cbv/"
EPC = "urn:epc:id:sgtin:0614141.107346.2017"
EVENT = {
    "@context": {"ext": "http://example.com/ext/"},
    "type": "ObjectEvent",
    "eventID": "urn:uuid:1",
    "eventTime": "2026-01-31T08:00:00Z",
    "eventTimeZoneOffset": "+00:00",
    "action": "ADD",
    "epcList": [EPC],
    "bizStep": "urn:epcglobal:cbv:bizstep:shipping",
    "disposition": "https://example.com/my/disposition",
    "readPoint": {"id": "urn:x:dock", "ext:gate": "4"},
    "bizTransactionList": [{"type": "po", "bizTransaction": "urn:x:po:1"}],
    "sourceList": [{"type": "location", "source": "urn:x:site"}],
    "quantityList": [{"epcClass": "urn:x:class", "quantity": 2.5, "uom": "KGM"}],
    "ilmd": {"cbvmda:lotNumber": "L1"},
}


def test_members_are_properties_and_terms_are_individuals() -> None:
    (event,) = decode_document(json.dumps(EVENT))
    assert isinstance(event.data, EpcisData)
    home, triples = epcis_to_triples(event.data)
    assert home == Iri("urn:uuid:1")
    assert len(triples) == len(set(triples))
    time = Literal("2026-01-31T08:00:00Z", "http://www.w3.org/2001/XMLSchema#dateTimeStamp")
    assert {
        (home, RDF_TYPE, Iri(EPCIS + "ObjectEvent")),
        (home, EPCIS + "eventTime", time),
        (home, EPCIS + "action", Literal("ADD")),
        (home, EPCIS + "epcList", Iri(EPC)),
        (home, EPCIS + "bizStep", Iri(CBV + "BizStep-shipping")),
        (home, EPCIS + "disposition", Iri("https://example.com/my/disposition")),
        (home, EPCIS + "readPoint", Iri("urn:x:dock")),
        (Iri("urn:x:dock"), "http://example.com/ext/gate", Literal("4")),
        (home, EPCIS + "bizTransactionList", Iri("urn:x:po:1")),
        (Iri("urn:x:po:1"), EPCIS + "bizTransactionType", Iri(CBV + "BTT-po")),
    } <= set(triples)
    values = {(prop, value) for _, prop, value in triples}
    assert {
        (EPCIS + "sourceOrDestination", Iri("urn:x:site")),
        (EPCIS + "sourceOrDestinationType", Iri(CBV + "SDT-location")),
        (EPCIS + "quantity", Literal("2.5", "http://www.w3.org/2001/XMLSchema#double")),
        ("urn:epcglobal:cbv:mda:lotNumber", Literal("L1")),
    } <= values


def test_the_web_vocabulary_is_where_the_context_of_the_standard_has_it() -> None:
    report = {
        "type": "Temperature",
        "exception": "gs1:ALARM_CONDITION",
        "component": "x",
        "value": 4,
    }
    (event,) = decode_document(
        json.dumps(EVENT | {"sensorElementList": [{"sensorReport": [report]}]})
    )
    assert isinstance(event.data, EpcisData)
    values = {(prop, value) for _, prop, value in epcis_to_triples(event.data)[1]}
    assert {
        (EPCIS + "measurementType", Iri("https://gs1.org/voc/Temperature")),
        (EPCIS + "exception", Iri("https://gs1.org/voc/ALARM_CONDITION")),
        (EPCIS + "component", Iri(CBV + "Comp-x")),
    } <= values


@pytest.mark.parametrize("path", VALID, ids=str)
def test_every_vertex_hangs_on_home(path: Path) -> None:
    for event in decode_document(content(path)):
        assert isinstance(event.data, EpcisData)
        home, triples = epcis_to_triples(event.data)
        reached, found = {home}, len(triples) + 1
        while found != len(reached):
            found = len(reached)
            reached |= {value for subject, _, value in triples if subject in reached}
        assert {subject for subject, _, _ in triples} <= reached
        assert isinstance(home, Iri) == ("eventID" in event.attributes)
        assert isinstance(home, Iri | Blank)
