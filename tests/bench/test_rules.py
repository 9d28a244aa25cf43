"""`tocsin bench rules`: its plans are what the language makes of the rules, and a quick run rings as
often as the loops by hand.
"""

from __future__ import annotations

import json
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tocsin_benchmarks import app
from tocsin_benchmarks.harness.drawing import draw
from tocsin_benchmarks.harness.runner import run_module
from tocsin_benchmarks.rules.command import spark_tables_of, table_of
from tocsin_benchmarks.rules.loop import rings_of_loop
from tocsin_benchmarks.rules.plot import AIM, BY_HAND, RULES, bars_of
from tocsin_benchmarks.rules.spark_trial import run, subscriptions_of
from tocsin_benchmarks.rules.workload import Question, Report, RulesWorkload
from typer.testing import CliRunner

from tocsin.catalog.compiling import compile_subscription
from tocsin.catalog.entries import Definition, Subscription
from tocsin.errors import Problem
from tocsin.plan.nodes.composites import Plan
from tocsin.runtime.finite_run import match_events, read_events


def test_a_quick_run_saves_figures_and_a_table(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["rules", "--quick", "--output", str(tmp_path)], catch_exceptions=False
    )
    assert done.exit_code == 0
    assert "Both ring equally often." in done.stdout
    trials = json.loads((tmp_path / "results.json").read_text())["trials"]
    assert [trial["trial"]["question"] for trial in trials] == ["COUNT", "CHANGE", "REGION"]
    assert all(trial["matches"] > 0 for trial in trials)
    assert (tmp_path / "events-per-second.png").exists() == (find_spec("matplotlib") is not None)
    assert "Spark" not in done.stdout


def a_trial(question: str, **figures: Any) -> dict[str, Any]:
    asked = {"question": question, "rules": 1_000, "keys": 50, "events": 100, "seed": 1}
    return {"trial": asked, **figures}


TIMES = {"measured_events": 600, "seconds": 2.0, "loop_seconds": 0.5}


def test_the_plot_has_both_contenders_and_the_aim_of_every_question() -> None:
    bars = bars_of([a_trial("CHANGE", **TIMES), a_trial("REGION", refused="stopped")])
    assert bars == {"BECOMES": {RULES: 300.0, BY_HAND: 1_200.0, AIM: 60_000}}


def test_the_plot_of_a_whole_run_is_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    results, target = tmp_path / "results.json", tmp_path / "plot.png"
    trials = [a_trial(question.name, **TIMES) for question in Question]
    results.write_text(json.dumps({"trials": trials}))
    assert draw("tocsin_benchmarks.rules.plot", results, target) == str(target)
    assert target.read_bytes().startswith(b"\x89PNG")


def test_the_table_on_spark_has_both_counts() -> None:
    figures = {"measured_events": 100, "seconds": 2.0, "matches": 7}
    own = {"spark_seconds": 0.5, "spark_groups": 6}
    [table] = spark_tables_of([a_trial("COUNT", **figures, **own)])
    assert table.rows == (("1,000", "50", "100", "50", "200", "0.25", "7", "6"),)
    assert spark_tables_of([]) == []


def test_what_was_refused_is_said_in_its_row() -> None:
    refused = [a_trial("COUNT", refused="stopped after 1,800 s")]
    for table in (table_of(refused), *spark_tables_of(refused)):
        [row] = table.rows
        assert "stopped after 1,800 s" in row
        assert len(row) == len(table.header)


def seen_often(reports: list[Report]) -> int:
    """Keys that came three times: all is in one window, where each rings once."""
    counts = Counter((each.kind, each.key) for each in reports)
    return sum(count >= 3 for count in counts.values())


@pytest.mark.spark
def test_on_spark_the_rules_and_its_own_count_find_the_same_keys() -> None:
    request = {"question": "COUNT", "rules": 10, "keys": 30, "events": 660, "seed": 3}
    figures = run_module("tocsin_benchmarks.rules.spark_trial", request, {})
    assert "refused" not in figures, figures
    workload = RulesWorkload(Question.COUNT, 10, 30, 660, seed=3)
    reports = workload.reports()
    assert figures["spark_groups"] == seen_often(reports) > 10
    # A rule waits for all events of an instant, and that of the last event is not over.
    assert figures["matches"] == seen_often(reports[:-1])
    assert figures["measured_events"] == 600


def test_fewer_events_than_micro_batches_are_refused_before_spark_starts() -> None:
    request = {"question": "COUNT", "rules": 1, "keys": 1, "events": 10, "seed": 3}
    with pytest.raises(Problem, match="11 micro-batches need as many events, got 10"):
        run(request)


def test_the_texts_on_spark_ask_what_the_plans_ask() -> None:
    workload = RulesWorkload(Question.COUNT, 10, 30, 2_000, seed=3)
    lines = workload.lines(workload.reports())
    texts = {
        each["id"]: compile_subscription(Subscription(**each))
        for each in subscriptions_of(workload)
    }
    rung = [
        sorted(
            (match.subscription, match.events) for match in match_events(asked, read_events(lines))
        )
        for asked in (texts, workload.plans())
    ]
    assert rung[0] == rung[1] != []


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
