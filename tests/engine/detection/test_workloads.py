"""The benchmarks of composites measure what they say: every composite is found, and the baselines
find as many.
"""

from __future__ import annotations

import pytest
from tocsin_benchmarks.logistics.client import composites_of_client
from tocsin_benchmarks.logistics.trial import run as run_logistics
from tocsin_benchmarks.logistics.workload import LogisticsWorkload, Scenario
from tocsin_benchmarks.sequences.loop import as_tuples, matches_of_loop
from tocsin_benchmarks.sequences.workload import Density, SequenceWorkload

from tocsin.runtime.finite_run import match_events, read_events


@pytest.mark.parametrize("scenario", list(Scenario))
def test_all_composites_of_the_logistics_scenario_are_found_and_nothing_is_left(
    scenario: Scenario,
) -> None:
    figures = run_logistics(
        {"scenario": scenario.value, "vehicles": 10, "events": 80, "client_events": 80}
    )
    assert figures["found"] == figures["client_found"] == 80 // scenario.events_per_composite
    assert figures["left_waiting"] == 0


def test_the_fat_client_keeps_vehicles_apart() -> None:
    workload = LogisticsWorkload(Scenario.LEAVES, 3, 12)
    assert (
        composites_of_client(workload, [each for each in workload.positions() if each.vehicle != 2])
        == 4
    )


@pytest.mark.parametrize("density", list(Density))
@pytest.mark.parametrize("patterns", [1, 7, 40])
def test_sequences_are_found_as_by_the_bare_loop(density: Density, patterns: int) -> None:
    workload = SequenceWorkload(density, patterns, 3_000, seed=patterns)
    found = match_events(workload.plans(), read_events(workload.lines()))
    assert len(found) == matches_of_loop(workload.drawn_patterns(), as_tuples(workload.readings()))


def test_dense_patterns_repeat_and_unlike_ones_never_do() -> None:
    dense = SequenceWorkload(Density.DENSE, 1_000, 1, 0)
    unlike = SequenceWorkload(Density.UNLIKE, 1_000, 1, 0)
    assert len(set(dense.drawn_patterns())) == 180
    assert len(set(unlike.drawn_patterns())) == 1_000
    assert all(pattern.x != pattern.y for pattern in dense.drawn_patterns())


def test_an_event_concerns_about_two_sparse_patterns() -> None:
    sparse = SequenceWorkload(Density.SPARSE, 500, 1, 0)
    kinds = [kind for pattern in sparse.drawn_patterns() for kind in (pattern.x, pattern.y)]
    assert len(kinds) / sparse.kinds == 2
