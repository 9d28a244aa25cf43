"""Rare garbage collection: subscriptions and waiting events stay, so that walking through them over
and over is waste.

Whatever happens to an event is freed when the last who refers to it is done. Python's collector of
cycles looks for more, and by default so often that a third of the time goes into it. Here it sets
apart what is there already, and has a look at the rest only when a hundred thousand more objects
live than at its last look.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

RARELY = (100_000, 20, 100)
"""How many objects more, and how many looks at the young before one at the older."""

TASKS_UNSEEN = 100
"""Cycles that died in so many tasks of a worker may wait for a look."""


def collect_rarely() -> None:
    """From now on, in a process that does nothing else; asked again it does nothing.

    What is there is set apart once only: cycles that came later must stay within the collector's
    reach.
    """
    if gc.get_threshold() != RARELY:
        gc.freeze()
        gc.set_threshold(*RARELY)


_tasks = count(1)


def end_task() -> None:
    """At the end of a task of a Spark worker, which then has the collector look at all its memory,
    a tenth of a second each time: what lives is out of its sight, but for once in many tasks.
    """
    if next(_tasks) % TASKS_UNSEEN:
        gc.freeze()
    else:
        gc.unfreeze()


@contextmanager
def a_task() -> Iterator[None]:
    """While a task of a Spark worker lasts."""
    collect_rarely()
    try:
        yield
    finally:
        end_task()


@contextmanager
def rare_collection() -> Iterator[None]:
    """While a finite run lasts; afterwards the collector is as it was.

    Nothing is set apart: what is released again counts as old, and cycles that died meanwhile would
    wait for a look at the old ones that nothing brings about, run after run.
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
