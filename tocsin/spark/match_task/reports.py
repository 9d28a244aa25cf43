"""Reports of subscriptions that cannot be served as requested: once per worker, and on a retry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyspark import TaskContext

from tocsin.catalog import Subscription
from tocsin.errors import EventProblem, Problem, UnsupportedProblem
from tocsin.events.dead_letter import warning
from tocsin.events.event import Event
from tocsin.events.matches.match import MemberContent
from tocsin.spark.output.letters import Letter, letter_of_subscription
from tocsin.spark.output.member_output import IDS_ONLY, MemberOutput, MembersColumn
from tocsin.spark.plans.plan_cache import MatchIndex

_QUERY = "sql.streaming.queryId"
_BATCH = "streaming.sql.batchId"
_KINDS_TOLD = 10_000


@dataclass(frozen=True, slots=True)
class Task:
    """Query and micro-batch of a task, both None in a batch query, and its partition."""

    query: str | None
    batch: str | None
    partition: int

    @staticmethod
    def current() -> Task:
        """Return the task that is running."""
        context = TaskContext.get()
        if context is None:
            return Task(None, None, 0)
        return Task(
            context.getLocalProperty(_QUERY),
            context.getLocalProperty(_BATCH),
            context.partitionId(),
        )


class Reports:
    """The problems reported already, with the micro-batch of the report.

    A report is repeated only within its micro-batch: a later one begins only when the earlier one
    is committed. A subscription that is fixed is forgotten, so that a later failure is reported
    again.
    """

    def __init__(self) -> None:
        self._told: dict[str | None, dict[str, tuple[str, str | None]]] = {}

    def due(
        self, task: Task, index: MatchIndex, telling: MemberOutput = IDS_ONLY
    ) -> Iterator[Letter]:
        """Yield a dead letter for each subscription that does not compile, or whose content has no
        column.
        """
        problems = dict(_asking_in_vain(index, telling)) | index.problems
        told = self._told.setdefault(task.query, {})
        for mended in [id for id in told if id not in problems]:
            del told[mended]
        for id, (subscription, problem) in problems.items():
            what = f"{subscription.expression}\n{problem}"
            if told.get(id, ("", None))[0] != what:
                told[id] = (what, task.batch)
            if told[id][1] == task.batch:
                yield letter_of_subscription(problem, id, subscription.expression)


def _asking_in_vain(
    index: MatchIndex, telling: MemberOutput
) -> Iterator[tuple[str, tuple[Subscription, Problem]]]:
    """Yield subscriptions that request members in a query without a column for them.

    They match all the same, with ids only.
    """
    if telling.kind is not MembersColumn.NONE or not telling.heeds:
        return
    for each in index.subscriptions:
        if each.content not in (None, MemberContent.IDS):
            id, content = each.id, MemberContent(each.content)
            problem = UnsupportedProblem(
                f"{id!r} asks for content {content.value!r}; nobody did when the query was made, so"
                " it tells ids only",
                code="ContentError",
                token="content",
                hint=(
                    f'start the query again, with content="{content.value}" where nobody may ask'
                    " for it then"
                ),
            )
            yield id, (each, problem)


class OddEvents:
    """The warnings about events that a worker has reported: each kind and name once per query."""

    def __init__(self) -> None:
        self._told: dict[tuple[str | None, str, str], str | None] = {}

    def due(
        self, task: Task, here: set[tuple[str, str]], event: Event, problem: EventProblem
    ) -> Iterator[Letter]:
        """Yield a warning if it is the first of its kind in the task and in the query."""
        kind = (problem.code, problem.token)
        if kind not in here and self._is_new(task, kind):
            here.add(kind)
            plain = warning(event, problem)
            yield Letter(
                plain.code, plain.reason, problem.token or None, None, None, None, plain.input
            )

    def _is_new(self, task: Task, kind: tuple[str, str]) -> bool:
        """True if no earlier micro-batch reported it; False beyond `_KINDS_TOLD` kinds."""
        key = (task.query, *kind)
        if key not in self._told and len(self._told) >= _KINDS_TOLD:
            return False
        return self._told.setdefault(key, task.batch) == task.batch


WORKER_ODD_EVENTS = OddEvents()
WORKER_REPORTS = Reports()
