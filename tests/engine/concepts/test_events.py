"""From events to assertions: types, lists, objects, texts, numbers; and the rows that correlation
joins.
"""

from __future__ import annotations

from tests.engine.concepts.worlds import concept_test, event_of
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import Event
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.semantics.assertions import correlation_rows
from tocsin.reference.concepts import holds

GOODS = {
    "bizLocation": {"id": "urn:loc:1", "kind": "shop"},
    "quantityList": [
        {"epcClass": "urn:class:1", "quantity": 12},
        {"epcClass": "urn:class:2", "quantity": 3},
    ],
    "epcList": ["urn:epc:1", "urn:epc:2"],
    "sealed": True,
    "note": None,
}


def is_instance(text: str, **options: str) -> bool:
    return holds(concept_test(text, **options), event_of("ObjectEvent", GOODS))


def test_an_object_is_an_individual_with_roles_of_its_own() -> None:
    assert is_instance("exists bizLocation.{<urn:loc:1>}")
    assert is_instance("exists bizLocation.(exists kind.{shop})")
    many = "exists quantityList.(exists epcClass.{<%s>} and exists quantity.(xsd:int > 5))"
    assert is_instance(many % "urn:class:1")
    assert not is_instance(many % "urn:class:2")


def test_a_list_is_several_values_and_null_is_none() -> None:
    assert is_instance("exists epcList.{<urn:epc:2>} and exists epcList.{<urn:epc:1>}")
    assert is_instance("forall epcList.{<urn:epc:1>, <urn:epc:2>, <urn:epc:3>}")
    assert is_instance("not exists note.Thing")


def test_a_text_is_an_individual_and_a_literal() -> None:
    assert is_instance('exists epcList.({<urn:epc:1>} and (xsd:string = "urn:epc:1"))')
    assert is_instance("exists sealed.(xsd:boolean = true)")
    assert not is_instance("exists sealed.{true}")


def test_types_come_from_the_envelope_and_from_the_data() -> None:
    event = from_mapping(
        {
            "id": "1",
            "source": "s",
            "type": "ObjectEvent",
            "time": "2026-01-01T00:00:00Z",
            "data": {"@type": "QuantityEvent"},
        }
    )
    assert holds(concept_test("ObjectEvent and QuantityEvent and not TransactionEvent"), event)


def test_an_event_that_cannot_be_read_matches_nothing() -> None:
    envelope = {
        "id": "1",
        "source": "s",
        "type": "ObjectEvent",
        "datacontenttype": "application/xml",
    }
    broken = Event(envelope, "<a><b></a>", None)
    assert not holds(concept_test("Thing"), broken)


def test_correlation_has_a_row_for_every_combination_of_values() -> None:
    event = event_of("ObjectEvent", GOODS)
    plain = concept_test("ObjectEvent")
    assert correlation_rows(plain, event) == ((),)
    both = ConceptTest(plain.concept, plain.tbox, correlate=("bizLocation", "epcList"))
    assert correlation_rows(both, event) == (
        (("bizLocation", "urn:loc:1"), ("epcList", "urn:epc:1")),
        (("bizLocation", "urn:loc:1"), ("epcList", "urn:epc:2")),
    )
    assert (
        correlation_rows(ConceptTest(plain.concept, plain.tbox, correlate=("readPoint",)), event)
        == ()
    )
