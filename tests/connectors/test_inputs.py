"""Which files are meant, and what a file does that cannot be read to its end."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from tests.connectors.reading import GOOD, GOOD_IDS, event, ids, lines_of, read, written
from tocsin.connectors.files import input_files
from tocsin.errors import MeaningProblem


def names(*given: object) -> list[str]:
    return [each.name for each in input_files(map(str, given))]


def test_a_directory_means_every_file_of_events_below_it(tmp_path: Path) -> None:
    for name in (
        "b.jsonl",
        "a.xml",
        "deep/c.csv.gz",
        "notes.md",
        "_SUCCESS",
        ".d.jsonl",
        ".git/e.json",
        "_tmp/f.json",
    ):
        written(tmp_path, name, "")
    assert names(tmp_path) == ["a.xml", "b.jsonl", "deep/c.csv.gz"]


def test_patterns_files_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("day-1.xml", "day-2.xml", "deep/day-3.xml", "odd[1].xml"):
        written(tmp_path, name, "")
    assert names(tmp_path / "day-*.xml", "-") == ["day-1.xml", "day-2.xml", "stdin"]
    assert names(tmp_path / "**/day-*.xml") == ["day-1.xml", "day-2.xml", "day-3.xml"]
    assert names(tmp_path / "odd[1].xml") == ["odd[1].xml"]
    monkeypatch.chdir(tmp_path)
    assert names("day-?.xml") == ["day-1.xml", "day-2.xml"]


def test_a_file_that_is_meant_twice_is_read_once(tmp_path: Path) -> None:
    path = written(tmp_path, "a.xml", "")
    assert names(path, path, tmp_path / "*.xml") == ["a.xml"]


def test_files_of_one_name_go_by_their_paths(tmp_path: Path) -> None:
    one, two = written(tmp_path, "x/a.xml", ""), written(tmp_path, "y/a.xml", "")
    other = written(tmp_path, "y/b.xml", "")
    assert names(one, two, other) == [one, two, "b.xml"]


def test_what_names_nothing_is_a_problem_with_a_way_out(tmp_path: Path) -> None:
    written(tmp_path, "events.jsonl", "")
    written(tmp_path, "other/notes.md", "")
    (tmp_path / "empty").mkdir()
    for given, part, hint in (
        ("event.jsonl", "no such file", "did you mean"),
        ("nowhere/event.jsonl", "no such file", ""),
        ("*.xml", "nothing matches", "shell"),
        ("empty", "holds no file of events", "it is empty"),
        ("other", "holds no file of events", "its 1 file(s) have other suffixes"),
    ):
        with pytest.raises(MeaningProblem, match=part) as raised:
            names(tmp_path / given)
        assert hint in raised.value.hint
        assert raised.value.code == "FileError"


def noise(size: int) -> str:
    return random.Random(1).randbytes(size).hex()


def test_a_packed_file_that_breaks_off_serves_what_it_has(tmp_path: Path) -> None:
    content = lines_of(*GOOD) + lines_of(
        *(event(str(number), text=noise(200)) for number in range(6, 400))
    )
    packed = gzip.compress(content)
    for damaged in (packed[: len(packed) // 2], packed[:-20], packed[:-4] + b"\0\0\0\1"):
        events, problems = read(written(tmp_path, "e.jsonl.gz", damaged))
        assert ids(events)[:5] == GOOD_IDS
        assert ids(events) == [str(number + 1) for number in range(len(events))]
        ((line, problem),) = problems
        assert line == len(events) + 1
        assert (problem.code, f"after line {len(events)}" in problem.message) == ("FileError", True)


def test_damage_far_into_a_packed_file(tmp_path: Path) -> None:
    content = lines_of(*(event(str(number), text=noise(2000)) for number in range(1, 700)))
    packed = gzip.compress(content)
    assert len(content) > 2 << 20
    middle = len(packed) * 3 // 4
    events, problems = read(
        written(tmp_path, "e.jsonl.gz", packed[:middle] + b"\xff" * 50 + packed[middle + 50 :])
    )
    assert len(problems) == 1
    assert len(events) > 350


@pytest.mark.parametrize("name", ["e.jsonl", "e.jsonl.gz"])
def test_packed_is_what_begins_so(tmp_path: Path, name: str) -> None:
    for content in (lines_of(*GOOD), gzip.compress(lines_of(*GOOD))):
        assert ids(read(written(tmp_path, name, content))[0]) == GOOD_IDS


def test_a_name_that_promises_too_much(tmp_path: Path) -> None:
    ((_, problem),) = read(written(tmp_path, "e.jsonl.gz", b"no gzip at all"))[1]
    assert "is not packed, as its name says" in problem.message
    ((_, problem),) = read(written(tmp_path, "e.jsonl.gz", gzip.compress(b"Dear all,\n")))[1]
    assert "its first line is 'Dear all,'" in problem.message


def test_an_empty_file_has_no_events_and_no_problem(tmp_path: Path) -> None:
    for name in ("e.jsonl", "e.json", "e.csv", "e"):
        assert read(written(tmp_path, name, "\n \n" if name != "e.csv" else "")) == ([], [])
