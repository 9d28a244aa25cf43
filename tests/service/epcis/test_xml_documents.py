"""Results as XML: read again they are the same events, over the whole corpus."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import shared_data
from tests.events.epcis.corpus import FOLDER, VALID, content
from tests.service.epcis.conftest import document, event, numbers
from tocsin.events.codecs.epcis import decode_document
from tocsin.events.codecs.epcis.event_schema import KINDS
from tocsin.events.views.document import scalar_text
from tocsin.service.epcis.documents import SERVICE_FIELDS, xml_query_document
from tocsin.service.epcis.exceptions import EpcisException

XML = {"Accept": "application/xml"}


def as_text(value: Any, name: str = "") -> Any:
    """What XML can tell apart: extensions are text, and a list of one is its item."""
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if key not in SERVICE_FIELDS}
        return {key: as_text(item, key) for key, item in sorted(kept.items())}
    if isinstance(value, list):
        items = [as_text(item, name) for item in value]
        flat = [each for item in items for each in (item if isinstance(item, list) else [item])]
        return flat[0] if len(flat) == 1 and ":" in name else flat
    return scalar_text(value).strip() if value is not None else ""


def again(attributes: dict[str, Any]) -> dict[str, Any]:
    (found,) = decode_document(xml_query_document([attributes], "q", 0))
    return dict(found.attributes)


def test_corpus_is_the_same_after_xml():
    shared_data(FOLDER)
    compared = 0
    for path in VALID:
        for found in decode_document(content(path)):
            told = dict(found.attributes)
            if told["type"] not in KINDS:
                continue
            assert as_text(again(told)) == as_text(told), path
            compared += 1
    assert compared > 100


def test_extensions_with_members_and_several_values():
    (found,) = decode_document(
        """<epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:2" xmlns:a="https://a.example/"
        schemaVersion="2.0" creationDate="2026-01-01T00:00:00Z"><EPCISBody><EventList><ObjectEvent>
        <eventTime>2026-01-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>
        <epcList><epc>urn:epc:id:sgtin:0614141.107346.1</epc></epcList><action>ADD</action>
        <a:x a:unit="m">5<a:y>&lt;6&gt;</a:y></a:x><a:z>1</a:z><a:z>2</a:z>
        </ObjectEvent></EventList></EPCISBody></epcis:EPCISDocument>"""
    )
    assert again(dict(found.attributes)) == dict(found.attributes)


def test_kind_of_ones_own_has_no_xml():
    with pytest.raises(EpcisException) as caught:
        xml_query_document([{"type": "https://acme.example/Own"}], "q", 0)
    assert caught.value.kind.status == 406


def test_answer_in_xml(filled):
    answer = filled.get("/epcis/events?EQ_bizStep=packing", headers=XML)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/xml"
    found = decode_document(answer.content)
    assert [each.id for each in found] == ["urn:uuid:0", "urn:uuid:3", "urn:uuid:6"]
    assert b"https://ref.gs1.org/cbv/BizStep-packing" in answer.content
    named = filled.get("/epcis/queries/shipped/events?perPage=1", headers=XML)
    assert len(decode_document(named.content)) == 1
    assert "next" in named.links
    below = filled.get("/epcis/bizSteps/packing/events", headers=XML)
    assert len(decode_document(below.content)) == 3


def test_what_was_told_in_xml_can_be_captured(client, filled):
    told = filled.get("/epcis/events?perPage=100", headers=XML).content
    answer = client.post("/epcis/capture", content=told, headers={"content-type": "text/xml"})
    assert answer.status_code == 202
    assert client.get(answer.headers["Location"]).json()["success"]
    assert numbers(client.get("/epcis/events")) == list(range(10))


def test_json_is_told_where_it_comes_first(client):
    client.post("/epcis/capture", json=document(event(1))).raise_for_status()
    headers = {"Accept": "application/json, application/xml"}
    assert numbers(client.get("/epcis/events", headers=headers)) == [1]
    assert client.get("/epcis/bizSteps", headers=XML).status_code == 406
