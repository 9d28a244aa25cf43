"""Sequences of two events: the join of two atoms of which one surely ends last, for all
subscriptions that have it.

The first event is buffered once for all readers (`sequence_buffer`), and the last event checks its
conditions once for all of them. Single use means that a pair is consumed for the operator that
found it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

from tocsin.engine.detection.base import (
    CHECKS_PER_UNIT,
    COMBINE_COST,
    STEP_WORK_LIMIT,
    Operator,
    Pending,
    State,
    StateComparison,
    StepContext,
    WorkBudget,
    Writer,
    too_much_work,
)
from tocsin.engine.detection.join import ends_last, is_kept_by_expiry
from tocsin.engine.detection.join_filters import Filter, by_cost, pair_filter
from tocsin.engine.detection.partition_keys import Key, input_keys, input_of_name
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.sequence_buffer import (
    FirstEventBuffer,
    Number,
    OrderBound,
    find_order_bound,
)
from tocsin.engine.detection.shared_buffer import SharedOperator, get_or_create_shared
from tocsin.plan.nodes.composites import (
    Join,
    Named,
    Part,
    Policy,
    is_one_event,
    variables_of,
)
from tocsin.plan.semantics.bounds import join_lifetime
from tocsin.plan.semantics.occurrence import Occurrence, combine
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded

FREE_PROBES = 20_000
"""Buffered occurrences that one event may check without being charged: in batches they are checked
without a step, which would count the work.
"""


def can_use_sequence(part: Join, scopes: Scopes) -> bool:
    """True if the operator of sequences can serve the join."""
    if len(part.parts) != 2 or part.policy is not Policy.DEFERRED or scopes.names_in(part):
        return False
    if not variables_of(part.parts[0]).isdisjoint(variables_of(part.parts[1])):
        return False  # buffered occurrences are found by the values that they bind
    last = 1 if ends_last(part, 1) else 0
    return (
        all(map(is_one_event, part.parts))
        and ends_last(part, last)
        and join_lifetime(part, 1 - last) is not None
        and None not in _filters(part, last)
    )


def _filters(part: Join, last: int) -> list[Filter | None]:
    """Return the filters of the event that ends last, except those that equal keys and expiry
    already decide; None stands for a condition that needs the whole.
    """
    _, conditions = input_keys(part.parts, part.conditions, part.by)
    homes, lifetime = input_of_name(part.parts), join_lifetime(part, 1 - last)
    return [
        pair_filter(condition, part.parts, homes, last)
        for condition in by_cost(conditions)
        if not is_kept_by_expiry(condition, last, lifetime)
    ]


class ProbeSide(SharedOperator):
    """Operators for which a source emits the event that ends last, with the same key and the same
    conditions. Those that read one buffer probe it together.
    """

    __slots__ = ("_filters", "_order_bound", "members", "probe_groups")

    def __init__(
        self,
        source: Operator,
        key: Key,
        filters: list[Filter],
        order_bound: OrderBound | None,
        address: Hashable,
    ) -> None:
        super().__init__(source, key, address)
        self._filters = filters
        self._order_bound = order_bound
        self.members: list[SequenceOperator] = []
        self.probe_groups: dict[FirstEventBuffer, ProbeGroup] = {}

    def join(self, member: SequenceOperator) -> None:
        """Add an operator."""
        self.members.append(member)
        if member.buffer not in self.probe_groups:
            self.probe_groups[member.buffer] = ProbeGroup(member.buffer, self._order_bound)
        self.probe_groups[member.buffer].add(member)

    def part_with(self, member: SequenceOperator) -> None:
        """Remove an operator."""
        self.members.remove(member)
        self.probe_groups[member.buffer].remove(member)
        if not self.probe_groups[member.buffer].members:
            del self.probe_groups[member.buffer]
        self.detach()

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Probe the buffers, oldest first, with filters that are the same for all operators. Emit
        the pairs in the order in which the operators attached.
        """
        key = self.key(occurrence)
        if key is None:
            return
        questions = None
        found: dict[SequenceOperator, Occurrence] = {}
        for askers in self._groups_that_may_match(occurrence, key):
            waiting = askers.buffer.waiting_at(key, step.now)
            if waiting:
                questions = questions or [bound_to(occurrence) for bound_to in self._filters]
                fitting = iter(waiting)
                for question in questions:
                    fitting = filter(question, fitting)
                found |= askers.pairs(fitting, len(waiting), occurrence, key, step)
        if found:
            for member in self.members if len(found) > 1 else list(found):
                if member in found:
                    step.emit(member, found[member])

    def _groups_that_may_match(self, occurrence: Occurrence, key: Hashable) -> Iterable[ProbeGroup]:
        """Return the probe groups whose buffer may hold an entry in the order that the conditions
        require.
        """
        screen = self._order_bound
        if screen is None:
            return self.probe_groups.values()
        number = screen.number_of(occurrence)
        if number is None:
            return ()
        compares = screen.compares
        return [
            askers
            for askers in self.probe_groups.values()
            if (best := askers.min_max.get(key)) is not None and compares(best, number)
        ]


class ProbeGroup:
    """Operators that probe one buffer with the same conditions. Each gets the oldest entry that
    fits and is available to it; a pair of several operators is combined once.
    """

    __slots__ = ("_bits", "buffer", "members", "min_max")

    def __init__(self, line: FirstEventBuffer, order_bound: OrderBound | None) -> None:
        self.buffer = line
        self.members: dict[int, SequenceOperator] = {}
        self._bits = 0
        self.min_max: Mapping[Hashable, Number] = (
            {} if order_bound is None else line.min_max_for(order_bound).values
        )

    def add(self, member: SequenceOperator) -> None:
        """Add an operator."""
        self.members[member.bit] = member
        self._bits |= member.bit

    def remove(self, member: SequenceOperator) -> None:
        """Remove an operator."""
        del self.members[member.bit]
        self._bits &= ~member.bit

    def pairs(
        self,
        fitting: Iterable[Occurrence],
        count: int,
        last: Occurrence,
        key: Hashable,
        step: StepContext,
    ) -> dict[SequenceOperator, Occurrence]:
        """Return the pair of each operator that finds one among the `count` buffered, and consume
        the first event for it. Operators for which it is too much work are reported.
        """
        found: dict[SequenceOperator, Occurrence] = {}
        used: list[tuple[Occurrence, int]] = []
        one, lost = next(iter(self.members.values())), self.buffer.unavailable
        one.tried += count
        asked = max(0, count - FREE_PROBES) // CHECKS_PER_UNIT
        unserved = self._bits
        if asked > STEP_WORK_LIMIT:
            self._chargeable(unserved, asked, 0, last, step)
            return found
        for first in fitting:
            takers = unserved & ~lost.get(first, 0)
            if takers:
                whole, work = _combine((last, first) if one.first else (first, last))
                paying = self._chargeable(takers, asked, work, last, step)
                unserved &= ~takers
                if whole is None:
                    unserved |= sum(paying)
                elif paying:
                    found |= dict.fromkeys(paying.values(), whole)
                    used.append((first, sum(paying)))
                if not unserved:
                    break
        for first, bits in used:
            self.buffer.consume(first, key, bits)
        return found

    def _chargeable(
        self, takers: int, probed: int, work: int, last: Occurrence, step: StepContext
    ) -> dict[int, SequenceOperator]:
        """Charge the takers for the work; return those that can pay, by bit; report the others."""
        able: dict[int, SequenceOperator] = {}
        for bit, member in self.members.items():
            if takers & bit:
                try:
                    member.charge_probe(probed, work, step)
                    able[bit] = member
                except WorkLimitExceeded as why:
                    step.abort_work(member, last, why)
        return able


def _combine(pair: tuple[Occurrence, Occurrence]) -> tuple[Occurrence | None, int]:
    """Return the combined pair and the work that it took; None if the two disagree or it is too
    much.
    """
    allowance = WorkBudget()

    def spend(work: int) -> None:
        if not allowance.count(work):
            raise too_much_work()

    try:
        whole = combine(pair, spend)
    except WorkLimitExceeded:
        whole = None
    return whole, COMBINE_COST + allowance.spent


class SequenceOperator(Operator):
    """Operator of a sequence of two atoms, for the subscriptions that have it."""

    __slots__ = ("_join", "_probed_step", "_since", "bit", "buffer", "first", "group", "tried")

    def __init__(self, part: Join, inner: list[Operator]) -> None:
        super().__init__(part, inner)
        self.tried = 0
        self._join = part
        self.first = 0 if ends_last(part, 1) else 1
        self._probed_step = -1

    @property
    def is_alone(self) -> bool:
        """True if it is all that its subscriptions consist of, so that nothing else is charged to
        them.
        """
        return self.payers == (self,)

    def attach(self) -> None:
        """Join the buffer of its first part and the group of its last; make missing ones."""
        part, first, last = self._join, self.first, 1 - self.first
        keys, conditions = input_keys(part.parts, part.conditions, part.by)
        lifetime = join_lifetime(part, first) or 0
        address = ("first", keys[first], lifetime)
        source = self.inputs[first]
        self.buffer = get_or_create_shared(
            source, address, lambda: FirstEventBuffer(source, keys[first], lifetime, address)
        )
        self.bit = self.buffer.add_reader(self)
        self._since = self.buffer.arrival_count
        asked = (
            "last",
            keys[last],
            last,
            by_cost(conditions),
            lifetime,
            tuple(map(_name_of, part.parts)),
        )
        filters = [each for each in _filters(part, last) if each is not None]
        screen = find_order_bound(conditions, part.parts, input_of_name(part.parts), last)
        goal = self.inputs[last]
        self.group = get_or_create_shared(
            goal, asked, lambda: ProbeSide(goal, keys[last], filters, screen, asked)
        )
        self.group.join(self)

    def detach(self) -> None:
        """Leave the buffer and the group."""
        self.group.part_with(self)
        self.buffer.remove_reader(self.bit)

    @property
    def is_empty(self) -> bool:
        """True if nothing is buffered, or nothing has arrived since this operator attached."""
        return self.buffer.is_empty or self.buffer.arrival_count == self._since

    def shares_state_with(self, other: Operator) -> bool:
        """True if the other is this operator or its buffer."""
        return other in (self, self.buffer)

    def charge_probe(self, probed: int, tried: int, step: StepContext) -> None:
        """Charge the work of a combination, and once per step that of the checks; raise GivenUp if
        it is too much.
        """
        self.renew(step)
        if self._probed_step != step.number:
            self._probed_step = step.number
            self.spend(probed)
        self.spend(tried)

    def pending(self) -> Iterator[Pending]:
        """Yield the first events that wait to be followed."""
        for each in self.buffer.available_to(self.bit):
            yield Pending(self.part, self.first, each, each.end + self.buffer.lifetime)

    def snapshot(self, writer: Writer) -> State:
        """Return the buffered occurrences, at their slot, as for any join."""
        held = [writer.write(each) for each in self.buffer.available_to(self.bit)]
        return {"queues": [[], held] if self.first else [held, []]}

    def state_fingerprint(self, comparison: StateComparison) -> Hashable:
        """Return a key of the occurrences that are available to this operator."""
        return self.buffer.state_key_for(self.bit, comparison)

    def state_key(self, comparison: StateComparison) -> Hashable:
        """Return a key of the occurrences that are available to this operator."""
        return self.buffer.state_key_for(self.bit, comparison)

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the occurrences that were available to this operator."""
        held = [read(each) for each in state["queues"][self.first]]
        keyed = [each for each in held if self.buffer.key(each) is not None]
        self.buffer.take_over(self.bit, keyed, step)


def _name_of(part: Part) -> str | None:
    return part.name if isinstance(part, Named) else None
