"""A graph pattern that misses because of a namespace says so; one that misses for another reason
does not.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tocsin.cli.main import app
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.explain.namespaces import graph_elsewhere
from tocsin.languages import parse_subscription
from tocsin.plan.nodes.graphs import GraphPattern

ENVELOPE = {
    "id": "e",
    "source": "s",
    "type": "t",
    "time": "2026-01-01T00:00:00Z",
    "datacontenttype": "text/turtle",
}
DATA = "_:H <urn:y#seller> <urn:y#Ann> ; a <urn:y#Sale> ."
EVENT = ENVELOPE | {"data": DATA}

MISSES = [
    (
        "ASK { _:H <urn:x#seller> ?p }",
        ["the property <urn:y#seller>, and the pattern asks for <urn:x#seller>"],
    ),
    (
        "ASK { _:H a <urn:x#Sale> }",
        ["the class <urn:y#Sale>, and the pattern asks for <urn:x#Sale>"],
    ),
    (
        "ASK { _:H <urn:y#seller> <urn:x#Ann> }",
        ["the resource <urn:y#Ann>, and the pattern asks for <urn:x#Ann>"],
    ),
    ("ASK { _:H <urn:y#buyer> ?p }", []),
    ("ASK { _:H <urn:y#seller> ?p }", []),
]


@pytest.mark.parametrize(("text", "expected"), MISSES)
def test_what_only_the_namespace_keeps_apart(text: str, expected: list[str]) -> None:
    pattern = parse_subscription("graph", text, {}).pattern
    assert isinstance(pattern, GraphPattern)
    told = list(graph_elsewhere(pattern, decode(json.dumps(EVENT))))
    assert len(told) == len(expected)
    for line, words in zip(told, expected, strict=True):
        assert words in line
        assert "only the namespace differs" in line


@pytest.mark.parametrize(
    ("language", "expression"),
    [
        ("graph", "ASK { _:H <urn:x#seller> ?p }"),
        ("opsl", "graph{ ASK { _:H <urn:x#seller> ?p } } && selector{ a = 1 }"),
    ],
)
def test_explain_says_so(tmp_path: Path, language: str, expression: str) -> None:
    subscriptions, events = tmp_path / "s.jsonl", tmp_path / "e.jsonl"
    subscriptions.write_text(
        json.dumps({"id": "s", "language": language, "expression": expression})
    )
    events.write_text(json.dumps(EVENT))
    done = CliRunner().invoke(app, ["explain", str(subscriptions), "--event", str(events)])
    assert done.exit_code == 0, done.output
    assert done.output.count("only the namespace differs") == 1
