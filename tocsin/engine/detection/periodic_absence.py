"""Absence in recurring windows, one after the other, and in the window before a part."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable

from tocsin.engine.detection.base import Operator, Pending, State, StepContext, Writer
from tocsin.engine.detection.partition_keys import input_keys
from tocsin.engine.detection.queue import ExpiringQueue
from tocsin.plan.nodes.composites import (
    MAX_EMPTY_WINDOWS,
    Absence,
    BeforeWindow,
    EveryWindow,
    Gathered,
    emits_by_timer,
)
from tocsin.plan.semantics.condition_evaluation import concerns, window_start
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Instant


class TumblingAbsenceOperator(Operator):
    """Tumbling absence: emits at the end of every window in which the absent part did not end."""

    __slots__ = ("_can_skip", "_latest", "_next", "_since", "_window")

    is_endless = True

    def __init__(self, part: Absence, window: EveryWindow, inner: list[Operator]) -> None:
        super().__init__(part, inner)
        self._window = window
        self._can_skip = not emits_by_timer(part.part)
        self._next: Instant | None = None
        self._latest: Instant | None = None
        self._since: Instant | None = None

    @property
    def is_empty(self) -> bool:
        """True if its clock has not started."""
        return self._next is None

    def on_clock_start(self, now: Instant, is_first: bool, step: StepContext) -> None:
        """Start with the window of the first instant, or at the origin; if the operator came later,
        with the next window that starts.
        """
        length, origin = self._window.length, self._window.origin
        if is_first:
            start = window_start(now, length) if origin is None else origin
        else:
            base = origin or 0
            start = max(base, base + -((base - now) // length) * length)
        self._set(start + length, step)

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Record the end of the absent part."""
        self._latest = occurrence.end

    def on_timer(self, token: object, step: StepContext) -> None:
        """Emit the window that is over, if the absent part did not end in it."""
        end = self._next
        assert end is not None
        start = end - self._window.length if self._since is None else self._since
        if self._latest is not None and self._latest > start:
            self._set(end + self._window.length, step)
        elif (leapt := self._last_quiet_end(end, step.quiet_until)) > end:
            # nothing can happen until then: all windows up to there are emitted as one at its end
            self._since = start
            self._set(leapt, step)
        else:
            self._since = None
            step.emit(self, Occurrence((), start, end, absences=((start, end),)))
            self._set(end + self._window.length, step)

    def snapshot(self, writer: Writer) -> State:
        """Return the end of the current window, and the last end of the absent part."""
        return {"next": self._next, "latest": self._latest}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load both."""
        self._latest = state["latest"]
        if state["next"] is not None:
            self._set(state["next"], step)

    def _last_quiet_end(self, end: Instant, quiet_until: Instant | None) -> Instant:
        """Return the end of the last of the empty windows that are emitted as one; `end` itself
        unless they are many.
        """
        further = 0 if quiet_until is None else (quiet_until - end) // self._window.length
        return (
            end + further * self._window.length
            if self._can_skip and further >= MAX_EMPTY_WINDOWS
            else end
        )

    def _set(self, due: Instant, step: StepContext) -> None:
        self._next = due
        step.schedule_timer(self, due, None)


class BeforeAbsenceOperator(Operator):
    """Absence before a part: emits an occurrence of it unless the absent part ended in the window
    before.
    """

    __slots__ = ("_absence", "_absent", "_expires", "_keys", "_length", "_rest", "_whole")

    def __init__(
        self, part: Absence | Gathered, window: BeforeWindow, inner: list[Operator]
    ) -> None:
        super().__init__(part, inner)
        self._absence = part
        self._length = window.length
        self._absent = ExpiringQueue(part.keep)
        self._expires = False
        self._whole = window.whole
        asked = part.conditions if isinstance(part, Absence) else part.conditions_on_each
        self._keys, self._rest = input_keys((part.part, window.part), asked, part.by)

    has_buffer = True

    @property
    def buffered_count(self) -> int:
        """Number of absent parts that are recorded."""
        return self._absent.living

    @property
    def is_empty(self) -> bool:
        """True if nothing is recorded."""
        return not self._absent.living

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Take the absent part at slot 0, the part that the window comes before at slot 1."""
        key = self._keys[slot](occurrence)
        self._absent.forget_before(step.now)
        if slot == 0:
            if key is not None:
                self._note(occurrence, step)
            return
        if key is None and self._absence.by:
            return
        absent, start = self._absent.waiting(key), occurrence.start - self._length
        opens = bisect_left(absent, start, key=lambda each: each.end)
        closes = bisect_left(absent, occurrence.start, key=lambda each: each.end)
        came = [
            each
            for each in absent[opens:closes]
            if (each.start >= start or not self._whole) and concerns(self._rest, each, occurrence)
        ]
        whole = self._evaluate(occurrence, came)
        if whole is not None:
            step.emit(self, whole)

    def forget_before(self, now: Instant) -> None:
        """Drop absent parts that are too old to matter."""
        self._absent.forget_before(now)

    def next_expiry(self) -> Instant | None:
        """Return when the oldest entry expires; None if nothing does."""
        soonest = self._absent.next_expiry()
        self._expires = soonest is not None
        return soonest

    def pending(self) -> Iterable[Pending]:
        """Yield the absent parts that break the absence before a later part."""
        keep = self._absence.keep
        for each in self._absent:
            yield Pending(self.part, 0, each, None if keep is None else each.end + keep)

    def snapshot(self, writer: Writer) -> State:
        """Return the absent parts that are recorded."""
        return {"absent": [writer.write(each) for each in self._absent]}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the absent parts."""
        for each in state["absent"]:
            self._note(read(each), step)

    def _evaluate(self, occurrence: Occurrence, events: list[Occurrence]) -> Occurrence | None:
        """Return the match, given all that came in the window; None if no row is left."""
        left = occurrence.without(events)
        start = occurrence.start - self._length
        return None if left is None else left.with_absence_before(start)

    def _note(self, absent: Occurrence, step: StepContext) -> None:
        self._absent.add(absent, self._keys[0](absent))
        if not self._expires and (soonest := self.next_expiry()) is not None:
            step.schedule_expiry(self, soonest)
