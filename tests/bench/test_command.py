"""The command `tocsin bench selectors`: its options and its whole way from trials to saved
tables.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tocsin_benchmarks import app
from tocsin_benchmarks.selectors import schedule
from tocsin_benchmarks.selectors.contenders import Name
from tocsin_benchmarks.selectors.schedule import Options, Part
from tocsin_benchmarks.selectors.spark_schedule import MANY_COLUMNS, Way, spark_requests
from typer.testing import CliRunner

from tocsin.errors import MeaningProblem


def test_a_tiny_run_saves_figures_and_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "SCALE_CONTENDERS", (Name.TOCSIN, Name.COUNTING))
    monkeypatch.setattr(schedule, "BATCHES", (256, 1024))
    arguments = [
        "selectors",
        "--part",
        "scale",
        "--shape",
        "tree",
        "--sizes",
        "30",
        "--attributes",
        "10",
    ]
    done = CliRunner().invoke(
        app, [*arguments, "--seconds", "0.01", "--output", str(tmp_path)], catch_exceptions=False
    )
    assert done.exit_code == 0
    assert "Scale, AND/OR/NOT" in done.stdout
    assert "same matches" in done.stdout
    saved = json.loads((tmp_path / "results.json").read_text())
    assert len({trial["compared"]["digest"] for trial in saved["trials"]}) == 1
    assert [trial["trial"]["contender"] for trial in saved["trials"]] == ["tocsin", "counting"]


@pytest.mark.parametrize("sizes", ["many", "0", "10,-1", ""])
def test_sizes_that_are_no_numbers_are_refused(sizes: str, tmp_path: Path) -> None:
    with pytest.raises(MeaningProblem, match="--sizes"):
        CliRunner().invoke(
            app, ["selectors", "--sizes", sizes, "--output", str(tmp_path)], catch_exceptions=False
        )
    assert not any(tmp_path.iterdir())


def test_boolean_columns_are_measured_only_while_they_are_few() -> None:
    options = Options(parts=(Part.SPARK,), spark_sizes=(MANY_COLUMNS, 2 * MANY_COLUMNS))
    sizes = [
        request["subscriptions"]
        for _, request in spark_requests(options)
        if request["way"] == Way.BOOLEANS.value
    ]
    assert sizes == [MANY_COLUMNS]
