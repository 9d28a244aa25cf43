"""Finite input on Spark: files of JSON Lines, plain and packed, give what the local host gives."""

from __future__ import annotations

import gzip
import io
import random
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from tests.events.epcis.test_event_hash import DECLARED_XML, SPEEDS_XML
from tests.spark.scenes import SUBSCRIPTIONS, random_lines
from tocsin.catalog import Subscription, compile_subscription
from tocsin.connectors.events import ReadOptions, read_items
from tocsin.connectors.files import InputFile
from tocsin.errors import MeaningProblem
from tocsin.events.codecs.epcis import decode_document
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.matches.match import Match
from tocsin.runtime.finite_run import match_events, read_events, read_pieces
from tocsin.spark import run_match
from tocsin.spark.input.lines import LinesTask, parts_to_read
from tocsin.values.time import Duration


def local(raw: bytes, lateness: Duration | None = None) -> tuple[list[Match], list[DeadLetter]]:
    found = read_events(io.BytesIO(raw), lateness)
    plans = {each.id: compile_subscription(each) for each in SUBSCRIPTIONS}
    return match_events(plans, found), found.dead_letters


def mixed(seed: int) -> bytes:
    """Events, repeated events, blank lines, malformed lines and both kinds of line end; the last
    line has none.
    """
    chance = random.Random(seed)
    lines = [line.encode() for line in random_lines(seed, 80)]
    lines += [*chance.sample(lines, 5), b"", b"  ", b"{", b'"text"', b"\xff\xfe", b'{"id":1}']
    chance.shuffle(lines)
    return b"".join(line + chance.choice([b"\n", b"\r\n"]) for line in lines[:-1]) + lines[-1]


@pytest.mark.parametrize("text", [SPEEDS_XML, DECLARED_XML], ids=["published", "declared"])
def test_an_epcis_event_of_xml_without_id_has_the_event_hash(
    spark: SparkSession, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "speeds"
    path.write_text(" ".join(text.split()))  # a document to a line
    (expected,) = decode_document(text)
    asked = [Subscription("s", "selector", "action = 'OBSERVE'")]
    matches, letters = run_match(asked, str(path), session=spark)
    assert ([match.events for match in matches], letters) == ([(expected.id,)], [])


@pytest.mark.parametrize("name", ["events.jsonl", "events.jsonl.gz"])
@pytest.mark.parametrize("lateness", [None, 2_000_000])
def test_a_file_gives_what_the_local_host_gives(
    spark: SparkSession, tmp_path: Path, name: str, lateness: Duration | None
) -> None:
    raw = mixed(seed=5)
    path = tmp_path / name
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    matches, letters = run_match(
        SUBSCRIPTIONS, str(path), lateness=lateness, session=spark, part_bytes=1000
    )
    expected_matches, expected_letters = local(raw, lateness)
    assert matches == expected_matches
    assert letters == expected_letters
    assert {letter.reason == "late" for letter in letters} == (
        {False} if lateness is None else {False, True}
    )


def test_standard_input_is_read(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = mixed(seed=6)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    assert run_match(SUBSCRIPTIONS, "-", session=spark) == local(raw)


def test_an_empty_file_has_no_events(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    assert run_match(SUBSCRIPTIONS, str(tmp_path / "empty.jsonl"), lateness=0, session=spark) == (
        [],
        [],
    )


def test_a_file_that_cannot_be_read_is_the_users_problem(
    spark: SparkSession, tmp_path: Path
) -> None:
    with pytest.raises(MeaningProblem, match="no such file") as raised:
        run_match(SUBSCRIPTIONS, str(tmp_path / "missing.jsonl"), session=spark)
    assert raised.value.code == "FileError"
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(b"not packed at all")
    with pytest.raises(MeaningProblem, match="Not a gzipped file"):
        run_match(SUBSCRIPTIONS, str(broken), session=spark)


@pytest.mark.parametrize("lateness", [None, 2_000_000])
def test_of_a_damaged_file_what_can_be_read_counts(
    spark: SparkSession, tmp_path: Path, lateness: Duration | None
) -> None:
    broken = tmp_path / "broken.jsonl.gz"
    packed = gzip.compress(mixed(seed=7))
    for raw in (packed[: len(packed) // 2], packed[:-8] + b"\0\0\0\0" + packed[-4:]):
        broken.write_bytes(raw)
        found = read_pieces(read_items(InputFile(str(broken), "broken"), ReadOptions()), lateness)
        expected = match_events(
            {each.id: compile_subscription(each) for each in SUBSCRIPTIONS}, found
        )
        matches, letters = run_match(SUBSCRIPTIONS, str(broken), lateness=lateness, session=spark)
        assert expected
        assert matches == expected
        assert letters == sorted(found.dead_letters, key=lambda letter: letter.line or 0)
        assert [letter.code for letter in letters].count("FileError") == 1


@given(
    lines=st.lists(st.sampled_from([b"", b"a", b"bb\r", b" ", b"c" * 30]), max_size=30),
    ending=st.sampled_from([b"", b"\n"]),
    part_bytes=st.integers(1, 40),
)
def test_parts_hold_every_line_once_with_its_number(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], ending: bytes, part_bytes: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "lines.txt"
    path.write_bytes(b"\n".join(lines) + ending)
    parts = parts_to_read(str(path), part_bytes)
    numbers = pa.RecordBatch.from_pydict({"id": list(range(len(parts)))})
    read = [
        (row["value"].rstrip(b"\n"), row["line"])
        for batch in LinesTask(str(path), parts)(iter([numbers]))
        for row in batch.to_pylist()
    ]
    assert read == [(line, number) for number, line in enumerate(lines, 1) if line.strip()]
