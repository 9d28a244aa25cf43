"""`tocsin bench logistics`: paced, and on Spark; small runs find every composite and draw their
figures.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tocsin_benchmarks import app
from tocsin_benchmarks.harness.process_memory import resident_of_tree
from tocsin_benchmarks.logistics.client import FatClient
from tocsin_benchmarks.logistics.paced import paced_table
from tocsin_benchmarks.logistics.paced_trial import _figures
from tocsin_benchmarks.logistics.workload import LogisticsWorkload, Position, Scenario
from typer.testing import CliRunner

from tocsin.hub.hub import Hub

SMALL = ["--vehicles", "10", "--events", "80", "--scenario", "leaves"]
PACED = ["--paced", "--rate", "200", "--grace", "3"]


def bench(tmp_path: Path, *arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(
        app, ["logistics", *arguments, "--output", str(tmp_path)], catch_exceptions=False
    )
    assert done.exit_code == 0
    saved: dict[str, Any] = json.loads((tmp_path / "results.json").read_text())
    runs = [run for part in ("trials", "on_spark", "paced") for run in saved.get(part, ())]
    assert [run["refused"] for run in runs if "refused" in run] == []
    return saved


def test_a_paced_run_follows_composites_messages_and_memory_over_time(tmp_path: Path) -> None:
    local, client = bench(tmp_path, *SMALL, *PACED, "--on", "local", "--on", "client")["paced"]
    for figures in (local, client):
        assert figures["found"] == figures["composites"] == 40
        assert figures["sending_seconds"] >= 80 / 200 - 0.01
        for curve in figures["over_time"].values():
            assert [at for at, _ in curve] == sorted(at for at, _ in curve)
        assert figures["server_peak"] > 0
        assert figures["client_peak"] > 0
    assert local["messages"] == 80 + 40  # events come in, composites go out
    assert client["messages"] == 80 + 80  # events come in and are forwarded
    assert "Logistics, paced" in (tmp_path / "report.md").read_text()
    assert (tmp_path / "over-time.png").exists() == (find_spec("matplotlib") is not None)


@pytest.mark.spark
def test_a_paced_run_on_spark_finds_every_composite(tmp_path: Path) -> None:
    [figures] = bench(tmp_path, *SMALL, *PACED, "--grace", "300", "--on", "spark")["paced"]
    assert figures["found"] == 40
    assert figures["messages"] > 80 + 40  # and the rows that tasks send to shards
    assert figures["server_peak"] > 3 * figures["client_peak"]  # Java and the workers are counted


@pytest.mark.spark
def test_the_experiment_runs_on_spark_too(tmp_path: Path) -> None:
    saved = bench(tmp_path, *SMALL, "--client-events", "20", "--spark")
    assert saved["trials"][0]["found"] == saved["on_spark"][0]["found"] == 40
    assert "Spark stream" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize("scenario", list(Scenario))
def test_the_subscriptions_as_a_file_has_them_find_what_the_fat_client_finds(
    scenario: Scenario,
) -> None:
    workload = LogisticsWorkload(scenario, 10, 80)
    positions = [Position.of_line(position.line()) for position in workload.positions()]
    assert positions == list(workload.positions())
    hub = Hub(lateness="0s")
    for subscription in workload.subscriptions():
        hub.subscribe(**subscription)
    lines = [position.line() for position in (*workload.warm_up(), *positions, workload.farewell())]
    client = FatClient(workload)
    assert len(hub.publish(*lines)) == sum(map(client.feed, positions)) == workload.composites


def test_figures_tell_what_was_there_when_sending_ended() -> None:
    def note(at: float, messages: int, composites: int, memory: int) -> dict[str, float]:
        return {"at": at, "messages": messages, "composites": composites, "memory": memory}

    server = [note(90, 0, 0, 5), note(101, 10, 0, 7), note(111, 30, 9, 6)]
    client = [note(90, 0, 0, 1), note(105, 4, 4, 2), note(112, 9, 9, 3)]
    found = _figures({"server": server, "client": client}, begun=100.0, sent=110.0)
    assert (found["found_while_sending"], found["found"]) == (4, 9)
    assert (found["messages_while_sending"], found["messages"]) == (10, 30)
    assert (found["server_peak"], found["client_peak"]) == (7, 3)
    assert found["over_time"]["messages"] == [(1.0, 10), (11.0, 30)]


def test_a_run_that_failed_says_why() -> None:
    table = paced_table(
        [{"trial": {"scenario": "leaves", "host": "spark"}, "refused": "failed: no Java"}]
    )
    assert table.rows[0][:3] == ("leaves", "spark", "failed: no Java")


def test_memory_of_a_tree_of_processes_is_not_less_than_ours() -> None:
    assert resident_of_tree() > 10 << 20
