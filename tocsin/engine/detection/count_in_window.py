"""Counts in a window after, between or before parts. Counted occurrences are kept once for all open
windows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from operator import attrgetter

from tocsin.engine.detection.absence import BetweenAbsenceOperator
from tocsin.engine.detection.base import (
    CHECKS_PER_UNIT,
    EMIT_COST,
    Operator,
    Pending,
    State,
    StepContext,
    Writer,
)
from tocsin.engine.detection.count_condition import CountCondition
from tocsin.engine.detection.partition_keys import input_keys
from tocsin.engine.detection.periodic_absence import BeforeAbsenceOperator
from tocsin.engine.detection.queue import ExpiringQueue
from tocsin.engine.detection.scope import Scopes
from tocsin.plan.bindings import Rows
from tocsin.plan.nodes.composites import AfterWindow, BeforeWindow, BetweenWindow, Gathered, Policy
from tocsin.plan.semantics.condition_evaluation import concerns
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Instant

_END = attrgetter("end")
# first parts that are gone before the first sweep: one pays off only over many
_MAX_TOMBSTONES = 64


class CountAfterOperator(Operator):
    """Count after a part: every occurrence of the first part waits until its window is over, then
    counts.

    All wait equally long, so that windows end in the order of arrival: one timer for the soonest is
    enough.
    """

    __slots__ = (
        "_condition",
        "_counted_queue",
        "_expires",
        "_firsts",
        "_keys",
        "_length",
        "_names",
        "_part",
        "_rest",
        "_scopes",
        "_timed",
    )

    def __init__(
        self, part: Gathered, window: AfterWindow, inner: list[Operator], scopes: Scopes
    ) -> None:
        super().__init__(part, inner)
        self._part = part
        self._length = window.length
        self._scopes = scopes
        self._names = scopes.names_in(part) if part.policy is Policy.DEFERRED else ()
        self._condition = CountCondition(part, self)
        self._keys, self._rest = input_keys(
            (part.part, window.part), part.conditions_on_each, part.by
        )
        self._counted_queue = ExpiringQueue(window.length)
        self._firsts = ExpiringQueue(None)
        self._timed = False
        self._expires = False

    has_buffer = True

    @property
    def buffered_count(self) -> int:
        """Number of open windows, and of occurrences kept to be counted."""
        return self._firsts.living + self._counted_queue.living

    @property
    def is_empty(self) -> bool:
        """True if no window is open; occurrences before the next first part count in none."""
        return not self._firsts.living

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Take the counted part at slot 0, the part that the window follows at slot 1."""
        self.renew(step)
        key = self._keys[slot](occurrence)
        self._counted_queue.forget_before(step.now)
        if key is None and (slot == 0 or self._part.by):
            return
        if slot == 1:
            self._await(occurrence, key, step)
        elif self._firsts.living:
            self._note(occurrence, key, step)

    def on_timer(self, token: object, step: StepContext) -> None:
        """Close the windows that are over. The part that the timer was set for may be gone."""
        self.renew(step)
        self._timed = False
        firsts = self._firsts
        while (end := firsts.first_end) is not None and end + self._length <= step.now:
            first = firsts.pop()
            if first is not None and not self._is_used(first):
                self._close(first, step)
        firsts.drop_tombstones()
        self._set_timer(step)

    def forget_before(self, now: Instant) -> None:
        """Drop occurrences that no open window can count; a window whose timer is due is still
        open.
        """
        end = self._firsts.first_end
        self._counted_queue.forget_before(now if end is None else min(now, end + self._length))

    def next_expiry(self) -> Instant | None:
        """Return when the first occurrence counts no longer; None if none is kept."""
        soonest = self._counted_queue.next_expiry()
        self._expires = soonest is not None
        return soonest

    def pending(self) -> Iterable[Pending]:
        """Yield the first parts of open windows, and the occurrences kept to be counted."""
        for first in self._firsts:
            if not self._is_used(first):
                yield Pending(self.part, 1, first, first.end + self._length)
        for each in self._counted_queue:
            yield Pending(self.part, 0, each, each.end + self._length)

    def snapshot(self, writer: Writer) -> State:
        """Return the first parts of open windows, and the occurrences kept to be counted."""
        return {
            "waiting": [writer.write(each) for each in self._waiting()],
            "came": [writer.write(each) for each in self._counted_queue],
        }

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the first parts and the occurrences to be counted."""
        for each in state["waiting"]:
            first = read(each)
            self._await(first, self._keys[1](first), step)
        for each in state["came"]:
            counted = read(each)
            self._counted_queue.add(counted, self._keys[0](counted))
        self._expire(step)

    def _waiting(self) -> Iterator[Occurrence]:
        return iter(self._firsts)

    def _await(self, first: Occurrence, key: Hashable, step: StepContext) -> None:
        if first.rows:
            self._firsts.add(first, key)
            if not self._timed:
                self._set_timer(step)

    def _note(self, counted: Occurrence, key: Hashable, step: StepContext) -> None:
        self._counted_queue.add(counted, key)
        self._expire(step)

    def _expire(self, step: StepContext) -> None:
        if not self._expires and (soonest := self.next_expiry()) is not None:
            step.schedule_expiry(self, soonest)

    def _set_timer(self, step: StepContext) -> None:
        end = self._firsts.first_end
        if end is not None:
            self._timed = True
            step.schedule_timer(self, end + self._length, None)

    def _close(self, first: Occurrence, step: StepContext) -> None:
        whole = self._condition.evaluate(first, self._counted(first))
        if whole is not None:
            end = max(whole.end, first.end + self._length)
            self._emit(
                Occurrence(
                    whole.members,
                    whole.start,
                    end,
                    whole.names,
                    whole.absences,
                    whole.rows,
                    whole.counted,
                ),
                step,
            )

    def _emit(self, whole: Occurrence, step: StepContext) -> None:
        asked = self._condition.check_whole(whole)
        if asked is not None:
            self.spend(EMIT_COST + len(asked.rows))
            step.emit(self, asked)

    def _counted(self, first: Occurrence) -> list[Occurrence]:
        """Return the occurrences in the window after a part that concern it."""
        came = self._candidates(first, self._keys[1](first))
        end = first.end + self._length
        return [
            each
            for each in came
            if each.start > first.end and each.end <= end and concerns(self._rest, each, first)
        ]

    def _candidates(self, first: Occurrence, key: Hashable) -> Sequence[Occurrence]:
        """Return the occurrences that ended after a part, found by binary search."""
        came = self._counted_queue.waiting(key) if key is not None else ()
        found = came[bisect_right(came, first.end, key=_END) :]
        self.spend(len(found) // CHECKS_PER_UNIT)
        return found

    def _is_used(self, occurrence: Occurrence) -> bool:
        return bool(self._names) and self._scopes.is_used(occurrence, self._names)


class CountReachedOperator(CountAfterOperator):
    """Count reached: as soon as enough came after an occurrence of the first part, emits them with
    it, once.

    The oldest first part has seen most: if it has not seen enough, no later one has.
    """

    __slots__ = ("_rows",)

    def __init__(
        self, part: Gathered, window: AfterWindow, inner: list[Operator], scopes: Scopes
    ) -> None:
        super().__init__(part, window, inner, scopes)
        self._firsts = ExpiringQueue(window.length)
        self._rows: dict[Occurrence, Rows] = {}
        """Rows that still wait, of first parts for which other rows were emitted."""

    def on_timer(self, token: object, step: StepContext) -> None:
        """Do nothing: the end of a window decides nothing."""

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Drop windows that are over, then count."""
        self._firsts.forget_before(step.now)
        super().receive(slot, occurrence, step)

    def forget_before(self, now: Instant) -> None:
        """Drop windows that are over, and occurrences that no open one can count."""
        super().forget_before(now)
        self._firsts.forget_before(now)

    def next_expiry(self) -> Instant | None:
        """Return when the first window is over or the first occurrence counts no longer; None
        without any.
        """
        instants = (self._counted_queue.next_expiry(), self._firsts.next_expiry())
        soonest = min((each for each in instants if each is not None), default=None)
        self._expires = soonest is not None
        return soonest

    def _waiting(self) -> Iterator[Occurrence]:
        rows = self._rows
        return (each.with_rows(rows[each]) if each in rows else each for each in self._firsts)

    def _set_timer(self, step: StepContext) -> None:
        self._expire(step)

    def _note(self, counted: Occurrence, key: Hashable, step: StepContext) -> None:
        super()._note(counted, key, step)
        least = self._condition.least
        for first in [*self._firsts.waiting(key)]:
            if len(self._candidates(first, key)) < least:
                break
            if not self._is_used(first):
                self._try(first, key, step)

    def _try(self, first: Occurrence, key: Hashable, step: StepContext) -> None:
        counted = self._counted(first)
        if len(counted) < self._condition.least:
            return
        if not self._condition.is_by_row:
            self._firsts.remove(first, key)
            self._emit(self._condition.combine(first, counted[: self._condition.least]), step)
            return
        self._emit_rows(first, counted, key, step)

    def _emit_rows(
        self, first: Occurrence, counted: Sequence[Occurrence], key: Hashable, step: StepContext
    ) -> None:
        """Emit the rows for which enough came; the others wait on."""
        least = self._condition.least
        rows = self._rows.get(first, first.rows)
        enough = {row: self._condition.for_row(row, counted)[:least] for row in rows}
        ringing = tuple(row for row in rows if len(enough[row]) == least)
        if not ringing:
            return
        members = {each for row in ringing for each in enough[row]}
        came = [each for each in counted if each in members]
        left = tuple(row for row in rows if row not in ringing)
        self._rows.pop(first, None)
        if left:
            self._rows[first] = left
            self._drop_forgotten()
        else:
            self._firsts.remove(first, key)
        self._emit(self._condition.combine(first.with_rows(ringing), came), step)

    def _drop_forgotten(self) -> None:
        if len(self._rows) > 2 * self._firsts.living + _MAX_TOMBSTONES:
            living = set(self._firsts)
            self._rows = {first: rows for first, rows in self._rows.items() if first in living}


class CountBetweenOperator(BetweenAbsenceOperator):
    """Count between parts: pairs a first with a last part if enough, but not too many, came in
    between.
    """

    __slots__ = ("_condition",)

    def __init__(
        self, part: Gathered, window: BetweenWindow, inner: list[Operator], scopes: Scopes
    ) -> None:
        super().__init__(part, window, inner, scopes)
        self._condition = CountCondition(part, self)

    def _note(self, absent: Occurrence, key: Hashable) -> None:
        self._absent.add(absent, key)

    def _evaluate(
        self, first: Occurrence, last: Occurrence, whole: Occurrence, key: Hashable
    ) -> Occurrence | None:
        came = self._events_between(first, last, whole, key)
        return self._condition.evaluate(whole, came, last.end, first.end)


class CountBeforeOperator(BeforeAbsenceOperator):
    """Count before a part: emits an occurrence of it if the required number came in the window
    before.
    """

    __slots__ = ("_condition",)

    def __init__(self, part: Gathered, window: BeforeWindow, inner: list[Operator]) -> None:
        super().__init__(part, window, inner)
        self._condition = CountCondition(part, self)

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Take the counted part at slot 0, the part that the window comes before at slot 1."""
        self.renew(step)
        super().receive(slot, occurrence, step)

    def _evaluate(self, occurrence: Occurrence, came: list[Occurrence]) -> Occurrence | None:
        whole = self._condition.evaluate(occurrence, came, occurrence.end)
        return self._condition.check_whole(whole)
