"""Subscriptions that cannot be served as they ask, told once per worker, and again where a batch is retried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from pyspark import TaskContext

from tocsin.catalog import Subscription
from tocsin.errors import Problem, UnsupportedProblem
from tocsin.events.content import Content
from tocsin.hosts.spark.index import Index
from tocsin.hosts.spark.rows import Letter, letter_of_subscription
from tocsin.hosts.spark.telling import IDS_ONLY, Kind, Telling

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
        self._told: dict[tuple[str | None, str, str, str], str | None] = {}

    def due(self, task: Task, index: Index, telling: Telling = IDS_ONLY) -> Iterator[Letter]:
        """A dead letter for each subscription that does not compile, or asks for more than the query tells."""
        for subscription, problem in chain(index.problems.values(), _asking_in_vain(index, telling)):
            key = (task.query, subscription.id, subscription.expression, problem.code)
            if self._told.setdefault(key, task.batch) == task.batch:
                yield letter_of_subscription(problem, subscription.id, subscription.expression)


def _asking_in_vain(index: Index, telling: Telling) -> Iterator[tuple[Subscription, Problem]]:
    """Subscriptions that ask for members in a query that has no column for them; they ring, and tell ids."""
    if telling.kind is not Kind.NONE:
        return
    for id, content in telling.contents(index.subscriptions).items():
        if content is not Content.IDS and id not in index.problems:
            problem = UnsupportedProblem(
                f"{id!r} asks for content {content.value!r}; nobody did when the query was made, so it tells ids only",
                code="ContentError",
                token="content",
                hint=f'start the query again, with content="{content.value}" where nobody may ask for it then',
            )
            yield next(each for each in index.subscriptions if each.id == id), problem


WORKER_REPORTS = Reports()
