"""`tocsin bench rules`: its plans are what the language makes of the rules, and a quick run rings as
often as the loops by hand.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tocsin_benchmarks import app
from tocsin_benchmarks.rules.loop import rings_of_loop
from tocsin_benchmarks.rules.workload import Question, RulesWorkload
from typer.testing import CliRunner

from tocsin.catalog.compiling import compile_subscription
from tocsin.catalog.entries import Definition, Subscription
from tocsin.hosts.local.finite import match_events, read_events
from tocsin.plan.composites import Plan


def test_a_quick_run_saves_figures_and_a_table(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["rules", "--quick", "--output", str(tmp_path)], catch_exceptions=False
    )
    assert done.exit_code == 0
    assert "Both ring equally often." in done.stdout
    trials = json.loads((tmp_path / "results.json").read_text())["trials"]
    assert [trial["trial"]["question"] for trial in trials] == ["COUNT", "CHANGE", "REGION"]
    assert all(trial["matches"] > 0 for trial in trials)


@pytest.mark.parametrize("question", list(Question), ids=lambda each: each.name)
def test_the_loop_by_hand_rings_as_the_rules(question: Question) -> None:
    workload = RulesWorkload(question, 10, 30, 2_000, seed=3)
    lines = workload.lines(workload.reports())
    found = match_events(workload.plans(), read_events(lines))
    assert len(found) == rings_of_loop(workload, lines) > 10


TEXTS = {
    Question.COUNT: "WHEN COUNT(selector{ kind = 'k19' }) >= 3 OVER 60s FOR EACH key",
    Question.CHANGE: "WHEN selector{ kind = 'k19' } BECOMES v > 900 FOR EACH key",
    Question.REGION: "WHEN selector{ kind = 'truck' } LEAVES Region FOR EACH key",
}


@pytest.mark.parametrize("question", list(Question), ids=lambda each: each.name)
def test_the_plans_are_what_the_language_makes_of_the_rules(question: Question) -> None:
    workload = RulesWorkload(question, 20, 30, 3_000, seed=3)
    named = Definition("Region", region=[*workload.regions().texts()][19])
    text = compile_subscription(Subscription("s", "rule", TEXTS[question]), [named])
    lines = workload.lines(workload.reports())
    rung = [_rings(plan, lines) for plan in (text, workload.plans()["rule 19"])]
    assert rung[0] == rung[1] != []


def _rings(plan: Plan, lines: list[bytes]) -> list[tuple[str, ...]]:
    return [match.events for match in match_events({"s": plan}, read_events(lines))]
