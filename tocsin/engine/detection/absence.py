"""Absence in a fixed window, after a part, between two parts. Evidence against it is recorded on
arrival.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from tocsin.engine.detection.base import (
    CHECKS_PER_UNIT,
    COMBINE_COST,
    EMIT_COST,
    Operator,
    Pending,
    State,
    StepContext,
    Writer,
)
from tocsin.engine.detection.buffer import BufferEntry, ExpiringBuffer
from tocsin.engine.detection.partition_keys import input_keys, key_at
from tocsin.engine.detection.queue import ExpiringQueue
from tocsin.engine.detection.scope import Scopes
from tocsin.plan.bindings import NOTHING_BOUND
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BetweenWindow,
    FixedWindow,
    Gathered,
    NamedCondition,
    Policy,
    Related,
)
from tocsin.plan.semantics.condition_evaluation import compare, concerns, fulfils, key_of
from tocsin.plan.semantics.occurrence import Occurrence, combine
from tocsin.values.time import Instant


class FixedAbsenceOperator(Operator):
    """Absence in a fixed window: emits at the end of the window unless the absent part occurred
    inside, and never again.
    """

    __slots__ = ("_settled", "_window")

    def __init__(self, part: Absence, window: FixedWindow, inner: list[Operator]) -> None:
        super().__init__(part, inner)
        self._window = window
        self._settled = False

    @property
    def is_empty(self) -> bool:
        """True while the window is not settled: neither broken nor over."""
        return not self._settled

    def on_added(self, step: StepContext) -> None:
        """Set the timer for the end of the window."""
        step.schedule_timer(self, self._window.start + self._window.length, None)

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Settle the window if the occurrence lies inside."""
        end = self._window.start + self._window.length
        self._settled |= occurrence.start > self._window.start and occurrence.end <= end

    def on_timer(self, token: object, step: StepContext) -> None:
        """Emit the absence if the window stayed empty."""
        if not self._settled:
            start, end = self._window.start, self._window.start + self._window.length
            step.emit(self, Occurrence((), start, end, absences=((start, end),)))
        self._settled = True

    def snapshot(self, writer: Writer) -> State:
        """Return the flag that the window was broken or is over."""
        return {"settled": self._settled}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the flag; the timer is set by `on_added`."""
        self._settled = bool(state["settled"])


class AfterAbsenceOperator(Operator):
    """Absence after a part: buffers each occurrence of the first part until its deadline, unless
    the absent part ends its wait.

    All wait equally long, so that deadlines come in the order of arrival: one timer for the soonest
    is enough.
    """

    __slots__ = (
        "_absence",
        "_absent_key",
        "_first_key",
        "_length",
        "_names",
        "_own_key",
        "_rest",
        "_scopes",
        "_timed",
        "_waiting",
    )

    def __init__(
        self, part: Absence, window: AfterWindow, inner: list[Operator], scopes: Scopes
    ) -> None:
        super().__init__(part, inner)
        self._absence = part
        self._length = window.length
        self._scopes = scopes
        self._names = scopes.names_in(part) if part.policy is Policy.DEFERRED else ()
        self._waiting = ExpiringQueue(None)
        self._timed = False
        (self._absent_key, self._first_key), self._rest = input_keys(
            (part.part, window.part), part.conditions, part.by
        )
        self._own_key = key_at(part.by)

    has_buffer = True

    @property
    def buffered_count(self) -> int:
        """Number of occurrences that wait for their deadlines."""
        return self._waiting.living

    @property
    def is_empty(self) -> bool:
        """True if nothing is buffered."""
        return not len(self._waiting)

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Take the absent part at slot 0, the part that the window follows at slot 1."""
        if slot == 1:
            self._await(occurrence, step)
            return
        key = self._absent_key(occurrence)
        if key is not None and occurrence.rows:
            waiting = self._waiting.waiting(key)
            for first in [each for each in waiting if self._is_ended(each, occurrence)]:
                self._waiting.remove(first, key)

    def on_timer(self, token: object, step: StepContext) -> None:
        """Emit the absences whose deadline has come. The occurrence that the timer was set for may
        be gone.
        """
        self._timed = False
        waiting = self._waiting
        while (end := waiting.first_end) is not None and end + self._length <= step.now:
            first = waiting.pop()
            if first is not None and not (self._names and self._scopes.is_used(first, self._names)):
                self._emit_absence(first, step)
        waiting.drop_tombstones()
        self._set_timer(step)

    def pending(self) -> Iterable[Pending]:
        """Yield the occurrences that wait for their deadline."""
        for occurrence in self._waiting:
            if not (self._names and self._scopes.is_used(occurrence, self._names)):
                yield Pending(self.part, 1, occurrence, occurrence.end + self._length)

    def snapshot(self, writer: Writer) -> State:
        """Return the occurrences that wait."""
        return {"waiting": [writer.write(each) for each in self._waiting]}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the occurrences that waited."""
        for each in state["waiting"]:
            self._await(read(each), step)

    def _await(self, occurrence: Occurrence, step: StepContext) -> None:
        """Buffer an occurrence until its deadline. Without the attributes of its conditions its key
        is None, and nothing can end its wait.
        """
        key = self._first_key(occurrence)
        if not occurrence.rows or self._own_key(occurrence) is None:
            return  # it binds no value that could be missing, or has no key
        self._waiting.add(occurrence, key)
        if not self._timed:
            self._set_timer(step)

    def _set_timer(self, step: StepContext) -> None:
        end = self._waiting.first_end
        if end is not None:
            self._timed = True
            step.schedule_timer(self, end + self._length, None)

    def _is_ended(self, first: Occurrence, absent: Occurrence) -> bool:
        if first.end >= absent.start or absent.end > first.end + self._length:
            return False
        return concerns(self._rest, absent, first)

    def _emit_absence(self, first: Occurrence, step: StepContext) -> None:
        step.emit(self, first.with_absence(first.end, first.end + self._length))


class BetweenAbsenceOperator(Operator):
    """Absence between two parts: pairs a first with a last part if the absent part did not occur in
    between.

    An equality between attributes of the parts partitions them. For each first the least end of an
    absent part after it is all that matters, unless conditions are left that need the whole.
    """

    __slots__ = (
        "_absence",
        "_absent",
        "_expires",
        "_firsts",
        "_is_keyed",
        "_keys",
        "_names",
        "_on_absent",
        "_on_bounds",
        "_scopes",
        "_settles",
    )

    def __init__(
        self, part: Absence | Gathered, window: BetweenWindow, inner: list[Operator], scopes: Scopes
    ) -> None:
        super().__init__(part, inner)
        self._absence = part
        self._scopes = scopes
        deferred = part.policy is Policy.DEFERRED
        self._names = scopes.names_in(part) if deferred else ()
        self._settles = scopes.names_settled_at(part) if deferred else ()
        self._firsts = ExpiringBuffer(part.keep)
        self._absent = ExpiringBuffer(part.keep)
        self._expires = False
        on_bounds = part.conditions_on_bounds
        on_absent = (
            part.conditions_on_absent if isinstance(part, Absence) else part.conditions_on_each
        )
        keys, rest = input_keys((window.first, window.last), on_bounds)
        alike = (*on_bounds, *_that_extend(on_absent, on_bounds))
        parts = (part.part, window.first, window.last)
        self._keys, rest_of_alike = input_keys(parts, alike, part.by)
        self._is_keyed = bool(part.by) or len(rest_of_alike) < len(alike)
        if self._is_keyed:
            self._on_bounds = tuple(each for each in rest_of_alike if each in on_bounds)
            self._on_absent = tuple(
                each for each in on_absent if each not in alike or each in rest_of_alike
            )
        else:
            self._keys = (self._keys[0], *keys)
            self._on_bounds, self._on_absent = rest, on_absent

    has_buffer = True

    @property
    def buffered_count(self) -> int:
        """Number of firsts and absent parts that are kept, consumed ones included until they are
        dropped.
        """
        return len(self._firsts) + len(self._absent)

    @property
    def is_empty(self) -> bool:
        """True if nothing is buffered."""
        return self._firsts.is_empty and self._absent.is_empty

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Take the absent part at slot 0, the first at slot 1, the last at slot 2."""
        self.forget_before(step.now)
        key = self._keys[slot](occurrence)
        if key is None:
            return  # without the attributes of its key it concerns nothing
        if slot == 0:
            self._note(occurrence, key)
        elif slot == 1:
            self._firsts.add(occurrence, key)
        if slot < 2:
            self._expire(step)
        elif not self._is_used(occurrence):
            self._close(occurrence, key, step)

    def forget_before(self, now: Instant) -> None:
        """Drop entries that are too old to be completed."""
        self._firsts.forget_before(now)
        self._absent.forget_before(now)

    def next_expiry(self) -> Instant | None:
        """Return when the oldest entry expires; None if nothing does."""
        ends = [
            each.oldest_end for each in (self._firsts, self._absent) if each.oldest_end is not None
        ]
        self._expires = bool(ends) and self._absence.keep is not None
        return min(ends) + (self._absence.keep or 0) if self._expires else None

    def pending(self) -> Iterable[Pending]:
        """Yield the firsts that a last can still close."""
        keep = self._absence.keep
        for entry in self._firsts.entries():
            if entry.first_absent_end is None and not self._is_used(entry.occurrence):
                yield Pending(
                    self.part,
                    1,
                    entry.occurrence,
                    None if keep is None else entry.occurrence.end + keep,
                )

    def snapshot(self, writer: Writer) -> State:
        """Return the firsts with the evidence against them, and the absent parts that are still to
        be checked.
        """
        return {
            "firsts": [
                [writer.write(each.occurrence), each.first_absent_end]
                for each in self._firsts.entries()
            ],
            "absent": [writer.write(each.occurrence) for each in self._absent.entries()],
        }

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the firsts and the absent parts."""
        for written, silenced in state["firsts"]:
            occurrence = read(written)
            self._firsts.add(occurrence, self._keys[1](occurrence)).first_absent_end = silenced
        for written in state["absent"]:
            occurrence = read(written)
            self._absent.add(occurrence, self._keys[0](occurrence))
        self._expire(step)

    def _expire(self, step: StepContext) -> None:
        if not self._expires and (soonest := self.next_expiry()) is not None:
            step.schedule_expiry(self, soonest)

    def _note(self, absent: Occurrence, key: Hashable) -> None:
        """Record an absent part. They come in the order of their ends: the first one that follows a
        first part has the least end.
        """
        if self._on_absent or absent.rows is not NOTHING_BOUND:
            self._absent.add(absent, key)
            return
        keys = (key,) if self._is_keyed else self._firsts.keys()
        for each in keys:
            for entry in self._firsts.newest_first(each):
                if entry.first_absent_end is not None:
                    break  # so are all that ended before it
                if entry.occurrence.end < absent.start:
                    entry.first_absent_end = absent.end

    def _close(self, last: Occurrence, key: Hashable, step: StepContext) -> None:
        self.renew(step)
        for entry in self._candidates(last, key):
            if not entry.alive or self._is_used(entry.occurrence) or self._is_used(last):
                continue
            whole = self._whole(entry, last, key)
            if whole is not None:
                self.spend(EMIT_COST + len(whole.rows))
                step.emit(self, whole)
                if self._use_up(entry, last, whole):
                    return

    def _candidates(self, last: Occurrence, key: Hashable) -> Iterable[BufferEntry]:
        """Return the firsts to try, oldest first, without those whose absence was broken before the
        last part started; under RECENT only the most recent that agrees.
        """
        if self._absence.policy is Policy.RECENT:
            agreeing = (
                each
                for each in self._firsts.newest_first(key)
                if self._agree(each.occurrence, last)
            )
            return [each for each in (next(agreeing, None),) if each is not None]
        unbroken: list[BufferEntry] = []
        for entry in self._firsts.newest_first(key):
            if entry.first_absent_end is not None and entry.first_absent_end < last.start:
                break  # so is the silence of all that ended before it
            unbroken.append(entry)
        return reversed(unbroken)

    def _whole(self, entry: BufferEntry, last: Occurrence, key: Hashable) -> Occurrence | None:
        first, keep = entry.occurrence, self._absence.keep
        if first.end >= last.start or (keep is not None and last.end - first.end > keep):
            return None
        if entry.first_absent_end is not None and entry.first_absent_end < last.start:
            return None
        whole = self._pair(first, last)
        return None if whole is None else self._evaluate(first, last, whole, key)

    def _evaluate(
        self, first: Occurrence, last: Occurrence, whole: Occurrence, key: Hashable
    ) -> Occurrence | None:
        """Return the match of two parts that bound a window, with the rows for which nothing came
        in between; None if no row is left.
        """
        left = whole.without(self._events_between(first, last, whole, key))
        return None if left is None else left.with_absence(first.end, last.start)

    def _agree(self, first: Occurrence, last: Occurrence) -> bool:
        self.spend(COMBINE_COST)
        whole = combine((first, last), self.spend)
        related = (each for each in self._on_bounds if isinstance(each, Related))
        return whole is not None and all(compare(each, whole.names) for each in related)

    def _pair(self, first: Occurrence, last: Occurrence) -> Occurrence | None:
        """Return both combined if they bound a window; None otherwise."""
        self.spend(COMBINE_COST)
        whole = combine((first, last), self.spend)
        if whole is None or not all(fulfils(each, whole) for each in self._on_bounds):
            return None
        return whole

    def _events_between(
        self, first: Occurrence, last: Occurrence, whole: Occurrence, key: Hashable
    ) -> list[Occurrence]:
        """Return the absent parts in between that concern the whole."""
        absent = self._absent.oldest_first(key) if self._is_keyed else self._absent.entries()
        self.spend(len(self._absent) // CHECKS_PER_UNIT)
        return [
            each.occurrence
            for each in absent
            if first.end < each.occurrence.start
            and each.occurrence.end < last.start
            and concerns(self._on_absent, each.occurrence, whole)
        ]

    def _is_used(self, occurrence: Occurrence) -> bool:
        return bool(self._names) and self._scopes.is_used(occurrence, self._names)

    def _clear(self, whole: Occurrence) -> None:
        """Consume all that is buffered; with a key, the firsts of that key."""
        by = self._absence.by
        if not by:
            self._firsts.clear()
            self._absent.clear()
            return
        mine = key_of(by, whole.members)
        for entry in self._firsts.entries():
            entry.alive = entry.alive and key_of(by, entry.occurrence.members) != mine

    def _use_up(self, entry: BufferEntry, last: Occurrence, whole: Occurrence) -> bool:
        """Consume what the policy demands; True if the last part is consumed too."""
        # single use, per operator: an occurrence that closed a window does not open another
        match self._absence.policy:
            case Policy.UNRESTRICTED | Policy.GLOBE | Policy.RECENT:
                return False
            case Policy.EXCLUSIVE:
                self._clear(whole)
                return True
            case Policy.DEFERRED if self._names:
                self._scopes.use_up(self._settles, whole)
                return False
            case Policy.CHRONICLE:
                self._firsts.consume_same(entry.occurrence)
                self._firsts.consume_same(last)
                return True
            case _:
                entry.alive = False
                return True


def _that_extend(
    on_absent: Sequence[NamedCondition], on_bounds: Sequence[NamedCondition]
) -> list[NamedCondition]:
    """Return the equalities of the absent part with an attribute in which the bounds of the window
    are equal themselves.
    """
    known = {side for each in _equalities(on_bounds) for side in (each.left, each.right)}
    return [each for each in _equalities(on_absent) if each.left in known or each.right in known]


def _equalities(conditions: Sequence[NamedCondition]) -> list[Related]:
    return [each for each in conditions if isinstance(each, Related) and each.relation == "="]
