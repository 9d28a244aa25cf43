"""Subscriptions that do not compile, told at least once per worker: again only where a micro-batch is tried again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyspark import TaskContext

from tocsin.errors import EventProblem
from tocsin.events.dead_letter import warning
from tocsin.events.event import Event
from tocsin.hosts.spark.index import Index
from tocsin.hosts.spark.rows import Letter, letter_of_subscription

_QUERY = "sql.streaming.queryId"
_BATCH = "streaming.sql.batchId"


@dataclass(frozen=True, slots=True)
class Task:
    """Which streaming query and micro-batch a task works for, both None in a batch query, and on which partition."""

    query: str | None
    batch: str | None
    partition: int

    @staticmethod
    def current() -> Task:
        """The task that runs now."""
        context = TaskContext.get()
        if context is None:
            return Task(None, None, 0)
        return Task(context.getLocalProperty(_QUERY), context.getLocalProperty(_BATCH), context.partitionId())


class Reports:
    """What has been told already. A later micro-batch begins only when the earlier one is safe, hence the rule.

    A subscription that is mended is forgotten, so that it is told again where it breaks again.
    """

    def __init__(self) -> None:
        self._told: dict[str | None, dict[str, tuple[str, str | None]]] = {}

    def due(self, task: Task, index: Index) -> Iterator[Letter]:
        """A dead letter for each subscription of the index that does not compile and was not told before."""
        told = self._told.setdefault(task.query, {})
        for mended in [id for id in told if id not in index.problems]:
            del told[mended]
        for id, (subscription, problem) in index.problems.items():
            what = f"{subscription.expression}\n{problem}"
            if told.get(id, ("", None))[0] != what:
                told[id] = (what, task.batch)
            if told[id][1] == task.batch:
                yield letter_of_subscription(problem, id, subscription.expression)


class OddEvents:
    """Warnings about events that a worker has told: each kind of warning about a name once for a query."""

    def __init__(self) -> None:
        self._told: dict[tuple[str | None, str, str], str | None] = {}

    def due(self, task: Task, here: set[tuple[str, str]], event: Event, problem: EventProblem) -> Iterator[Letter]:
        """A letter where it is the first of its kind in the task, and was not told in an earlier micro-batch."""
        kind = (problem.code, problem.token)
        if kind not in here and self._told.setdefault((task.query, *kind), task.batch) == task.batch:
            here.add(kind)
            plain = warning(event, problem)
            yield Letter(plain.code, plain.reason, problem.token or None, None, None, None, plain.input)


WORKER_ODD_EVENTS = OddEvents()
WORKER_REPORTS = Reports()
