"""Count condition of a window: all that came in it, against the required number and the conditions
on all of it, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence

from tocsin.engine.detection.base import CHECKS_PER_UNIT, Operator
from tocsin.plan.bindings import Row, Rows
from tocsin.plan.nodes.composites import Gathered, names_of, parts_of, variables_of
from tocsin.plan.nodes.expressions import Satisfies
from tocsin.plan.semantics.condition_evaluation import fulfils, satisfies
from tocsin.plan.semantics.occurrence import Occurrence, counted_members, rows_without
from tocsin.values.time import Instant


class CountCondition:
    """Conditions of one counted part, prepared once."""

    __slots__ = (
        "_limit",
        "_most",
        "_names",
        "_node",
        "_on_all",
        "_on_bounds",
        "is_by_row",
        "least",
    )

    def __init__(self, part: Gathered, node: Operator) -> None:
        self.least = part.least
        self._most = part.most
        self._limit = part.limit
        self._node = node
        self._names = sorted(names_of(part.part))
        asked = [each for each in part.conditions_on_all if isinstance(each, Satisfies)]
        self._on_all = [each.expression for each in asked]
        self._on_bounds = part.conditions_on_bounds
        around = frozenset[str]().union(*map(variables_of, parts_of(part)[1:]))
        self.is_by_row = not around.isdisjoint(variables_of(part.part))

    def evaluate(
        self,
        around: Occurrence,
        occurrences: Sequence[Occurrence],
        last: Instant | None = None,
        first: Instant | None = None,
    ) -> Occurrence | None:
        """Return the whole with the rows for which the conditions hold; None without any.

        `last` and `first` are the ends of the parts that close and open the window.
        """
        if not around.rows:
            return None
        if not self.is_by_row:
            is_enough = self._is_enough(around, occurrences, last, first)
            return self.combine(around, occurrences) if is_enough else None
        rows: list[Row] = []
        members: dict[Occurrence, None] = {}
        for row in around.rows:
            mine = self.for_row(row, occurrences)
            if self._is_enough(around, mine, last, first):
                rows.append(row)
                members |= dict.fromkeys(mine)
        if not rows:
            return None
        return self.combine(
            around.with_rows(tuple(rows)), [each for each in occurrences if each in members]
        )

    def for_row(self, row: Row, occurrences: Sequence[Occurrence]) -> list[Occurrence]:
        """Return the occurrences that agree with a row."""
        self._node.spend(len(occurrences))
        alone: Rows = (row,)
        return [each for each in occurrences if not rows_without(alone, (each.rows,))]

    def combine(self, around: Occurrence, occurrences: Sequence[Occurrence]) -> Occurrence:
        """Return all members combined; a name of the counted part stands for all occurrences of
        that name.
        """
        self._node.spend(len(occurrences) // CHECKS_PER_UNIT)
        names = dict(around.names)
        for name in self._names:
            named = [each.names[name] for each in occurrences if name in each.names]
            if named:
                names[name] = _group(named)
        whole = _group((around, *occurrences))
        return Occurrence(
            whole.members,
            whole.start,
            whole.end,
            names,
            around.absences,
            around.rows,
            whole.counted,
        )

    def check_whole(self, whole: Occurrence | None) -> Occurrence | None:
        """Return the whole if it meets the conditions on the parts around the window and on its
        duration; None otherwise.
        """
        if whole is None or not all(fulfils(each, whole) for each in self._on_bounds):
            return None
        return whole

    def _is_enough(
        self,
        around: Occurrence,
        occurrences: Sequence[Occurrence],
        last: Instant | None,
        first: Instant | None,
    ) -> bool:
        if len(occurrences) < self.least or (
            self._most is not None and len(occurrences) > self._most
        ):
            return False
        if self._limit is not None and last is not None:
            before = max([each.end for each in occurrences]) if occurrences else first
            if before is not None and last - before > self._limit:
                return False
        if not self._on_all:
            return True
        names = self.combine(around, occurrences).names
        return all(satisfies(each, names) for each in self._on_all)


def _group(occurrences: Sequence[Occurrence]) -> Occurrence:
    members = {member.identity: member for each in occurrences for member in each.members}
    return Occurrence(
        tuple(sorted(members.values(), key=lambda member: member.order)),
        min([each.start for each in occurrences]),
        max([each.end for each in occurrences]),
        counted=counted_members(occurrences),
    )
