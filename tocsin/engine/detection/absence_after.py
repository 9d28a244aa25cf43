"""Absence of an atom within a time after an atom, for all subscriptions that have it.

Deadlines come in the order of arrival, and an absence is cancelled iff the absent part has started
since: it is enough to know, for each key, when it last started. So first events are buffered once
for all readers, and an absent part leaves one number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence

from tocsin.engine.detection.base import (
    Operator,
    Pending,
    State,
    StateComparison,
    StepContext,
    Writer,
)
from tocsin.engine.detection.partition_keys import Key, input_keys
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.shared_buffer import SharedBuffer, SharedOperator, get_or_create_shared
from tocsin.plan.nodes.composites import Absence, AfterWindow, Policy, is_one_event, variables_of
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Duration, Instant

# buffered occurrences, and keys, before the first sweep: one pays off only over many
_MIN_ENTRIES_TO_SWEEP = 64
_KEYS_ALLOWED = 1024


def can_use_atom_absence(part: Absence, window: AfterWindow, scopes: Scopes) -> bool:
    """True if this operator can serve the absence: of single events, with no condition but equal
    keys.
    """
    if part.policy is Policy.DEFERRED and scopes.names_in(part):
        return False
    if part.by and part.conditions:
        # missing key: ignored; missing attribute: cannot be cancelled. One key cannot say both.
        return False
    parts = (part.part, window.part)
    if not all(map(is_one_event, parts)) or input_keys(parts, part.conditions, part.by)[1]:
        return False
    # with common variables the bound values would have to agree
    return variables_of(part.part).isdisjoint(variables_of(window.part))


class LastStartByKey(SharedOperator):
    """Last start of a source for each key. Starts older than the longest window that reads them are
    dropped now and then.
    """

    __slots__ = ("_allowed", "longest", "starts")

    def __init__(self, source: Operator, key: Key, address: Hashable) -> None:
        super().__init__(source, key, address)
        self.starts: dict[Hashable, Instant] = {}
        self.longest: Duration = 0
        self._allowed = _KEYS_ALLOWED

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Record the start; an occurrence without key or rows cancels nothing."""
        key = self.key(occurrence)
        if key is None or not occurrence.rows:
            return
        known = self.starts.get(key)
        if known is None or known < occurrence.start:
            self.starts[key] = occurrence.start
            if len(self.starts) > self._allowed:
                self._drop_before(step.now - self.longest)

    def cancels(self, occurrence: Occurrence, key: Hashable) -> bool:
        """True if a start under the key followed the end of the occurrence, whose absence is
        cancelled then.
        """
        start = self.starts.get(key)
        return start is not None and start > occurrence.end

    def _drop_before(self, oldest: Instant) -> None:
        self.starts = {key: start for key, start in self.starts.items() if start >= oldest}
        self._allowed = 2 * len(self.starts) + _KEYS_ALLOWED


class DeadlineBuffer(SharedBuffer):
    """Shared buffer of first events until their deadline, with one timer for the soonest."""

    __slots__ = ("_allowed", "_due", "_keys", "_line", "has_key", "watched")

    def __init__(
        self, source: Operator, key: Key, length: Duration, has_key: bool, address: Hashable
    ) -> None:
        super().__init__(source, key, length, address)
        self.watched: dict[LastStartByKey, int] = {}
        """Tables of last starts that cancel absences here, each with the mask of readers that it
        cancels them for.
        """
        self.has_key = has_key
        self._line: deque[Occurrence] = deque()
        self._keys: deque[Hashable] = deque()
        self._due: Instant | None = None
        self._allowed = _MIN_ENTRIES_TO_SWEEP

    @property
    def buffered_count(self) -> int:
        """Number of occurrences that have not reached their deadline."""
        return len(self._line)

    def watch(self, absent: LastStartByKey, bit: int) -> None:
        """Have a table of starts cancel the absences of a reader."""
        self.watched[absent] = self.watched.get(absent, 0) | bit

    def unwatch(self, absent: LastStartByKey, bit: int) -> None:
        """Remove a reader from a table of starts."""
        self.watched[absent] &= ~bit
        if not self.watched[absent]:
            del self.watched[absent]

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Buffer the occurrence until its deadline. Without the attributes of the conditions
        nothing can cancel its absence.
        """
        key = self.key(occurrence)
        if not occurrence.rows or (key is None and self.has_key):
            return  # it binds no value that could be missing, or has no key
        self._line.append(occurrence)
        self._keys.append(key)
        self.arrival_count += 1
        if len(self._line) > self._allowed:
            self.drop_unavailable()
        if len(self._line) > step.queue_limit:
            step.overfull.update(self.overfull(step.queue_limit))
        if self._due is None:
            self._set_timer(step)

    def on_timer(self, token: object, step: StepContext) -> None:
        """Emit the absences whose deadline has come, unless they are cancelled."""
        if self._due == step.now:
            self._due = None
        line, due = self._line, step.now - self.lifetime
        while line and line[0].end <= due:
            occurrence, key = line.popleft(), self._keys.popleft()
            if waiting := self._live_readers(occurrence, key):
                whole = occurrence.with_absence(occurrence.end, occurrence.end + self.lifetime)
                for bit, member in self.readers.items():
                    if waiting & bit:
                        step.emit(member, whole)
            self.unavailable.pop(occurrence, None)
        self._set_timer(step)

    def waiting(self) -> Iterator[Occurrence]:
        """Return all that have not reached their deadline, oldest first."""
        return iter(self._line)

    def available_to(self, bit: int) -> list[Occurrence]:
        """Return the occurrences that one reader still waits for."""
        return [
            each
            for each, key in zip(self._line, self._keys, strict=True)
            if self._live_readers(each, key) & bit
        ]

    def availability_masks(self) -> Iterator[int]:
        """Return the mask of readers that still wait, for each buffered occurrence."""
        return map(self._live_readers, self._line, self._keys)

    def replace(self, occurrences: list[Occurrence], step: StepContext) -> None:  # type: ignore[override]
        """Buffer these occurrences in place of all others."""
        self._line, self._keys = deque(occurrences), deque(map(self.key, occurrences))
        self._set_timer(step)

    def drain(self) -> list[tuple[Occurrence, Hashable]]:
        """Remove and return all occurrences, oldest first, with their keys; they are kept elsewhere
        from now on.
        """
        waiting = list(zip(self._line, self._keys, strict=True))
        self._line.clear()
        self._keys.clear()
        return waiting

    def load(
        self,
        waiting: Sequence[tuple[Occurrence, Hashable]],
        unavailable: dict[Occurrence, int],
        step: StepContext,
    ) -> None:
        """Load occurrences that were kept elsewhere, with the masks of readers to which they are
        unavailable.
        """
        self._line = deque([occurrence for occurrence, _ in waiting])
        self._keys = deque([key for _, key in waiting])
        self.unavailable = unavailable
        self.arrival_count += 1
        self._set_timer(step)

    def drop_unavailable(self) -> None:
        """Remove the occurrences that no reader waits for, without waiting for their deadline."""
        pairs = zip(self._line, self._keys, strict=True)
        kept = [pair for pair in pairs if self._has_live_reader(*pair)]
        self._line, self._keys = deque(each for each, _ in kept), deque(key for _, key in kept)
        self._allowed = 2 * len(kept) + _MIN_ENTRIES_TO_SWEEP
        self.tidy_up()

    def _set_timer(self, step: StepContext) -> None:
        """Arm the timer for the first entry with a live reader, unless one is due by then; drop
        dead entries before it. Most absences are cancelled long before their deadline.
        """
        line, keys = self._line, self._keys
        while line and not self._has_live_reader(line[0], keys[0]):
            self.unavailable.pop(line.popleft(), None)
            keys.popleft()
        if line:
            due = line[0].end + self.lifetime
            if self._due is None or due < self._due:
                self._due = due
                step.schedule_timer(self, due, None)

    def _has_live_reader(self, occurrence: Occurrence, key: Hashable) -> bool:
        """True if the absence after an occurrence is not cancelled for some reader."""
        end, lost = occurrence.end, self.unavailable.get(occurrence, 0)
        for absent, bits in self.watched.items():
            start = absent.starts.get(key)
            if (start is None or start <= end) and bits & ~lost:
                return True
        return False

    def _live_readers(self, occurrence: Occurrence, key: Hashable) -> int:
        """Return the mask of readers for which the absence after an occurrence is not cancelled."""
        waiting = ~self.unavailable.get(occurrence, 0)
        for absent, bits in self.watched.items():
            if absent.cancels(occurrence, key):
                waiting &= ~bits
        return waiting & self.reader_mask


class AtomAbsenceOperator(Operator):
    """Operator of the absence of an atom after an atom, for the subscriptions that have it."""

    __slots__ = ("_absence", "_length", "_since", "absent", "bit", "deadlines")

    def __init__(self, part: Absence, window: AfterWindow, inner: list[Operator]) -> None:
        super().__init__(part, inner)
        self._absence = part
        self._length = window.length

    def attach(self) -> None:
        """Join the start table of its absent part and the deadlines of the part before it; make
        those that are missing.
        """
        absent, first = self.inputs
        window = self._absence.window
        assert isinstance(window, AfterWindow)
        (absent_key, first_key), _ = input_keys(
            (self._absence.part, window.part), self._absence.conditions, self._absence.by
        )
        has_key = bool(self._absence.by)
        table, line = ("starts", absent_key), ("deadlines", first_key, self._length, has_key)
        self.absent = get_or_create_shared(
            absent, table, lambda: LastStartByKey(absent, absent_key, table)
        )
        self.absent.longest = max(self.absent.longest, self._length)
        self.deadlines = get_or_create_shared(
            first, line, lambda: DeadlineBuffer(first, first_key, self._length, has_key, line)
        )
        self.bit = self.deadlines.add_reader(self)
        self.deadlines.watch(self.absent, self.bit)
        self._since = self.deadlines.arrival_count

    def detach(self) -> None:
        """Leave both."""
        self.deadlines.unwatch(self.absent, self.bit)
        self.deadlines.remove_reader(self.bit)
        self.absent.detach()

    @property
    def is_empty(self) -> bool:
        """True if nothing is buffered, or nothing has arrived since this operator attached."""
        return self.deadlines.is_empty or self.deadlines.arrival_count == self._since

    def shares_state_with(self, other: Operator) -> bool:
        """True if the other is this operator or its deadline buffer."""
        return other in (self, self.deadlines)

    def pending(self) -> Iterator[Pending]:
        """Yield the occurrences that wait for their deadline."""
        for each in self.deadlines.available_to(self.bit):
            yield Pending(self.part, 1, each, each.end + self._length)

    def snapshot(self, writer: Writer) -> State:
        """Return the occurrences that wait for their deadline."""
        return {"waiting": [writer.write(each) for each in self.deadlines.available_to(self.bit)]}

    def state_fingerprint(self, comparison: StateComparison) -> Hashable:
        """Return a key of the occurrences that are available to this operator."""
        return self.deadlines.state_key_for(self.bit, comparison)

    def state_key(self, comparison: StateComparison) -> Hashable:
        """Return a key of the occurrences that are available to this operator."""
        return self.deadlines.state_key_for(self.bit, comparison)

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the occurrences that waited."""
        self.deadlines.take_over(self.bit, [read(each) for each in state["waiting"]], step)
