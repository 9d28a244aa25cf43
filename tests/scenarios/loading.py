"""Scenario files: subscriptions, short-hand events and the matches they must give, the same on
every host.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tocsin.catalog import Definition, Subscription
from tocsin.events.matches.match import Match
from tocsin.values.space import extent, format_place, parse_place
from tocsin.values.time import format_instant

_EVENT = re.compile(
    r"(?P<name>\w+)(:(?P<kinds>[\w+]+))?@(?P<start>\d+)(\.\.(?P<end>\d+))?(\((?P<points>[^)]*)\))?(\{(?P<data>[^}]*)\})?"
)

SQUARE = "POLYGON (({0} {1}, {2} {1}, {2} {3}, {0} {3}, {0} {1}))"
DEFINITIONS = (
    *(
        Definition(letter, language="selector", expression=f"kind LIKE '%{letter.lower()}%'")
        for letter in "ABCDE"
    ),
    Definition("TRUCK5", language="opsl", expression='ARITH: id = 5, STRING: kind = "truck"'),
    Definition("E-A", language="opsl", expression="ARITH: id = 7"),
    Definition("E-B", language="opsl", expression="ARITH: id = 1"),
    Definition("R10", region=SQUARE.format(0, 0, 10, 10)),
    Definition("Region1", region=SQUARE.format(0, 0, 100, 100)),
    Definition("Region2", region=SQUARE.format(1000, 0, 1100, 100)),
    Definition("Alps", region=SQUARE.format(6.5, 46, 9.5, 47.4)),
    Definition("Fiji", region=SQUARE.format(177, -20, 182, -15)),
    Definition("Depot", region=SQUARE.format(0, 0, 10, 10)),
    Definition("Arctic", region=SQUARE.format(-180, 70, 180, 90)),
)


@dataclass(frozen=True)
class Scenario:
    """One subscription and one timeline."""

    name: str
    subscription: Subscription
    events: tuple[dict[str, Any], ...]
    expected: tuple[str, ...]
    definitions: tuple[Definition, ...] = field(default=DEFINITIONS)
    ontology: str | None = None
    """The ontology as Turtle, where the file has one for the scenario."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What else the file says of the run; tests of single languages look at it."""


@dataclass(frozen=True)
class Refusal:
    """A subscription that must not be accepted, and the codes of its problems."""

    name: str
    subscription: Subscription
    ontology: str | None
    problems: tuple[str, ...]
    definitions: tuple[Definition, ...] = ()


def scenarios(file: str) -> Iterator[Scenario]:
    """All scenarios of a file, one for each run in which every event is accepted."""
    return (each for each in _runs(file) if "refused" not in each.facts)


def refused_events(file: str) -> Iterator[Scenario]:
    """The runs of a file in which events are refused; `facts["refused"]` has the codes."""
    return (each for each in _runs(file) if "refused" in each.facts)


def refusals(file: str) -> Iterator[Refusal]:
    """The subscriptions of a file that are refused."""
    body = _body(file)
    for each in body["scenario"]:
        if "problems" in each:
            subscription = _subscription(file, body, each)
            problems, told = tuple(each["problems"]), tuple(documents(body))
            yield Refusal(each["name"], subscription, _ontology(body, each), problems, told)


def _runs(file: str) -> Iterator[Scenario]:
    body = _body(file)
    bodies = {
        name: text if text[0] in "<{" else body.get("prefixes", "") + text
        for name, text in body.get("bodies", {}).items()
    }
    for each in body["scenario"]:
        for number, run in enumerate(each["runs"], 1):
            yield Scenario(
                f"{each['name']} [{number}]",
                _subscription(file, body, each),
                tuple(events_of(run["events"], bodies, typed=body.get("typed", False))),
                tuple(run["expected"]),
                (
                    *_definitions(file, _ontology(body, each), tuple(each.get("infer", ()))),
                    *_tbox(body, each),
                    *documents(body),
                ),
                _ontology(body, each),
                run,
            )


def documents(body: Mapping[str, Any]) -> Iterator[Definition]:
    """The documents that the file defines."""
    return (Definition(name, document=text) for name, text in body.get("documents", {}).items())


def _body(file: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / file).read_text())


def _subscription(file: str, body: dict[str, Any], scenario: dict[str, Any]) -> Subscription:
    text = body.get("texts", {}).get(scenario["expression"], scenario["expression"])
    policy, horizon = scenario.get("policy"), scenario.get("horizon")
    return Subscription(
        "s",
        Path(file).stem,
        text,
        policy=policy,
        horizon=horizon,
        options=scenario.get("options", {}),
    )


def _ontology(body: dict[str, Any], scenario: dict[str, Any]) -> str | None:
    name = scenario.get("ontology")
    return None if name is None else body.get("prefixes", "") + body["ontologies"][name]


def _definitions(file: str, ontology: str | None, infer: tuple[str, ...]) -> tuple[Definition, ...]:
    if ontology is None:
        return DEFINITIONS
    media_type = "text/x-tbox" if file == "concept.toml" else "text/turtle"
    return (
        *DEFINITIONS,
        Definition("ontology", ontology=ontology, media_type=media_type, infer=infer),
    )


def _tbox(body: dict[str, Any], scenario: dict[str, Any]) -> Iterator[Definition]:
    """The taxonomy that stands beside the ontology of a scenario."""
    if "tbox" in scenario:
        text = body["tboxes"][scenario["tbox"]]
        yield Definition("tbox", ontology=text, media_type="text/x-tbox")


def events_of(
    text: str, bodies: Mapping[str, str] | None = None, *, typed: bool = False
) -> Iterator[dict[str, Any]]:
    """CloudEvents objects of the short hand; the order of writing is not the order in time.

    Where bodies are given, the kinds name one of them, which takes the place of the data: XML where
    it begins with `<`, JSON with `{`, else Turtle. Where they are `typed`, the kinds are also the type.
    """
    for found in _EVENT.finditer(text):
        kinds = found["kinds"] or re.sub(r"\d", "", found["name"])
        event: dict[str, Any] = {
            "id": found["name"],
            "source": "scenario",
            "type": kinds if typed else "test",
            "time": _time(found["start"]),
            "endtime": _time(found["end"] or found["start"]),
            "data": {"kind": kinds, **_attributes(found["data"] or "")},
        }
        if found["points"]:
            event["place"] = _place(found["points"].split(","))
        if bodies:
            event |= _content(bodies[kinds])
        yield event


def _content(body: str) -> dict[str, Any]:
    if body.startswith("{"):
        return {"data": json.loads(body)}
    media_type = "application/xml" if body.startswith("<") else "text/turtle"
    return {"datacontenttype": media_type, "data": body}


def shown(match: Match) -> str:
    """A match as scenarios write it."""
    assert match.detected is not None
    return f"{match.detected // 1000}: {' '.join(match.events)}".strip()


def _time(milliseconds: str) -> str:
    return format_instant(int(milliseconds) * 1000)


def _attributes(text: str) -> dict[str, Any]:
    pairs = (pair.split("=") for pair in text.split(",") if pair)
    return {name: _value(value) for name, value in pairs}


def _value(text: str) -> Any:
    """A number, a truth value, a text in quotes, or several texts, written 'a'+'b'."""
    if text in ("TRUE", "FALSE"):
        return text == "TRUE"
    texts = text.strip("'").split("'+'")
    return float(text) if "'" not in text else texts if len(texts) > 1 else texts[0]


def _place(points: list[str]) -> str:
    """The location of an event by the specification (OPSL, 2): the hull of its points, which a
    place says outright.

    Points after a + are a MULTIPOINT as it stands, and - is an empty place.
    """
    if points == ["-"]:
        return "POINT EMPTY"
    if points[0].startswith("+"):
        return f"MULTIPOINT ({', '.join(points).lstrip('+')})"
    hull = extent([parse_place(f"POINT ({point.strip()})") for point in points])
    assert hull is not None
    return format_place(hull)
