"""Command line and HTTP give the same steps for the same event, and rules of every form have an
explanation for every event.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.languages.rule.test_agreement import CLAUSES, FORMS, REGION
from tests.strategies import boolean_nodes
from tocsin.catalog import Subscription, compile_with_sources
from tocsin.cli.main import app
from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.explain.why_not import explain_event, query_among, why_not
from tocsin.explain.wording import ExplanationStep
from tocsin.plan.explain.atoms import selector_text
from tocsin.plan.nodes.composites import Plan
from tocsin.reference import matches
from tocsin.values.time import format_instant

_MEMBERS = {
    "type": st.sampled_from("ABC"),
    "start": st.integers(0, 8),
    "length": st.sampled_from([0, 0, 1, 3]),
    "k": st.sampled_from([1, 1, 2, None, "x"]),
    "v": st.integers(0, 2),
    "x": st.integers(0, 3),
}
EVENTS = st.lists(st.fixed_dictionaries(_MEMBERS), min_size=1, max_size=6).map(
    lambda drawn: [_event(f"e{number}", each) for number, each in enumerate(drawn)]
)


def _event(id: str, drawn: dict[str, Any]) -> dict[str, Any]:
    start, end = drawn["start"] * 1_000, (drawn["start"] + drawn["length"]) * 1_000
    return {
        "specversion": "1.0",
        "id": id,
        "source": "s",
        "type": drawn["type"],
        "time": format_instant(start),
        "endtime": format_instant(end),
        "place": f"POINT({drawn['x']} 0)",
        "data": {"k": drawn["k"], "v": drawn["v"], "a": drawn["v"], "b": drawn["k"]},
    }


def by_http(entry: dict[str, Any], events: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the steps of each event, as lines."""
    subscription = Subscription(entry["id"], entry["language"], entry["expression"])
    plan, sources = compile_with_sources(subscription, [REGION])
    ordered = sorted(map(from_mapping, events), key=lambda each: each.order)
    found = {}
    for index, event in enumerate(ordered):
        told = why_not(plan.pattern, query_among(ordered, index), sources)
        found[event.id] = [_line(each) for each in told["steps"]]
    return found


def _line(step: dict[str, Any]) -> str:
    return ExplanationStep(step["text"], step["holds"], depth=step["depth"]).line()


def by_command_line(entry: dict[str, Any], events: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the lines of each event."""
    with TemporaryDirectory() as folder:
        rules, given = Path(folder, "s.jsonl"), Path(folder, "e.jsonl")
        region = {"define": REGION.name, "region": REGION.region}
        rules.write_text(f"{json.dumps(region)}\n{json.dumps(entry)}\n", encoding="utf-8")
        given.write_text("".join(f"{json.dumps(each)}\n" for each in events), encoding="utf-8")
        done = CliRunner().invoke(app, ["explain", str(rules), "--event", str(given)])
    assert done.exit_code == 0, done.output
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in done.output.splitlines():
        if line.startswith("  event "):
            lines = found.setdefault(line.removeprefix("  event ").partition(":")[0], [])
        elif line.startswith("    "):
            lines.append(line.removeprefix("    "))
    return found


def require_same(entry: dict[str, Any], events: list[dict[str, Any]]) -> None:
    told, printed = by_http(entry, events), by_command_line(entry, events)
    assert told.keys() == printed.keys()
    for id, steps in told.items():
        assert len(steps) == len(printed[id]), entry
        for step, line in zip(steps, printed[id], strict=True):
            assert line.startswith(step)


@settings(max_examples=15, deadline=None)
@given(node=boolean_nodes(leaves=4), events=EVENTS)
def test_selectors_have_the_same_steps_by_command_line_and_http(
    node: Any, events: list[dict[str, Any]]
) -> None:
    entry = {"id": "s", "language": "selector", "expression": selector_text(node)}
    assume(entry["expression"].isprintable())  # else a step has several lines
    try:
        compile_with_sources(Subscription("s", "selector", entry["expression"]))
    except Problem:
        assume(condition=False)
    require_same(entry, events)


@settings(max_examples=15, deadline=None)
@given(form=FORMS, clauses=CLAUSES, events=EVENTS)
def test_rules_have_the_same_steps_by_command_line_and_http(
    form: str, clauses: str, events: list[dict[str, Any]]
) -> None:
    entry = {"id": "s", "language": "rule", "expression": f"WHEN {form}{clauses}"}
    assume(_compile(entry["expression"]) is not None)
    require_same(entry, events)


@settings(max_examples=40, deadline=None)
@given(form=FORMS, clauses=CLAUSES, events=EVENTS)
def test_an_event_is_explained_as_a_match_where_the_reference_has_one(
    form: str, clauses: str, events: list[dict[str, Any]]
) -> None:
    compiled = _compile(f"WHEN {form}{clauses}")
    assume(compiled is not None)
    assert compiled is not None
    plan, sources = compiled
    ordered = sorted(map(from_mapping, events), key=lambda each: each.order)
    last = max(each.interval.end for each in ordered if each.interval is not None)
    whole = Plan(plan.pattern)
    members = {id for match in matches("s", whole, ordered, last) for id in match.events}
    for index, event in enumerate(ordered):
        found = explain_event(plan.pattern, query_among(ordered, index), sources)
        assert found.matches == (event.id in members), (form, event.id)


def _compile(text: str) -> tuple[Plan, Any] | None:
    try:
        return compile_with_sources(Subscription("s", "rule", text), [REGION])
    except Problem:
        return None
