"""A trial gives the same matches whoever runs it, and a refusal is a result. Nothing here looks at
how long it took.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from tocsin_benchmarks.harness.runner import run_module
from tocsin_benchmarks.harness.stopwatch import (
    Rate,
    rate_of_batches,
    rate_of_pieces,
    rate_of_singles,
)
from tocsin_benchmarks.selectors.contenders import Name
from tocsin_benchmarks.selectors.schedule import (
    ALIKE_CONTENDERS,
    LARGE,
    TABLE_5,
    TABLE_6,
    Options,
    Part,
    trials,
)
from tocsin_benchmarks.selectors.trial import Trial, run_trial
from tocsin_benchmarks.selectors.workloads import Shape

SHORT = 0.001


def test_every_contender_reports_the_same_matches() -> None:
    results = [run_trial(_trial(name)) for name in Name]
    assert len({result["compared"]["digest"] for result in results}) == 1
    assert all(result["compared"]["matches"] > 0 for result in results)


def test_the_engine_is_measured_in_batches_by_single_events_and_from_json() -> None:
    result = run_trial(_trial(Name.TOCSIN, batches=(16, 64), singles=True, from_json=True))
    assert list(result["rates"]) == ["batch 16", "batch 64", "single event", "JSON, batch 16"]
    per_event = {
        rate["matches"] / rate["events"]
        for name, rate in result["rates"].items()
        if rate["events"] % 64 == 0
    }
    assert len(per_event) <= 1, "whole rounds over the same events find the same matches"


def test_a_trial_survives_the_way_to_its_process() -> None:
    trial = _trial(Name.COUNTING)
    assert Trial.of_json(trial.as_json()) == trial
    answer = run_module("tocsin_benchmarks.selectors.run_trial", trial.as_json())
    assert answer["compared"] == run_trial(trial)["compared"]


def test_a_process_that_dies_leaves_a_reason() -> None:
    answer = run_module(
        "tocsin_benchmarks.selectors.run_trial", {**_trial(Name.NAIVE).as_json(), "shape": "round"}
    )
    assert "round" in answer["refused"]


def test_all_rows_of_the_papers_tables_are_scheduled() -> None:
    scheduled = {
        (trial.attributes, trial.subscriptions) for trial in trials(Options(parts=(Part.PAPER,)))
    }
    assert scheduled == set(TABLE_5 + TABLE_6)


def test_like_for_like_adds_two_contenders_to_every_row_and_repeats_none() -> None:
    alone = trials(Options(parts=(Part.ALIKE,)))
    assert {trial.contender for trial in alone} == set(ALIKE_CONTENDERS)
    both = trials(Options(parts=(Part.PAPER, Part.ALIKE)))
    assert (
        len(both)
        == len(set(both))
        == len(trials(Options(parts=(Part.PAPER,)))) + 2 * len(set(TABLE_5 + TABLE_6))
    )


def test_beyond_the_large_size_only_some_take_part() -> None:
    planned = trials(
        Options(
            parts=(Part.SCALE,), sizes=(LARGE, 10 * LARGE), attributes=(10,), shapes=(Shape.AND,)
        )
    )
    by_size = {
        size: {trial.contender for trial in planned if trial.subscriptions == size}
        for size in (LARGE, 10 * LARGE)
    }
    assert Name.NAIVE in by_size[LARGE]
    assert by_size[10 * LARGE] < by_size[LARGE]
    assert Name.TOCSIN in by_size[10 * LARGE]


def test_batches_are_cut_to_size_and_begin_again() -> None:
    seen: list[int] = []
    rate = rate_of_batches(_recording(seen), range(10), 4, seconds=1e9, most=20)
    assert seen == [4, 4, 4, 2, 4, 4, 2], "one batch to warm up, then round and round"
    assert (rate.events, rate.matches) == (20, 20)


def test_a_first_batch_that_uses_up_the_time_is_the_measurement() -> None:
    seen: list[int] = []
    rate = rate_of_batches(_recording(seen), range(10), 4, seconds=0.0)
    assert (seen, rate.events) == ([4], 4)


def test_pieces_grow_so_that_a_slow_matcher_is_stopped_in_time() -> None:
    seen: list[int] = []
    rate_of_pieces(_recording(seen), range(1000), seconds=1e9, most=100)
    assert seen == [1, 2, 4, 8, 16, 32, 64]


def test_singles_come_one_at_a_time() -> None:
    seen: list[int] = []
    rate_of_singles(_recording(seen), range(10), seconds=0.0)
    assert seen == [1]


def test_a_part_of_the_subscriptions_scales_events_but_not_matches() -> None:
    rate = Rate(events=1000, matches=50, seconds=2.0, clock_seconds=3.0, part=0.1)
    assert rate.events_per_second == pytest.approx(50)
    assert rate.matches_per_second == pytest.approx(25)


def _recording(seen: list[int]) -> Callable[[Sequence[int]], int]:
    def match(batch: Sequence[int]) -> int:
        seen.append(len(batch))
        return len(batch)

    return match


def _trial(
    name: Name, batches: tuple[int, ...] = (), *, singles: bool = False, from_json: bool = False
) -> Trial:
    return Trial(name, Shape.TREE, 60, 10, 7, SHORT, 64, batches, singles, from_json)
