"""Files that are damaged, or begin with a byte order mark: what can be read is served, and the rest
is told.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tests.builders import event_text
from tocsin.cli.main import app
from tocsin.errors import Problem

MARK = b"\xef\xbb\xbf"
COUNT = 400
SUBSCRIPTION = b'{"id": "all", "language": "selector", "expression": "n >= 0"}\n'


def line(number: int) -> bytes:
    # so that half of the packed bytes are half of the lines
    noise = random.Random(number).randbytes(40).hex()
    return event_text(f"e{number}", data={"n": number, "noise": noise}).encode() + b"\n"


def tocsin(*words: object) -> Result:
    """What a command does; a problem is shown as the program shows it."""
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exception is None or isinstance(done.exception, Problem), done.exception
    return done


def shown(done: Result) -> str:
    return f"{done.stderr}{done.exception or ''}"


LINES = b"".join(map(line, range(COUNT)))
PACKED = gzip.compress(LINES)


def cut(raw: bytes) -> bytes:
    return raw[: len(raw) // 2]


def wrong_sum(raw: bytes) -> bytes:
    return raw[:-8] + b"\0\0\0\0" + raw[-4:]


def overwritten(raw: bytes) -> bytes:
    middle = len(raw) // 2
    return raw[:middle] + b"\xff" * 64 + raw[middle + 64 :]


def followed_by_rubbish(raw: bytes) -> bytes:
    return raw + b"rubbish"


@pytest.fixture
def subscriptions(tmp_path: Path) -> Path:
    path = tmp_path / "subscriptions.jsonl"
    path.write_bytes(SUBSCRIPTION)
    return path


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("damage", [cut, wrong_sum, overwritten, followed_by_rubbish])
def test_what_can_be_read_is_served(
    tmp_path: Path, subscriptions: Path, damage: Callable[[bytes], bytes], engine: str
) -> None:
    events, letters = tmp_path / "events.jsonl.gz", tmp_path / "letters.jsonl"
    events.write_bytes(damage(PACKED))
    done = tocsin("match", subscriptions, events, "--dead-letters", letters, "--engine", engine)
    assert done.exit_code == 0, done.stderr
    served = [json.loads(each)["events"] for each in done.stdout.splitlines()]
    *_, letter = map(json.loads, letters.read_text().splitlines())
    assert sorted(served) == sorted([f"e{number}"] for number in range(len(served)))
    assert 0 < len(served) <= COUNT
    assert letter["code"] == "FileError"
    assert letter["line"] > len(served)
    assert f"after line {letter['line'] - 1}" in letter["reason"]


@pytest.mark.parametrize("raw", [b"no gzip at all", PACKED[:5], b""], ids=["plain", "cut", "empty"])
def test_a_file_of_which_nothing_can_be_read(
    tmp_path: Path, subscriptions: Path, raw: bytes
) -> None:
    events = tmp_path / "events.jsonl.gz"
    events.write_bytes(raw)
    done = tocsin("match", subscriptions, events)
    if raw:
        assert done.exit_code == 1
        assert str(events) in shown(done)
        assert "fetch it again" in shown(done)
    assert done.stdout == ""


def test_damaged_subscriptions_are_no_subscriptions(tmp_path: Path) -> None:
    """Unlike an event, a subscription that is left out would be missed by somebody."""
    events, packed = tmp_path / "events.jsonl", tmp_path / "subscriptions.jsonl.gz"
    events.write_bytes(LINES)
    packed.write_bytes(cut(gzip.compress(SUBSCRIPTION * 3)))
    done = tocsin("match", packed, events)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "FileError" in shown(done)


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_byte_order_marks_say_nothing(tmp_path: Path, engine: str) -> None:
    subscriptions, events = tmp_path / "subscriptions.jsonl", tmp_path / "events.jsonl"
    subscriptions.write_bytes(MARK + SUBSCRIPTION)
    events.write_bytes(MARK + line(0) + MARK + line(1) + MARK + b"\n" + line(2) + MARK + b"<\n")
    done = tocsin("match", subscriptions, events, "--engine", engine)
    assert [json.loads(each)["events"] for each in done.stdout.splitlines()] == [
        ["e0"],
        ["e1"],
        ["e2"],
    ]
    assert "1 event(s) not served, the first at line 5" in shown(done)


def test_lines_in_utf_16_are_told_by_their_name(tmp_path: Path, subscriptions: Path) -> None:
    events, letters = tmp_path / "events.jsonl", tmp_path / "letters.jsonl"
    events.write_bytes(line(0).decode().encode("utf-16"))
    tocsin("match", subscriptions, events, "--dead-letters", letters)
    assert "save it as UTF-8" in json.loads(letters.read_text().splitlines()[0])["reason"]
