"""`check` tells where a part waits for the horizon that nobody wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tocsin.catalog import Definition, Subscription, warnings_of
from tocsin.cli.main import app

DEFINITIONS = [
    Definition(name, language="opsl", expression=f'STRING: k = "{name}"') for name in "ABC"
]


def warned(expression: str, language: str = "opsl", **settings: str) -> list[str]:
    subscription = Subscription("s", language, expression, **settings)  # type: ignore[arg-type]
    return [
        each.message
        for each in warnings_of(subscription, DEFINITIONS)
        if each.code == "DefaultHorizon"
    ]


@pytest.mark.parametrize(
    ("expression", "waiting"),
    [
        ("A && B", ["event with k = 'A' and event with k = 'B'"]),
        ("|=(A; 60s)B", ["event with k = 'A'"]),
        ("=|(A; B)C", ["event with k = 'A'"]),
        ("!(A; B)C", ["event with k = 'A'"]),
        ("DIST(A; <; 5)B", ["event with k = 'A' and event with k = 'B'"]),
        ("|(A)B", ["event with k = 'A' and event with k = 'B'"]),
    ],
)
def test_what_nothing_bounds_is_told(expression: str, waiting: list[str]) -> None:
    found = warned(expression)
    assert len(found) == len(waiting)
    for message, parts in zip(found, waiting, strict=True):
        assert parts in message
        assert message.endswith(": 1d")


@pytest.mark.parametrize(
    "expression",
    ["A", "@(POLYGON((0 0, 1 0, 1 1)))A", "=|(A; 60s)B", "!(A; 60s)B", "!(0; 5s)A", "A || B"],
)
def test_what_has_a_bound_is_not(expression: str) -> None:
    assert warned(expression) == []


def test_a_horizon_that_is_written_is_meant() -> None:
    assert warned("A && B", horizon="24h") == []


def test_what_the_text_bounds_beside_is_not_told() -> None:
    assert warned("=|($a;;60s)$b; && DIST($a;;<;5)$b;, $a; = A, $b; = B") == []
    assert (
        len(warned("=|($a;;60s)$b; && DIST($a;;<;5)$b;, $a; = A, $b; = B", policy="chronicle")) == 1
    )


def test_other_languages_are_told_too() -> None:
    assert warned("price < 5", "selector") == []


def test_check_prints_it_and_refuses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "subscriptions.jsonl"
    subscription = {"id": "s", "language": "opsl", "expression": "ARITH: id = 1 && ARITH: id = 2"}
    path.write_text(json.dumps(subscription) + "\n")
    done = CliRunner().invoke(app, ["check", str(path)])
    assert done.exit_code == 0
    assert "DefaultHorizon" in done.stderr
    assert '"horizon": "10m"' in done.stderr
