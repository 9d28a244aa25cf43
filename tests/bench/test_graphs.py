"""The benchmark of graph patterns: its workload is that of the specification, and its contenders
agree.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tocsin_benchmarks import app
from tocsin_benchmarks.graphs.command import linearity, tables_of
from tocsin_benchmarks.graphs.plot import draw, lines_of
from tocsin_benchmarks.graphs.trial import run
from tocsin_benchmarks.graphs.workload import EVENTS, GraphWorkload, Kind
from typer.testing import CliRunner

from tocsin.plan.nodes.graphs import Home
from tocsin.reference import graphs as reference


@pytest.mark.parametrize("kind", list(Kind))
def test_all_contenders_find_the_same_matches(kind: Kind) -> None:
    figures = run(
        {"kind": kind.value, "subscriptions": 100, "seconds": 0.0, "asked": 20, "seed": 1}
    )
    assert figures["paper_agrees"]
    assert figures["backtracking_agrees"]
    assert figures["ask_agrees"]
    assert 0 < figures["match_rate"] < 0.2


@pytest.mark.parametrize("kind", list(Kind))
def test_an_event_has_the_size_that_the_specification_says(kind: Kind) -> None:
    workload = GraphWorkload(kind, 10, 1)
    events = workload.events()
    assert len(events) == EVENTS
    for event in events:
        assert (len(event.graph.types), len(event.graph.arcs)) == (50, 55)
        classes = {len(each) for each in event.graph.types.values()}
        assert classes == {2 if kind is Kind.MULTI_TYPED else 1}


def test_the_paper_has_ten_classes_and_two_hundred_statement_types() -> None:
    ontology = GraphWorkload(Kind.PAPER, 10, 1).ontology
    assert len(ontology.meta_statements) == 200
    dealt = {(each.subject, each.property) for each in ontology.meta_statements}
    assert len(dealt) == 20
    assert {sum(used == prop for _, used in dealt) for prop in {used for _, used in dealt}} == {2}


@pytest.mark.parametrize(("kind", "above_a_leaf"), [(Kind.INHERITANCE, 3), (Kind.DIAMONDS, 5)])
def test_a_hundred_classes_stand_on_three_levels(kind: Kind, above_a_leaf: int) -> None:
    ontology = GraphWorkload(kind, 10, 1).ontology
    own = frozenset(each for each in ontology.classes if each.startswith("urn:bench:"))
    leaves = [each for each in own if ontology.subclasses(each) == {each}]
    assert (len(own), len(leaves)) == (100, 60)
    first = "urn:bench:c0m0l0"
    assert len(ontology.superclasses(first) & own) == above_a_leaf


def test_three_in_a_hundred_are_planted_for_each_event() -> None:
    workload = GraphWorkload(Kind.PAPER, 100, 1)
    patterns, events = workload.patterns(), workload.events()
    assert len(patterns) == 100
    for event in events[:3]:
        assert sum(reference.holds(pattern, event) for pattern in patterns) >= 3
    random = [pattern for pattern in patterns if len(pattern.statements) == 11]
    assert len(random) >= 70
    assert all(len(pattern.ids) == 10 and Home() in pattern.ids for pattern in random)


def test_the_same_seed_gives_the_same_workload() -> None:
    one, other = (GraphWorkload(Kind.DIAMONDS, 20, 7) for _ in range(2))
    assert one.graphs == other.graphs
    assert one.patterns() == other.patterns()
    assert GraphWorkload(Kind.DIAMONDS, 20, 8).graphs != one.graphs


def test_linearity_is_one_for_a_line_and_less_for_others() -> None:
    assert linearity([(1, 2), (2, 4), (3, 6)]) == pytest.approx(1.0)
    line = linearity([(1, 1), (2, 8), (3, 27), (4, 64)])
    assert line is not None
    assert line < 0.95
    assert linearity([(1, 2), (2, 4)]) is None


def test_a_trial_that_died_is_a_row_with_its_reason() -> None:
    trial = {"trial": {"kind": "paper", "subscriptions": 5}, "refused": "stopped"}
    assert tables_of([trial])[0].rows[0][:2] == ("5", "stopped")


def test_a_tiny_run_saves_figures_and_tables(tmp_path: Path) -> None:
    arguments = [
        "graphs",
        "--sizes",
        "20",
        "--kind",
        "paper",
        "--seconds",
        "0",
        "--asked",
        "5",
        "--output",
        str(tmp_path),
    ]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert "Graphs, paper" in done.stdout
    assert "All find the same matches." in done.stdout
    saved = json.loads((tmp_path / "results.json").read_text())
    assert [trial["trial"]["subscriptions"] for trial in saved["trials"]] == [20]


def test_figure_six_has_time_and_nodes_for_each_kind(tmp_path: Path) -> None:
    trials = [
        {
            "trial": {"kind": kind, "subscriptions": size},
            "paper_seconds": size / 10_000,
            "nodes_per_tree": 4.6,
        }
        for kind in ("paper", "diamonds")
        for size in (1000, 500)
    ]
    lines = lines_of(
        [*trials, {"trial": {"kind": "paper", "subscriptions": 9}, "refused": "memory"}]
    )
    assert lines["time"]["paper"] == [(500, 50.0), (1000, 100.0)]
    assert lines["nodes"] == {kind: [(500, 4.6), (1000, 4.6)] for kind in ("paper", "diamonds")}
    (tmp_path / "results.json").write_text(json.dumps({"trials": trials}))
    draw(tmp_path / "results.json", tmp_path / "figure6.png")
    assert (tmp_path / "figure6.png").read_bytes().startswith(b"\x89PNG")
