"""Files on the command line: several, directories, every format; what is told of what could not be
read.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tests.connectors.reading import GOOD, GOOD_IDS, lines_of, written
from tests.connectors.test_documents import INVOICE, ORDERS, TURTLE
from tocsin.cli.main import app
from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import MAX_BYTES

SUBSCRIPTIONS = """
- {id: some, language: selector, expression: price > 0}
- {id: invoice, language: selector, expression: Total = '12.50'}
- {id: sale, language: graph, expression: "ASK { _:H a <urn:x:Sale> }"}
- {id: order, language: exmlql, expression: "WHERE <sum>$s</>"}
"""


def ask(*words: object, stdin: bytes = b"") -> Result:
    """A command, in process; a problem is told as the program would."""
    result = CliRunner().invoke(app, [str(word) for word in words], input=stdin)
    if isinstance(result.exception, Problem):
        result.stderr_bytes = (result.stderr_bytes or b"") + str(result.exception).encode()
    elif result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def subscriptions(tmp_path: Path) -> str:
    return written(tmp_path, "subscriptions/s.yaml", SUBSCRIPTIONS)


def rung(result: Result) -> list[tuple[str, str, str]]:
    found = [json.loads(line) for line in result.stdout.splitlines()]
    return sorted(
        (match["subscription"], match["sources"][0], match["events"][0]) for match in found
    )


def mixed(folder: Path) -> None:
    """A directory with a file of each format."""
    written(folder, "a.jsonl", b'{"id": "x", "source": "s\n' + lines_of(*GOOD[:1]))
    written(folder, "b.json", json.dumps(GOOD[1:3], indent=2))
    written(folder, "c.xml.gz", gzip.compress(INVOICE.encode()))
    written(folder, "d.ttl", TURTLE)
    written(folder, "e.csv", "price\n5\n0\n")


EXPECTED = [
    ("invoice", "c.xml.gz", "c.xml.gz#1"),
    ("sale", "d.ttl", "d.ttl#1"),
    ("some", "e.csv", "e.csv#1"),
    ("some", "s", "1"),
    ("some", "s", "2"),
    ("some", "s", "3"),
]


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_directory_of_everything(tmp_path: Path, subscriptions: str, engine: str) -> None:
    folder = tmp_path / "events"
    mixed(folder)
    letters = tmp_path / "dead.jsonl"
    done = ask("match", subscriptions, folder, "--engine", engine, "--dead-letters", letters)
    assert (done.exit_code, rung(done)) == (0, EXPECTED)
    assert "1 event(s) not served, the first at line 1 of a.jsonl: malformed JSON" in done.stderr
    (letter,) = map(json.loads, letters.read_text().splitlines())
    assert (letter["file"], letter["line"], letter["code"]) == ("a.jsonl", 1, "InvalidEventError")
    several = ask("match", subscriptions, *sorted(folder.iterdir()), "--engine", engine)
    assert rung(several) == EXPECTED
    assert rung(ask("match", subscriptions, folder / "[a-e].*", "--engine", engine)) == EXPECTED


def test_verify_and_explain_take_them_too(tmp_path: Path, subscriptions: str) -> None:
    mixed(tmp_path / "events")
    done = ask("verify", subscriptions, tmp_path / "events")
    assert (done.exit_code, "agree: 6 match(es)" in done.stderr) == (0, True)
    done = ask("explain", subscriptions, "--event", tmp_path / "events")
    assert done.exit_code == 0
    assert "event c.xml.gz#1: rings" in done.stdout
    assert "not an event, at line 1 of a.jsonl: InvalidEventError: malformed JSON" in done.stdout


def test_children_columns_zone_and_time(tmp_path: Path, subscriptions: str) -> None:
    path = written(tmp_path, "o.xml", ORDERS)
    assert rung(ask("match", subscriptions, path, "--split", "children")) == [
        ("order", "o.xml", "o.xml#1"),
        ("order", "o.xml", "o.xml#2"),
    ]
    table = written(tmp_path, "t.data", "nr;at;price\n7;2026-01-31 08:00;5\n")
    mapping = written(tmp_path, "mapping.yaml", "id: nr\ntime: at\nzone: Europe/Berlin\n")
    for options in (
        ("--columns", "id=nr,time=at", "--zone", "Europe/Berlin"),
        ("--columns", mapping),
    ):
        done = ask("match", subscriptions, table, "--format", "csv", *options)
        (match,) = map(json.loads, done.stdout.splitlines())
        assert (match["events"], match["start"]) == (["7"], "2026-01-31T07:00:00Z")
    done = ask("match", subscriptions, path, "--time", "2026-01-01T00:00:00Z")
    assert json.loads(done.stdout.splitlines()[0])["start"] == "2026-01-01T00:00:00Z"


def test_standard_input_in_any_format(subscriptions: str) -> None:
    for content in (
        lines_of(*GOOD),
        json.dumps(GOOD, indent=2).encode(),
        gzip.compress(lines_of(*GOOD)),
    ):
        found = rung(ask("match", subscriptions, "-", stdin=content))
        assert found == [("some", "s", id) for id in GOOD_IDS]
    assert rung(ask("match", subscriptions, "-", stdin=INVOICE.encode())) == [
        ("invoice", "stdin", "stdin#1")
    ]


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("Dear all,\nplease\n", "its first line is 'Dear all,'"),
        ("- id: x\n- id: y\n", "looks like YAML"),
        ('{"id": "x"\n', "malformed JSON"),
        ('{"id": 1}\n{"id": 2}\n', "2 event(s) not served"),
        ("<a><b></a>", "malformed XML"),
        ("[1, 2]", "2 event(s) not served"),
    ],
)
@pytest.mark.parametrize("kept", [False, True])
def test_where_nothing_could_be_read_the_exit_status_says_so(
    tmp_path: Path, subscriptions: str, content: str, part: str, kept: bool
) -> None:
    path = written(tmp_path, "e.jsonl", content)
    done = ask(
        "match", subscriptions, path, *(("--dead-letters", tmp_path / "d.jsonl") if kept else ())
    )
    assert (done.exit_code, done.stdout) == (1, "")
    assert part in done.stderr
    assert "could be read as an event" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_file_is_told_and_no_failure(tmp_path: Path, subscriptions: str) -> None:
    done = ask("match", subscriptions, written(tmp_path, "e.jsonl", "\n"))
    assert done.exit_code == 0
    assert "there is no event in" in done.stderr


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("nowhere.jsonl",), "no such file"),
        (("*.nothing",), "nothing matches"),
        (("empty",), "holds no file of events"),
        (("e.csv", "--zone", "Mars"), "no time zone"),
        (("e.csv", "--columns", "id"), "cannot read id"),
        (("e.csv", "--columns", "id=nowhere"), "there is no column 'nowhere'"),
        (("e.csv", "--time", "noon"), "RFC 3339"),
    ],
)
def test_what_cannot_be_is_one_message(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    subscriptions: str,
    words: tuple[str, ...],
    part: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    written(tmp_path, "e.csv", "price\n5\n")
    done = ask("match", subscriptions, *words)
    assert done.exit_code == 1
    assert part in done.stderr


def test_a_long_line_costs_that_line(tmp_path: Path, subscriptions: str) -> None:
    packed = gzip.compress(b"{" + b" " * (2 * MAX_BYTES) + b"\n" + lines_of(*GOOD))
    done = ask("match", subscriptions, written(tmp_path, "e.jsonl.gz", packed))
    assert len(rung(done)) == 5
    assert "more than 4,194,304 bytes" in done.stderr


def test_explain_goes_on_past_what_is_wrong_elsewhere(tmp_path: Path) -> None:
    lines = '{"id": "good", "language": "selector", "expression": "a = 1"}\n{"id": "bad", "language": "selector",\n'
    lines += '{"id": "worse", "language": "selector", "expression": "a ="}\n'
    path = written(tmp_path, "s.jsonl", lines)
    done = ask("explain", path, "--id", "good")
    assert (done.exit_code, "subscription good" in done.stdout) == (0, True)
    done = ask("explain", path)
    assert (done.exit_code, "subscription good" in done.stdout) == (0, True)
    assert "line 2" in done.stderr
    done = ask("explain", path, "--id", "worse")
    assert (done.exit_code, "SelectorSyntaxError" in done.stderr) == (1, True)
    done = ask("explain", path, "--id", "god")
    assert done.exit_code == 1
    assert "there is no subscription 'god'" in done.stderr
    assert "there is good" in done.stderr
    assert ask("explain", written(tmp_path, "none.jsonl", "x\n")).exit_code == 1


def test_check_says_in_one_message_what_is_no_list_of_subscriptions(tmp_path: Path) -> None:
    for content in (
        "Dear all,\nplease\nread\n",
        "nr,price\n1,2\n",
        '{\n "id": "a"\n "language": "b"\n}\n',
    ):
        done = ask("check", written(tmp_path, "s.jsonl", content))
        assert done.exit_code == 1
        assert len(done.stdout.splitlines()) == 1
    for content in (
        '[{"id": "a", "language": "selector", "expression": "x = 1"}]',
        "id: a\nlanguage: selector\nexpression: x = 1",
    ):
        assert ask("check", written(tmp_path, "s.jsonl", content)).exit_code == 0
