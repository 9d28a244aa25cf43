"""The collector looks rarely while a finite run lasts, and is as it was afterwards, whatever
happened.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tocsin.runtime.gc_tuning import (
    RARELY,
    TASKS_UNSEEN,
    a_task,
    collect_rarely,
    rare_collection,
)


@pytest.fixture(autouse=True)
def _usual_collector() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    gc.unfreeze()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


def test_it_is_as_it_was_after_a_run_that_failed() -> None:
    def run() -> None:
        with rare_collection():
            assert gc.get_threshold() == RARELY
            raise ValueError("failed")

    with pytest.raises(ValueError, match="failed"):
        run()
    assert gc.get_threshold() == (700, 10, 10)
    assert gc.get_freeze_count() == 0


def test_a_run_inside_a_run_leaves_the_outer_one_as_it_is() -> None:
    with rare_collection():
        with rare_collection():
            pass
        assert gc.get_threshold() == RARELY


def test_a_run_makes_nothing_old_that_was_young() -> None:
    """Else the cycles of one run after the other stay, since looks at the old are rare."""
    gc.collect()
    cycle: list[object] = []
    cycle.append(cycle)
    with rare_collection():
        del cycle
    assert gc.collect(1) >= 1


def test_cycles_that_come_later_are_still_found() -> None:
    collect_rarely()
    cycle: list[object] = []
    cycle.append(cycle)
    del cycle
    collect_rarely()
    assert gc.collect() >= 1


def test_what_lives_after_a_task_is_looked_at_once_in_many_tasks() -> None:
    """Cycles that died in between are found then, and only then."""
    found = []
    for _ in range(2 * TASKS_UNSEEN):
        with a_task():
            cycle: list[object] = []
            cycle.append(cycle)
            del cycle
        found.append(gc.collect())  # as Spark's worker does
    looks = [number for number, count in enumerate(found) if count]
    assert len(looks) == 2
    assert looks[1] - looks[0] == TASKS_UNSEEN
    assert found[looks[1]] >= TASKS_UNSEEN


def test_a_task_that_fails_ends_as_well() -> None:
    def run() -> None:
        with a_task():
            raise ValueError("failed")

    for _ in range(2):  # one of them may be the one in many
        with pytest.raises(ValueError, match="failed"):
            run()
        if gc.get_freeze_count():
            return
    pytest.fail("nothing was set apart")
