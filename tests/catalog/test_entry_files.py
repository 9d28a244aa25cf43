"""Files of subscriptions: JSON Lines, JSON documents, YAML; and what is none of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tocsin.catalog import Entries, read_entries
from tocsin.errors import LimitProblem
from tocsin.events.codecs.base.cloudevents import MAX_BYTES
from tocsin.values.limits import YamlLimits

ITEMS: list[dict[str, Any]] = [
    {"id": "a", "language": "selector", "expression": "price < 100", "options": {"dialect": "jms"}},
    {"define": "R", "region": "POLYGON ((0 0, 0 1, 1 1, 0 0))"},
    {"id": "b", "language": "epcis", "expression": {"EQ_bizStep": ["shipping"]}},
    {"id": "2026-01-31", "language": "opsl", "expression": "ARITH: x = 1"},
]
YAML = """
# ours
- id: a
  language: selector
  expression: price < 100
  options: {dialect: jms}
- define: R
  region: POLYGON ((0 0, 0 1, 1 1, 0 0))
- id: b
  language: epcis
  expression:
    EQ_bizStep: [shipping]
- id: 2026-01-31
  language: opsl
  expression: |-
    ARITH: x = 1
"""
FORMS = {
    "lines": "\n".join(map(json.dumps, ITEMS)),
    "array": json.dumps(ITEMS),
    "pretty array": json.dumps(ITEMS, indent=2),
    "an item a line": "[\n" + ",\n".join(map(json.dumps, ITEMS)) + "]",
    "pretty objects": "\n".join(json.dumps(item, indent=2) for item in ITEMS),
    "yaml": YAML,
    "yaml documents": "---\n" + "\n---\n".join(json.dumps(item, indent=1) for item in ITEMS),
}


def read(text: str | bytes) -> Entries:
    raw = text if isinstance(text, bytes) else text.encode()
    return read_entries(raw.splitlines(keepends=True))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_every_form_says_the_same(form: str, mark: str) -> None:
    entries = read(mark + FORMS[form])
    expected = read(FORMS["lines"])
    assert entries.problems == []
    assert [each.subscription for each in entries.subscriptions] == [
        each.subscription for each in expected.subscriptions
    ]
    assert entries.definitions == expected.definitions
    assert [each.subscription.id for each in entries.subscriptions] == ["a", "b", "2026-01-31"]


def test_an_item_tells_its_line() -> None:
    assert [each.line for each in read(YAML).subscriptions] == [3, 9, 13]
    assert [each.line for each in read(FORMS["an item a line"]).subscriptions] == [2, 4, 5]


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("Dear all,\nplease\n", 1, "Dear all"),
        ("nr,price\n1,2\n", 1, "nr,price"),
        ("- just text\n- more\n", 1, "just text"),
        ("- id: a\n  id: b\n", 2, "'id' is given twice"),
        ("- id: &x a\n- id: *x\n", 2, "alias"),
        ("id: a\n language: b\n", 2, "malformed YAML"),
        ("- 5: a\n", 1, "a key is a text"),
        (b"\xff\xfe{\x00", 1, "no UTF-8"),
        (
            '[\n  {"id": "a",\n   "language": "selector"\n   "expression": "x = 1"}\n]',
            2,
            "line 4, column 4",
        ),
        ('{\n  "id": "a"\n', 1, "too early"),
        ("[1]", 1, "a JSON object"),
        ("[" * 200_000, 1, ""),
        ("- " + "[" * 5000, 1, ""),
    ],
)
def test_what_is_wrong_is_one_message_with_its_place(
    text: str | bytes, line: int, part: str
) -> None:
    entries = read(text)
    assert entries.subscriptions == []
    assert entries.problems
    assert entries.problems[0].line == line
    assert part in str(entries.problems[0])
    if not isinstance(text, str) or "[[" not in text:
        assert len(entries.problems) == 1


@pytest.mark.parametrize(
    "broken", ['{"id": "x", "lang', '{"id": "x"},', "<", "{", "[", "text", "- id: x"]
)
def test_a_broken_line_costs_that_line(broken: str) -> None:
    entries = read(broken + "\n" + FORMS["lines"])
    assert len(entries.subscriptions) == 3
    assert [each.line for each in entries.problems] == [1]


def test_a_line_that_is_too_long_costs_that_line() -> None:
    entries = read(b'{"id": "' + b"x" * MAX_BYTES + b'"}\n' + FORMS["lines"].encode())
    assert len(entries.subscriptions) == 3
    assert [each.line for each in entries.problems] == [1]


def test_yaml_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tocsin.catalog.files.YAML_LIMITS", YamlLimits(characters=20))
    assert isinstance(read(YAML).problems[0].problem, LimitProblem)


def test_plain_words_of_yaml_are_texts() -> None:
    options = "{a: yes, b: 1:30, c: 010, d: 1.5, e: true}"
    text = f"- id: on\n  language: selector\n  expression: 'no = 1'\n  options: {options}\n"
    (entry,) = read(text).subscriptions
    assert entry.subscription.id == "on"
    assert entry.subscription.options == {"a": "yes", "b": "1:30", "c": "010", "d": 1.5, "e": True}
