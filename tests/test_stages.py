"""Stages of the test run: each test file belongs to one, and a failed one does not hide the next."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from tests.stages import STAGES, TESTS, main, run_stages, stage_of


def test_each_test_file_belongs_to_one_stage() -> None:
    stages = {stage_of(path.relative_to(TESTS)) for path in TESTS.rglob("test_*.py")}
    assert stages == set(STAGES)


@pytest.mark.parametrize(
    ("path", "stage"),
    [
        ("engine/test_work.py", "core"),
        ("service/core/test_up.py", "service"),
        ("service/spark/test_service.py", "spark"),
        ("connectors/kafka/test_spark.py", "spark"),
        ("connectors/kafka/test_intake.py", "service"),
        ("console/test_live.py", "browser"),
    ],
)
def test_the_longest_path_decides(path: str, stage: str) -> None:
    assert stage_of(PurePath(path)) == stage


def test_a_failed_stage_is_named_and_the_next_one_runs(capsys: pytest.CaptureFixture[str]) -> None:
    asked = []

    def run(stage: str, _options: object) -> int:
        asked.append(stage)
        return int(stage == "spark")

    assert run_stages(["core", "spark", "service"], [], run) == 1
    assert asked == ["core", "spark", "service"]
    summary = capsys.readouterr().out.partition("all stages")[2]
    assert "stage spark    FAILED" in summary
    assert "stage service  passed" in summary


def test_all_stages_passed_is_status_0() -> None:
    assert run_stages(["core"], [], lambda stage, options: 0) == 0


def test_an_unknown_stage_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cores"]) == 2
    assert "the stages are check, core, spark, service, browser" in capsys.readouterr().err
