"""Warnings of the selector language: code, place, token, what is wrong and a way out; they refuse
nothing.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.languages.asked import SELECTOR
from tocsin.cli.main import app
from tocsin.languages import warnings_in_subscription

parse, problems, warnings = SELECTOR.parse, SELECTOR.problems, SELECTOR.warnings

CASES: list[tuple[str, str, int, str, str, str]] = [
    (
        "x = 1 AND x = 2",
        "UNSATISFIABLE",
        11,
        "x",
        "x = 1 and x = 2 are never true of one event",
        "OR",
    ),
    (
        "kind = 'a' AND kind = 'b'",
        "UNSATISFIABLE",
        16,
        "kind",
        "kind = 'a' and kind = 'b'",
        "write IN",
    ),
    ("price BETWEEN 10 AND 1", "UNSATISFIABLE", 1, "price", "true of no value", "BETWEEN 1 AND 10"),
    (
        "price NOT BETWEEN 1 AND 9 AND price = 5",
        "UNSATISFIABLE",
        31,
        "price",
        "never true",
        "never rings",
    ),
    ("x < 1 AND x > 2", "UNSATISFIABLE", 11, "x", "x < 1 and x > 2", "never rings"),
    ("x IS NULL AND x = 1", "UNSATISFIABLE", 15, "x", "x IS NULL and x = 1", "never rings"),
    ("y = 1 OR x > 2 AND x < 1", "UNSATISFIABLE", 20, "x", "x > 2 and x < 1", "never rings"),
    ("1 = 2", "UNSATISFIABLE", 1, "", "true of no event", "never rings"),
    ("kind = laptop", "BARE_WORD", 8, "laptop", "laptop is an attribute", "'laptop'"),
    (
        "kind != laptop AND price < 400",
        "BARE_WORD",
        9,
        "laptop",
        "laptop is an attribute",
        "backticks",
    ),
    ("kind IN (laptop, 'phone')", "BARE_WORD", 10, "laptop", "laptop is an attribute", "'laptop'"),
    ("order-status > 5", "HYPHENATED_NAME", 1, "order", "order minus status", "`order-status`"),
    ("epcList = 'urn:x:1'", "LIST_COMPARISON", 1, "epcList", "is a list in EPCIS", "MATCH_epc"),
    (
        "a = 1 AND childEPCs IN ('x')",
        "LIST_COMPARISON",
        11,
        "childEPCs",
        "is a list in EPCIS",
        "exists childEPCs",
    ),
    (
        "readPoint = 'urn:x:1'",
        "LIST_COMPARISON",
        1,
        "readPoint",
        "is an object in EPCIS",
        "write readPoint.id",
    ),
    (
        "sourceList.type = 'x'",
        "LIST_COMPARISON",
        1,
        "sourceList.type",
        "is a list",
        "EQ_source_owning_party",
    ),
    (
        "persistentDisposition.set = 'x'",
        "LIST_COMPARISON",
        1,
        "persistentDisposition.set",
        "is a list",
        "EQ_pers",
    ),
    (
        "ce_type = 5",
        "UNSATISFIABLE",
        1,
        "ce_type",
        "ce_type = 5 is true of no value",
        "write the value in quotes",
    ),
    ("x <> x", "UNSATISFIABLE", 1, "x", "is true of no value", "never rings"),
    (
        "a = 1 AND ce_time > ce_endtime",
        "UNSATISFIABLE",
        11,
        "ce_time",
        "no event begins after its end",
        "never rings",
    ),
    (
        "ce_endtime < ce_time",
        "UNSATISFIABLE",
        1,
        "ce_endtime",
        "no event begins after its end",
        "never rings",
    ),
    ("latitude > 100", "IMPOSSIBLE_COORDINATE", 1, "latitude", "between -90 and 90", "degrees"),
    (
        "a = 1 AND pos.lat IN (91, -95)",
        "IMPOSSIBLE_COORDINATE",
        11,
        "pos.lat",
        "between -90 and 90",
        "degrees",
    ),
    (
        "lng BETWEEN 400 AND 500",
        "IMPOSSIBLE_COORDINATE",
        1,
        "lng",
        "between -360 and 360",
        "degrees",
    ),
    ("a IN (1,000)", "SEPARATED_NUMBER", 9, "000", "a number of its own", "1000"),
]


@pytest.mark.parametrize(
    ("text", "code", "column", "token", "message", "hint"), CASES, ids=[case[0] for case in CASES]
)
def test_warning(text: str, code: str, column: int, token: str, message: str, hint: str):
    (found,) = warnings(text)
    assert (found.code, found.place.line, found.place.column, found.token) == (
        code,
        1,
        column,
        token,
    )
    assert message in found.message
    assert hint in found.hint
    assert problems(text) == []
    parse(text)


NO_WARNING = [
    "",
    "price < 400 AND kind = 'laptop'",
    "price < list",
    "epcList IS NOT NULL",
    "billing = `shipping`",
    "kind = other AND other <> 'x'",
    "a - b > 5",
    "a IN (100,200,300)",
    "a = b + 1",
    "x = 1 OR x = 2",
    "deadline = ce_time",
    "readPoint.id = 'urn:x:1'",
    "readPoint IS NOT NULL",
    "lat > 45",
    "lat IN (45, 91)",
    "latitude = 'north'",
    "ce_time < ce_endtime",
    "ce_endtime >= ce_time",
]


@pytest.mark.parametrize("text", NO_WARNING)
def test_no_warning(text: str):
    assert warnings(text) == []


def test_a_text_with_problems_has_no_warnings_and_cesql_none_at_all():
    assert warnings("x = 1 AND x = 2 AND") == []
    assert warnings("x = 1 AND x = 2", {"dialect": "cesql"}) == []


def test_every_dialect_of_one_syntax_warns():
    for dialect in ("selector", "jms", "amqp"):
        codes = [
            found.code
            for found in warnings("x = 1 AND x = 2 AND kind = laptop", {"dialect": dialect})
        ]
        assert codes == ["UNSATISFIABLE", "BARE_WORD"]


def test_warnings_reach_the_table_of_languages_and_the_command(tmp_path: Path):
    assert [each.code for each in warnings_in_subscription("selector", "x = 1 AND x = 2", {})] == [
        "UNSATISFIABLE"
    ]
    file = tmp_path / "subscriptions.jsonl"
    file.write_text(
        json.dumps({"id": "s", "language": "selector", "expression": "x = 1 AND x = 2"}) + "\n"
    )
    result = CliRunner().invoke(app, ["check", str(file)])
    assert result.exit_code == 0
    assert "warning" in result.stderr
    assert "UNSATISFIABLE at line 1, column 11" in result.stderr
