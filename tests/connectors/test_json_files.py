"""JSON files: lines, arrays and pretty-printed documents, whole or broken. What is broken costs
itself.
"""

from __future__ import annotations

import gzip
import json
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.connectors.reading import GOOD, GOOD_IDS, event, ids, lines_of, pieces, read, written
from tests.events.epcis.test_inside import MOVED
from tests.events.epcis.writing import as_document
from tocsin.connectors.events import ReadOptions
from tocsin.errors import LimitProblem
from tocsin.events.codecs.base.cloudevents import MAX_BYTES
from tocsin.events.codecs.base.lines import bounded_lines, json_values
from tocsin.events.codecs.formats import Format

BROKEN_LINES = [
    '{"id": "x", "source": "s',
    '{"id": "x", "source": "s", "type": "t"},',
    '{"id": "x", "source": "s", "type": "t", "data":',
    '{"id": "x", "source": "s", "type": "t", "data": [1,',
    "{",
    "[",
    "[1,",
    "]",
    "}",
    "<",
    "<a>",
    "<?xml version='1.0'?>",
    "<urn:a>",
    "text",
    "id: x",
    "---",
    '"',
    "5",
    "null",
    "@prefix",
    "\x00",
    "é",
]


@pytest.mark.parametrize(
    "name", ["events.jsonl", "events.ndjson", "events.json", "events", "events.txt", "e.jsonl.gz"]
)
@pytest.mark.parametrize("broken", BROKEN_LINES)
@pytest.mark.parametrize("at", [0, 2])
def test_a_broken_line_costs_that_line(tmp_path: Path, name: str, broken: str, at: int) -> None:
    lines = lines_of(*GOOD).splitlines(keepends=True)
    content = b"".join([*lines[:at], broken.encode() + b"\n", *lines[at:]])
    path = written(tmp_path, name, gzip.compress(content) if name.endswith(".gz") else content)
    events, problems = read(path)
    assert ids(events) == GOOD_IDS
    assert [line for line, _ in problems] == [at + 1]


@pytest.mark.parametrize("broken", BROKEN_LINES)
def test_several_broken_lines_cost_one_letter_each(tmp_path: Path, broken: str) -> None:
    content = f"{broken}\n".encode() * 3 + lines_of(*GOOD)
    events, problems = read(written(tmp_path, "e.jsonl", content))
    assert ids(events) == GOOD_IDS
    assert [line for line, _ in problems] == [1, 2, 3]


DOCUMENTS = {
    "a compact array": json.dumps(GOOD),
    "a pretty array": json.dumps(GOOD, indent=2),
    "an array without indentation": json.dumps(GOOD, indent=0),
    "an array with an element a line": "[\n" + ",\n".join(map(json.dumps, GOOD)) + "\n]\n",
    "an array with commas in front": "[\n" + "\n, ".join(map(json.dumps, GOOD)) + "\n]\n",
    "pretty objects one after the other": "\n".join(json.dumps(each, indent=2) for each in GOOD),
    "arrays one after the other": "\n".join(json.dumps(GOOD[at : at + 2]) for at in (0, 2, 4)),
    "lines": lines_of(*GOOD).decode(),
    "lines with blank ones": "\n\n" + lines_of(*GOOD).decode().replace("\n", "\n\n"),
    "lines with Windows ends": lines_of(*GOOD).decode().replace("\n", "\r\n"),
}


@pytest.mark.parametrize("name", ["events.jsonl", "events.json", "events", "e.json.gz"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("form", DOCUMENTS)
def test_json_is_what_it_really_is(tmp_path: Path, name: str, mark: str, form: str) -> None:
    content = (mark + DOCUMENTS[form]).encode()
    path = written(tmp_path, name, gzip.compress(content) if name.endswith(".gz") else content)
    events, problems = read(path)
    assert (ids(events), problems) == (GOOD_IDS, [])
    assert [each.attributes for each in events] == [each["data"] for each in GOOD]


def test_lines_of_files_that_were_joined(tmp_path: Path) -> None:
    mark = "\ufeff".encode()
    content = (
        b"".join(mark + line for line in lines_of(*GOOD).splitlines(keepends=True)) + mark + b"\n"
    )
    events, problems = read(written(tmp_path, "e.jsonl", content))
    assert (ids(events), problems) == (GOOD_IDS, [])


def test_an_element_tells_its_line(tmp_path: Path) -> None:
    found = pieces(written(tmp_path, "e.json", DOCUMENTS["an array with an element a line"]))
    assert [piece.line for piece in found] == [2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "broken",
    [
        '{"id": "x", "source": }',
        '{"id": "x"',
        '{"id": "x, "source": 1}',
        '{"id": "x"}}',
        '{"id": [1, 2}',
        '"text"',
        "x",
    ],
)
def test_a_broken_element_costs_itself(tmp_path: Path, broken: str) -> None:
    items = [*map(json.dumps, GOOD[:2]), broken, *map(json.dumps, GOOD[2:])]
    events, problems = read(written(tmp_path, "e.json", "[\n" + ",\n".join(items) + "\n]"))
    assert ids(events) == GOOD_IDS
    assert problems[0][0] == 4


def test_an_array_that_breaks_off_serves_what_it_has(tmp_path: Path) -> None:
    events, problems = read(
        written(tmp_path, "e.json", DOCUMENTS["an array with an element a line"][:-3])
    )
    assert ids(events) == GOOD_IDS
    assert "] is missing" in problems[0][1].message


def test_a_pretty_document_that_is_wrong_is_one_message(tmp_path: Path) -> None:
    text = json.dumps(event("1", a=1, b=2), indent=2).replace('"a": 1,', '"a": 1')
    events, problems = read(written(tmp_path, "e.jsonl", text))
    assert events == []
    assert len(problems) == 1
    assert "delimiter" in problems[0][1].message


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("- id: x\n  source: s\n- id: y\n", "looks like YAML"),
        ("id: x\nsource: s\n", "looks like YAML"),
        ("Dear all,\nplease find attached\n", "its first line is 'Dear all,'"),
        ("\xff\xfe{\x00}\x00".encode("latin-1"), "UTF-16"),
        (b"\x00\x01\x02\x03", "no text"),
    ],
)
@pytest.mark.parametrize("name", ["e.jsonl", "e.json", "e"])
def test_what_is_no_file_of_events_is_one_message(
    tmp_path: Path, text: str | bytes, part: str, name: str
) -> None:
    events, problems = read(written(tmp_path, name, text))
    assert events == []
    assert [line for line, _ in problems] == [1]
    assert part in problems[0][1].message
    assert problems[0][1].hint


def test_epcis_in_any_json_form(tmp_path: Path) -> None:
    document = as_document(MOVED)
    forms = [
        json.dumps(document),
        json.dumps(document, indent=2),
        json.dumps([MOVED, MOVED], indent=2),
    ]
    for name in ("e.json", "e.jsonld", "e.jsonl"):
        for form in forms:
            events, problems = read(written(tmp_path, name, form))
            assert problems == []
            assert {each.type for each in events} == {"ObjectEvent"}


class Watched(BytesIO):
    """A file that knows how much it was asked for at once."""

    largest = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        found = super().readline(size)
        self.largest = max(self.largest, len(found))
        return found


def test_a_long_line_is_never_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tocsin.events.codecs.base.lines._BLOCK", 500)
    file = Watched(b"{" + b"x" * 100_000 + b"\n" + b'{"id": 1}\n')
    first, second = bounded_lines(file, limit=1000)
    assert (len(first), second) == (1001, b'{"id": 1}\n')
    assert file.largest == 1001


def test_a_line_that_is_too_long_is_refused_by_its_size(tmp_path: Path) -> None:
    huge = gzip.compress(b'{"id": "' + b"x" * (3 * MAX_BYTES) + b"\n" + lines_of(*GOOD))
    assert len(huge) < MAX_BYTES / 50
    events, problems = read(written(tmp_path, "e.jsonl.gz", huge))
    assert ids(events) == GOOD_IDS
    assert [(line, type(problem)) for line, problem in problems] == [(1, LimitProblem)]


def test_an_element_of_any_length_is_refused_without_being_held(tmp_path: Path) -> None:
    huge = (
        b'[\n{"id": "'
        + b"x" * (2 * MAX_BYTES)
        + b'"},\n'
        + b",\n".join(lines_of(*GOOD).splitlines())
        + b"]"
    )
    events, problems = read(written(tmp_path, "e.json.gz", gzip.compress(huge)))
    assert ids(events) == GOOD_IDS
    assert [(line, type(problem)) for line, problem in problems] == [(2, LimitProblem)]


@given(
    st.lists(st.binary(max_size=12).map(lambda raw: raw.replace(b"\n", b"")), max_size=8),
    st.integers(0, 60),
)
def test_bounded_lines_are_the_lines(lines: list[bytes], known: int) -> None:
    text = b"\n".join(lines)
    file = BytesIO(text)
    head = file.read(known)
    assert list(bounded_lines(file, head)) == BytesIO(text).readlines()
    file.seek(len(head))
    assert list(bounded_lines(file, head, 5)) == [line[:6] for line in BytesIO(text)]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 0, 2]), st.integers(0, 200))
def test_the_elements_of_an_array_are_its_values(
    values: list[object], indent: int | None, known: int
) -> None:
    text = json.dumps(values, indent=indent).encode()
    found = list(json_values(BytesIO(text[known:]), text[:known]))
    assert [problem for _, _, problem in found] == [None] * len(values)
    assert [json.loads(raw) for raw, _, _ in found] == values
    whole = list(json_values(BytesIO(text[known:]), text[:known], split_arrays=False))
    assert [json.loads(raw) for raw, _, _ in whole] == [values]


@given(
    st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), max_size=4),
    st.sampled_from([None, 1]),
)
def test_objects_one_after_the_other_are_values(values: list[object], indent: int | None) -> None:
    text = "\n".join(json.dumps(value, indent=indent) for value in values).encode()
    assert [json.loads(raw) for raw, _, _ in json_values(BytesIO(text))] == values


@given(st.text(alphabet='{}[],":\\ \nab1', max_size=60))
def test_any_text_ends(text: str) -> None:
    for _, line, _ in json_values(BytesIO(text.encode())):
        assert 1 <= line <= text.count("\n") + 1


def test_a_document_that_never_closes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each broken value is looked at once more by the next; the looking is bounded."""
    monkeypatch.setattr("tocsin.events.codecs.base.lines._PATIENCE", 1000)
    found = list(json_values(BytesIO(b"{\n" * 500)))
    assert len(found) < 20
    assert "too broken" in str(found[-1].problem)


def test_the_format_that_is_told_decides(tmp_path: Path) -> None:
    path = written(tmp_path, "e.dat", lines_of(*GOOD))
    assert ids(read(path, ReadOptions(format=Format.JSON))[0]) == GOOD_IDS
    assert ids(read(path, ReadOptions(format=Format.JSON_LINES))[0]) == GOOD_IDS
    assert read(path, ReadOptions(format=Format.XML))[0] == []
