"""The collector looks rarely while a finite run lasts, and is as it was afterwards, whatever
happened.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tocsin.hosts.garbage import RARELY, collect_rarely, rare_collection


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
