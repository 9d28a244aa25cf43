"""What was found once is found no more; two minutes of new cases find nothing; and the harness
finds what is there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import tocsin
from tests.fuzz.case import Case, kept_cases, read_case
from tests.fuzz.drawing import drawn_case
from tests.fuzz.judge import findings_of, judge
from tests.fuzz.run import fuzz, over
from tests.fuzz.seeds import seeds

SECONDS = 120.0
CI_SEED = 20_261_116
"""The same cases in every run, so that a change is judged by itself; `make fuzz` draws anew."""


@pytest.mark.parametrize("path", kept_cases(), ids=lambda path: path.stem)
def test_what_was_found_once(path: Path) -> None:
    assert findings_of(read_case(path.read_text())) == []


def test_new_cases() -> None:
    findings = fuzz(CI_SEED, SECONDS)
    assert findings.cases > 0
    assert findings.wrong == {}


def test_a_case_is_the_same_in_a_file_and_by_its_number() -> None:
    for number in range(50):
        case = drawn_case(7, number)
        assert drawn_case(7, number) == case
        assert read_case(case.text()) == case


def test_a_case_may_take_as_long_as_its_matches_take() -> None:
    def is_over(seconds: float, matches: int) -> bool:
        return bool(list(over({"seconds": seconds, "matches": matches, "grown": 0})))

    assert not is_over(2.0, 0)
    assert is_over(2.1, 0)
    assert not is_over(17.9, 160_000)
    assert is_over(18.1, 160_000)


def test_matches_of_both_hosts_are_counted() -> None:
    every = {"id": "s", "language": "selector", "expression": "ce_id <> ''"}
    lines = seeds()[0].lines
    silent = {**every, "expression": "ce_id = ''"}
    without = judge(Case((), silent, lines)).matches
    and_the_song = len(lines) + 1
    assert judge(Case((), every, lines)).matches == without + len(lines) + and_the_song


def test_a_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise KeyError("on purpose")

    case = Case((), {"id": "s", "language": "selector", "expression": "a = 1"}, seeds()[0].lines)
    assert findings_of(case) == []
    monkeypatch.setattr(tocsin.Hub, "publish", fails)
    assert [found.partition(" at ")[0] for found in findings_of(case)] == [
        "_in_hub: KeyError: 'on purpose'"
    ]
