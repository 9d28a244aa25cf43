"""The one form of an event: spellings, bindings and versions that mean the same give the
same data.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.events.epcis.writing import EVENTS, EXT, as_document, as_xml
from tocsin.errors import EventProblem
from tocsin.events.codecs.decode import as_line, decode_all
from tocsin.events.codecs.epcis import decode_document, event_hash, normal_events
from tocsin.events.event import Event

BARE: dict[str, Any] = {
    "type": "ObjectEvent",
    "eventTime": "2026-01-31T08:00:00+01:00",
    "eventTimeZoneOffset": "+01:00",
    "action": "OBSERVE",
    "epcList": ["urn:epc:id:sgtin:0614141.107346.2017"],
}

SPELLINGS = {
    ("bizStep",): ("shipping", "bizstep", "BizStep"),
    ("disposition",): ("in_transit", "disp", "Disp"),
    ("errorDeclaration", "reason"): ("did_not_occur", "er", "ER"),
    ("persistentDisposition", "set"): ("recalled", "disp", "Disp"),
    ("bizTransactionList", "type"): ("po", "btt", "BTT"),
    ("sourceList", "type"): ("location", "sdt", "SDT"),
    ("destinationList", "type"): ("owning_party", "sdt", "SDT"),
}


def decoded(event: dict[str, Any]) -> Event:
    (found,) = decode_document(json.dumps(event))
    return found


def with_term(path: tuple[str, ...], term: str) -> dict[str, Any]:
    """The bare event with a term where the path leads."""
    match path:
        case ("errorDeclaration", _):
            return BARE | {path[0]: {"declarationTime": "2026-02-01T00:00:00Z", "reason": term}}
        case ("persistentDisposition", _):
            return BARE | {path[0]: {"set": [term]}}
        case ("bizTransactionList", _):
            return BARE | {path[0]: [{"type": term, "bizTransaction": "urn:x:1"}]}
        case (name, _):
            return BARE | {name: [{"type": term, name.removesuffix("List"): "urn:x:1"}]}
        case _:
            return BARE | {path[0]: term}


@pytest.mark.parametrize("path", SPELLINGS, ids=".".join)
def test_a_standard_term_is_the_same_in_every_spelling(path: tuple[str, ...]) -> None:
    word, urn, web = SPELLINGS[path]
    spelled = [
        word,
        f"urn:epcglobal:cbv:{urn}:{word}",
        f"cbv:{web}-{word}",
        f"https://ref.gs1.org/cbv/{web}-{word}",
        f"http://ref.gs1.org/cbv/{web}-{word}",
    ]
    events = [decoded(with_term(path, each)) for each in spelled]
    assert all(event.attributes == events[0].attributes for event in events)
    assert len({event.id for event in events}) == 1
    assert word in json.dumps(events[0].attributes)
    assert "cbv" not in json.dumps(events[0].attributes)


def test_a_term_of_ones_own_is_a_uri_and_stays() -> None:
    own = "https://example.com/steps/shipping"
    assert decoded(BARE | {"bizStep": own}).attributes["bizStep"] == own
    with pytest.raises(EventProblem, match=r"bizStep.*shiping.*did you mean shipping"):
        decoded(BARE | {"bizStep": "shiping"})


@given(st.lists(EVENTS, min_size=1, max_size=3))
def test_both_bindings_give_equal_events(events: list[dict[str, Any]]) -> None:
    from_json = decode_document(json.dumps(as_document(*events)))
    from_xml = decode_document(as_xml(*events))
    assert [each.attributes for each in from_json] == [each.attributes for each in from_xml]
    assert [each.identity for each in from_json] == [each.identity for each in from_xml]


@given(EVENTS)
def test_the_one_form_is_a_fixed_point(event: dict[str, Any]) -> None:
    (found,) = decode_document(json.dumps(as_document(event)))
    assert normal_events(found.data) == [found.attributes]


@given(EVENTS, st.randoms())
def test_the_order_of_fields_says_nothing(event: dict[str, Any], random: Any) -> None:
    names = list(event)
    random.shuffle(names)
    (one,), (other,) = (
        decode_document(json.dumps(as_document(each)))
        for each in (event, {name: event[name] for name in names})
    )
    assert (one.attributes, one.id) == (other.attributes, other.id)


def test_times_are_told_in_utc_and_the_zone_is_kept() -> None:
    event = decoded(BARE)
    assert event.attributes["eventTime"] == "2026-01-31T07:00:00Z"
    assert event.attributes["eventTimeZoneOffset"] == "+01:00"
    assert event.interval is not None
    assert event.interval.start == event.interval.end == 1_769_842_800_000_000
    for name in ("eventTime", "recordTime"):
        with pytest.raises(EventProblem, match=rf"{name}.*zone"):
            decoded(BARE | {name: "2026-01-31T08:00:00"})


def test_extensions_go_by_their_namespace_whatever_the_prefix() -> None:
    one = decoded(BARE | {"@context": {"a": EXT}, "a:colour": "red"})
    other = decoded(BARE | {"@context": [{"b": EXT}], "b:colour": ["red"]})
    assert one.attributes == other.attributes
    assert one.attributes[EXT + "colour"] == "red"
    hashed = decoded(BARE | {"@context": {"c": "http://example.com/c"}, "c:colour": "red"})
    assert hashed.attributes["http://example.com/c#colour"] == "red"
    known = decoded(BARE | {"ilmd": {"cbvmda:lotNumber": "L1"}})
    assert known.attributes["ilmd"] == {"cbvmda:lotNumber": "L1"}


QUANTITY_EVENT = """<epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:1"
      schemaVersion="1.0" creationDate="2006-06-25T00:00:00Z"><EPCISBody><EventList><QuantityEvent>
        <eventTime>2006-06-25T00:00:00Z</eventTime><eventTimeZoneOffset>-06:00</eventTimeZoneOffset>
        <epcClass>urn:epc:idpat:sgtin:0614141.107346.*</epcClass><quantity>300</quantity>
        <bizStep>urn:epcglobal:cbv:bizstep:stocking</bizStep></QuantityEvent></EventList></EPCISBody>
      </epcis:EPCISDocument>"""
FORMER = {
    "type": "ObjectEvent",
    "@type": "QuantityEvent",
    "eventTime": "2006-06-25T00:00:00Z",
    "eventTimeZoneOffset": "-06:00",
    "action": "OBSERVE",
    "quantityList": [{"epcClass": "urn:epc:idpat:sgtin:0614141.107346.*", "quantity": 300}],
    "bizStep": "stocking",
}
"""The same event as versions wrote it that had no QuantityEvent."""


def test_a_quantity_event_of_the_first_version_is_a_kind_of_its_own() -> None:
    (event,) = decode_document(QUANTITY_EVENT)
    assert (event.type, event.attributes["type"]) == ("QuantityEvent", "QuantityEvent")
    assert event.attributes["epcClass"] == "urn:epc:idpat:sgtin:0614141.107346.*"
    assert event.attributes["quantity"] == 300
    assert event.attributes.keys().isdisjoint(("action", "quantityList", "@type"))
    for missing in ("epcClass", "quantity", "eventTimeZoneOffset"):
        start, end = f"<{missing}>", f"</{missing}>"
        before, _, rest = QUANTITY_EVENT.partition(start)
        with pytest.raises(EventProblem, match=f"{missing} is missing"):
            decode_document(before + rest.partition(end)[2])
    with pytest.raises(EventProblem, match="action"):
        decode_document(QUANTITY_EVENT.replace("<bizStep>", "<action>ADD</action><bizStep>"))


def test_a_quantity_event_that_an_earlier_version_wrote_is_read_as_one() -> None:
    (event,) = decode_document(QUANTITY_EVENT)
    (former,) = decode_document(json.dumps(FORMER))
    assert (former.attributes, former.envelope) == (event.attributes, event.envelope)
    wrapped = {"specversion": "1.0", "id": "1", "source": "s", "type": "ObjectEvent"}
    (line,) = decode_all(json.dumps({**wrapped, "data": FORMER}))
    assert (line.type, line.attributes) == ("QuantityEvent", event.attributes)
    (again,) = decode_all(as_line(event))
    assert (again.attributes, again.identity, again.type) == (
        event.attributes,
        event.identity,
        "QuantityEvent",
    )


def test_a_quantity_event_has_the_hash_of_its_form_in_version_2() -> None:
    (event,) = decode_document(QUANTITY_EVENT)
    (observed,) = decode_document(
        json.dumps({name: value for name, value in FORMER.items() if name != "@type"})
    )
    assert observed.type == "ObjectEvent"
    assert observed.id == event.id == event_hash(event.attributes)


def test_the_id_is_the_event_id_or_tells_the_content() -> None:
    assert decoded(BARE | {"eventID": "urn:uuid:1"}).id == "urn:uuid:1"
    assert decoded(BARE).id == decoded(BARE | {"recordTime": "2026-02-01T00:00:00Z"}).id
    assert decoded(BARE).id != decoded(BARE | {"action": "ADD"}).id
    link = BARE | {"epcList": ["https://id.example.org/01/10614141073464/21/2017?x=1"]}
    assert decoded(BARE).id == decoded(link).id


def test_a_declaration_of_error_is_another_event_than_the_wrong_one() -> None:
    wrong = BARE | {"eventID": "urn:uuid:1"}
    declared = wrong | {"errorDeclaration": {"declarationTime": "2026-02-01T00:00:00Z"}}
    assert decoded(declared).id == "urn:uuid:1#error-2026-02-01T00:00:00Z"
    assert decoded(declared).id != decoded(wrong).id


def test_a_geo_uri_is_the_place() -> None:
    event = decoded(
        BARE | {"readPoint": {"id": "geo:52.52,13.405"}, "bizLocation": {"id": "urn:x:1"}}
    )
    assert event.place_text == "POINT (13.405 52.52)"
    assert decoded(BARE | {"bizLocation": {"id": "geo:-1.5,2;u=35"}}).place_text == "POINT (2 -1.5)"
    assert decoded(BARE | {"readPoint": {"id": "urn:x:1"}}).place is None
    for place in ("geo:here", "geo:95,0"):
        with pytest.raises(EventProblem, match=r"readPoint\.id"):
            decoded(BARE | {"readPoint": {"id": place}})


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"type": "TransactionEvent"}, "bizTransactionList is missing"),
    ({"type": "AssociationEvent", "epcList": None}, "parentID is missing"),
    ({"type": "AggregationEvent", "action": "ADD", "epcList": None}, "parentID is missing"),
    ({"type": "TransformationEvent", "epcList": None, "action": None}, "inputEPCList"),
    ({"epcList": "urn:x:1"}, "epcList: expected a list"),
    ({"epcList": ["2017"]}, r"epcList\[0\]: expected a URI"),
    ({"eventTimeZoneOffset": "+1"}, "eventTimeZoneOffset"),
    ({"readPoint": {}}, r"readPoint\.id: id is missing"),
    ({"sourceList": [{"source": "urn:x:1"}]}, r"sourceList\[0\]\.type: type is missing"),
    ({"sensorElementList": [{}]}, r"sensorElementList\[0\]\.sensorReport"),
    (
        {"sensorElementList": [{"sensorReport": [{"value": "9"}]}]},
        r"sensorReport\[0\]\.value: expected a number",
    ),
    (
        {"sensorElementList": [{"sensorReport": [{"booleanValue": 1}]}]},
        "booleanValue: expected true or false",
    ),
    ({"errorDeclaration": {"reason": "incorrect_data"}}, "declarationTime is missing"),
    ({"colour": "red"}, "colour.*namespace"),
]


@pytest.mark.parametrize(("change", "reason"), WRONG)
def test_a_wrong_field_is_named(change: dict[str, Any], reason: str) -> None:
    event = {name: value for name, value in (BARE | change).items() if value is not None}
    with pytest.raises(EventProblem, match=reason):
        decoded(event)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "<a/>", "<EPCISDocument/>", '{"type":"EPCISDocument"}', "nothing"]
)
def test_what_is_no_document_is_refused(text: str) -> None:
    with pytest.raises(EventProblem):
        decode_document(text)


def test_the_envelope_has_single_identifiers_in_one_spelling() -> None:
    place = decoded(BARE | {"readPoint": {"id": "urn:epc:id:sgln:0614141.07346.1234"}})
    link = decoded(BARE | {"readPoint": {"id": "https://acme.example/414/0614141073467/254/1234"}})
    assert (
        place.envelope["readpoint"]
        == link.envelope["readpoint"]
        == "https://id.gs1.org/414/0614141073467/254/1234"
    )
    assert place.attributes["readPoint"] != link.attributes["readPoint"]
    assert not {"readpoint", "bizlocation", "parentid"} & decoded(BARE).envelope.keys()
