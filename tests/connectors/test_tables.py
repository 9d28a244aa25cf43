"""CSV and Parquet with a mapping of columns, and JSON records with one."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.connectors.reading import ids, read, written
from tocsin.connectors.events import ReadOptions
from tocsin.connectors.table_rows import csv_columns, csv_rows
from tocsin.errors import MeaningProblem
from tocsin.events.codecs.columns import Columns

TABLE = (
    "nr,sent at,price,city\n17,2026-01-31 08:00:00,350.5,Ghent\n018,2026-01-31T09:00:00+01:00,7,\n"
)


def mapped(text: str, zone: str | None = "UTC") -> ReadOptions:
    return ReadOptions(columns=Columns.parse(text, zone))


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.txt", "t"])
def test_rows_are_events_by_a_mapping(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name, gzip.compress(TABLE.encode()) if name.endswith(".gz") else TABLE)
    events, problems = read(path, mapped("id=nr,time=sent at,type='offer'"))
    assert problems == []
    assert [(each.id, each.source, each.type) for each in events] == [
        ("17", name, "offer"),
        ("018", name, "offer"),
    ]
    assert [each.envelope["time"] for each in events] == [
        "2026-01-31T08:00:00Z",
        "2026-01-31T08:00:00Z",
    ]
    assert events[0].attributes == {
        "nr": 17,
        "sent at": "2026-01-31 08:00:00",
        "price": 350.5,
        "city": "Ghent",
    }
    assert events[1].attributes == {"nr": "018", "sent at": "2026-01-31T09:00:00+01:00", "price": 7}


def test_without_a_mapping_columns_are_named_like_fields_or_fields_derived(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "id,time,x\na,2026-01-01T00:00:00Z,1\n")
    (event,), _ = read(path)
    assert (event.id, event.source, event.type) == ("a", "t.csv", "record")
    assert event.envelope["time"] == "2026-01-01T00:00:00Z"
    events, _ = read(written(tmp_path, "u.csv", "x\n1\n2\n"))
    assert ids(events) == ["u.csv#1", "u.csv#2"]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_mark_between_cells_is_that_of_the_header(tmp_path: Path, mark: str) -> None:
    name = "t.tsv" if mark == "\t" else "t.csv"
    text = '\ufeffa,"b;c,d"\r\n1,"x ""y"", z\nw"\r\n'.replace("1,", f"1{mark}").replace(
        "a,", f"a{mark}"
    )
    (event,), problems = read(written(tmp_path, name, text))
    assert problems == []
    assert event.attributes == {"a": 1, "b;c,d": 'x "y", z\nw'}


def test_a_cell_is_what_json_would_take_it_for() -> None:
    cells = {
        "1": 1,
        "-2.5": -2.5,
        "1e3": 1000.0,
        "007": "007",
        "+1": "+1",
        "True": True,
        "FALSE": False,
    }
    cells |= {"1,5": "1,5", "null": "null", "NaN": "NaN", " x ": "x", "١": "١"}
    for written_cell, value in cells.items():
        (row,) = csv_rows([f"{written_cell};\n".encode()], ["a", "b"], ";")
        assert (row.typed, type(row.typed["a"])) == ({"a": value}, type(value))


@pytest.mark.parametrize(
    "broken",
    ['3,"open', "3", "3,4,5", '"3"x,4', "3,\xe9".encode("latin-1"), b'3,"', b"3," + b"x" * 140_000],
)
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_broken_row_costs_that_row(tmp_path: Path, broken: str | bytes, at: int) -> None:
    rows = [b"1,a", b'2,"b\nc"']
    rows.insert(at, broken if isinstance(broken, bytes) else broken.encode())
    events, problems = read(written(tmp_path, "t.csv", b"id,x\n" + b"\n".join(rows) + b"\n"))
    assert ids(events) == ["1", "2"]
    assert [line for line, _ in problems] == [(2, 3, 5)[at]]


def test_looking_for_closing_quotes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tocsin.connectors.table_rows._PATIENCE", 100)
    rows = list(csv_rows([b'1,"open\n'] + [b"2,b\n"] * 50, ["id", "x"], ","))
    assert [row.problem is None for row in rows] == [False] + [True] * 50


@given(st.lists(st.lists(st.text(max_size=6), min_size=2, max_size=2), max_size=5))
def test_csv_that_is_right_is_read_as_it_was_written(cells: list[list[str]]) -> None:
    def cell(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    text = "".join(f"{cell(a)},{cell(b)}\n" for a, b in cells).encode("utf-8", "replace")
    expected = [[each.encode("utf-8", "replace").decode().strip() for each in row] for row in cells]
    rows = csv_rows(BytesIO(text), ["a", "b"], ",")
    assert [list(row.written.values()) for row in rows] == expected


@pytest.mark.parametrize("header", [b"a,a\n", b"a,,b\n"])
def test_a_header_names_each_column_once(header: bytes) -> None:
    with pytest.raises(MeaningProblem, match="header"):
        csv_columns(header)


def test_a_column_that_is_not_there_is_one_message(tmp_path: Path) -> None:
    events, problems = read(written(tmp_path, "t.csv", TABLE), mapped("id=nr,time=sent_at"))
    assert events == []
    ((line, problem),) = problems
    assert (line, problem.code, problem.hint) == (1, "ColumnsError", "did you mean sent at?")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("id", "maps nothing"),
        ("id=", "maps nothing"),
        ("I D=x", "no field"),
        ("lon=x", "two coordinates"),
        ("id=nr,", "maps nothing"),
    ],
)
def test_a_wrong_mapping_is_refused(text: str, part: str) -> None:
    with pytest.raises(MeaningProblem, match=part) as raised:
        Columns.parse(text)
    assert raised.value.hint


def test_a_zone_that_is_none_is_refused() -> None:
    with pytest.raises(MeaningProblem, match="no time zone"):
        Columns.parse("id=x", "Mars/Olympus")


@pytest.mark.parametrize(
    ("column", "cell", "expected"),
    [
        ("at:s", "1767225600", "2026-01-01T00:00:00Z"),
        ("at:s", "1767225600.5", "2026-01-01T00:00:00.5Z"),
        ("at:ms", "1767225600001", "2026-01-01T00:00:00.001Z"),
        ("at:us", "1767225600000001", "2026-01-01T00:00:00.000001Z"),
        ("at", "2026-01-01", "2026-01-01T00:00:00Z"),
        ("at", "2026-01-01 00:00", "2026-01-01T00:00:00Z"),
        ("at", "", None),
    ],
)
def test_times_as_tables_have_them(
    tmp_path: Path, column: str, cell: str, expected: str | None
) -> None:
    (event,), problems = read(
        written(tmp_path, "t.csv", f"id,at\n1,{cell}\n"), mapped(f"time={column}")
    )
    assert problems == []
    assert event.envelope.get("time") == expected


@pytest.mark.parametrize(
    ("column", "cell", "part"),
    [
        ("at", "2026-01-01 00:00", "has no zone"),
        ("at", "soon", "is no time"),
        ("at", "1767225600", "is no time"),
        ("at:s", "soon", "no number of seconds"),
        ("at:s", "1e30", "no number of seconds"),
    ],
)
def test_a_time_that_is_none_costs_its_row(
    tmp_path: Path, column: str, cell: str, part: str
) -> None:
    path = written(tmp_path, "t.csv", f"id,at\n1,{cell}\n2,\n")
    events, problems = read(path, mapped(f"time={column}", zone=None))
    assert ids(events) == ["2"]
    assert part in problems[0][1].message


def test_two_columns_make_a_place(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "id,x,y\n1,4.5,50\n2,,\n3,far,50\n")
    events, problems = read(path, mapped("lon=x,lat=y"))
    assert [each.place_text for each in events] == ["POINT (4.5 50)", None]
    assert [line for line, _ in problems] == [4]


def parquet(path: Path, columns: dict[str, Any]) -> None:
    pq.write_table(pa.table(columns), path)


@pytest.mark.parametrize("name", ["t.parquet", "t.pq", "t", "t.parquet.gz"])
def test_parquet_is_read_with_its_types(tmp_path: Path, name: str) -> None:
    moment = datetime(2026, 1, 1, 8, tzinfo=UTC)
    path = tmp_path / name
    columns = {
        "nr": [1, 2],
        "at": pa.array([moment, None], pa.timestamp("ns", "Europe/Berlin")),
        "price": [1.5, float("nan")],
        "seller": [{"city": "Ghent", "since": moment.date()}, None],
        "tags": [["a", "b"], []],
        "raw": [b"x", b"\xff"],
    }
    parquet(path, columns)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    events, problems = read(str(path), mapped("id=nr,time=at", zone=None))
    assert problems == []
    assert [each.envelope.get("time") for each in events] == ["2026-01-01T08:00:00Z", None]
    first, second = (each.attributes for each in events)
    assert first["seller"] == {"city": "Ghent", "since": "2026-01-01"}
    assert (first["nr"], first["price"], first["tags"], first["raw"]) == (1, 1.5, ["a", "b"], "x")
    assert second == {"nr": 2, "tags": [], "raw": "/w=="}


def test_parquet_times_without_a_zone_need_one(tmp_path: Path) -> None:
    parquet(tmp_path / "t.parquet", {"at": pa.array([datetime(2026, 1, 1)], pa.timestamp("us"))})
    assert (
        "has no zone"
        in read(str(tmp_path / "t.parquet"), mapped("time=at", zone=None))[1][0][1].message
    )
    (event,), _ = read(str(tmp_path / "t.parquet"), mapped("time=at", zone="Europe/Berlin"))
    assert event.envelope["time"] == "2025-12-31T23:00:00Z"


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
@pytest.mark.parametrize("zone", [None, "UTC", "+14:00", "-12:00", "Asia/Kolkata"])
def test_a_parquet_time_that_python_cannot_hold_costs_its_row(
    tmp_path: Path, unit: str, zone: str | None
) -> None:
    """One zero time of Go or .NET took the whole file with it."""
    times = [-62_135_596_800, 0, 253_402_300_799, 10**12, -(10**12), 1]
    scale = {"s": 1, "ms": 1_000, "us": 1_000_000}[unit]
    column = pa.array([each * scale for each in times], pa.timestamp(unit, zone))
    path = tmp_path / "t.parquet"
    parquet(path, {"id": [str(each) for each in range(len(times))], "time": column})
    found, problems = read(str(path), mapped("id=id,time=time"))
    assert [each.id for each in found] == ["1", "5"]
    assert [line for line, _ in problems] == [1, 3, 4, 5]


def test_a_file_that_is_no_parquet_is_one_message(tmp_path: Path) -> None:
    for content in (b"PAR1 and no more", b"", b"text"):
        events, problems = read(written(tmp_path, "t.parquet", content))
        assert events == []
        assert len(problems) == 1


def test_json_records_with_a_mapping(tmp_path: Path) -> None:
    text = '{"nr": 1, "seen": {"at": "2026-01-01T00:00:00Z"}}\n{"nr": 2}\n[1]\n{"x": 1\n'
    events, problems = read(written(tmp_path, "t.jsonl", text), mapped("id=nr,time=seen.at"))
    assert ids(events) == ["1", "2"]
    assert events[0].envelope["time"] == "2026-01-01T00:00:00Z"
    assert events[1].attributes == {"nr": 2}
    assert [line for line, _ in problems] == [3, 4]
    assert ids(
        read(written(tmp_path, "t.json", '[{"nr": 1},\n {"nr": 2}]'), mapped("id=nr"))[0]
    ) == ["1", "2"]
