"""Finding stored events: the index and the engine against the reference on every event."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from tests.conftest import shared_data
from tests.events.epcis.corpus import FOLDER, VALID, content
from tocsin.catalog import Subscription, compile_subscription
from tocsin.database.stores import EPCIS
from tocsin.events.codecs.epcis import decode_document
from tocsin.events.event import Event
from tocsin.reference.atoms import holds
from tocsin.service.epcis import event_search as finding
from tocsin.service.epcis.event_search import EventQuery, find, find_between
from tocsin.service.epcis.exceptions import EpcisException
from tocsin.service.epcis.index import EventIndex, Logged, add_record_fields
from tocsin.service.epcis.index_filters import narrowings_of
from tocsin.service.epcis.parameters import Controls, Page, question_of
from tocsin.service.storage.database import open_database
from tocsin.values.time import parse_instant

START = parse_instant("2026-01-01T00:00:00Z")


def made(number: int, **more: object) -> Event:
    body = {
        "type": "ObjectEvent",
        "eventID": f"urn:uuid:{number}",
        "eventTime": f"2026-01-01T00:{number % 60:02}:00Z",
        "eventTimeZoneOffset": "+00:00",
        "action": "OBSERVE",
        "bizStep": ("shipping", "receiving", "packing")[number % 3],
        "epcList": [f"urn:epc:id:sgtin:0614141.107346.{number % 5}"],
        "readPoint": {"id": f"urn:epc:id:sgln:0614141.0000{number % 2}.0"},
        "https://acme.example/rank": (number * 7) % 11,
        **more,
    }
    (event,) = decode_document(json.dumps(body))
    return event


@pytest.fixture
def index(tmp_path):
    return EventIndex(open_database(f"sqlite:///{tmp_path}/epcis.db", EPCIS))


def fill(index: EventIndex, events: list[Event]) -> None:
    position = index.position()
    rows = [
        Logged(position + number, START + 1_000_000 * number, [event])
        for number, event in enumerate(events, 1)
    ]
    assert index.extend(position, position + len(rows), rows)


def asked(query: dict[str, object]) -> EventQuery:
    question = question_of(query)
    plan = compile_subscription(Subscription("q", "epcis", question.text))
    return EventQuery(plan, question.controls, question.text, question.parameters.get("@context"))


def ids(events: object) -> list[str]:
    return [event.attributes["eventID"].removeprefix("urn:uuid:") for event in events]  # type: ignore[attr-defined]


def all_pages(index: EventIndex, what: EventQuery, per_page: int) -> list[list[str]]:
    pages, token = [], ""
    while True:
        found = find(index, what, Page(per_page, token))
        pages.append(ids(found.events))
        token = found.token
        if not token:
            return pages


QUERIES = [
    {},
    {"EQ_bizStep": ["shipping"]},
    {"EQ_bizStep": ["urn:epcglobal:cbv:bizstep:packing", "receiving"], "EQ_action": ["OBSERVE"]},
    {"MATCH_epc": ["urn:epc:id:sgtin:0614141.107346.3"]},
    {"MATCH_anyEPC": ["https://id.gs1.org/01/10614141073464/21/2", "urn:epc:id:sgtin:1.2.3"]},
    {"MATCH_epc": ["urn:epc:idpat:sgtin:0614141.107346.*"]},
    {"EQ_readPoint": ["urn:epc:id:sgln:0614141.00001.0"]},
    {"GE_eventTime": "2026-01-01T00:20:00Z", "LT_eventTime": "2026-01-01T00:30:00Z"},
    {"GE_recordTime": "2026-01-01T00:00:30Z"},
    {"eventType": ["ObjectEvent"], "EQ_eventID": ["urn:uuid:7", "urn:uuid:8"]},
    {"eventType": ["AggregationEvent"]},
    {"GT_https://acme.example/rank": 8},
    {"EQ_bizStep": []},
    {"EXISTS_ilmd": None},
]


@pytest.mark.parametrize("query", QUERIES, ids=json.dumps)
def test_found_is_what_the_reference_says(index, query):
    events = [made(number) for number in range(60)]
    fill(index, events)
    stored = [add_record_fields(each, START + 1_000_000 * n) for n, each in enumerate(events, 1)]
    what = asked(query)
    expected = ids([event for event in stored if holds(what.plan.pattern, event)])
    assert [each for page in all_pages(index, what, 7) for each in page] == expected


def test_times_and_terms_narrow():
    what = asked({"EQ_bizStep": ["shipping"], "GE_eventTime": "2026-01-01T00:00:00Z"})
    assert len(narrowings_of(what.plan.pattern)) == 2
    assert narrowings_of(asked({"GT_quantity": 1}).plan.pattern) == []


def test_pages_are_full_and_of_one_state(index):
    fill(index, [made(number) for number in range(10)])
    first = find(index, asked({}), Page(4))
    fill(index, [made(99)])
    second = find(index, asked({}), Page(4, first.token))
    third = find(index, asked({}), Page(4, second.token))
    assert [len(each.events) for each in (first, second, third)] == [4, 4, 2]
    assert third.token == ""
    assert "99" not in ids(third.events)


@pytest.mark.parametrize("direction", ["ASC", "DESC"])
@pytest.mark.parametrize("field", ["eventTime", "recordTime", "https://acme.example/rank"])
def test_result_is_ordered(index, field, direction):
    events = [made((number * 13) % 40) for number in range(40)]
    fill(index, events)
    query = {"orderBy": field, "orderDirection": direction}
    found = [each for page in all_pages(index, asked(query), 7) for each in page]
    stored = [add_record_fields(each, START + 1_000_000 * n) for n, each in enumerate(events, 1)]
    value = {ids([event])[0]: event.attributes[field] for event in stored}
    assert sorted(found) == sorted(value)
    for one, other in pairwise(found):
        assert value[one] <= value[other] if direction == "ASC" else value[one] >= value[other]


@pytest.mark.parametrize("field", ["eventTime", "https://acme.example/rank"])
def test_first_events_only(index, field):
    fill(index, [made(number) for number in range(20)])
    whole = [e for p in all_pages(index, asked({"orderBy": field}), 50) for e in p]
    pages = all_pages(index, asked({"orderBy": field, "eventCountLimit": 5}), 2)
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [each for page in pages for each in page] == whole[:5]


def test_too_many_events_are_refused(index):
    fill(index, [made(number) for number in range(20)])
    assert len(find(index, asked({"maxEventCount": 20}), Page(5)).events) == 5
    with pytest.raises(EpcisException) as caught:
        find(index, asked({"maxEventCount": 19}), Page(5))
    assert caught.value.kind.name == "QueryTooLargeException"


def test_work_for_one_page_is_bounded(index, monkeypatch):
    monkeypatch.setattr(finding, "CHUNK", 5)
    fill(index, [made(number) for number in range(40)])
    what = asked({"GT_https://acme.example/rank": 9})
    pages, token = [], ""
    while True:
        found = find(index, what, Page(30, token), most=10)
        pages.append(ids(found.events))
        token = found.token
        if not token:
            break
    assert len(pages) >= 4
    expected = ids([made(n) for n in range(40) if (n * 7) % 11 > 9])
    assert [each for page in pages for each in page] == expected
    for query in ({"maxEventCount": 1}, {"orderBy": "https://acme.example/rank"}):
        with pytest.raises(EpcisException) as caught:
            find(index, asked({"GT_https://acme.example/rank": 9, **query}), Page(), most=10)
        assert caught.value.kind.name == "QueryTooComplexException"


def test_same_identity_is_there_once(index):
    fill(index, [made(1), made(1, action="ADD"), made(2)])
    assert ids(find(index, asked({}), Page()).events) == ["1", "2"]


def test_index_is_extended_by_one_only(index):
    fill(index, [made(1)])
    assert not index.extend(0, 5, [Logged(1, START, [made(2)])])
    assert ids(find(index, asked({}), Page()).events) == ["1"]


def test_old_rows_are_forgotten(index):
    fill(index, [made(number) for number in range(4)])
    index.forget(3)
    assert ids(find(index, asked({}), Page()).events) == ["2", "3"]
    assert [value for value, _ in index.terms("eventID", "", 9)] == ["urn:uuid:2", "urn:uuid:3"]


def test_terms_are_listed_in_pages(index):
    fill(index, [made(number) for number in range(9)])
    first = index.terms("bizStep", "", 2)
    rest = index.terms("bizStep", first[-1][0], 2)
    assert [value for value, _ in (*first, *rest)] == ["packing", "receiving", "shipping"]
    assert index.has("bizStep", "packing")
    assert not index.has("bizStep", "loading")


def test_new_events_since(index):
    fill(index, [made(number) for number in range(9)])
    what = asked({"EQ_bizStep": ["shipping"]})
    assert ids(find_between(index, what, 3, 9)) == ["3", "6"]
    assert ids(find_between(index, what, 7, 9)) == []


def test_combination_is_answered_with_its_members(index):
    fill(index, [made(number) for number in range(9)])
    expression = (
        '=|($a;;3m)$b; WHERE $a;.epcList[*] = $b;.epcList[*], $a; = epcis{"EQ_bizStep":'
        ' ["shipping"]}, $b; = epcis{"EQ_eventID": ["urn:uuid:8"]}'
    )
    plan = compile_subscription(Subscription("q", "opsl", expression.replace("3m", "10m")))
    found = find(index, EventQuery(plan, Controls(), expression), Page())
    assert ids(found.events) == ["3", "8"]
    assert ids(find_between(index, EventQuery(plan, Controls(), expression), 8, 9)) == ["3", "8"]
    assert find_between(index, EventQuery(plan, Controls(), expression), 9, 9) == []


def test_corpus_is_found_again(index):
    shared_data(FOLDER)
    events = {}
    for path in VALID:
        for event in decode_document(content(path)):
            events.setdefault(event.identity, event)
    fill(index, list(events.values()))
    token, found = "", []
    while True:
        page = find(index, asked({}), Page(200, token))
        found += page.events
        token = page.token
        if not token:
            break
    assert [event.identity for event in found] == list(events)
    for stored, event in zip(found, events.values(), strict=True):
        assert dict(stored.attributes) | {"eventID": 0, "recordTime": 0} == dict(
            event.attributes
        ) | {"eventID": 0, "recordTime": 0}
