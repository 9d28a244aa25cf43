"""Files of others as they are: business documents, EPCIS, tables of ships and aircraft."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import shared_data
from tests.connectors.reading import read
from tests.events.epcis.corpus import VALID
from tocsin.connectors.events import ReadOptions
from tocsin.connectors.files import input_files
from tocsin.events.codecs.columns import Columns
from tocsin.values.time import format_instant


@pytest.mark.parametrize("folder", ["xml-ubl/xml", "xml-xrechnung/src"])
def test_every_business_document_is_an_event(folder: str) -> None:
    files = [each for each in input_files([str(shared_data(folder))]) if each.path.endswith(".xml")]
    assert len(files) > 70
    for file in files:
        (event,), problems = read(file.path)
        assert problems == []
        assert event.source == Path(file.path).name
        assert event.envelope["datacontenttype"] == "application/xml"


def test_every_epcis_document_is_its_events() -> None:
    root = shared_data("epcis-openepcis")
    for path in VALID[::7]:
        events, problems = read(str(root / path))
        assert problems == [], path
        assert all("eventTime" in each.attributes for each in events)


def test_positions_of_ships() -> None:
    path = shared_data("ais-solent") / "SolentAIS_20160112_130211.csv"
    columns = Columns.parse(
        "time=Time,lon=Longitude_degrees,lat=Latitude_degrees,subject=MMSI", "UTC"
    )
    events, problems = read(str(path), ReadOptions(columns=columns))
    assert (len(events), problems) == (len(path.read_text().splitlines()) - 1, [])
    first = events[0]
    assert first.interval is not None
    assert format_instant(first.interval.start) == "2016-01-12T13:02:11.218Z"
    assert first.place_text == "POINT (-1.092935 50.7730133333333)"
    assert (first.envelope["subject"], first.attributes["SOG_knots"]) == ("235070762", 5.9)


def test_states_of_aircraft() -> None:
    path = shared_data("ais-solent") / "OpenSky_Plane_States.csv"
    events, problems = read(
        str(path), ReadOptions(columns=Columns.parse("time=time:s,lon=lon,lat=lat"))
    )
    assert problems == []
    assert events[0].envelope["time"] == "2021-07-12T14:00:00Z"
    assert events[0].attributes["onground"] is False
