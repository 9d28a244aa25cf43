"""Whatever a file holds, reading it ends, and every piece is events or a problem."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.connectors.reading import GOOD, lines_of, read
from tests.connectors.test_documents import INVOICE, ORDERS, TURTLE
from tests.connectors.test_tables import TABLE
from tocsin.connectors.events import ReadOptions, Split
from tocsin.events.codecs.columns import Columns
from tocsin.events.codecs.formats import SUFFIXES, Format

SEEDS = [
    lines_of(*GOOD[:3]),
    *(text.encode() for text in (INVOICE, ORDERS, TURTLE, TABLE, '[\n{"@id": "urn:x"},\n1]')),
]
TABLE_READING = ReadOptions(columns=Columns.parse("id=nr,time=sent at", "UTC"))
NAMES = st.sampled_from(
    [f"e{suffix}{packed}" for suffix in ("", *SUFFIXES) for packed in ("", ".gz")]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bytes")


def read_bytes(folder: Path, name: str, raw: bytes, reading: ReadOptions) -> None:
    path = folder / name
    path.write_bytes(raw)
    read(str(path), reading)


@given(
    NAMES,
    st.binary(max_size=60) | st.text('{}[]<>",:\n ab1@#;&\ufeff', max_size=60).map(str.encode),
    st.booleans(),
)
def test_any_bytes_under_any_name(folder: Path, name: str, raw: bytes, packed: bool) -> None:
    read_bytes(folder, name, gzip.compress(raw) if packed else raw, ReadOptions())


@given(
    st.sampled_from(SEEDS),
    st.sampled_from([None, *Format]),
    st.integers(0, 400),
    st.integers(0, 30),
    st.binary(max_size=8)
    | st.sampled_from([b'"', b"{", b"\n", b"<", b"]", b"\x1f\x8b", b"\xff\xfe", b"PAR1"]),
    st.booleans(),
)
def test_damage_anywhere(
    folder: Path,
    seed: bytes,
    format: Format | None,
    start: int,
    length: int,
    junk: bytes,
    mapped: bool,
) -> None:
    raw = seed[:start] + junk + seed[start + length :]
    columns = TABLE_READING.columns if mapped else Columns()
    read_bytes(folder, "e", raw, ReadOptions(format, Split.CHILDREN, columns))
    read_bytes(
        folder, "e.gz", gzip.compress(raw)[: -1 - length], ReadOptions(format, columns=columns)
    )
