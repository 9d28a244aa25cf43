"""Tuning of the garbage collector: subscriptions and buffered events live long and hold no garbage.

The data of an event is freed by reference counting. Python's cycle collector searches for more, by
default so frequently that it takes a third of the time. Here the existing objects are frozen, and a
collection runs only after 100,000 more objects are alive than at the last one.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

RARELY = (100_000, 20, 100)
"""Thresholds for `gc.set_threshold`: new objects, then young collections per older one."""

TASKS_UNSEEN = 100
"""The number of worker tasks after which cycles of finished tasks are collected."""


def collect_rarely() -> None:
    """Tune the collector for the rest of the process. A second call does nothing.

    Existing objects are frozen only once: cycles made later must stay within reach of the
    collector.
    """
    if gc.get_threshold() != RARELY:
        gc.freeze()
        gc.set_threshold(*RARELY)


def freeze_living() -> None:
    """Freeze what is alive now, such as many new subscriptions; first collect what is not.

    What was frozen before may have died meanwhile, so that it is unfrozen for that.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


_tasks = count(1)


def end_task() -> None:
    """Freeze all objects at the end of a Spark task; unfreeze them once in `TASKS_UNSEEN` tasks.

    Spark collects all memory after each task, a tenth of a second each time; frozen objects are
    skipped.
    """
    if next(_tasks) % TASKS_UNSEEN:
        gc.freeze()
    else:
        gc.unfreeze()


@contextmanager
def a_task() -> Iterator[None]:
    """Keep the collector tuned while a task of a Spark worker runs."""
    collect_rarely()
    try:
        yield
    finally:
        end_task()


@contextmanager
def rare_collection() -> Iterator[None]:
    """Keep the collector tuned during a finite run; restore its thresholds afterwards.

    Nothing is frozen: unfrozen objects count as old, so that cycles that died meanwhile would wait,
    run after run, for a collection of the old generation that nothing triggers.
    """
    threshold = gc.get_threshold()
    if threshold == RARELY:
        yield
        return
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
