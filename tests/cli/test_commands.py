"""The command line as a user meets it: output, exit status, messages; right input and wrong."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SUBSCRIPTIONS = [
    {"id": "cheap", "language": "selector", "expression": "price < 100"},
    {
        "id": "jack",
        "language": "selector",
        "expression": "author = 'Jack' OR author LIKE 'J%k' AND price > 500",
    },
    {
        "id": "legacy",
        "language": "selector",
        "expression": "NOT price = 'x'",
        "options": {"dialect": "jms"},
    },
    {
        "id": "typed",
        "language": "selector",
        "expression": "type = 'book'",
        "options": {"dialect": "cesql"},
    },
]
EVENTS: list[Any] = [
    {
        "id": "e2",
        "source": "s",
        "type": "book",
        "time": "2026-01-01T00:00:02Z",
        "data": {"price": 50},
    },
    {
        "id": "e1",
        "source": "s",
        "type": "disc",
        "time": "2026-01-01T00:00:01Z",
        "data": {"price": 900, "author": "Jack"},
    },
    {
        "id": "e1",
        "source": "s",
        "type": "disc",
        "time": "2026-01-01T00:00:01Z",
        "data": {"price": 900, "author": "Jack"},
    },
    "not json",
    {"source": "s", "type": "book"},
    {"id": "e3", "source": "s", "type": "book", "place": "POINT (1 2)", "data": {}},
]
EXPECTED = [
    ("typed", "e3"),
    ("jack", "e1"),
    ("legacy", "e1"),
    ("cheap", "e2"),
    ("legacy", "e2"),
    ("typed", "e2"),
]


def tocsin(*words: object, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tocsin.cli", *map(str, words)]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False)
    return subprocess.CompletedProcess(
        command, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def lines_of(items: list[Any]) -> str:
    return "".join((item if isinstance(item, str) else json.dumps(item)) + "\n" for item in items)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    subscriptions, events = tmp_path / "subscriptions.jsonl", tmp_path / "events.jsonl"
    subscriptions.write_text(lines_of(SUBSCRIPTIONS))
    events.write_text(lines_of(EVENTS))
    return subscriptions, events


def rung(output: str) -> list[tuple[str, str]]:
    return [
        (match["subscription"], match["events"][0])
        for match in map(json.loads, output.splitlines())
    ]


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_match_puts_out_matches_in_order_and_keeps_dead_letters(
    files: tuple[Path, Path], tmp_path: Path, engine: str
) -> None:
    letters = tmp_path / "dead.jsonl"
    done = tocsin("match", *files, "--engine", engine, "--dead-letters", letters)
    assert done.returncode == 0
    assert done.stderr.startswith(
        "tocsin: 2 event(s) not served, the first at line 4: malformed JSON"
    )
    assert rung(done.stdout) == EXPECTED
    dead = [json.loads(line) for line in letters.read_text().splitlines()]
    assert [(letter["line"], letter["code"]) for letter in dead] == [
        (4, "InvalidEventError"),
        (5, "InvalidEventError"),
    ]
    assert "id is missing" in dead[1]["reason"]


def test_a_match_has_the_fixed_format(files: tuple[Path, Path]) -> None:
    first, second = (json.loads(line) for line in tocsin("match", *files).stdout.splitlines()[:2])
    assert (
        list(second)
        == "subscription events sources start end detected place bindings outputs id".split()
    )
    assert second["start"] == second["end"] == second["detected"] == "2026-01-01T00:00:01Z"
    assert (first["start"], first["place"]) == (None, "POINT (1 2)")
    assert int(second["id"], 16) > 0


def test_standard_input_output_files_and_gzip(files: tuple[Path, Path], tmp_path: Path) -> None:
    packed = tmp_path / "events.jsonl.gz"
    packed.write_bytes(gzip.compress(files[1].read_bytes()))
    out = tmp_path / "out.jsonl"
    assert tocsin("match", files[0], packed, "--output", out).returncode == 0
    assert rung(out.read_text()) == EXPECTED
    assert rung(tocsin("match", files[0], "-", stdin=files[1].read_bytes()).stdout) == EXPECTED


def test_dead_letters_are_mentioned_where_they_are_not_kept(files: tuple[Path, Path]) -> None:
    message = tocsin("match", *files).stderr
    assert "2 event(s) not served" in message
    assert "line 4" in message


def test_lateness_counts_late_events_with_reason_late(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    letters = tmp_path / "dead.jsonl"
    done = tocsin("match", *files, "--lateness", "500ms", "--dead-letters", letters)
    reasons = [json.loads(line)["reason"] for line in letters.read_text().splitlines()]
    assert reasons.count("late") == 2
    assert rung(done.stdout) == EXPECTED


def test_check_reports_every_problem_with_its_place(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.jsonl"
    lines = [
        {"id": "s1", "language": "selector", "expression": "a ="},
        {"id": "s2", "language": "selector", "expression": "s < TRUE OR\n t LIKE 'a' ESCAPE 'bb'"},
        {"id": "s1", "language": "selector", "expression": "a = 1"},
        {"id": "s4", "language": "klingon", "expression": "a = 1"},
        {"id": "s5", "language": "selector"},
        "{",
        {"id": "s7", "language": "selector", "expression": "a = 1", "horizon": "soon"},
    ]
    wrong.write_text(lines_of(lines))
    done = tocsin("check", wrong)
    assert done.returncode == 1
    expected = [
        (1, "SelectorSyntaxError"),
        (2, "SelectorTypeError"),
        (2, "SelectorEscapeError"),
        (3, "Duplicate"),
        (4, "klingon"),
        (5, "expression is missing"),
        (6, "malformed JSON"),
        (7, "horizon"),
    ]
    for number, code in expected:
        assert any(
            f"line {number}" in line and code in line for line in done.stdout.splitlines()
        ), (number, code)
    assert "line 2, column" in done.stdout, "the place inside a text of several lines"


def test_check_of_a_right_file_succeeds(files: tuple[Path, Path]) -> None:
    done = tocsin("check", files[0])
    assert (done.returncode, done.stdout) == (0, "")


def test_on_error_decides_what_a_wrong_subscription_does(files: tuple[Path, Path]) -> None:
    with files[0].open("a") as out:
        out.write('{"id":"bad","language":"selector","expression":"("}\n')
    failed = tocsin("match", *files)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "SelectorSyntaxError" in failed.stderr
    assert "Traceback" not in failed.stderr
    skipped = tocsin("match", *files, "--on-error", "skip")
    assert (skipped.returncode, rung(skipped.stdout)) == (0, EXPECTED)


def test_explain_shows_the_plan_and_says_why(files: tuple[Path, Path]) -> None:
    done = tocsin("explain", files[0], "--id", "jack", "--event", files[1])
    assert done.returncode == 0
    assert "any of" in done.stdout
    assert "price > 500 AND author LIKE 'J%k' OR author = 'Jack' #" in done.stdout
    assert "state bound" in done.stdout
    assert "event e1: rings" in done.stdout
    assert "event e2: does not ring" in done.stdout
    assert "(price is 50, off by 450)" in done.stdout
    assert (
        json.loads(tocsin("explain", files[0], "--id", "jack", "--wire").stdout)["tocsin-plan"] == 1
    )


def test_verify_compares_the_engine_with_the_reference(files: tuple[Path, Path]) -> None:
    done = tocsin("verify", *files)
    assert done.returncode == 0
    assert "agree: 6 match(es)" in done.stderr


def test_the_catalog_commands_share_one_store(files: tuple[Path, Path], tmp_path: Path) -> None:
    store = tmp_path / "c.db"
    assert tocsin("catalog", "create", store).returncode == 0
    assert tocsin("catalog", "add", store, files[0]).returncode == 0
    assert tocsin("catalog", "add", store, files[0]).returncode == 1
    assert tocsin("catalog", "remove", store, "cheap", "jack").returncode == 0
    left = [json.loads(line)["id"] for line in tocsin("catalog", "list", store).stdout.splitlines()]
    assert left == ["legacy", "typed"]
    assert len(tocsin("catalog", "list", store, "--version", "1").stdout.splitlines()) == 4


@pytest.mark.parametrize(
    ("words", "status", "part"),
    [
        (("match", "missing.jsonl", "-"), 1, "cannot read missing.jsonl"),
        (("match",), 2, "SUBSCRIPTIONS"),
        (("match", "-", "-", "--engine", "abacus"), 2, "abacus"),
        (("frobnicate",), 2, "frobnicate"),
        (("match", "-", "-", "--until", "noon"), 1, "RFC 3339"),
        (("match", "-", "-", "--lateness", "soon"), 1, "duration"),
        (("check", "-", "--ontology", "x.ttl"), 1, "x.ttl cannot be read"),
        (("verify", "-", "-"), 1, "twice"),
    ],
)
def test_wrong_use_gets_one_message_and_the_right_status(
    words: tuple[str, ...], status: int, part: str
) -> None:
    done = tocsin(*words)
    assert done.returncode == status
    assert part in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_window_that_was_over_before_the_first_event_is_a_warning(
    tmp_path: Path, engine: str
) -> None:
    windows = {"over": "2020-01-01T00:00:00Z; 10s", "then": "2026-01-01T00:00:00Z; 10s"}
    texts = {id: f"!({window})(ARITH: a = 1)" for id, window in windows.items()}
    lines = [
        json.dumps({"id": id, "language": "opsl", "expression": text}) for id, text in texts.items()
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(lines))
    event = {"id": "e", "source": "s", "type": "t", "time": "2026-01-01T00:00:00Z", "data": {}}
    (tmp_path / "e.jsonl").write_text(json.dumps(event))
    letters = tmp_path / "letters.jsonl"
    done = tocsin(
        "match",
        tmp_path / "s.jsonl",
        tmp_path / "e.jsonl",
        "--engine",
        engine,
        "--dead-letters",
        letters,
    )
    assert [json.loads(line)["subscription"] for line in done.stdout.splitlines()] == ["then"]
    assert "warning: subscription 'over' is not served" in done.stderr
    assert [json.loads(line)["code"] for line in letters.read_text().splitlines()] == [
        "WindowInPast"
    ]
    assert tocsin("verify", tmp_path / "s.jsonl", tmp_path / "e.jsonl").returncode == 0


def test_explain_says_how_to_bound_what_is_concurrent(tmp_path: Path) -> None:
    def explained(**settings: Any) -> str:
        path = tmp_path / "s.jsonl"
        path.write_text(
            json.dumps(
                {"id": "s", "language": "opsl", "expression": "|(ARITH: a = 1)ARITH: b = 1"}
                | settings
            )
        )
        return tocsin("explain", path).stdout

    told = explained()
    assert "waits up to 1d after its end" in told
    assert "max_event_duration" in told
    bounded = explained(options={"max_event_duration": "2s"})
    assert "waits up to 2s after its end" in bounded
    assert "cheaper" not in bounded


@pytest.mark.parametrize(
    "command", ["", "match", "check", "explain", "verify", "catalog", "bench", "demo"]
)
def test_every_command_has_help(command: str) -> None:
    done = tocsin(*([command] if command else []), "--help")
    assert done.returncode == 0
    assert "Usage" in done.stdout


BUILDING = [
    {"define": "rates", "xml": "<rates><rate cur='USD'>1.25</rate></rates>"},
    {
        "id": "pay",
        "language": "exmlql",
        "expression": 'WHERE <o cur=$c><sum>$s</></> #O <paid>$i</> #P <rate cur=$c>$r</> IN "rates" #O ; #P'
        " CONSTRUCT <eur>round($s / $r, 2)</>",
    },
    {"id": "sent", "language": "exmlql", "expression": 'WHERE <o cur="CHF"></>'},
]


def test_explain_shows_xml_ql_and_why_a_document_misses(tmp_path: Path) -> None:
    subscriptions, events = tmp_path / "s.jsonl", tmp_path / "e.jsonl"
    subscriptions.write_text(lines_of(BUILDING))
    event = {"id": "e", "source": "s", "type": "t", "time": "2026-01-01T00:00:01Z"}
    events.write_text(
        lines_of([{**event, "datacontenttype": "application/xml", "data": "<o cur='USD'/>"}])
    )
    done = tocsin("explain", subscriptions, "--as", "xml-ql")
    assert done.returncode == 0
    assert 'WHERE <o cur=$c><sum>$s</> </> IN "O.xml"' in done.stdout
    assert '<rate cur=$c>$r</> IN "rates"' in done.stdout
    assert 'CONSTRUCT <eur>round(($s / $r), "2")</>' in done.stdout
    assert "subscription sent sends an event as it came" in done.stdout
    done = tocsin("explain", subscriptions, "--event", events)
    assert "mode           aggregate" in done.stdout
    assert "(/o: there is no <sum> directly in it)" in done.stdout
    assert "/o: its attribute cur is 'USD', not 'CHF'" in done.stdout


def test_other_languages_have_no_xml_ql(files: tuple[Path, Path]) -> None:
    done = tocsin("explain", files[0], "--as", "xml-ql")
    assert done.returncode == 1
    assert "has no XML-QL form" in done.stderr
    assert tocsin("explain", files[0], "--as", "prose").returncode == 2


def test_explain_shows_other_languages_as_rules(tmp_path: Path) -> None:
    subscriptions = tmp_path / "s.jsonl"
    body = [
        {
            "id": "late",
            "language": "opsl",
            "expression": "!(selector{ v = 1 }; 2h)selector{ v = 2 }",
        },
        {"id": "meets", "language": "opsl", "expression": "|(selector{ v = 1 })selector{ v = 2 }"},
    ]
    subscriptions.write_text(lines_of(body))
    done = tocsin("explain", subscriptions, "--as", "rule")
    assert done.returncode == 0
    assert (
        "-- late (opsl)\nWHEN selector{ v = 1 } THEN NO selector{ v = 2 } WITHIN 2h" in done.stdout
    )
    assert "-- meets (opsl)\n-- a rule cannot say this part: together" in done.stdout


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_ahead_tells_the_event_whose_clock_is_wrong(tmp_path: Path, engine: str) -> None:
    subscriptions, events, letters = (
        tmp_path / name for name in ("subscriptions.jsonl", "events.jsonl", "letters")
    )
    text = "=|(selector{ kind = 'a' }; 10s)selector{ kind = 'b' }"
    subscriptions.write_text(lines_of([{"id": "pair", "language": "opsl", "expression": text}]))
    times = [
        "2026-01-01T00:00:01Z",
        "2036-01-01T00:00:00Z",
        "2026-01-01T00:00:02Z",
        "2026-01-01T00:00:03Z",
    ]
    kinds = ["a", "z", "b", "z"]
    events.write_text(
        lines_of(
            [
                {"id": f"e{n}", "source": "s", "type": "t", "time": time, "data": {"kind": kind}}
                for n, (time, kind) in enumerate(zip(times, kinds, strict=True), 1)
            ]
        )
    )
    words = (
        "match",
        subscriptions,
        events,
        "--engine",
        engine,
        "--lateness",
        "2s",
        "--dead-letters",
        letters,
    )
    done = tocsin(*words, "--ahead", "1d")
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["events"] for line in done.stdout.splitlines()] == [["e1", "e3"]]
    told = [json.loads(line) for line in letters.read_text().splitlines()]
    assert [(each["code"], each["line"]) for each in told] == [("TooFarAhead", 2)]
    assert tocsin(*words).stdout == ""  # without it all others are late
