"""The OpenEPCIS test resources: valid documents decode, JSON and XML twins are equal, invalid ones
name the field.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import shared_data
from tests.events.epcis.corpus import FOLDER, INVALID, QUERIES, TWINS, VALID, content, raw_events
from tocsin.errors import EventProblem
from tocsin.events.codecs.epcis import decode_document
from tocsin.events.codecs.epcis.event import same
from tocsin.events.dead_letter import malformed_input

FIELDS = {
    "Combination_of_events_with_missing_mandatory_fields.json": ("action", "eventList[0]"),
    "Combination_of_multiple_invalid_fields.json": ("bizStep", "eventList[0]"),
    "Combination_of_non_standard_bizStep_and_disposition.json": ("bizStep", "eventList[0]"),
    "EPCISDocument_without_context.json": ("@context", ""),
    "ObjectEvent_with_ilmd_field_without_namespace.json": ("materialType", "ilmd"),
    "ObjectEvent_with_invalid_action.json": ("action", "CREATE"),
    "ObjectEvent_with_invalid_certificationInfo.json": ("certificationInfo", ""),
    "ObjectEvent_with_invalid_eventTime_format.json": ("eventTime", "22-07-2026"),
    "ObjectEvent_with_non_standard_bizStep.json": ("bizStep", "transforming"),
    "ObjectEvent_with_non_standard_bizStep_in_second_event.json": ("bizStep", "eventList[1]"),
    "ObjectEvent_with_non_standard_disposition.json": ("disposition", "in_transport"),
    "ObjectEvent_with_quantity_as_text.json": ("quantity", "quantityList[0]"),
    "ObjectEvent_with_unknown_field_in_quantityList.json": ("weight", "quantityList[0]"),
    "ObjectEvent_without_action_and_eventTime.json": ("eventTime", "missing"),
    "ObjectEvent_without_identifier_list.json": ("epcList", "quantityList"),
    "QueryDocument_with_invalid_action.json": ("action", "INVALIDACTION"),
    "QueryDocument_with_invalid_eventType.json": ("type", "ObjectEventInvalid"),
    "ObjectEvent_bare_event_without_action.xml": ("action", "missing"),
    "ObjectEvent_with_invalid_action.xml": ("action", "CREATE"),
    "ObjectEvent_with_invalid_eventTime_format.xml": ("eventTime", "22-07-2026"),
    "ObjectEvent_with_near_miss_action.xml": ("action", "OBSERV"),
    "ObjectEvent_with_unknown_element.xml": ("madeUpField", ""),
    "ObjectEvent_with_wrong_element_order.xml": ("action", "eventTime"),
    "ObjectEvent_without_eventTime.xml": ("eventTime", "missing"),
    "QueryDocument_with_invalid_action.xml": ("action", "INVALIDACTION"),
    "QueryDocument_with_invalid_eventType.xml": ("type", "ObjectEventInvalid"),
}
"""For each invalid document the field that the reason must name, and what else it must say."""

OTHERWISE = {
    "Capture/Documents/Combination_of_different_event.json": (
        "errorDeclaration",
        "declarationTime",
    ),
    "Capture/Documents/ObjectEvent_with_comment.json": ("rdfs:comment",),
    "Capture/Events/TransformationEvent.json": ("errorDeclaration", "declarationTime"),
    "Query/Combination_of_different_event.json": ("errorDeclaration", "declarationTime"),
}
"""Twins whose texts say different things: other times of day, and a comment that in XML is an XML
comment.
"""


def test_the_documents_are_there() -> None:
    shared_data(FOLDER)
    assert (len(VALID), len(INVALID), len(QUERIES), len(TWINS)) == (125, 26, 6, 49)


@pytest.mark.parametrize("path", VALID, ids=str)
def test_a_valid_document_decodes(path: Path) -> None:
    events = decode_document(content(path))
    assert events
    for event in events:
        assert event.type.endswith("Event")
        assert event.interval is not None
        assert event.interval.start == event.interval.end
        assert event.attributes["type"] == event.type


@pytest.mark.parametrize("path", [path for path in VALID if path.suffix == ".json"], ids=str)
def test_every_event_is_there_with_every_field(path: Path) -> None:
    """Names of standard fields are kept; those of extensions change, but their number does not."""
    for event, raw in zip(decode_document(content(path)), raw_events(path), strict=True):
        told = {
            name for name, value in raw.items() if value not in ("", [], {}) and name != "@context"
        }
        assert {name for name in told if ":" not in name} == {
            name for name in event.attributes if ":" not in name
        }
        assert len(told) == len(event.attributes)


@pytest.mark.parametrize("twins", TWINS, ids=lambda twins: str(twins[0]))
def test_twins_are_equal_events(twins: tuple[Path, Path]) -> None:
    """Equal in all attributes and in their ids, with identifiers of one thing in one spelling."""
    from_json, from_xml = (decode_document(content(path)) for path in twins)
    path = OTHERWISE.get(str(twins[0]).partition("JSON/")[2])
    if path is not None:
        pairs = zip(from_json, from_xml, strict=True)
        assert any(at(one.attributes, path) != at(other.attributes, path) for one, other in pairs)
    left, right = (
        [without(same(each.attributes), path) for each in events]
        for events in (from_json, from_xml)
    )
    assert left == right
    if path is None:
        assert [each.identity for each in from_json] == [each.identity for each in from_xml]


def test_most_twins_are_equal_without_regard_to_identifiers() -> None:
    """Only where a text itself writes the same key in two ways does the data differ."""
    shared_data(FOLDER)
    unlike = {
        str(one).partition("JSON/")[2]
        for one, other in TWINS
        if [each.attributes for each in decode_document(content(one))]
        != [each.attributes for each in decode_document(content(other))]
    }
    assert unlike - OTHERWISE.keys() == {
        "Capture/Documents/epcisDocWithAllGS1Keys.json",
        "Capture/Documents/epcisDocWithSensorComponent.json",
        "Query/ObjectEventWithAllPossibleFields.json",
        "Query/queryDocument.json",
    }


@pytest.mark.parametrize("path", INVALID, ids=str)
def test_an_invalid_document_becomes_a_dead_letter_that_names_the_field(path: Path) -> None:
    with pytest.raises(EventProblem) as caught:
        decode_document(content(path))
    letter = malformed_input(caught.value, content(path))
    field, further = FIELDS[path.name]
    assert field in letter.reason
    assert further in letter.reason
    assert letter.code == "InvalidEpcisError"


@pytest.mark.parametrize("path", QUERIES, ids=str)
def test_a_query_is_no_event(path: Path) -> None:
    with pytest.raises(EventProblem):
        decode_document(content(path))


def at(value: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        value = value.get(step, {}) if isinstance(value, dict) else {}
    return value


def without(value: dict[str, Any], path: tuple[str, ...] | None) -> dict[str, Any]:
    if path is None or path[0] not in value:
        return value
    rest = {name: item for name, item in value.items() if name != path[0]}
    return rest | {path[0]: without(value[path[0]], path[1:])} if len(path) > 1 else rest
