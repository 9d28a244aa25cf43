"""`tocsin bench endurance`: it looks as often as it says, finds what the local host finds, and its
state expires.
"""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest
from tocsin_benchmarks import app
from tocsin_benchmarks.endurance.command import largest_growth, quarters, table_of
from tocsin_benchmarks.endurance.run import Sample, samples
from tocsin_benchmarks.sequences.workload import SPACING, WINDOW, Density, SequenceWorkload
from typer.testing import CliRunner

from tocsin.runtime.finite_run import match_events, read_events

IN_A_WINDOW = WINDOW // SPACING + 1
"""Events that a window holds, both of its ends included."""


def test_a_sample_after_every_so_many_events_and_one_at_the_end() -> None:
    workload = SequenceWorkload(Density.DENSE, 2, 1_050, seed=1)
    assert [sample.events for sample in samples(workload, every=400, batch_size=150)] == [
        400,
        800,
        1_050,
    ]
    assert [sample.events for sample in samples(workload, every=525)] == [525, 1_050]


def test_the_run_finds_what_the_local_host_finds_until_its_last_event() -> None:
    workload = SequenceWorkload(Density.DENSE, 10, 30_000, seed=2)
    *_, last = samples(workload, every=10_000, batch_size=777)
    end = max(reading.at for reading in workload.readings())
    assert (
        last.matches
        == len(match_events(workload.plans(), read_events(workload.lines()), until=end))
        > 0
    )


def test_what_waits_is_never_more_than_the_beginnings_of_one_window() -> None:
    """Only an X of the last five seconds can still be followed by a Y in time."""
    workload = SequenceWorkload(Density.DENSE, 2, 3 * IN_A_WINDOW, seed=3)
    kinds = [reading.kind for reading in workload.readings()]
    for sample in samples(workload, every=IN_A_WINDOW // 2):
        window = kinds[max(0, sample.events - IN_A_WINDOW) : sample.events]
        most = sum(window.count(pattern.x) for pattern in workload.drawn_patterns())
        assert 0 < sample.pending <= most
    beginnings = sum(kinds.count(pattern.x) for pattern in workload.drawn_patterns())
    assert most < beginnings / 2, "state that never expired would exceed the limit"


def test_half_of_the_patterns_wait_for_an_absence() -> None:
    patterns = list(SequenceWorkload(Density.DENSE, 20, 1, seed=4).drawn_patterns())
    assert [pattern.absent for pattern in patterns].count(True) == 10
    assert {pattern.window for pattern in patterns} == {5_000_000}
    assert len(set(patterns)) == 20


def test_the_table_compares_the_first_quarter_with_the_last() -> None:
    mebi = [100, 110, 112, 111, 109, 113, 112, 105]
    taken = [Sample(10 * n, n, 1_000 + n, size * 2**20, 2.0) for n, size in enumerate(mebi, 1)]
    memory, waiting = table_of(taken, patterns=20).rows
    assert memory == ("resident memory", "105 MiB", "108 MiB", "+3.3 %", "13 MiB")
    assert waiting == ("occurrences that wait", "1,002", "1,008", "+0.6 %", "7")
    assert (
        "80 events of 1,000 keys, 20 patterns, 8 matches, 40 events/s"
        in table_of(taken, patterns=20).notes[0]
    )


@pytest.mark.parametrize(
    ("values", "growth"),
    [([5], 0), ([5, 4, 3], 0), ([5, 9, 2, 5], 4), ([5, 9, 2, 7, 1], 5), ([1, 2, 3], 2)],
)
def test_growth_is_from_any_time_to_any_later_one(values: list[int], growth: int) -> None:
    assert largest_growth(values) == growth


def test_quarters_of_few_values() -> None:
    assert quarters([7]) == (7, 7)
    assert quarters([1, 2, 3, 4, 5, 6, 7, 8]) == (1.5, 7.5)


def test_a_small_run_saves_samples_a_table_and_a_plot(tmp_path: Path) -> None:
    arguments = [
        "endurance",
        "--events",
        "900",
        "--every",
        "400",
        "--patterns",
        "4",
        "--output",
        str(tmp_path),
    ]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert "900 events of 1,000 keys, 4 patterns" in done.stdout
    saved = json.loads((tmp_path / "results.json").read_text())
    assert [sample["events"] for sample in saved["samples"]] == [400, 800, 900]
    assert all(sample["resident"] > 0 for sample in saved["samples"])
    assert (tmp_path / "report.md").read_text() in done.stdout
    assert (tmp_path / "memory.png").read_bytes().startswith(b"\x89PNG")


def test_events_are_drawn_and_not_held() -> None:
    endless = SequenceWorkload(Density.DENSE, 2, 10**12, seed=6)
    assert [sample.events for sample in islice(samples(endless, every=500), 2)] == [500, 1_000]
