"""Aggregate over hopping windows, one per period: evaluated at the end of each."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator

from tocsin.engine.detection.base import EMIT_COST, Operator, Pending, State, StepContext, Writer
from tocsin.engine.detection.key_window import KeyWindow, WindowMeasure
from tocsin.engine.detection.partition_keys import NO_PARTITION_KEY
from tocsin.plan.nodes.composites import MAX_EMPTY_WINDOWS, Sliding
from tocsin.plan.semantics.condition_evaluation import holds_of_nothing
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Duration, Instant


class HoppingAggregateOperator(Operator):
    """Hopping aggregate: emits at the end of every window for the keys of which the relation holds.

    A timer runs while an occurrence lies in a window, and always if the relation holds of an empty
    one.
    """

    __slots__ = (
        "_emits_empty_windows",
        "_every",
        "_first",
        "_line",
        "_measuring",
        "_next",
        "_over",
        "_owners",
        "_since",
        "_sliding",
        "_windows",
    )

    is_endless = True

    def __init__(self, part: Sliding, every: Duration, inner: list[Operator]) -> None:
        super().__init__(part, inner)
        self._sliding = part
        self._every = every
        self._over = part.over
        self._measuring = WindowMeasure(part)
        self._emits_empty_windows = not part.is_keyed and holds_of_nothing(part)
        self._windows: dict[Hashable, KeyWindow] = {}
        self._line: deque[Occurrence] = deque()
        self._owners: deque[KeyWindow] = deque()
        self._first: Instant | None = None
        """End of the first window that is evaluated."""
        self._next: Instant | None = None
        """Instant at which the timer is due."""
        self._since: Instant | None = None

    has_buffer = True

    @property
    def buffered_count(self) -> int:
        """Number of occurrences that it keeps."""
        return len(self._line)

    @property
    def is_empty(self) -> bool:
        """True if its clock has not started."""
        return self._first is None

    def on_clock_start(self, now: Instant, is_first: bool, step: StepContext) -> None:
        """Start with the first window that is not over, or, if the operator came later, with the
        next that starts.
        """
        first = now - self._over if is_first else now
        self._first = -(-first // self._every) * self._every + self._over
        if self._emits_empty_windows:
            self._set(self._first, step)

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Count the occurrence for the windows in which it ends."""
        assert self._first is not None
        end = max(self._first, self._end_at(occurrence.end))
        if occurrence.end <= end - self._over:
            return  # between two windows
        for key in self._measuring.keys(occurrence):
            window = self._windows.get(key)
            if window is None:
                window = self._windows[key] = KeyWindow(key, self._measuring.make_accumulator())
            self._add(window, occurrence)
        if self._next is None and self._line:
            self._set(end, step)

    def on_timer(self, token: object, step: StepContext) -> None:
        """Evaluate the window that is over."""
        end = self._next
        assert end is not None
        self._next = None
        self._leave_before(end - self._over + 1)
        if self._emits_empty_windows and not self._line:
            self._on_empty(end, step)
            return
        for window in self._windows.values():
            if self._measuring.holds(window.value):
                self.renew(step)
                self.spend(EMIT_COST + len(window))
                step.emit(self, self._measuring.whole(window, end))
        self._leave_before(end + self._every - self._over + 1)
        if self._line or self._emits_empty_windows:
            self._set(end + self._every, step)

    def pending(self) -> Iterator[Pending]:
        """Yield the counted occurrences."""
        for each in self._line:
            yield Pending(self.part, 0, each, each.end + self._over)

    def snapshot(self, writer: Writer) -> State:
        """Return the counted occurrences, the ends of the first and of the next window, and the
        start of a postponed empty one.
        """
        items = [writer.write(each) for each in dict.fromkeys(self._line)]
        return {"items": items, "first": self._first, "next": self._next, "since": self._since}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the counted occurrences and the ends of windows."""
        self._first, self._since = state["first"], state["since"]
        for each in state["items"]:
            occurrence = read(each)
            for key in self._measuring.keys(occurrence):
                window = self._windows.get(key)
                if window is None:
                    window = self._windows[key] = KeyWindow(key, self._measuring.make_accumulator())
                self._add(window, occurrence)
        if state["next"] is not None:
            self._set(state["next"], step)

    def _on_empty(self, end: Instant, step: StepContext) -> None:
        """Emit an empty window; if the clock skips many, postpone it and emit all as one."""
        start = end - self._over if self._since is None else self._since
        further = 0 if step.quiet_until is None else (step.quiet_until - end) // self._every
        if further >= MAX_EMPTY_WINDOWS:
            self._since = start
            self._set(end + further * self._every, step)
            return
        if self._since is None:
            step.emit(self, self._measuring.whole(KeyWindow(NO_PARTITION_KEY, None), end))
        else:
            self._since = None
            step.emit(self, Occurrence((), start, end, absences=((start, end),)))
        self._set(end + self._every, step)

    def _add(self, window: KeyWindow, occurrence: Occurrence) -> None:
        window.add(occurrence, self._measuring.read)
        self._line.append(occurrence)
        self._owners.append(window)

    def _leave_before(self, end: Instant) -> None:
        line, owners, read = self._line, self._owners, self._measuring.read
        while line and line[0].end < end:
            line.popleft()
            window = owners.popleft()
            window.drop_oldest(read)
            if not window:
                del self._windows[window.key]

    def _end_at(self, instant: Instant) -> Instant:
        """Return the end of the first window in which the instant may lie."""
        return -((self._over - instant) // self._every) * self._every + self._over

    def _set(self, due: Instant, step: StepContext) -> None:
        self._next = due
        step.schedule_timer(self, due, None)
