"""Scenario files: subscriptions, short-hand events and the matches they must give, the same on every host."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tocsin.catalog import Definition, Subscription
from tocsin.events.match import Match
from tocsin.values.time import format_instant

_EVENT = re.compile(
    r"(?P<name>\w+)(:(?P<kinds>[\w+]+))?@(?P<start>\d+)(\.\.(?P<end>\d+))?(\((?P<points>[^)]*)\))?(\{(?P<data>[^}]*)\})?"
)

SQUARE = "POLYGON (({0} {1}, {2} {1}, {2} {3}, {0} {3}, {0} {1}))"
DEFINITIONS = (
    *(Definition(letter, language="selector", expression=f"kind LIKE '%{letter.lower()}%'") for letter in "ABCDE"),
    Definition("TRUCK5", language="opsl", expression='ARITH: id = 5, STRING: kind = "truck"'),
    Definition("E-A", language="opsl", expression="ARITH: id = 7"),
    Definition("E-B", language="opsl", expression="ARITH: id = 1"),
    Definition("R10", region=SQUARE.format(0, 0, 10, 10)),
    Definition("Region1", region=SQUARE.format(0, 0, 100, 100)),
    Definition("Region2", region=SQUARE.format(1000, 0, 1100, 100)),
)


@dataclass(frozen=True)
class Scenario:
    """One subscription and one timeline."""

    name: str
    subscription: Subscription
    events: tuple[dict[str, Any], ...]
    expected: tuple[str, ...]
    definitions: tuple[Definition, ...] = field(default=DEFINITIONS)


def scenarios(file: str) -> Iterator[Scenario]:
    """All scenarios of a file, one for each run."""
    body = tomllib.loads((Path(__file__).parent / file).read_text())
    for each in body["scenario"]:
        subscription = Subscription(
            "s", Path(file).stem, each["expression"], policy=each.get("policy"), options=each.get("options", {})
        )
        for number, run in enumerate(each["runs"], 1):
            name = f"{each['name']} [{number}]"
            yield Scenario(name, subscription, tuple(events_of(run["events"])), tuple(run["expected"]))


def events_of(text: str) -> Iterator[dict[str, Any]]:
    """CloudEvents objects of the short hand; the order of writing is not the order in time."""
    for found in _EVENT.finditer(text):
        kinds = found["kinds"] or re.sub(r"\d", "", found["name"])
        event: dict[str, Any] = {
            "id": found["name"],
            "source": "scenario",
            "type": "test",
            "time": _time(found["start"]),
            "endtime": _time(found["end"] or found["start"]),
            "data": {"kind": kinds, **_attributes(found["data"] or "")},
        }
        if found["points"]:
            event["place"] = _place(found["points"].split(","))
        yield event


def shown(match: Match) -> str:
    """A match as scenarios write it."""
    assert match.detected is not None
    return f"{match.detected // 1000}: {' '.join(match.events)}".strip()


def _time(milliseconds: str) -> str:
    return format_instant(int(milliseconds) * 1000)


def _attributes(text: str) -> dict[str, Any]:
    pairs = (pair.split("=") for pair in text.split(",") if pair)
    return {name: value.strip("'") if "'" in value else float(value) for name, value in pairs}


def _place(points: list[str]) -> str:
    return f"MULTIPOINT ({', '.join(f'({point.strip()})' for point in points)})"
