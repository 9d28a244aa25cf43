"""`tocsin bench geofences`: its workload is what it says, and a quick run compares the same
hits.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tocsin_benchmarks import app
from tocsin_benchmarks.geofences.command import table_of
from tocsin_benchmarks.geofences.workload import GeofenceWorkload
from typer.testing import CliRunner

from tocsin.catalog.compiling import compile_subscription
from tocsin.catalog.entries import Subscription
from tocsin.plan.nodes.atoms import Condition
from tocsin.values.space import parse_place

WORKLOAD = GeofenceWorkload(regions=40, positions=10, seed=7)


def test_a_quick_run_saves_figures_and_a_table(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["geofences", "--quick", "--output", str(tmp_path)], catch_exceptions=False
    )
    assert done.exit_code == 0
    assert "Both find the same hits." in done.stdout
    trials = json.loads((tmp_path / "results.json").read_text())["trials"]
    assert [trial["trial"]["regions"] for trial in trials] == [50, 200]
    assert all(trial["same_hits"] and trial["hits"] > 0 for trial in trials)
    assert (tmp_path / "report.md").exists()


def test_the_regions_are_valid_and_cover_the_map_twice() -> None:
    regions = [parse_place(text) for text in GeofenceWorkload(300, 1, 3).texts()]
    assert sum(region.area for region in regions) == pytest.approx(2_000_000, rel=0.1)


def test_the_plans_are_what_opsl_makes_of_the_regions_and_are_atoms() -> None:
    text = next(WORKLOAD.texts())
    opsl = compile_subscription(Subscription("s", "opsl", f'@({text})(STRING: kind = "ship")'))
    plan = WORKLOAD.plans()["fence 0"]
    assert isinstance(plan.pattern, Condition)
    assert plan_shape(opsl.pattern) == plan_shape(plan.pattern)


def plan_shape(pattern: object) -> object:
    """The condition with its region read, because texts of one region differ in zeros."""
    assert isinstance(pattern, Condition)
    first, place = pattern.expression.operands  # type: ignore[union-attr]
    return first, place.relation, parse_place(place.region), place.distance  # type: ignore[union-attr]


def test_the_same_seed_gives_the_same_events() -> None:
    again = GeofenceWorkload(regions=40, positions=10, seed=7)
    assert again.lines() == WORKLOAD.lines()
    assert list(again.texts()) == list(WORKLOAD.texts())


def test_a_difference_is_shouted() -> None:
    trial = {"regions": 9, "positions": 4, "seed": 1}
    seconds = dict.fromkeys(
        ("bare_seconds", "seconds", "json_seconds", "single_seconds", "build_seconds"), 2.0
    )
    table = table_of([{"trial": trial, **seconds, "singles": 4, "hits": 8, "same_hits": False}])
    assert "DIFFERENT hits with [9] regions." in table.notes[0]
    assert table.rows[0][:5] == ("9", "2", "2", "2", "1.00")
