"""Warnings about events reach people: counted by hosts, alike in engine and plain form, and the
event is served.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import tocsin
from tests.builders import event_json
from tests.scenarios.loading import Scenario, scenarios
from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.cli.main import app
from tocsin.engine.columns.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.plan.nodes.composites import atoms_of
from tocsin.plan.semantics.event_warnings import event_warnings

SHOP = """
@prefix : <http://x/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Selling a owl:Class . :Thing a owl:Class . :target a owl:ObjectProperty .
[] a <urn:tocsin:MetaStatement> ; <urn:tocsin:subject> :Selling ; <urn:tocsin:property> :target ;
   <urn:tocsin:object> :Thing .
"""
SOLD = "(_:H, ?1, (Selling, target, Thing))"


def offer(id: str, content: str) -> dict[str, Any]:
    data = f"@prefix : <http://x/> . <urn:ops:H> a :Selling ; :target :mine . {content}"
    return event_json(id, content_type="text/turtle", data=data)


GOOD, ODD = offer("good", ":mine a :Thing ."), offer("odd", ":mine a :Thing, :Gizmo ; :weighs 3 .")


def test_a_hub_counts_warnings_and_serves_the_event() -> None:
    hub = tocsin.Hub()
    hub.define(Definition("shop", ontology=SHOP, media_type="text/turtle"))
    hub.subscribe(SOLD, language="graph", id="sold")
    assert len(hub.publish(GOOD)) == 1
    assert hub.counts.warnings == 0
    assert len(hub.publish(ODD)) == 1
    assert hub.counts.warnings == 2
    assert [(each.id, each.code, each.token) for each in hub.warnings] == [
        ("odd", "UNKNOWN_CLASS", "http://x/Gizmo"),
        ("odd", "UNKNOWN_PROPERTY", "http://x/weighs"),
    ]
    assert hub.counts.dead_letters == 0


def test_an_unknown_type_is_warned_of_where_a_tbox_knows_types() -> None:
    hub = tocsin.Hub()
    hub.define(Definition("steps", ontology="moving := {rail};", media_type="text/x-tbox"))
    hub.subscribe("exists step.moving", language="concept", id="moving")
    for number, kind in enumerate(("ObjectEvent", "moving", "gone")):
        hub.publish({"id": str(number), "source": "s", "type": kind, "data": {"step": "rail"}})
    assert [(each.id, each.code, each.token) for each in hub.warnings] == [
        ("2", "UNKNOWN_TYPE", "gone")
    ]
    quiet = tocsin.Hub()
    quiet.subscribe("exists step.{rail}", language="concept")
    quiet.publish({"id": "1", "source": "s", "type": "gone", "data": {"step": "rail"}})
    assert quiet.counts.warnings == 0


@pytest.mark.parametrize(
    "scenario", list(scenarios("graph.toml")), ids=lambda scenario: scenario.name
)
def test_the_engine_warns_as_the_plain_form_does(scenario: Scenario) -> None:
    plan = compile_subscription(scenario.subscription, scenario.definitions)
    engine, events = Engine(), [from_mapping(each) for each in scenario.events]
    engine.add("it", plan)
    expected = [
        (index, each.code, each.token)
        for index, event in enumerate(events)
        for each in event_warnings(event, atoms_of(plan.pattern))
    ]
    for _ in range(2):  # the second time from memory
        warned = engine.match(Batch(events)).warned
        assert [(index, each.code, each.token) for index, each in warned] == expected
    if "warnings" in scenario.facts:
        assert [code for _, code, _ in expected] == scenario.facts["warnings"]


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_match_sums_up_and_explain_attaches(tmp_path: Path, engine: str) -> None:
    ontology, subscriptions, events = (
        tmp_path / name for name in ("shop.ttl", "subs.jsonl", "events.jsonl")
    )
    ontology.write_text(SHOP)
    subscriptions.write_text(json.dumps(Subscription("sold", "graph", SOLD).as_json()))
    events.write_text("\n".join(map(json.dumps, (GOOD, ODD, {**ODD, "id": "odd2"}))))
    words = [str(subscriptions), str(events), "--ontology", str(ontology)]
    done = CliRunner().invoke(app, ["match", *words, "--engine", engine])
    assert len(done.stdout.splitlines()) == 3
    lines = done.stderr.splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        "tocsin: warning: 2 x UNKNOWN_CLASS",
        "tocsin: warning: 2 x UNKNOWN_PROPERTY",
    ]
    assert "event odd: the class http://x/Gizmo is not known" in lines[0]
    shown = CliRunner().invoke(app, ["explain", words[0], "--event", words[1], *words[2:]])
    assert (
        "warning: event odd: UNKNOWN_CLASS: the class http://x/Gizmo is not known" in shown.stdout
    )
    assert "event good: UNKNOWN" not in shown.stdout
