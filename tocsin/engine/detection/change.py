"""Changes of a state, for all subscriptions that watch the same part under the same keys.

For each key it is enough to know for which operators the state was true at the last occurrence: it
begins for those that are new among them, and ends for those that are missing. Keys of which nothing
is true cost nothing. The cost of an occurrence is at most the number of states that are true of it
or were of the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from tocsin.engine.detection.base import Operator, State, StepContext, Writer
from tocsin.engine.detection.key_window import key_from, keys_at, plain_key
from tocsin.plan.nodes.composites import Change
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Instant

_NO_MEMBERS: frozenset[ChangeOperator] = frozenset()
_NONE: Sequence[ChangeOperator] = ()


class KeyState:
    """Operators whose state was true at the last occurrence of a key, and the end of that
    occurrence.
    """

    __slots__ = ("end", "true_for")

    def __init__(self, end: Instant, true_for: frozenset[ChangeOperator]) -> None:
        self.end = end
        self.true_for = true_for


class StateListenerOperator(Operator):
    """Inline consumer that learns of a state that is true of the event of the step."""

    __slots__ = ("_address", "_group", "members")

    is_direct = True

    def __init__(self, source: Operator, group: SharedChangeState, address: Hashable) -> None:
        super().__init__(source.part, [source])
        self._group = group
        self._address = address
        self.members: list[ChangeOperator] = []

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Report the state to the group."""
        self._group.note(self.members, step)

    def remove_member(self, member: ChangeOperator) -> None:
        """Remove an operator; the last one detaches the listener."""
        self.members.remove(member)
        if not self.members:
            self.is_removed = True
            self.detach()
            self.inputs[0].shared_children.pop(self._address, None)


class SharedChangeState(Operator):
    """Shared state of a part, updated once per occurrence for all that watch for changes."""

    __slots__ = (
        "_address",
        "_by",
        "_each",
        "_expires",
        "_inverted",
        "_keep",
        "_keys",
        "_records",
        "_true",
        "_when",
        "members",
    )

    def __init__(self, source: Operator, change: Change, address: Hashable) -> None:
        super().__init__(source.part, [source])
        self._address = address
        self._by = change.by
        self._each = change.each
        self._keep = change.keep
        self._keys = keys_at(change.by, change.each)
        self._records: dict[Hashable, KeyState] = {}
        self._true: list[ChangeOperator] = []
        self._when = -1
        self._expires = False
        self._inverted: dict[ChangeOperator, list[tuple[Hashable, Instant]]] | None = None
        self.members = 0

    has_buffer = True

    @property
    def buffered_count(self) -> int:
        """Number of keys of which a state is true."""
        return len(self._records)

    def note(self, members: Iterable[ChangeOperator], step: StepContext) -> None:
        """Record that the state of some operators is true of the event of the step."""
        if self._when != step.number:
            self._when = step.number
            self._true = []
        self._true += members

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Compare the states that are true now with those true of the occurrence before."""
        true = self._true if self._when == step.number else _NONE
        if not true and not self._records:
            return
        for key in self._keys(occurrence):
            record = self._records.get(key)
            if record is None:
                if true:
                    self._compare(key, record, true, occurrence, step)
            elif len(true) == len(record.true_for) and record.true_for.issuperset(true):
                self._go_on(key, record, occurrence, step)
            else:
                self._compare(key, record, true, occurrence, step)
        if not self._expires and (soonest := self.next_expiry()) is not None:
            step.schedule_expiry(self, soonest)

    def _go_on(
        self, key: Hashable, record: KeyState, occurrence: Occurrence, step: StepContext
    ) -> None:
        """Handle the common case, no change, unless the last occurrence is too old to count."""
        end, keep = occurrence.end, self._keep
        if keep is not None and end - record.end > keep:
            self._notify(_NO_MEMBERS, record.true_for, self._of(key, occurrence), step)
        record.end = end
        self._inverted = None

    def _compare(
        self,
        key: Hashable,
        record: KeyState | None,
        true: Sequence[ChangeOperator],
        occurrence: Occurrence,
        step: StepContext,
    ) -> None:
        those, before = frozenset(true), self._before(record, occurrence.end)
        self._notify(before, those, self._of(key, occurrence), step)
        self._remember(key, record, those, occurrence.end)

    def forget_before(self, now: Instant) -> None:
        """Drop the keys whose last occurrence counts no longer."""
        keep = self._keep
        if keep is not None:
            old = [key for key, each in self._records.items() if each.end + keep < now]
            for key in old:
                self._drop(key)

    def next_expiry(self) -> Instant | None:
        """Return when it is worth looking for keys to drop, not before a quarter of the time that
        they count; None if none expires.
        """
        if self._keep is None or not self._records:
            self._expires = False
            return None
        self._expires = True
        ends = [each.end for each in self._records.values()]
        return max(min(ends) + self._keep, max(ends) + self._keep // 4)

    def true_of(self, member: ChangeOperator) -> list[tuple[Hashable, Instant]]:
        """Return the keys of which an operator's state is true, each with the end of its last
        occurrence. The index is built once for all operators.
        """
        if self._inverted is None:
            self._inverted = {}
            for key, record in self._records.items():
                for each in record.true_for:
                    self._inverted.setdefault(each, []).append((key, record.end))
        return self._inverted.get(member, [])

    def load_member(
        self, member: ChangeOperator, keys: Iterable[tuple[Hashable, Instant]], step: StepContext
    ) -> None:
        """Load the keys of which an operator's state was true."""
        for key, end in keys:
            record = self._records.get(key)
            those = _NO_MEMBERS if record is None else record.true_for
            self._remember(key, record, those | {member}, end)
        if not self._expires and (soonest := self.next_expiry()) is not None:
            step.schedule_expiry(self, soonest)

    def remove_member(self, member: ChangeOperator) -> None:
        """Remove an operator with all that is known for it; the last one detaches the group."""
        for key, _ in self.true_of(member):
            record = self._records[key]
            self._remember(key, record, record.true_for - {member}, record.end)
        self.members -= 1
        if not self.members:
            self.is_removed = True
            self.detach()
            self.inputs[0].shared_children.pop(self._address, None)

    def _before(self, record: KeyState | None, end: Instant) -> frozenset[ChangeOperator]:
        if record is None or (self._keep is not None and end - record.end > self._keep):
            return _NO_MEMBERS
        return record.true_for

    def _notify(
        self,
        before: frozenset[ChangeOperator],
        those: frozenset[ChangeOperator],
        occurrence: Occurrence,
        step: StepContext,
    ) -> None:
        for member in those - before:
            if member.becomes:
                step.emit(member, occurrence)
        for member in before - those:
            if not member.becomes:
                step.emit(member, occurrence)

    def _of(self, key: Hashable, occurrence: Occurrence) -> Occurrence:
        """Return the occurrence as one of a key: with the rows of its value."""
        if not self._each:
            return occurrence
        bound = (self._each, key[1])  # type: ignore[index]
        return occurrence.with_rows(tuple(row for row in occurrence.rows if bound in row))

    def _remember(
        self,
        key: Hashable,
        record: KeyState | None,
        true_for: frozenset[ChangeOperator],
        end: Instant,
    ) -> None:
        if not true_for:
            if record is not None:
                self._drop(key)
        elif record is None:
            self._records[key] = KeyState(end, true_for)
            self._count(true_for, 1)
        else:
            record.end = end
            if true_for != record.true_for:
                self._count(record.true_for, -1)
                self._count(true_for, 1)
                record.true_for = true_for
        self._inverted = None

    def _drop(self, key: Hashable) -> None:
        self._count(self._records.pop(key).true_for, -1)
        self._inverted = None

    def _count(self, true_for: Iterable[ChangeOperator], change: int) -> None:
        for each in true_for:
            each.keys_true += change


class ChangeOperator(Operator):
    """Begin or end of a state, for the subscriptions that have it."""

    __slots__ = ("_change", "becomes", "group", "keys_true", "listener")

    def __init__(self, part: Change, inner: list[Operator]) -> None:
        super().__init__(part, inner)
        self._change = part
        self.becomes = part.becomes
        self.keys_true = 0

    def attach(self) -> None:
        """Join the group of its part and the listener of its state; make those that are missing.

        The group may know of others already: the states that are true of a key are recorded for
        each operator.
        """
        state, source = self.inputs
        change = self._change
        address = ("changes", change.by, change.each, change.keep)
        group = source.shared_children.get(address)
        if group is None:
            group = source.shared_children[address] = SharedChangeState(source, change, address)
            source.consumers.append((group, 0))
        assert isinstance(group, SharedChangeState)
        group.members += 1
        self.group = group
        heard = ("state", group)
        listener = state.shared_children.get(heard)
        if listener is None:
            listener = state.shared_children[heard] = StateListenerOperator(state, group, heard)
            state.inline_consumers.append(listener)
        assert isinstance(listener, StateListenerOperator)
        listener.members.append(self)
        self.listener = listener

    def detach(self) -> None:
        """Leave both."""
        self.listener.remove_member(self)
        self.group.remove_member(self)

    @property
    def is_empty(self) -> bool:
        """True if its state is true of no key."""
        return not self.keys_true

    def shares_state_with(self, other: Operator) -> bool:
        """True if the other is this operator, its group or its listener."""
        return other in (self, self.group, self.listener)

    def snapshot(self, writer: Writer) -> State:
        """Return the keys of which the state was true, and the ends of their last occurrences."""
        return {"true": [[plain_key(key), end] for key, end in self.group.true_of(self)]}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the keys of which the state was true."""
        known = [(key_from(key), end) for key, end in state["true"]]
        self.group.load_member(self, known, step)
