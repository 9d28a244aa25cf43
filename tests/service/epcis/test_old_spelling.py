"""An index that an earlier version wrote: its keys are computed anew, once, when it is opened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from tests.service.epcis.test_finding import asked, fill, made
from tocsin.database.database import Database
from tocsin.database.stores import EPCIS
from tocsin.events.codecs.epcis import decode_document
from tocsin.events.event import Event
from tocsin.service.epcis import index
from tocsin.service.epcis.event_search import find
from tocsin.service.epcis.index import EVENTS, SCHEMA, TERMS, EventIndex
from tocsin.service.epcis.parameters import Page
from tocsin.service.storage.database import open_database

ASSET = "https://id.gs1.org/8004/42512183.SENSOR.TR-07-AVE-583:1"
PLACE = "https://brand.example/414/9521321000018/254/A(1)!"
COMMON = {
    ASSET: "https://id.gs1.org/8004/42512183.SENSOR.TR-07-AVE-583%3A1",
    PLACE: "https://id.gs1.org/414/9521321000018/254/A%281%29%21",
}
OLD = {ASSET: ASSET, PLACE: "https://id.gs1.org/414/9521321000018/254/A(1)!"}
"""The spellings that versions before the first schema kept."""

QUERIES: tuple[dict[str, object], ...] = (
    {"MATCH_anyEPC": ["urn:epc:id:giai:42512183..SENSOR.TR-07-AVE-583:1"]},
    {"MATCH_anyEPC": [ASSET]},
    {"MATCH_parentID": ["urn:epc:id:giai:42512183..SENSOR.TR-07-AVE-583:1"]},
    {"EQ_readPoint": [PLACE]},
    {"EQ_readPoint": [COMMON[PLACE]]},
    {"EQ_bizLocation": ["urn:epc:id:sgln:9521321.00001.A(1)!"]},
    {"eventType": ["QuantityEvent"], "EQ_quantity": [5]},
    {"eventType": ["ObjectEvent"], "MATCH_epcClass": ["urn:x:c"]},
    {"MATCH_epcClass": ["urn:x:c"]},
)


def _events() -> list[Event]:
    place = {"id": PLACE}
    first = made(1, epcList=[ASSET], readPoint=place, bizLocation=place)
    packed = {
        **{name: first.attributes[name] for name in ("eventTime", "eventTimeZoneOffset", "action")},
        **{"type": "AggregationEvent", "eventID": "urn:uuid:3", "readPoint": place},
        **{"bizLocation": place, "parentID": ASSET, "childEPCs": ["urn:uuid:child"]},
    }
    counted = {
        **{"type": "QuantityEvent", "eventID": "urn:uuid:4", "epcClass": "urn:x:c"},
        **{"eventTime": "2026-01-01T00:04:00Z", "eventTimeZoneOffset": "+00:00", "quantity": 5},
    }
    return [first, made(2), *(decode_document(json.dumps(each))[0] for each in (packed, counted))]


def _open(folder: Path) -> tuple[EventIndex, Database]:
    database = open_database(f"sqlite:///{folder}/epcis.db", EPCIS)
    return EventIndex(database), database


def _write_old(folder: Path) -> Database:
    """An index as a version before the first schema wrote it: old spellings, no schema."""
    index, database = _open(folder)
    fill(index, _events())
    with database.writing() as connection:
        for old in (ASSET, PLACE):
            connection.execute(
                TERMS.update().where(TERMS.c.value == COMMON[old]).values(value=OLD[old])
            )
            for number, body in connection.execute(
                sql.select(EVENTS.c.number, EVENTS.c.body)
            ).all():
                written = body.replace(COMMON[old], OLD[old])
                mine = EVENTS.update().where(EVENTS.c.number == number)
                connection.execute(mine.values(body=written))
        _write_as_object_event(connection)
        SCHEMA.drop(connection)
        connection.exec_driver_sql(f"DROP TABLE {EPCIS.version_table}")
    return database


def _write_as_object_event(connection: sql.Connection) -> None:
    """A QuantityEvent was an ObjectEvent with its name in `@type`."""
    mine = EVENTS.c.id == "urn:uuid:4"
    number, body = connection.execute(sql.select(EVENTS.c.number, EVENTS.c.body).where(mine)).one()
    event = json.loads(body)
    data = event["data"]
    counted = {name: data.pop(name) for name in ("epcClass", "quantity")}
    former = {"type": "ObjectEvent", "@type": "QuantityEvent", "action": "OBSERVE"}
    event |= {"type": "ObjectEvent", "data": {**data, **former, "quantityList": [counted]}}
    connection.execute(EVENTS.update().where(mine).values(body=json.dumps(event)))
    kind = (TERMS.c.number == number, TERMS.c.field == "eventType")
    connection.execute(TERMS.update().where(*kind).values(value="ObjectEvent"))


def _found(index: EventIndex) -> list[list[str]]:
    return [[event.id for event in find(index, asked(query), Page(10)).events] for query in QUERIES]


def test_old_keys_are_found_in_every_spelling(tmp_path: Path) -> None:
    _write_old(tmp_path)
    first, third = "urn:uuid:1", "urn:uuid:3"
    both = [first, third]
    counted = ["urn:uuid:4"]
    expected = [both, both, [third], both, both, both, counted, [], counted]
    assert _found(_open(tmp_path)[0]) == expected


def test_the_upgraded_index_is_what_the_present_version_writes(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    _write_old(tmp_path / "old")
    _, upgraded = _open(tmp_path / "old")
    new, fresh = _open(tmp_path / "new")
    fill(new, _events())
    assert _rows(upgraded)[0] == _rows(fresh)[0]
    assert _parsed(upgraded) == _parsed(fresh)
    values = {value for _, value, _, _ in _rows(upgraded)[0]}
    assert set(COMMON.values()) <= values
    assert values.isdisjoint(OLD.values())
    assert _parsed(upgraded)[0]["readpoint"] == COMMON[PLACE]


def test_it_is_done_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write_old(tmp_path)
    upgraded: list[int] = []
    real = index._upgrade_event

    def count(connection: sql.Connection, number: int, body: str) -> None:
        upgraded.append(number)
        real(connection, number, body)

    monkeypatch.setattr(index, "_upgrade_event", count)
    _open(tmp_path)
    _open(tmp_path)
    assert upgraded == [1, 2, 3, 4]


def _parsed(database: Database) -> list[Any]:
    return [json.loads(body) for _, body in _rows(database)[1]]


def _rows(database: Database) -> tuple[list[Any], list[Any]]:
    with database.reading() as connection:
        found = connection.execute(sql.select(TERMS).order_by(*TERMS.primary_key)).all()
        bodies = connection.execute(sql.select(EVENTS.c.number, EVENTS.c.body)).all()
    return [tuple(row) for row in found], [tuple(row) for row in bodies]
