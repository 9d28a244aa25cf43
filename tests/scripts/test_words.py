"""The lint of words: what it finds in names and prose, and that exceptions are needed."""

from __future__ import annotations

import tomllib

import pytest

from scripts import words
from scripts.words import Finding, Rule, faults, find_words, read_rules

RULES = read_rules(tomllib.loads(words.TABLE.read_text()))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("def tell_all(): ...", "tell_all"),
        ("class OddEvents: ...", "OddEvents"),
        ("def read(asked): ...", "asked"),
        ("class Line:\n    told: int", "told"),
        ("class Line:\n    def __init__(self):\n        self.had = 1", "had"),
        ("_MOST_PAIRS = 3", "_MOST_PAIRS"),
    ],
)
def test_a_private_word_in_a_name_is_found(text: str, name: str) -> None:
    assert [each.place for each in find_words("some.py", text, RULES)] == [f"some.py:{name}"]


@pytest.mark.parametrize(
    "text",
    [
        '"""What waits."""',
        'def read():\n    """Return what nobody wants."""',
        "x = 1  \n# so many of them",
    ],
)
def test_a_private_word_in_prose_is_found(text: str) -> None:
    assert len(list(find_words("some.py", text, RULES))) == 1


def test_locals_and_plain_words_are_free() -> None:
    text = '"""Readers of a buffer."""\n\ndef read(limit):\n    told = limit\n    return told\n'
    assert list(find_words("some.py", text, RULES)) == []


def test_an_exception_must_be_needed() -> None:
    (rule,) = [each for each in RULES if "bury" in each.words.pattern]
    found = [Finding("a.py:bury", rule)]
    assert list(faults(found, {"a.py:bury": "a column"})) == []
    assert [line.partition(":")[0] for line in faults(found, {})] == ["a.py"]
    assert "needs no exception" in next(faults([], {"a.py:bury": "a column"}))


def test_a_rule_says_what_to_write_instead() -> None:
    assert all(isinstance(each, Rule) and each.instead for each in RULES)
