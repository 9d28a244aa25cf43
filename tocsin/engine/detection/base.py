"""Base of every operator of the detection network: its place in the graph, its inbox for the
current step, its consumers.

Consumers that are direct are `inline_consumers`, served inline; the others are `consumers`, each
with the slot at which it takes what is emitted. `shared_children` are operators on top of this one
that several others have in common, by what they have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tocsin.engine.detection.pair_table import PairStore
from tocsin.plan.nodes.composites import Part
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.values.time import Instant

if TYPE_CHECKING:
    from tocsin.engine.detection.scope import Scopes

Known = TypeVar("Known")


@dataclass(frozen=True, slots=True)
class Pending:
    """A buffered occurrence: the part and slot that hold it, and the last instant at which it can
    matter (None: it never expires).
    """

    owner: Part
    slot: int
    occurrence: Occurrence
    until: Instant | None


STEP_WORK_LIMIT = 200_000
"""Most work, in about microseconds, that one event, or the timers of one instant, may cause at all
operators of one subscription together.
"""

COMBINE_COST = 10
"""Work of combining occurrences once, whether they match or not."""

EMIT_COST = 10
"""Work of emitting a combined occurrence, rows aside."""


def emit_cost(whole: Occurrence) -> int:
    """Return the work of emitting an occurrence; it grows with the members and the rows."""
    return EMIT_COST * max(1, len(whole.members) // 2) + len(whole.rows)


CHECKS_PER_UNIT = 4
"""Simple checks of buffered occurrences that count as work of one microsecond."""

State = dict[str, Any]
"""Plain data: lists, dictionaries, strings and numbers, as JSON has them."""


class StepContext(Protocol):
    """The current step: operators emit into it and schedule their timers with it.

    An operator that keeps more than `queue_limit` is put into `overfull`. Up to `quiet_until`,
    unless it is None, no event ends. `pairs` serves all joins under single use together.
    """

    now: Instant
    quiet_until: Instant | None
    number: int
    queue_limit: int
    overfull: set[Operator]
    pairs: PairStore[Operator]

    def emit(self, node: Operator, occurrence: Occurrence) -> None:
        """Emit an occurrence of the operator's part to all its consumers."""
        ...

    def abort_work(
        self, node: Operator, occurrence: Occurrence | None, why: WorkLimitExceeded
    ) -> None:
        """Record that work for the occurrence was aborted at the operator, for every pattern that
        pays for it.
        """
        ...

    def enqueue(self, node: Operator, slot: int, occurrence: Occurrence) -> None:
        """Enqueue an occurrence at a slot of one operator, which is served in its turn."""
        ...

    def consume_name(self, scopes: Scopes, name: str, occurrence: Occurrence) -> None:
        """Mark the occurrence bound to a name as consumed in its scope when the step ends."""
        ...

    def schedule_timer(self, node: Operator, due: Instant, token: object) -> None:
        """Call the operator's `on_timer` with the token at `due`, after all events that end by
        then.
        """
        ...

    def schedule_expiry(self, node: Operator, due: Instant) -> None:
        """Call the operator's `forget_before` some time after `due`, then ask for its
        `next_expiry`.
        """
        ...


class Writer(Protocol):
    """Encoder of occurrences as plain data."""

    def write(self, occurrence: Occurrence) -> State:
        """Return the occurrence as plain data."""
        ...


class WorkBudget:
    """Work budget of one step; each step has its own."""

    __slots__ = ("_spent", "_spent_in")

    def __init__(self) -> None:
        self._spent = 0
        self._spent_in = -1

    @property
    def spent(self) -> int:
        """Work counted since the budget was last reset."""
        return self._spent

    def is_overdrawn_in(self, step: StepContext) -> bool:
        """True if more work was counted in this very step than the limit allows."""
        return self._spent > STEP_WORK_LIMIT and self._spent_in == step.number

    def allow(self, step: StepContext) -> None:
        """Reset the count if the step is new."""
        if self._spent_in != step.number:
            self._spent_in, self._spent = step.number, 0

    def count(self, work: int) -> bool:
        """Add work of about as many microseconds; True if the step is still within its limit."""
        self._spent += work
        return self._spent <= STEP_WORK_LIMIT


def too_much_work() -> WorkLimitExceeded:
    """Return the reason why an event is undecided for a subscription."""
    return WorkLimitExceeded(
        f"one event would take more than {STEP_WORK_LIMIT:,} steps to combine with what waits"
    )


class OperatorState:
    """State kept from step to step: nothing unless a subclass overrides it."""

    __slots__ = ()

    @property
    def is_empty(self) -> bool:
        """True if the operator holds nothing: a new subscription may then share it and sees no
        past.
        """
        return True

    @property
    def buffered_count(self) -> int:
        """Number of occurrences that the operator keeps."""
        return 0

    def forget_before(self, now: Instant) -> None:
        """Drop state that no occurrence which ends at `now` or later can complete."""

    def next_expiry(self) -> Instant | None:
        """Return the instant up to which nothing here expires; None if nothing ever will."""
        return None

    def pending(self) -> Iterable[Pending]:
        """Return the occurrences that wait here."""
        return ()

    def snapshot(self, writer: Writer) -> State:
        """Return the state of the operator as plain data."""
        return {}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the state of a snapshot."""

    def state_fingerprint(self, comparison: StateComparison) -> Hashable:
        """Return a cheap fingerprint of the state. Operators of one part with different
        fingerprints hold different state, or are not yet known to hold the same.
        """
        return self.buffered_count

    def state_key(self, comparison: StateComparison) -> Hashable:
        """Return a key of the state that differs between operators of one part with different
        state.
        """
        return repr(self.snapshot(comparison))


class Operator(WorkBudget, OperatorState):
    """Operator of one part of a pattern: its place in the graph, and its handling of input."""

    __slots__ = (
        "consumers",
        "due",
        "emitted_count",
        "inbox",
        "inline_consumers",
        "inputs",
        "is_removed",
        "keys",
        "level",
        "number",
        "part",
        "payers",
        "shared_children",
    )

    is_direct = False
    """True if it has one slot and is served inline, as soon as an input emits, not in its turn."""

    has_buffer = False
    """True if it buffers occurrences, whose number is checked when it is served; an operator served
    inline checks it itself.
    """

    is_endless = False
    """True if its timers recur for ever; `on_clock_start` gives it the time once that is known."""

    def __init__(self, part: Part, inputs: list[Operator]) -> None:
        super().__init__()
        self.part = part
        self.inputs = inputs
        self.level: int = 1 + max((node.level for node in inputs), default=-1)
        self.consumers: list[tuple[Operator, int]] = []
        self.inline_consumers: list[Operator] = []
        self.shared_children: dict[Hashable, Operator] = {}
        self.inbox: list[tuple[int, Occurrence]] = []
        self.due: list[object] = []
        self.keys: list[str] = []
        self.is_removed = False
        self.number = 0
        self.emitted_count = 0
        self.payers: tuple[Operator, ...] = (self,)
        """Roots of the patterns that this operator belongs to. Each is charged all work done here,
        as if it were alone.
        """

    def renew(self, step: StepContext) -> None:
        """Reset the budget of every payer if the step is new."""
        for payer in self.payers:
            payer.allow(step)

    def spend(self, work: int) -> None:
        """Charge work of about as many microseconds to every payer; raise GivenUp if it is too much
        for all of them. While one can pay, the work is done.
        """
        able = False
        for payer in self.payers:
            able = payer.count(work) or able
        if not able:
            raise too_much_work()

    def shares_state_with(self, other: Operator) -> bool:
        """True if the state of the other operator is kept for this one too."""
        return self is other

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Take one occurrence of the input at `slot`; within a step, slots come in order."""
        raise AssertionError(f"{type(self).__name__} has no parts")

    def attach(self) -> None:
        """Attach to the inputs."""
        for slot, each in enumerate(self.inputs):
            if self.is_direct:
                each.inline_consumers.append(self)
            else:
                each.consumers.append((self, slot))

    def detach(self) -> None:
        """Detach from the inputs, except those that are removed too."""
        for each in self.inputs:
            if not each.is_removed:
                each.consumers = [(user, slot) for user, slot in each.consumers if user is not self]
                each.inline_consumers = [user for user in each.inline_consumers if user is not self]

    def on_added(self, step: StepContext) -> None:
        """Prepare for the first step; called once, when the operator enters the network."""

    def on_clock_start(self, now: Instant, is_first: bool, step: StepContext) -> None:
        """Start the clock: the time is known, for the first time (`is_first`) or because the
        operator came later.
        """

    def on_timer(self, token: object, step: StepContext) -> None:
        """Handle a timer that the operator set and that is due now."""


_WRITING = 32
"""Looks at buffered occurrences that count for writing one."""


class StateComparison:
    """Writer of state to compare, within one process and for a moment.

    Events are compared by object, and nothing changes meanwhile. It caches what it computes and
    counts the work, as looks at buffered occurrences.
    """

    __slots__ = ("_known", "work")

    def __init__(self) -> None:
        self._known: dict[Hashable, object] = {}
        self.work = 0

    def write(self, occurrence: Occurrence) -> State:
        """Return the occurrence as a value to compare."""
        self.work += _WRITING
        return {
            "members": [id(member) for member in occurrence.members],
            "span": (occurrence.start, occurrence.end),
            "names": {name: self.write(each) for name, each in sorted(occurrence.names.items())},
            "absences": occurrence.absences,
            "rows": occurrence.rows,
        }

    def once(self, about: Hashable, find_out: Callable[[], Known]) -> Known:
        """Return the value computed for a subject; the first caller computes it."""
        if about not in self._known:
            self._known[about] = find_out()
        return self._known[about]  # type: ignore[return-value]
