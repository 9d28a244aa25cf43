"""What any version wrote down is read by this one: plans mean what they meant, engines go on from
where they were.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tocsin
from tests.stored.cases import node_kinds
from tests.stored.running import ended, engine_of, in_order, served
from tests.stored.write import HERE
from tocsin.catalog import Definition, knowledge_in
from tocsin.events.views.names import VOCABULARY
from tocsin.knowledge.concepts.tbox import EMPTY
from tocsin.knowledge.ontology import open_ontology
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.wire import wire
from tocsin.plan.wire.wire import plan_from_json

FILES = sorted(HERE.glob("*/*.json"))
NOT_IN_PLANS = {"PatternNode", "_Built", "_Construction", "Share"}
"""Classes of the modules of nodes that never stand in a plan that is stored: made of one, the base
of others, or made by a shard for itself.
"""

NO_KNOWLEDGE = (open_ontology(VOCABULARY), EMPTY)
"""What plans speak of where no ontology and no TBox is given."""


def read(path: Path) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(path.read_text())
    return body


def plan_in(body: dict[str, Any]) -> Plan:
    definitions = [
        Definition(f"known {number}", ontology=each["text"], media_type=each["media_type"])
        for number, each in enumerate(body["knowledge"])
    ]
    known = knowledge_in(definitions)
    given = [*NO_KNOWLEDGE, *(() if known is None else (known, known.tbox))]
    return plan_from_json(json.dumps(body["plan"]), [each for each in given if each is not None])


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_stored_plan_gives_the_stored_answer(path: Path) -> None:
    body = read(path)
    engine, events = engine_of(plan_in(body)), in_order(body["events"])
    assert served(engine, events) + ended(engine) == body["before"] + body["after"]


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if "snapshot" in read(path)],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_an_engine_goes_on_from_a_stored_snapshot(path: Path) -> None:
    body = read(path)
    engine, events = engine_of(plan_in(body)), in_order(body["events"])
    engine.restore(body["snapshot"])
    assert served(engine, events[body["cut"] :]) + ended(engine) == body["after"]


def test_every_kind_of_node_is_stored_for_this_version() -> None:
    stored = {
        kind.partition(".")[0]
        for path in FILES
        if path.parent.name == tocsin.__version__
        for kind in node_kinds(read(path)["plan"])
    }
    assert wire._NODES.keys() - stored - NOT_IN_PLANS == set(), (
        "write them down: python -m tests.stored.write"
    )
