"""Master data: in the header of a document or as a definition, it answers WD_, HASATTR_ and
EQATTR_.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.events.epcis.writing import as_document
from tocsin.catalog.entries import Definition
from tocsin.cli.main import app
from tocsin.errors import Problem
from tocsin.events.codecs.decode import as_line, decode_all
from tocsin.events.codecs.epcis import decode_document
from tocsin.events.codecs.epcis.master_data import read_master_data
from tocsin.events.event import Event
from tocsin.languages import parse_subscription
from tocsin.languages.base.reading import Context, MasterDataDefinition
from tocsin.reference.atoms import holds

SITE, HALL, DOCK = (f"urn:epc:id:sgln:0614141.00888.{part}" for part in ("0", "7", "8"))
VOCABULARIES: dict[str, Any] = {
    "vocabularyList": [
        {
            "type": "urn:epcglobal:epcis:vtype:BusinessLocation",
            "vocabularyElementList": [
                {
                    "id": SITE,
                    "attributes": [{"id": "cbvmda:city", "attribute": "Köln"}],
                    "children": [HALL],
                },
                {"id": HALL, "children": ["https://acme.example/414/0614141008889/254/8"]},
                {"id": DOCK, "attributes": [{"id": "acme:gates", "attribute": "4"}]},
            ],
        },
        {
            "type": "urn:epcglobal:epcis:vtype:EPCClass",
            "vocabularyElementList": [
                {
                    "id": "urn:epc:idpat:sgtin:0614141.107346.*",
                    "attributes": [{"id": "cbvmda:name", "attribute": "Ham"}],
                }
            ],
        },
    ]
}
IN_XML = f"""<EPCISMasterData xmlns:cbvmda="urn:epcglobal:cbv:mda" xmlns:acme="https://acme.example/"><VocabularyList>
<Vocabulary type="urn:epcglobal:epcis:vtype:BusinessLocation"><VocabularyElementList>
<VocabularyElement id="{SITE}"><attribute id="urn:epcglobal:cbv:mda#city">Köln</attribute>
  <children><id>{HALL}</id></children></VocabularyElement>
<VocabularyElement id="{HALL}"><children><id>{DOCK}</id></children></VocabularyElement>
<VocabularyElement id="{DOCK}"><attribute id="acme:gates">4</attribute></VocabularyElement>
</VocabularyElementList></Vocabulary>
<Vocabulary type="urn:epcglobal:epcis:vtype:EPCClass"><VocabularyElementList>
<VocabularyElement id="https://id.gs1.org/01/10614141073464">
  <attribute id="cbvmda:name">Ham</attribute></VocabularyElement>
</VocabularyElementList></Vocabulary></VocabularyList></EPCISMasterData>"""
ACME = {"acme": "https://acme.example/"}
EVENT: dict[str, Any] = {
    "type": "ObjectEvent",
    "eventTime": "2026-01-31T08:00:00Z",
    "eventTimeZoneOffset": "+00:00",
    "action": "OBSERVE",
    "quantityList": [{"epcClass": "urn:epc:idpat:sgtin:0614141.107346.*", "quantity": 3}],
    "bizLocation": {"id": DOCK},
    "acme:from": HALL,
}
QUERIES: list[tuple[dict[str, Any], bool]] = [
    ({"WD_bizLocation": [SITE]}, True),
    ({"WD_bizLocation": ["https://id.gs1.org/414/0614141008889"]}, True),
    ({"WD_bizLocation": [DOCK]}, True),
    ({"WD_bizLocation": ["urn:x:elsewhere", HALL]}, True),
    ({"WD_bizLocation": ["urn:x:elsewhere"]}, False),
    ({"WD_bizLocation": []}, False),
    ({"WD_readPoint": [SITE]}, False),
    ({"HASATTR_bizLocation": ["acme:gates"]}, True),
    ({"HASATTR_bizLocation": ["cbvmda:city"]}, False),
    ({"HASATTR_bizLocation": ["cbvmda:city", "acme:gates"]}, True),
    ({"HASATTR_bizLocation": []}, False),
    ({"EQATTR_bizLocation_acme:gates": ["3", "4"]}, True),
    ({"EQATTR_bizLocation_acme:gates": ["3"]}, False),
    ({"EQATTR_epcClass_cbvmda:name": ["Ham"]}, True),
    ({"EQATTR_epcClass_urn:epcglobal:cbv:mda#name": ["Ham"]}, True),
    ({"EQATTR_readPoint_acme:gates": ["4"]}, False),
    ({"HASATTR_acme:from": ["acme:gates"]}, False),
]


def in_a_header() -> Event:
    document = as_document(EVENT) | {"epcisHeader": {"epcisMasterData": VOCABULARIES}}
    document["@context"] = [document["@context"][0], ACME]
    (event,) = decode_document(json.dumps(document))
    return event


def alone() -> Event:
    (event,) = decode_document(json.dumps(EVENT | {"@context": ACME}))
    return event


def rings(query: dict[str, Any], event: Event, *definitions: object) -> bool:
    named = {
        f"d{number}": MasterDataDefinition(f"d{number}", each)
        for number, each in enumerate(definitions)
    }
    text = json.dumps({"@context": ACME} | query)
    return holds(parse_subscription("epcis", text, {}, Context(definitions=named)).pattern, event)


@pytest.mark.parametrize(
    ("query", "expected"), QUERIES, ids=[json.dumps(each) for each, _ in QUERIES]
)
def test_what_is_known_answers(query: dict[str, Any], expected: bool) -> None:
    assert rings(query, in_a_header()) is expected
    assert rings(query, alone(), VOCABULARIES | {"@context": ACME}) is expected
    assert rings(query, alone(), IN_XML) is expected


def test_without_master_data_a_place_is_only_in_itself() -> None:
    assert rings({"WD_bizLocation": [DOCK]}, alone())
    assert not rings({"WD_bizLocation": [SITE]}, alone())
    assert not rings({"HASATTR_bizLocation": ["acme:gates"]}, alone())


def test_an_extension_field_names_a_thing_too() -> None:
    known = {
        "vocabularyList": [
            {
                "vocabularyElementList": [
                    {"id": HALL, "attributes": [{"id": "cbvmda:city", "attribute": "Bonn"}]}
                ]
            }
        ]
    }
    assert rings({"EQATTR_acme:from_cbvmda:city": ["Bonn"]}, alone(), known)
    assert rings({"HASATTR_acme:from": ["cbvmda:city"]}, alone(), known)
    assert not rings({"HASATTR_acme:from": ["cbvmda:name"]}, alone(), known)


def test_both_bindings_know_the_same() -> None:
    assert read_master_data(VOCABULARIES | {"@context": ACME}) == read_master_data(IN_XML)


def test_a_hierarchy_that_bites_its_tail_ends() -> None:
    circle = {
        "vocabularyList": [
            {
                "vocabularyElementList": [
                    {"id": "urn:x:a", "children": ["urn:x:b"]},
                    {"id": "urn:x:b", "children": ["urn:x:a"]},
                ]
            }
        ]
    }
    assert read_master_data(circle)["urn:x:a"].within == ("urn:x:a", "urn:x:b")


def test_an_event_keeps_what_it_knows_on_a_line_and_its_id() -> None:
    (again,) = decode_all(as_line(in_a_header()))
    assert again.attributes == in_a_header().attributes
    assert in_a_header().id == alone().id


@pytest.mark.parametrize(
    "wrong", [{"places": 1}, "<a/>", "no", {"vocabularyList": []}, {"vocabularyList": [3]}]
)
def test_what_is_no_master_data_is_refused(wrong: Any) -> None:
    with pytest.raises(Problem, match=r"master data"):
        rings({"WD_bizLocation": [SITE]}, alone(), wrong)


def test_a_definition_of_a_file_of_subscriptions(tmp_path: Path) -> None:
    definition = {"define": "places", "masterdata": IN_XML}
    assert Definition.from_json(definition).as_json() == definition
    subscription = {"id": "s", "language": "epcis", "expression": {"WD_bizLocation": [SITE]}}
    subscriptions = tmp_path / "subscriptions.jsonl"
    subscriptions.write_text("\n".join(map(json.dumps, (definition, subscription))))
    events = tmp_path / "events.json"
    events.write_text(json.dumps(EVENT | {"@context": ACME}))
    for engine in ("local", "reference"):
        done = CliRunner().invoke(
            app, ["match", str(subscriptions), str(events), "--engine", engine]
        )
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["subscription"] == "s"
