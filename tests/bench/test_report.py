"""Reports say what the figures say: ratios, findings, refusals and differences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tocsin_benchmarks.harness.table import rounded
from tocsin_benchmarks.selectors.contenders import Name
from tocsin_benchmarks.selectors.report import findings_of, markdown, merged, save, tables_of
from tocsin_benchmarks.selectors.schedule import (
    ALIKE_CONTENDERS,
    PAPER_CONTENDERS,
    TABLE_5,
    TABLE_6,
)
from tocsin_benchmarks.selectors.workloads import Shape

from tocsin.errors import MeaningProblem

MACHINE = {
    "date": "2026-01-31",
    "processor": "Abacus",
    "cores": 1,
    "memory_bytes": 2**30,
    "system": "Slate 1",
    "python": "3.11",
    "libraries": {"numpy": "2"},
}


def test_the_papers_findings_are_seen_where_the_figures_show_them() -> None:
    speed = {Name.PAPER: 300.0, Name.TREE: 200.0, Name.COUNTING: 100.0}
    trials = [
        _trial(name, None, n, a, speed.get(name, 1.0) / n / a)
        for a, n in TABLE_5 + TABLE_6
        for name in PAPER_CONTENDERS
    ]
    note = tables_of(_saved(trials))[0].notes[0]
    assert "seen in 4 of 4 rows" in note
    assert all(name.value in note for name in speed)


def test_the_papers_findings_are_not_seen_where_the_figures_do_not_show_them() -> None:
    trials = [
        _trial(name, None, n, a, 5.0) for a, n in TABLE_5 + TABLE_6 for name in PAPER_CONTENDERS
    ]
    note = tables_of(_saved(trials))[0].notes[0]
    assert "seen in 0 of 4 rows" in note
    assert note.endswith("for: none; in events/s for: none.")


def test_like_for_like_says_who_is_first() -> None:
    speed = {Name.PAPER: 300.0, Name.TREE: 200.0, Name.PLAIN_COUNTING: 100.0, Name.BDD: 400.0}
    trials = [
        _trial(name, None, n, a, speed[name])
        for a, n in TABLE_5 + TABLE_6
        for name in ALIKE_CONTENDERS
    ]
    table = tables_of(_saved(trials))[2]
    assert table.title == "Like for like, plain Python: events/s"
    assert table.rows[0] == ("5, 2,000", "100", "200", "400", "300", "3x")
    assert "fastest of the four in 0 of 7 rows" in table.notes[0]
    assert "new > tree > counting, is seen in 7." in table.notes[0]


def test_an_ordering_of_what_was_not_measured_is_not_seen() -> None:
    speed = {Name.PAPER: 300.0, Name.TREE: 200.0}
    trials = [_trial(name, None, n, a, speed[name]) for a, n in TABLE_5 + TABLE_6 for name in speed]
    assert "seen in 0 of 4 rows" in tables_of(_saved(trials))[0].notes[0]


def test_the_papers_own_figures_stand_beside() -> None:
    table = tables_of(_saved([_trial(Name.TOCSIN, None, 2000, 20, 5.0)]))[0]
    assert table.rows[3][:4] == ("20", "5", "24", "90")


def test_ratios_are_against_others_of_the_same_run() -> None:
    trials = [
        _trial(Name.TOCSIN, Shape.AND, 1000, 10, 6000.0),
        _trial(Name.NAIVE, Shape.AND, 1000, 10, 50.0),
    ]
    row = _cells(trials)
    assert (row["naive closures"], row["x naive closures"]) == ("50", "120")
    assert row["x counting"] == "-", "who did not run has no ratio"


def test_decoding_json_is_no_part_of_a_ratio() -> None:
    ours = _trial(Name.TOCSIN, Shape.AND, 1000, 10, 100.0)
    ours["rates"]["JSON, batch 4096"] = {**ours["rates"]["batch 4096"], "events_per_second": 200.0}
    assert _cells([ours, _trial(Name.NAIVE, Shape.AND, 1000, 10, 50.0)])["x naive closures"] == "2"


def test_an_estimate_is_marked() -> None:
    trials = [
        _trial(Name.TOCSIN, Shape.AND, 1000, 10, 6000.0),
        _trial(Name.COLUMNS, Shape.AND, 1000, 10, 50.0, part=0.5),
    ]
    assert _cells(trials)["numpy columns"] == "~50"


def test_a_refusal_shows_its_reason() -> None:
    refused = {"trial": _request(Name.TREE, None, 2000, 20), "refused": "too many nodes"}
    assert "refused: too many nodes" in markdown(_saved([refused]))


def test_matchers_that_differ_are_named() -> None:
    trials = [
        _trial(Name.TOCSIN, Shape.TREE, 1000, 10, 1.0),
        _trial(Name.NAIVE, Shape.TREE, 1000, 10, 1.0),
    ]
    assert "same matches" in findings_of(_saved(trials))[-1]
    trials[1]["compared"]["digest"] = "other"
    assert (
        "DIFFER on: AND/OR/NOT, 1,000 selectors, 10 attributes" in findings_of(_saved(trials))[-1]
    )


def test_a_run_through_spark_stands_beside_the_engine_alone() -> None:
    trial = {"way": "typed", "subscriptions": 1000, "attributes": 10, "events": 500, "seed": 1}
    spark = [{"trial": trial, "first_seconds": 9.0, "events_per_second": 250.0, "matches": 1000}]
    row = tables_of(_saved([_trial(Name.TOCSIN, Shape.AND, 1000, 10, 6000.0)], spark))[-1].rows[0]
    assert row[-4:] == ("9 s", "250", "500", "6,000")


def test_results_report_and_plot_are_saved(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    saved = _saved(
        [
            _trial(name, Shape.AND, n, 10, 1e6 / n)
            for n in (100, 1000)
            for name in (Name.TOCSIN, Name.NAIVE)
        ]
    )
    written = save(saved, tmp_path, plot=True)
    assert [Path(line).name for line in written] == [
        "results.json",
        "report.md",
        "events-per-second.png",
    ]
    assert json.loads((tmp_path / "results.json").read_text()) == saved
    assert (tmp_path / "events-per-second.png").read_bytes().startswith(b"\x89PNG")


def test_saved_runs_are_reported_as_one(tmp_path: Path) -> None:
    first = [
        _trial(Name.TOCSIN, Shape.AND, 100, 10, 7.0),
        _trial(Name.NAIVE, Shape.AND, 100, 10, 1.0),
    ]
    second = [
        _trial(Name.TOCSIN, Shape.AND, 100, 10, 8.0),
        _trial(Name.TOCSIN, Shape.AND, 1000, 10, 5.0),
    ]
    for number, trials in enumerate((first, second)):
        save(_saved(trials), tmp_path / str(number), plot=False)
    together = merged([tmp_path / "0" / "results.json", tmp_path / "1" / "results.json"])
    assert [trial["rates"]["batch 4096"]["events_per_second"] for trial in together["trials"]] == [
        8.0,
        1.0,
        5.0,
    ]


def test_runs_of_different_seeds_are_not_reported_as_one(tmp_path: Path) -> None:
    for seed in (1, 2):
        save({**_saved([]), "seed": seed}, tmp_path / str(seed), plot=False)
    with pytest.raises(MeaningProblem, match="different seeds"):
        merged([tmp_path / "1" / "results.json", tmp_path / "2" / "results.json"])


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, "-"),
        (0, "0"),
        (0.1234, "0.123"),
        (12.34, "12.3"),
        (99.96, "100"),
        (1234.5, "1,230"),
        (1_005_000, "1,000,000"),
    ],
)
def test_three_digits_count(number: float | None, text: str) -> None:
    assert rounded(number) == text


def _cells(trials: list[dict[str, Any]]) -> dict[str, str]:
    table = tables_of(_saved(trials))[0]
    return dict(zip(table.header, table.rows[0], strict=True))


def _saved(
    trials: list[dict[str, Any]], spark: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    return {"machine": MACHINE, "seed": 1, "trials": trials, "spark": spark or []}


def _request(
    name: Name, shape: Shape | None, subscriptions: int, attributes: int
) -> dict[str, Any]:
    return {
        "contender": name.value,
        "shape": shape.value if shape else None,
        "subscriptions": subscriptions,
        "attributes": attributes,
    }


def _trial(
    name: Name,
    shape: Shape | None,
    subscriptions: int,
    attributes: int,
    speed: float,
    *,
    part: float = 1.0,
) -> dict[str, Any]:
    """A result with as many matches as events, at a given speed."""
    rate = {"events": 100, "matches": 100, "seconds": 1.0, "clock_seconds": 1.0, "part": part}
    speeds = {"events_per_second": speed, "matches_per_second": speed}
    return {
        "trial": _request(name, shape, subscriptions, attributes),
        "build_seconds": 1.0,
        "memory_bytes": 1000,
        "peak_bytes": 2000,
        "rates": {"batch 4096": {**rate, **speeds}},
        "compared": {"events": 1, "matches": 1, "digest": "same"},
        "evaluations_per_event": 1.0,
        "visits_per_event": 1.0,
    }
