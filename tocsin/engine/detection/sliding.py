"""Aggregate over a sliding window: evaluated at each instant at which an occurrence enters or
leaves, when all events of the instant are known.

A relation that only more can fulfil (COUNT >= 3, MAX > 8) is evaluated when something enters; what
leaves cannot fulfil it. Others are also evaluated when something leaves, by a timer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator

from tocsin.engine.detection.base import EMIT_COST, Operator, Pending, State, StepContext, Writer
from tocsin.engine.detection.key_window import KeyWindow, WindowMeasure, key_from, plain_key
from tocsin.plan.nodes.composites import Sliding
from tocsin.plan.nodes.expressions import Aggregate, Ring
from tocsin.plan.semantics.bounds import keeps_empty_keys
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Instant

_ASKING, _LEAVING = "asking", "leaving"

_MORE_FULFILS = {
    Aggregate.COUNT: (">", ">="),
    Aggregate.DISTINCT: (">", ">="),
    Aggregate.MAX: (">", ">="),
    Aggregate.MIN: ("<", "<="),
}
"""Relations that hold of more values if they hold of fewer."""


class SlidingOperator(Operator):
    """One window for each key; one line in which all counted occurrences leave."""

    __slots__ = (
        "_asks_leaving",
        "_check_due",
        "_emptied",
        "_expires",
        "_is_timed",
        "_line",
        "_measuring",
        "_more_fulfils",
        "_over",
        "_owners",
        "_remembers",
        "_sliding",
        "_touched",
        "_windows",
        "evaluated",
    )

    def __init__(self, part: Sliding, inner: list[Operator]) -> None:
        super().__init__(part, inner)
        self._sliding = part
        self._over = part.over
        self._measuring = WindowMeasure(part)
        self._more_fulfils = all(
            each.relation in _MORE_FULFILS.get(each.measure.aggregate, ())
            for each in part.conditions
        )
        self._asks_leaving = part.ring is not Ring.EVERY_TIME and not self._more_fulfils
        self._remembers = keeps_empty_keys(part)
        self._windows: dict[Hashable, KeyWindow] = {}
        self._line: deque[Occurrence] = deque()
        self._owners: deque[KeyWindow] = deque()
        self._touched: dict[KeyWindow, bool] = {}
        self._emptied: deque[tuple[Instant, KeyWindow]] = deque()
        self._check_due: Instant | None = None
        self._is_timed = False
        self._expires = False
        self.evaluated = 0

    has_buffer = True

    @property
    def buffered_count(self) -> int:
        """Number of counted occurrences and of remembered keys without any."""
        return len(self._line) + len(self._emptied)

    @property
    def is_empty(self) -> bool:
        """True if no key is known."""
        return not self._windows

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Count the occurrence for each of its keys."""
        self._leave_before(occurrence.end - self._over)
        for key in self._measuring.keys(occurrence):
            self._count(key, occurrence, step)
        if self._asks_leaving and not self._is_timed:
            self._set_timer(step)
        if not self._expires and (soonest := self.next_expiry()) is not None:
            step.schedule_expiry(self, soonest)

    def on_timer(self, token: object, step: StepContext) -> None:
        """Evaluate the touched windows, without what has left; the instant is complete."""
        now = step.now
        if token == _LEAVING:
            self._is_timed = False
        if self._asks_leaving:
            self._touch_leaving(now - self._over)
        self._leave_before(now - self._over + 1)
        touched, self._touched, self._check_due = self._touched, {}, None
        for window, was in touched.items():
            if self._holds(window) and (not was or self._sliding.ring is Ring.EVERY_TIME):
                self._emit_window(window, now, step)
            if not window:
                self._drop(window)
        if self._asks_leaving and not self._is_timed:
            self._set_timer(step)

    def forget_before(self, now: Instant) -> None:
        """Drop occurrences that have left, and keys that need not be remembered any longer."""
        if not self._asks_leaving and not self._touched:
            self._leave_before(now - self._over)
        emptied = self._emptied
        while emptied and emptied[0][0] < now:
            due, window = emptied.popleft()
            if not window and self._forgotten_at(window) == due:
                self._forget(window)

    def next_expiry(self) -> Instant | None:
        """Return when the first occurrence leaves or the first key can be dropped; None without
        any.
        """
        instants = [self._line[0].end + self._over] if self._line else []
        instants += [self._emptied[0][0]] if self._emptied else []
        self._expires = bool(instants)
        return min(instants, default=None)

    def pending(self) -> Iterator[Pending]:
        """Yield the counted occurrences, window by window."""
        for window in self._windows.values():
            for each in window:
                yield Pending(self.part, 0, each, each.end + self._over)

    def snapshot(self, writer: Writer) -> State:
        """Return the windows by key, their result before an instant that is not yet evaluated, and
        that instant.
        """
        windows = [
            {
                "key": plain_key(window.key),
                "last": window.last,
                "items": [writer.write(each) for each in window],
                "was": self._touched.get(window),
            }
            for window in {**dict.fromkeys(self._windows.values()), **self._touched}
        ]
        return {"windows": windows, "asked": self._check_due}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the windows and the instant to evaluate."""
        counted: list[tuple[Occurrence, KeyWindow]] = []
        for body in state["windows"]:
            window = self._window(key_from(body["key"]))
            counted += [(read(each), window) for each in body["items"]]
            window.last = body["last"]
            if body["was"] is not None:
                self._touched[window] = body["was"]
            elif not body["items"]:
                self._drop(window)
        for occurrence, window in sorted(counted, key=lambda each: each[0].end):
            self._add(window, occurrence)
        if state["asked"] is not None:
            self._check_due = state["asked"]
            step.schedule_timer(self, state["asked"], _ASKING)
        if self._asks_leaving:
            self._set_timer(step)
        if (soonest := self.next_expiry()) is not None:
            step.schedule_expiry(self, soonest)

    def _count(self, key: Hashable, occurrence: Occurrence, step: StepContext) -> None:
        window, now = self._windows.get(key), occurrence.end
        if window is None:
            window, was = self._window(key), False
        elif window in self._touched:
            was = self._touched[window]
        else:
            was = self._held_before(window, now)
        self._add(window, occurrence)
        if window in self._touched:
            return
        if not self._more_fulfils or (
            (not was or self._sliding.ring is Ring.EVERY_TIME) and self._holds(window)
        ):
            self._touched[window] = was
            if self._check_due is None:
                self._check_due = now
                step.schedule_timer(self, now, _ASKING)

    def _held_before(self, window: KeyWindow, now: Instant) -> bool:
        """True if the relation held just before now; a forgotten key counts as new."""
        if self._remembers and now > self._forgotten_at(window):
            return False
        return self._holds(window)

    def _holds(self, window: KeyWindow) -> bool:
        self.evaluated += 1
        return self._measuring.holds(window.value)

    def _emit_window(self, window: KeyWindow, now: Instant, step: StepContext) -> None:
        self.renew(step)
        self.spend(EMIT_COST + len(window))
        step.emit(self, self._measuring.whole(window, now))
        if self._sliding.ring is Ring.ONCE:
            window.consume(self._measuring.make_accumulator())

    def _window(self, key: Hashable) -> KeyWindow:
        window = self._windows[key] = KeyWindow(key, self._measuring.make_accumulator())
        return window

    def _add(self, window: KeyWindow, occurrence: Occurrence) -> None:
        window.add(occurrence, self._measuring.read)
        self._line.append(occurrence)
        self._owners.append(window)

    def _touch_leaving(self, end: Instant) -> None:
        """Touch the windows of occurrences that leave now, and record the result with them, as it
        was just before.
        """
        for occurrence, window in zip(self._line, self._owners, strict=True):
            if occurrence.end > end:
                break
            if window not in self._touched and window:
                self._touched[window] = self._holds(window)

    def _leave_before(self, end: Instant) -> None:
        """Remove the occurrences that ended before `end`."""
        line, owners, read = self._line, self._owners, self._measuring.read
        while line and line[0].end < end:
            line.popleft()
            window = owners.popleft()
            window.drop_oldest(read)
            if not window and window not in self._touched:
                self._drop(window)

    def _drop(self, window: KeyWindow) -> None:
        """Forget an empty window, unless it matters that it was there: then only after `keep`."""
        if not self._remembers:
            self._forget(window)
        elif self._sliding.keep is not None:
            self._emptied.append((self._forgotten_at(window), window))

    def _forget(self, window: KeyWindow) -> None:
        if self._windows.get(window.key) is window:
            del self._windows[window.key]

    def _forgotten_at(self, window: KeyWindow) -> Instant:
        keep = self._sliding.keep
        return window.last + self._over + keep if keep is not None else _NEVER

    def _set_timer(self, step: StepContext) -> None:
        if self._line:
            self._is_timed = True
            step.schedule_timer(self, self._line[0].end + self._over, _LEAVING)


# after every instant: without `keep` a key is remembered for ever
_NEVER: Instant = 2**63
