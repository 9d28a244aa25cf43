"""The event hash of the Core Business Vocabulary: published values, and the same for every spelling
of an event.
"""

from __future__ import annotations

import copy
import hashlib
import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.events.epcis.corpus import TWINS, content
from tests.events.epcis.test_conformance import OTHERWISE
from tests.events.epcis.writing import EVENTS, EXT, as_document, as_xml
from tocsin.events.codecs.epcis import decode_document, event_hash, pre_hash

NS = "https://ns.example.com/epcis/"
OBSERVED: dict[str, Any] = {
    "type": "ObjectEvent",
    "eventTime": "2020-03-04T11:00:30.000+01:00",
    "eventTimeZoneOffset": "+01:00",
    "action": "OBSERVE",
    "bizStep": "departing",
}

# Published with the reference implementation (RalphTro/epcis-event-hash-generator, README and
# tests): the three worked examples of the algorithm, an error declaration apart, and one with
# parties.
PUBLISHED: dict[str, tuple[dict[str, Any], str]] = {
    "extensions": (
        OBSERVED
        | {
            "epcList": [
                "urn:epc:id:sscc:4012345.0000000333",
                "urn:epc:id:sscc:4012345.0000000111",
                "urn:epc:id:sscc:4012345.0000000222",
            ],
            "readPoint": {"id": "urn:epc:id:sgln:4012345.00011.987"},
            "ex:myField3": {"ex:mySubField3": ["3", "1"]},
            "ex:myField2": "0",
            "ex:myField1": {"ex:mySubField1": "2", "ex:mySubField2": "5"},
        },
        "6ae96341e0acc6d7a261364751f60e68278a81cdf51da0abb6b4e617014e39d7",
    ),
    "sensors": (
        {
            "type": "ObjectEvent",
            "eventTime": "2020-04-01T15:00:00.000+01:00",
            "eventTimeZoneOffset": "+01:00",
            "epcList": ["urn:epc:id:sgtin:4012345.011111.9876"],
            "action": "OBSERVE",
            "bizStep": "inspecting",
            "readPoint": {"id": "urn:epc:id:sgln:4012345.00005.0"},
            "sensorElementList": [
                {
                    "sensorMetadata": {
                        "deviceID": "urn:epc:id:giai:4000001.111",
                        "deviceMetadata": "https://id.gs1.org/8004/4000001111",
                    },
                    "sensorReport": [
                        {"type": "Temperature", "value": 26, "uom": "CEL", "sDev": 0.1},
                        {"type": "gs1:AbsoluteHumidity", "value": 12.1, "uom": "A93"},
                        {
                            "type": "Dimensionless",
                            "microorganism": "https://www.ncbi.nlm.nih.gov/taxonomy/1126011",
                            "value": 0.05,
                            "uom": "C35",
                        },
                        {
                            "type": "Dimensionless",
                            "chemicalSubstance": "https://identifiers.org/inchikey:CZMRCDWAGMRECN-UGDNZRGBSA-N",
                            "value": 0.18,
                            "uom": "C35",
                        },
                    ],
                }
            ],
        },
        "49b13037c36e84ad9307c531671b00e901318c3957e4b1151f816ec49eb668da",
    ),
    "parties": (
        OBSERVED
        | {
            "epcList": ["urn:epc:id:sgtin:0614141.011111.987"],
            "disposition": "urn:epcglobal:cbv:disp:in_transit",
            "readPoint": {"id": "urn:epc:id:sgln:4012345.00011.0", "ex:myField1": "AB-12"},
            "bizTransactionList": [
                {"type": "po", "bizTransaction": "urn:epc:id:gdti:4012345.11111.123"}
            ],
            "sourceList": [{"type": "owning_party", "source": "urn:epc:id:pgln:4012345.00000"}],
            "destinationList": [
                {"type": "owning_party", "destination": "urn:epc:id:pgln:0614141.00000"}
            ],
            "ex:userExt": "CD-34",
        },
        "a13cbe6c8bb6df3710b3edaeff760a1365ec8fd69ca1f4d7e0c10eb5189a883a",
    ),
}


def document(*events: dict[str, Any]) -> str:
    body = as_document(*events)
    body["@context"] = [*body["@context"], {"ex": NS}]
    return json.dumps(body)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_values(name: str) -> None:
    event, digest = PUBLISHED[name]
    (found,) = decode_document(document(event))
    assert found.id == event_hash(found.attributes) == f"ni:///sha-256;{digest}?ver=CBV2.0"


def test_the_text_that_is_hashed() -> None:
    (found,) = decode_document(document(PUBLISHED["parties"][0]))
    text = pre_hash(found.attributes)
    assert text == (
        "eventType=ObjectEventeventTime=2020-03-04T10:00:30.000ZeventTimeZoneOffset=+01:00"
        "epcListepc=https://id.gs1.org/01/00614141111114/21/987action=OBSERVE"
        "bizStep=https://ref.gs1.org/cbv/BizStep-departingdisposition=https://ref.gs1.org/cbv/Disp-in_transit"
        "readPointid=https://id.gs1.org/414/4012345000115{https://ns.example.com/epcis/}myField1=AB-12"
        "bizTransactionListtype=https://ref.gs1.org/cbv/BTT-pobizTransaction=https://id.gs1.org/253/4012345111118123"
        "destinationListtype=https://ref.gs1.org/cbv/SDT-owning_partydestination=https://id.gs1.org/417/0614141000005"
        "sourceListtype=https://ref.gs1.org/cbv/SDT-owning_partysource=https://id.gs1.org/417/4012345000009"
        "{https://ns.example.com/epcis/}userExt=CD-34"
    )
    assert hashlib.sha256(text.encode()).hexdigest() in found.id


# The tenth event of SensorDataExamples, as published with its pre-hash and hash.
SPEEDS = {
    "type": "ObjectEvent",
    "eventTime": "2020-05-08T15:00:00.000+01:00",
    "eventTimeZoneOffset": "+01:00",
    "epcList": ["urn:epc:id:sgtin:4012345.022222.1234"],
    "action": "OBSERVE",
    "bizStep": "sensor_reporting",
    "readPoint": {"id": "urn:epc:id:sgln:4012345.00005.0"},
    "sensorElementList": [
        {
            "sensorReport": [
                {"type": "gs1:MT-Speed", "value": value, "component": part, "uom": "MTS"}
                for value, part in ((4.5, "example:x"), (12.8, "example:y"), (0, "example:z"))
            ]
        }
    ],
}
SPEEDS_TEXT = (
    "eventType=ObjectEventeventTime=2020-05-08T14:00:00.000ZeventTimeZoneOffset=+01:00"
    "epcListepc=https://id.gs1.org/01/04012345222227/21/1234action=OBSERVE"
    "bizStep=https://ref.gs1.org/cbv/BizStep-sensor_reportingreadPointid=https://id.gs1.org/414/4012345000054"
    "sensorElementListsensorElement"
    "sensorReporttype=https://gs1.org/voc/MT-Speedvalue=0component=example:zuom=MTS"
    "sensorReporttype=https://gs1.org/voc/MT-Speedvalue=12.8component=example:yuom=MTS"
    "sensorReporttype=https://gs1.org/voc/MT-Speedvalue=4.5component=example:xuom=MTS"
)
SPEEDS_DIGEST = "7aa5683d13a784efb576adbb7fe1a07e03bd188ada035d7397c75e6801fce9ad"


SPEEDS_XML = """\
<epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:2" xmlns:gs1="https://gs1.org/voc/"
    schemaVersion="2.0" creationDate="2019-10-07T15:00:00.000+01:00"><EPCISBody><EventList>
  <ObjectEvent>
    <eventTime>2020-05-08T15:00:00.000+01:00</eventTime>
    <eventTimeZoneOffset>+01:00</eventTimeZoneOffset>
    <epcList><epc>urn:epc:id:sgtin:4012345.022222.1234</epc></epcList>
    <action>OBSERVE</action>
    <bizStep>urn:epcglobal:cbv:bizstep:sensor_reporting</bizStep>
    <readPoint><id>urn:epc:id:sgln:4012345.00005.0</id></readPoint>
    <sensorElementList><sensorElement>
      <sensorReport type="gs1:MT-Speed" value="4.5" component="example:x" uom="MTS"/>
      <sensorReport type="gs1:MT-Speed" value="12.8" component="example:y" uom="MTS"/>
      <sensorReport type="gs1:MT-Speed" value="0" component="example:z" uom="MTS"/>
    </sensorElement></sensorElementList>
  </ObjectEvent>
</EventList></EPCISBody></epcis:EPCISDocument>
"""


def test_a_prefix_that_is_not_declared_stays_as_published() -> None:
    texts = [json.dumps(as_document(SPEEDS)), SPEEDS_XML]
    for text in texts:
        (found,) = decode_document(text)
        assert pre_hash(found.attributes) == SPEEDS_TEXT
        assert found.id == f"ni:///sha-256;{SPEEDS_DIGEST}?ver=CBV2.0"


DECLARED_XML = SPEEDS_XML.replace(" xmlns:gs1=", f' xmlns:example="{NS}" xmlns:gs1=', 1)
"""The same with the prefix declared: each of its values stands for an IRI."""


def test_a_declared_prefix_is_its_namespace_in_both_bindings() -> None:
    """The published value of XML keeps such a prefix, that of JSON does not; see decision 27."""
    body = as_document(SPEEDS)
    body["@context"] = [*body["@context"], {"example": NS}]
    (of_json,), (of_xml,) = decode_document(json.dumps(body)), decode_document(DECLARED_XML)
    assert pre_hash(of_xml.attributes) == SPEEDS_TEXT.replace("example:", NS)
    assert of_xml.id == of_json.id


def shuffled(value: Any, random: Random) -> Any:
    """The same content with its lists and members in another order."""
    if isinstance(value, dict):
        names = sorted(value)
        random.shuffle(names)
        return {name: shuffled(value[name], random) for name in names}
    if isinstance(value, list):
        return random.sample([shuffled(item, random) for item in value], len(value))
    return value


@given(EVENTS, st.randoms(use_true_random=False))
def test_order_and_binding_say_nothing(event: dict[str, Any], random: Random) -> None:
    (one,) = decode_document(json.dumps(as_document(event)))
    (other,) = decode_document(json.dumps(as_document(shuffled(event, random))))
    (xml,) = decode_document(as_xml(event))
    assert one.id == other.id == xml.id


SPELLINGS: dict[str, tuple[tuple[Any, ...], tuple[str, ...]]] = {
    "whole numbers": ((5, 5.0), ("5", "5.00", "+5")),
    "decimals": ((0.5,), ("0.50", ".5", "5e-1")),
    "truth": ((True,), ("true",)),
    "terms": (
        ("https://ref.gs1.org/cbv/BizStep-packing", "urn:epcglobal:cbv:bizstep:packing"),
        ("cbv:BizStep-packing",),
    ),
    "keys": (
        ("urn:epc:id:sgtin:0614141.107346.5",),
        ("https://brand.example/gtin/10614141073464/lot/7/ser/5?x=1",),
    ),
}
"""Values of an extension as JSON and as XML write them."""
BARE = {
    "type": "ObjectEvent",
    "eventTime": "2026-01-31T08:00:00+01:00",
    "eventTimeZoneOffset": "+01:00",
    "action": "OBSERVE",
    "epcList": ["urn:epc:id:sgtin:0614141.107346.2017"],
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings_of_one_value_have_one_hash(name: str) -> None:
    told, written = SPELLINGS[name]
    texts = [json.dumps(as_document(BARE | {"ext:n": each})) for each in told]
    texts += [as_xml(BARE | {"ext:n": each}) for each in written]
    assert len({decode_document(text)[0].id for text in texts}) == 1
    assert decode_document(texts[0])[0].id != decode_document(json.dumps(as_document(BARE)))[0].id


@pytest.mark.parametrize(
    ("time", "rounded"),
    [
        ("00.9994Z", "00.999"),
        ("00.9995Z", "01.000"),
        ("00Z", "00.000"),
        ("00.1415+00:00", "00.142"),
    ],
)
def test_times_have_milliseconds(time: str, rounded: str) -> None:
    (event,) = decode_document(json.dumps(BARE | {"eventTime": f"2026-01-31T08:00:{time}"}))
    assert f"eventTime=2026-01-31T08:00:{rounded}Z" in pre_hash(event.attributes)


def test_what_a_repository_adds_says_nothing_and_an_error_declaration_is_another_event() -> None:
    def found(**more: Any) -> str:
        return decode_document(json.dumps(BARE | more))[0].id

    assert found() == found(recordTime="2026-02-01T00:00:00Z") == found(**{"rdfs:comment": "seen"})
    declared = {"declarationTime": "2026-02-01T00:00:00Z"}
    assert found(errorDeclaration=declared) == found() + "#error-2026-02-01T00:00:00Z"


@given(EVENTS, st.data())
def test_every_field_counts(event: dict[str, Any], data: st.DataObject) -> None:
    name = data.draw(
        st.sampled_from([each for each in event if each not in ("type", "eventTimeZoneOffset")])
    )
    changed = copy.deepcopy(event)
    match changed[name]:
        case str() if name == "eventTime":
            changed[name] = "2026-03-01T00:00:00Z"
        case str() if name in ("action", "bizStep"):
            changed[name] = (
                {"action": "OBSERVE", "bizStep": "other"}[name]
                if event[name] != "OBSERVE"
                else "ADD"
            )
        case str():
            changed[name] += "!"
        case list():
            changed[name] = [*changed[name], copy.deepcopy(changed[name][0])]
        case inner:
            changed[name] = inner | {"ext:more": "1"}
    (one,), (other,) = (decode_document(json.dumps(as_document(each))) for each in (event, changed))
    assert one.id != other.id


@pytest.mark.parametrize("twins", TWINS, ids=lambda twins: str(twins[0]))
def test_twins_have_one_hash(twins: Any) -> None:
    left, right = (
        [event_hash(each.attributes) for each in decode_document(content(path))] for path in twins
    )
    assert left == right or str(twins[0]).partition("JSON/")[2] in OTHERWISE


def test_a_namespace_stands_in_braces() -> None:
    for namespace in (EXT, "http://example.com/ext", "urn:acme:ext:"):
        body = as_document(BARE | {"e:colour": "red"})
        body["@context"] = {"e": namespace}
        (event,) = decode_document(json.dumps(body))
        assert pre_hash(event.attributes).endswith(f"{{{namespace}}}colour=red")
