"""Every rule in a table of docs/languages/rule.md is one, and rings in the story below, as the
reference says.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.reference import matches
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.values.time import format_instant

PAGE = Path(__file__).resolve().parents[2] / "docs" / "languages" / "rule.md"
RULES = [
    found
    for line in PAGE.read_text().splitlines()
    if line.startswith("|")
    for found in re.findall(r"`(WHEN [^`]*)`", line)
    if "{" not in found  # graphs and concepts need an ontology
]
MINUTE = 60_000_000
DEPOT = Definition("Depot", region="POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))")
STORY: tuple[tuple[str, float, float, str, dict[str, Any]], ...] = (
    ("a", 0, 0, "", {"k": 1, "v": 1}),
    ("b", 1, 1, "", {"k": 1, "v": 5}),
    ("b", 2, 2, "", {"k": 1, "v": 7}),
    ("c", 3, 3, "", {"k": 1}),
    ("a", 60, 60, "", {"k": 2, "v": 1}),
    ("c", 62, 62, "", {"k": 2}),
    ("move", 0, 0, "", {"kind": "left", "parcel": "p"}),
    ("login", 1, 1, "", {"ok": False, "user": "u"}),
    ("login", 2, 2, "", {"ok": False, "user": "u"}),
    ("login", 3, 3, "", {"ok": False, "user": "u"}),
    ("login", 4, 4, "", {"ok": True, "user": "u"}),
    ("reading", 1, 1, "", {"temperature": 9, "sensor": "s"}),
    ("position", 0, 0, "POINT (50 50)", {"truck": 1}),
    ("position", 1, 1, "POINT (5 5)", {"truck": 1}),
    ("position", 2, 2, "POINT (6 6)", {"truck": 2}),
    ("position", 90, 90, "POINT (50 50)", {"truck": 1}),
    ("order", 1, 1, "", {"customer": "c"}),
    ("payment", 2, 2, "", {"customer": "c", "amount": 7}),
    ("visit", 1, 2, "", {"room": 1}),
    ("shift", 0, 9, "", {"room": 1}),
)
EVENTS = [
    {
        "id": f"{number}",
        "source": "s",
        "type": kind,
        "time": format_instant(int(start * MINUTE)),
        "endtime": format_instant(int(end * MINUTE)),
        "data": data,
        **({"place": place} if place else {}),
    }
    for number, (kind, start, end, place, data) in enumerate(STORY)
]


def test_the_tables_are_found() -> None:
    assert len(RULES) >= 30


@pytest.mark.parametrize("text", RULES)
def test_a_rule_of_the_tables_rings(text: str) -> None:
    plan = compile_subscription(Subscription("r", "rule", text), [DEPOT])
    lines = [json.dumps(event).encode() for event in EVENTS]
    found = [match.events for match in match_events({"r": plan}, read_events(lines))]
    assert found
    assert found == [match.events for match in matches("r", plan, list(map(from_mapping, EVENTS)))]
