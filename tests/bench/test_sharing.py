"""`tocsin bench sharing`: a quick run measures all three, and a row says what stood against what."""

from __future__ import annotations

import json
from pathlib import Path

from tocsin_benchmarks import app
from tocsin_benchmarks.sharing.command import table_of
from typer.testing import CliRunner


def test_a_quick_run_measures_all_four(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["sharing", "--quick", "--output", str(tmp_path)])
    assert done.exit_code == 0, done.output
    trials = json.loads((tmp_path / "results.json").read_text())["trials"]
    assert [each["trial"]["kind"] for each in trials] == ["later", "settled", "alike", "worker"]
    assert all(each["seconds"] > 0 < each["base_seconds"] for each in trials)
    assert trials[-1]["one_more_seconds"] > 0


def test_a_row_is_of_both_or_says_why_not() -> None:
    alike = {"kind": "alike", "size": 200}
    done, refused = table_of(
        [
            {"trial": alike, "seconds": 3.0, "base_seconds": 2.0},
            {"trial": alike, "refused": "ended by signal 9"},
        ]
    ).rows
    assert done == ("200 subscribers to one convoy", "one subscriber", "3", "2", "1.50")
    assert refused[1] == "ended by signal 9"
