"""Subscriptions that do not compile, told at least once per worker: again only where a micro-batch is tried again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyspark import TaskContext

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
    """What has been told already. A later micro-batch begins only when the earlier one is safe, hence the rule."""

    def __init__(self) -> None:
        self._told: dict[tuple[str | None, str, str], str | None] = {}

    def due(self, task: Task, index: Index) -> Iterator[Letter]:
        """A dead letter for each subscription of the index that does not compile and was not told before."""
        for subscription, problem in index.problems.values():
            key = (task.query, subscription.id, subscription.expression)
            if self._told.setdefault(key, task.batch) == task.batch:
                yield letter_of_subscription(problem, subscription.id, subscription.expression)


WORKER_REPORTS = Reports()
