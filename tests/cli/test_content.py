"""`--content` and `deliver`: what a match line tells of its events, and what is refused or read by
nothing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_commands import lines_of, tocsin
from tests.hub.test_constructed import ORDER, SPLIT, event

KINDS = [
    {"define": letter, "language": "selector", "expression": f"kind = '{letter.lower()}'"}
    for letter in ("A", "B")
]
SUBSCRIPTIONS: list[dict[str, Any]] = [
    *KINDS,
    {"id": "atom", "language": "selector", "expression": "kind = 'a'"},
    {"id": "then", "language": "opsl", "expression": "=|(A; 5s)B"},
    {"id": "silence", "language": "opsl", "expression": "!(A; 5s)B", "deliver": {"content": "ids"}},
    {"id": "turtle", "language": "opsl", "expression": "=|(A; 5s)B", "deliver": {"content": "rdf"}},
    {
        "id": "settled",
        "language": "exmlql",
        "expression": "WHERE <task>$t</>",
        "deliver": {"content": "events"},
    },
    SPLIT.as_json(),
]
EVENTS: list[dict[str, Any]] = [
    {
        "specversion": "1.0",
        "id": str(1),
        "source": source,
        "type": "t",
        "time": f"2026-01-01T00:00:0{second}Z",
        "subject": "x",
        "data": {"kind": kind},
    }
    for source, second, kind in (("s1", 1, "a"), ("s2", 2, "b"), ("s3", 8, "a"))
]
DOCUMENT = event("order", 9, ORDER)
BY_SOURCE = {each["source"]: each for each in EVENTS}
GRAPH = '_:H a <http://www.w3.org/2002/07/owl#Thing> ;\n\t<urn:tocsin:vocabulary:kind> "{}" .\n'


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    subscriptions, events = tmp_path / "subscriptions.jsonl", tmp_path / "events.jsonl"
    subscriptions.write_text(lines_of(SUBSCRIPTIONS))
    events.write_text(lines_of([*EVENTS, DOCUMENT]))
    return subscriptions, events


def require_told(matches: list[dict[str, Any]]) -> None:
    """What --content events tells, with subscriptions that say otherwise."""
    members = {match["subscription"]: match for match in matches}
    assert {
        id: match["sources"] for id, match in members.items() if id not in ("settled", "split")
    } == {
        "atom": ["s3"],
        "then": ["s1", "s2"],
        "turtle": ["s1", "s2"],
        "silence": ["s3"],
    }
    for id in ("atom", "then"):
        assert members[id]["members"] == [BY_SOURCE[source] for source in members[id]["sources"]]
    assert "members" not in members["silence"]
    assert members["turtle"]["members"] == [GRAPH.format("a"), GRAPH.format("b")]
    assert members["split"]["members"] == [DOCUMENT]
    (built,) = members["settled"]["members"]
    assert (built["data"], built["lineage"], built["id"]) == (
        "<task>7</task>",
        "order",
        members["settled"]["events"][0],
    )


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_content_events_tells_complete_events(files: tuple[Path, Path], engine: str) -> None:
    done = tocsin("match", *files, "--content", "events", "--engine", engine)
    assert (done.returncode, done.stderr) == (0, "")
    require_told(list(map(json.loads, done.stdout.splitlines())))


def test_without_the_option_only_those_who_ask_are_told_more(files: tuple[Path, Path]) -> None:
    matches = list(map(json.loads, tocsin("match", *files).stdout.splitlines()))
    assert {each["subscription"] for each in matches if "members" in each} == {"turtle", "settled"}
    assert list(matches[0])[:3] == ["subscription", "events", "sources"]


def test_an_ontology_gives_rdf_its_words(files: tuple[Path, Path], tmp_path: Path) -> None:
    ontology = tmp_path / "o.ttl"
    ontology.write_text(
        "@prefix : <http://e.org/> . :kind a <http://www.w3.org/2002/07/owl#DatatypeProperty> ."
    )
    done = tocsin("match", *files, "--content", "rdf", "--ontology", ontology)
    told = next(
        each for each in map(json.loads, done.stdout.splitlines()) if each["subscription"] == "atom"
    )
    assert ':kind "a"' in told["members"][0]


@pytest.mark.parametrize(
    ("member", "told"),
    [
        ({"deliver": {"content": "all"}}, "content 'all' is not known; one of ids, events, rdf"),
        (
            {"deliver": {"content": ["ids"]}},
            "content ['ids'] is not known; one of ids, events, rdf",
        ),
        ({"deliver": {"content": None}}, "content None is not known; one of ids, events, rdf"),
        ({"deliver": "https://e.org"}, 'deliver must be an object; as in {"content": "events"}'),
        ({"deliver": [1]}, 'deliver must be an object; as in {"content": "events"}'),
        ({"deliver": 0}, 'deliver must be an object; as in {"content": "events"}'),
        ({"subscriber": 7}, 'subscriber must be a string; a name, as in "stock-team"'),
        ({"subscriber": {"name": "x"}}, 'subscriber must be a string; a name, as in "stock-team"'),
    ],
)
def test_wrong_types_are_refused_when_the_subscription_is_read(
    tmp_path: Path, member: Any, told: str
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(lines_of([{"id": "s", "language": "selector", "expression": "", **member}]))
    done = tocsin("check", path)
    assert done.returncode == 1
    assert f"line 1: SubscriptionFormatError: {told}" in done.stdout


@pytest.mark.parametrize(
    ("member", "warned"),
    [
        ({"subscriber": "ann"}, ["subscriber is read by nothing yet"]),
        (
            {"deliver": {"url": "https://e.org", "content": "rdf"}},
            ["of deliver only content is read; nothing reads url"],
        ),
        (
            {"subscriber": "ann", "deliver": {"b": 1, "a": 2}},
            ["subscriber is read", "nothing reads a, b yet"],
        ),
        ({"deliver": {"content": "ids"}}, []),
        ({"deliver": {}, "subscriber": ""}, []),
        ({"deliver": None, "subscriber": None}, []),
    ],
)
def test_check_warns_of_what_nothing_reads(tmp_path: Path, member: Any, warned: list[str]) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(lines_of([{"id": "s", "language": "selector", "expression": "", **member}]))
    done = tocsin("check", path)
    assert done.returncode == 0
    found = [line for line in done.stderr.splitlines() if "warning" in line]
    assert len(found) == len(warned)
    assert all(
        "line 1 (s): NotReadYet" in line and words in line
        for line, words in zip(found, warned, strict=True)
    )


def test_an_unknown_content_is_wrong_usage(files: tuple[Path, Path]) -> None:
    assert tocsin("match", *files, "--content", "all").returncode == 2
