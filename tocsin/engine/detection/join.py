"""The join: each new occurrence is combined with the buffered ones, oldest first; the policy says
what is consumed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product, repeat
from math import prod

from tocsin.engine.detection.base import (
    CHECKS_PER_UNIT,
    COMBINE_COST,
    Operator,
    Pending,
    State,
    StepContext,
    Writer,
    emit_cost,
)
from tocsin.engine.detection.join_filters import (
    Filter,
    Question,
    by_cost,
    pair_filter,
    work_of_asking,
)
from tocsin.engine.detection.partition_keys import input_keys, input_of_name, with_name_keys
from tocsin.engine.detection.queue import ExpiringQueue, RowQueue
from tocsin.engine.detection.scope import Scopes
from tocsin.plan.nodes.composites import (
    End,
    Join,
    JoinCondition,
    Moment,
    Named,
    Policy,
    Precedes,
    Related,
    variables_of,
)
from tocsin.plan.semantics.bounds import join_lifetime
from tocsin.plan.semantics.condition_evaluation import compare, key_of, meets
from tocsin.plan.semantics.occurrence import Occurrence, combine
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.values.time import Duration, Instant


@dataclass(frozen=True, slots=True)
class _Wait:
    """Token of an expiry timer: an occurrence of a named part, with its slot and its key."""

    name: str
    slot: int
    occurrence: Occurrence
    key: Hashable


class JoinOperator(Operator):
    """Join with one buffer for each part. In a scope (policy deferred) all combinations are emitted
    until the scope root settles it.
    """

    __slots__ = (
        "_asking",
        "_conditions",
        "_expires",
        "_is_single_use",
        "_join",
        "_keys",
        "_lifetimes",
        "_limited",
        "_names",
        "_queues",
        "_scopes",
        "_settles",
        "_used",
        "_waits",
        "_when",
        "tried",
    )

    def __init__(self, part: Join, inner: list[Operator], scopes: Scopes) -> None:
        super().__init__(part, inner)
        self.tried = 0
        self._join = part
        self._is_single_use = part.policy is Policy.CHRONICLE
        self._scopes = scopes
        deferred = part.policy is Policy.DEFERRED
        heeds = deferred or part.policy in (Policy.CHRONICLE, Policy.RECENT)
        self._names = scopes.names_in(part) if heeds else ()
        self._settles = scopes.names_settled_at(part) if deferred else ()
        slots = range(len(part.parts))
        self._lifetimes = [join_lifetime(part, slot) for slot in slots]
        self._queues: Sequence[ExpiringQueue] = [
            ExpiringQueue(lifetime) for lifetime in self._lifetimes
        ]
        self._limited = [_limited_name(part, slot) for slot in slots]
        self._waits = [
            self._limited[slot] is not None or not ends_last(part, slot) for slot in slots
        ]
        self._keys, conditions = input_keys(part.parts, part.conditions, part.by)
        if part.policy is Policy.RECENT and len(slots) > 2:
            # The most recent of each other part is chosen before the parts are compared with one
            # another.
            self._keys, conditions = input_keys(part.parts, (), part.by)[0], part.conditions
        self._keys = with_name_keys(self._keys, part.parts)
        self._conditions = by_cost(conditions)
        self._asking = sum(map(work_of_asking, self._conditions))
        self._expires = False
        self._when = -1
        self._used: set[object] = set()

    has_buffer = True

    @property
    def buffered_count(self) -> int:
        """Number of occurrences buffered at all slots."""
        return sum(queue.living for queue in self._queues)

    @property
    def is_empty(self) -> bool:
        """True if nothing is buffered."""
        return not any(map(len, self._queues))

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Combine the occurrence with buffered ones, then buffer it unless it is consumed."""
        if self._names and self._scopes.is_used(occurrence, self._names):
            return
        if self._is_single_use and self._is_used_once(occurrence, step):
            return
        key = self._keys[slot](occurrence)
        if key is None and self._join.by:
            return
        for queue in self._queues:
            queue.forget_before(step.now)
        if key is not None and self._is_consumed(slot, occurrence, key, step):
            return
        if self._waits[slot]:
            self._await(slot, occurrence, key, step)

    def on_timer(self, token: object, step: StepContext) -> None:
        """Drop a named occurrence that has expired; under single use it is lost to the whole scope
        (spec OPSL 4.7).
        """
        assert isinstance(token, _Wait)
        queue, lost = self._queues[token.slot], token.occurrence
        if queue.holds(lost, token.key) and not self._is_used(lost):
            queue.remove(lost, token.key)
            if self._scopes.is_required(token.name, self.part):
                step.consume_name(self._scopes, token.name, lost.names[token.name])

    def forget_before(self, now: Instant) -> None:
        """Drop expired occurrences."""
        for queue in self._queues:
            queue.forget_before(now)
        self._scopes.forget_before(now)

    def next_expiry(self) -> Instant | None:
        """Return when the first entry expires; None if nothing does."""
        instants = [self._scopes.next_expiry(), *(queue.next_expiry() for queue in self._queues)]
        soonest = min((each for each in instants if each is not None), default=None)
        self._expires = soonest is not None
        return soonest

    def pending(self) -> Iterator[Pending]:
        """Yield the occurrences that wait for others and are not consumed."""
        for slot, (queue, lifetime) in enumerate(zip(self._queues, self._lifetimes, strict=True)):
            for occurrence in queue:
                if not self._is_used(occurrence):
                    yield Pending(
                        self.part,
                        slot,
                        occurrence,
                        None if lifetime is None else occurrence.end + lifetime,
                    )

    def snapshot(self, writer: Writer) -> State:
        """Return the buffered occurrences by slot; their keys are computed anew."""
        return {"queues": [[writer.write(each) for each in queue] for queue in self._queues]}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the buffered occurrences."""
        for slot, queue in enumerate(state["queues"]):
            for each in queue:
                occurrence = read(each)
                self._await(slot, occurrence, self._keys[slot](occurrence), step)

    def _await(self, slot: int, occurrence: Occurrence, key: Hashable, step: StepContext) -> None:
        name, lifetime = self._limited[slot], self._lifetimes[slot]
        if key is None and name is None:
            return  # without the attributes of its key it can pair with nothing
        self._queues[slot].add(occurrence, key)
        if lifetime is not None:
            if name is not None:
                step.schedule_timer(
                    self, occurrence.end + lifetime, _Wait(name, slot, occurrence, key)
                )
            if not self._expires:
                self._expires = True
                step.schedule_expiry(self, occurrence.end + lifetime)

    def _is_used(self, occurrence: Occurrence) -> bool:
        return bool(self._names) and self._scopes.is_used(occurrence, self._names)

    def _is_any_used(self, choice: Sequence[Occurrence]) -> bool:
        names, is_used = self._names, self._scopes.is_used
        for each in choice:  # noqa: SIM110 (a loop is twice as fast)
            if is_used(each, names):
                return True
        return False

    def _is_consumed(
        self, slot: int, occurrence: Occurrence, key: Hashable, step: StepContext
    ) -> bool:
        """Try every combination with buffered occurrences, oldest first; True if the new occurrence
        is consumed.

        If that is too much work, the matches found until then stand, and the new occurrence is
        buffered like any other.
        """
        self.renew(step)
        try:
            return self._is_taken(slot, occurrence, key, step)
        except WorkLimitExceeded as why:
            step.abort_work(self, occurrence, why)
            return self._is_used(occurrence)

    def _is_taken(
        self, slot: int, occurrence: Occurrence, key: Hashable, step: StepContext
    ) -> bool:
        for choice in self._choices(slot, occurrence, key):
            if self._names and self._is_any_used(choice):
                continue
            whole = self._whole(choice)
            if whole is not None:
                self.spend(emit_cost(whole))
                step.emit(self, whole)
                if self._use_up(choice, slot, key, whole):
                    return True
        return self._is_used(occurrence)

    def _choices(self, slot: int, new: Occurrence, key: Hashable) -> Iterator[Sequence[Occurrence]]:
        """Return the new occurrence with every choice of buffered ones; under RECENT only with the
        most recent that agree.
        """
        recent = self._join.policy is Policy.RECENT
        others: list[Sequence[Occurrence]] = []
        for number, queue in enumerate(self._queues):
            waiting = queue.waiting(key)
            if number == slot:
                others.append((new,))
            else:
                others.append(self._most_recent(waiting, new) if recent else waiting)
        count = prod(map(len, others))
        self.tried += count
        self.spend(count * COMBINE_COST * len(others) // 2)
        return product(*others)

    def _most_recent(self, waiting: Sequence[Occurrence], new: Occurrence) -> Sequence[Occurrence]:
        agreeing = (
            each for each in reversed(waiting) if not self._is_used(each) and self._agree(each, new)
        )
        return [each for each in (next(agreeing, None),) if each is not None]

    def _agree(self, one: Occurrence, other: Occurrence) -> bool:
        self.spend(COMBINE_COST)
        both = combine((one, other), self.spend)
        return both is not None and all(
            compare(each, both.names)
            for each in self._join.conditions
            if isinstance(each, Related)
            and each.left.name in both.names
            and each.right.name in both.names
        )

    def _whole(self, parts: Sequence[Occurrence]) -> Occurrence | None:
        """Return the combined parts; None if they do not meet all conditions.

        The distance of their ends needs no test: entries too old for the new occurrence were
        dropped before.
        """
        whole = combine(parts, self.spend)
        if whole is not None and self._asking:
            self.spend(self._asking)
        if whole is None or not all(
            meets(condition, parts, whole.names) for condition in self._conditions
        ):
            return None
        return whole

    def _use_up(
        self, choice: Sequence[Occurrence], slot: int, key: Hashable, whole: Occurrence
    ) -> bool:
        """Consume what the policy demands; True if the new occurrence, at `slot`, is consumed."""
        match self._join.policy:
            case Policy.UNRESTRICTED | Policy.GLOBE | Policy.RECENT:
                return False
            case Policy.EXCLUSIVE:
                for queue in self._queues:
                    self._clear(queue, whole)
                return True
            case Policy.DEFERRED if self._names:
                self._scopes.use_up(self._settles, whole)
                return False
            case Policy.CHRONICLE:
                self._use_once(choice)
                return True
            case _:
                for number, each in enumerate(choice):
                    if number != slot:
                        self._queues[number].remove(each, key)
                return True

    def _clear(self, queue: ExpiringQueue, whole: Occurrence) -> None:
        """Consume all occurrences of a buffer; with a key, all of that key."""
        if not self._join.by:
            queue.clear()
            return
        mine = key_of(self._join.by, whole.members)
        for each in [each for each in queue if key_of(self._join.by, each.members) == mine]:
            queue.remove_same(each)

    def _use_once(self, choice: Sequence[Occurrence]) -> None:
        """Consume the choice at every slot, and for the rest of this step: single use."""
        for each in choice:
            self._used.add(each.identity_key)
            for queue in self._queues:
                queue.remove_same(each)

    def _is_used_once(self, occurrence: Occurrence, step: StepContext) -> bool:
        if self._when != step.number:
            self._when, self._used = step.number, set()
        return bool(self._used) and occurrence.identity_key in self._used


class PairJoinOperator(JoinOperator):
    """Join of two parts, the common case: the conditions of the new occurrence filter the buffered
    ones, one by one.
    """

    __slots__ = ("_filters",)

    def __init__(self, part: Join, inner: list[Operator], scopes: Scopes) -> None:
        super().__init__(part, inner, scopes)
        homes = input_of_name(part.parts)
        asked: list[list[Filter]] = [[], []]
        late: list[JoinCondition] = []
        for condition in self._conditions:
            filters = [pair_filter(condition, part.parts, homes, slot) for slot in (0, 1)]
            for slot, each in enumerate(filters):
                if each is None:
                    late.append(condition)
                elif work := work_of_asking(condition):
                    asked[slot].append(self._counted(each, work))
                elif not is_kept_by_expiry(condition, slot, self._lifetimes[1 - slot]):
                    asked[slot].append(each)
        self._filters = (tuple(asked[0]), tuple(asked[1]))
        self._conditions = tuple(dict.fromkeys(late))
        self._asking = sum(map(work_of_asking, self._conditions))
        if shared := variables_of(part.parts[0]) & variables_of(part.parts[1]):
            self._queues = [RowQueue(lifetime, sorted(shared)) for lifetime in self._lifetimes]

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Combine and buffer as any join does, but allocate nothing if nothing is buffered."""
        if self._names and self._scopes.is_used(occurrence, self._names):
            return
        if self._is_single_use and self._is_used_once(occurrence, step):
            return
        key = self._keys[slot](occurrence)
        if key is None and self._join.by:
            return
        others = self._queues[1 - slot]
        if others.living:
            others.forget_before(step.now)
            if (
                key is not None
                and others.waiting(key)
                and self._is_consumed(slot, occurrence, key, step)
            ):
                return
        if self._waits[slot]:
            self._queues[slot].forget_before(step.now)
            self._await(slot, occurrence, key, step)

    def _choices(self, slot: int, new: Occurrence, key: Hashable) -> Iterator[Sequence[Occurrence]]:
        waiting = self._queues[1 - slot].candidates(key, new.rows)
        if self._join.policy is Policy.RECENT:
            waiting = self._most_recent(waiting, new)
        self.tried += len(waiting)
        fitting = iter(waiting)
        if not self._filters[slot]:
            # charged before the first combination: too much work then emits nothing
            self.spend(len(waiting) * COMBINE_COST)
        else:
            self.spend(len(waiting) // CHECKS_PER_UNIT)
            for bound_to in self._filters[slot]:
                fitting = filter(bound_to(new), fitting)
            fitting = filter(self._try, fitting)
        return (
            zip(fitting, repeat(new), strict=False)
            if slot
            else zip(repeat(new), fitting, strict=False)
        )

    def _counted(self, asks: Filter, work: int) -> Filter:
        """A filter whose questions are dear: each is counted before it is asked."""

        def bound_to(new: Occurrence) -> Question:
            question = asks(new)

            def counted(waiting: Occurrence) -> bool:
                self.spend(work)
                return question(waiting)

            return counted

        return bound_to

    def _try(self, waiting: Occurrence) -> bool:
        """Charge for one combination, of an occurrence that passed the filters; always True."""
        self.spend(COMBINE_COST)
        return True


def is_kept_by_expiry(condition: JoinCondition, slot: int, lifetime: Duration | None) -> bool:
    """True if expiry implies the condition: whatever has not expired when an occurrence ends at
    `slot` meets it.
    """
    return (
        isinstance(condition, Precedes)
        and condition.or_equal
        and lifetime is not None
        and condition.earlier == Moment(slot, End.FINISH)
        and condition.later == Moment(1 - slot, End.FINISH)
        and lifetime <= -condition.gap
    )


def _limited_name(join: Join, slot: int) -> str | None:
    """Return the name of a part that single use drops from its scope when it expires; None for
    other parts.
    """
    part = join.parts[slot]
    return part.name if join.policy is Policy.CHRONICLE and isinstance(part, Named) else None


def ends_last(join: Join, slot: int) -> bool:
    """True if the occurrence at the slot completes every match: all other parts end strictly before
    it.
    """
    others = {
        condition.earlier.part
        for condition in join.conditions
        if isinstance(condition, Precedes)
        and condition.later.part == slot
        and condition.earlier.end is End.FINISH
        and (condition.gap > 0 or (condition.gap == 0 and not condition.or_equal))
    }
    return others >= set(range(len(join.parts))) - {slot}
