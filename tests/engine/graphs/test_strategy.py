"""The option strategy: each pattern is matched by the algorithm that it asks for, side by side with
the other.
"""

from __future__ import annotations

from dataclasses import replace

import tocsin
from tests.engine.graphs.auction import CHEAP, auction
from tocsin.engine.atoms import AtomMatchers
from tocsin.engine.columns.batch import Batch
from tocsin.engine.graphs.matcher import GraphMatcher
from tocsin.papers.graph_matcher import PaperMatcher
from tocsin.plan.explain.graphs import graph_lines
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.nodes.graphs import Strategy
from tocsin.plan.wire.wire import plan_from_json, plan_to_json

PAPER = replace(CHEAP, strategy=Strategy.PAPER)


def test_each_pattern_goes_to_its_matcher_and_both_ring() -> None:
    atoms = AtomMatchers()
    atoms.add("ours", CHEAP)
    atoms.add("theirs", PAPER)
    kinds = [type(each) for each in atoms._matchers if each is not None]
    assert kinds[1:] == [GraphMatcher, PaperMatcher]
    hits = atoms.match(Batch([auction("350"), auction("450")]))
    assert sorted(zip(hits.events.tolist(), atoms.keys_of(hits.slots), strict=True)) == [
        (0, "ours"),
        (0, "theirs"),
    ]
    assert atoms.rows(replace(PAPER, select=("3",)), auction("350")) == ((("3", 350),),)
    atoms.remove("theirs")
    assert [type(each) for each in atoms._matchers if each is not None][1:] == [GraphMatcher]


def test_an_event_without_a_graph_is_refused_by_both() -> None:
    hub = tocsin.Hub()
    for strategy in ("default", "paper"):
        hub.subscribe("ASK { _:H <urn:x:a> ?x }", language="graph", options={"strategy": strategy})
        hub.publish({"id": strategy, "source": "s", "type": "t", "data": {"@id": 7}})
    assert [each.code for each in hub.dead_letters] == ["EVENT_PARSE", "EVENT_PARSE"]


def test_the_strategy_is_told_and_carried() -> None:
    assert next(graph_lines(PAPER)).endswith("by the algorithm of the paper")
    plan = Plan(PAPER)
    assert plan_from_json(plan_to_json(plan), [PAPER.ontology]) == plan
