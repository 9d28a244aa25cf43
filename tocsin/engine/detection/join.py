"""The join: each new occurrence is tried with those that wait, oldest first; the policy says what is used up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from tocsin.engine.detection.keys import UNPARTED, pair_keys
from tocsin.engine.detection.node import Node, Pending, State, Step, Writer
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.waiting import Entry, Waiting
from tocsin.plan.bounds import join_lifetime
from tocsin.plan.composites import Join, Named, Policy, Related
from tocsin.plan.conditions import compare, meets
from tocsin.plan.occurrence import Occurrence, combined
from tocsin.values.time import Instant


@dataclass(frozen=True, slots=True)
class _Wait:
    """The token of a timer: how long an occurrence of a named part may wait."""

    name: str
    entry: Entry


class JoinNode(Node):
    """Keeps one queue for each part. In a scope (policy deferred) everything pairs until the scope root settles it."""

    __slots__ = ("_conditions", "_join", "_keys", "_lifetimes", "_names", "_queues", "_scopes", "_settles")

    def __init__(self, part: Join, inner: list[Node], scopes: Scopes) -> None:
        super().__init__(part, inner)
        self._join = part
        self._scopes = scopes
        deferred = part.policy is Policy.DEFERRED
        self._names = scopes.names_in(part) if deferred or part.policy is Policy.CHRONICLE else ()
        self._settles = scopes.names_settled_at(part) if deferred else ()
        self._lifetimes = [join_lifetime(part, slot) for slot in range(len(part.parts))]
        self._queues = [Waiting(lifetime) for lifetime in self._lifetimes]
        self._keys: tuple[Callable[[Occurrence], Hashable], ...] | None = None
        self._conditions = part.conditions
        if len(part.parts) == 2:
            left, right, self._conditions = pair_keys(*part.parts, part.conditions)
            self._keys = (left, right)

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not any(len(queue) for queue in self._queues)

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """Tries the occurrence with those that wait, then lets it wait unless it is used up."""
        key = UNPARTED if self._keys is None else self._keys[slot](occurrence)
        if key is None or self._is_used(occurrence):
            return
        self.forget_before(step.now)
        entry = self._queues[slot].add(occurrence, key)
        for choice in self._choices(slot, entry):
            if all(each.alive and not self._is_used(each.occurrence) for each in choice):
                whole = self._whole([each.occurrence for each in choice])
                if whole is not None:
                    step.bring(self, whole)
                    self._use_up(choice, whole)
            if not entry.alive:
                return
        self._limit_wait(slot, entry, step)

    def on_timer(self, token: object, step: Step) -> None:
        """A named occurrence has waited in vain: under single use it is lost to the whole scope (spec OPSL 4.7)."""
        assert isinstance(token, _Wait)
        if token.entry.alive and not self._is_used(token.entry.occurrence):
            token.entry.alive = False
            if self._scopes.is_required(token.name, self.part):
                step.vanish(self._scopes, token.name, token.entry.occurrence.names[token.name])

    def forget_before(self, now: Instant) -> None:
        """Drops what waited in vain."""
        for queue in self._queues:
            queue.forget_before(now)
        self._scopes.forget_before(now)

    def pending(self) -> Iterator[Pending]:
        """All that waits for others and is not used up."""
        for slot, (queue, lifetime) in enumerate(zip(self._queues, self._lifetimes, strict=True)):
            for entry in queue.entries():
                if not self._is_used(entry.occurrence):
                    until = None if lifetime is None else entry.occurrence.end + lifetime
                    yield Pending(self.part, slot, entry.occurrence, until)

    def snapshot(self, writer: Writer) -> State:
        """The queues; keys are computed anew."""
        return {"queues": [[writer.write(each.occurrence) for each in queue.entries()] for queue in self._queues]}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: Step) -> None:
        """Takes over the queues."""
        for slot, queue in enumerate(state["queues"]):
            for each in queue:
                occurrence = read(each)
                key = UNPARTED if self._keys is None else self._keys[slot](occurrence)
                self._limit_wait(slot, self._queues[slot].add(occurrence, key), step)

    def _limit_wait(self, slot: int, entry: Entry, step: Step) -> None:
        part, lifetime = self._join.parts[slot], self._lifetimes[slot]
        if self._join.policy is Policy.CHRONICLE and isinstance(part, Named) and lifetime is not None:
            step.wake(self, entry.occurrence.end + lifetime, _Wait(part.name, entry))

    def _is_used(self, occurrence: Occurrence) -> bool:
        return bool(self._names) and self._scopes.is_used(occurrence, self._names)

    def _choices(self, slot: int, entry: Entry) -> Iterator[Sequence[Entry]]:
        """The new entry with every choice of waiting ones, oldest first; under RECENT only with the most recent."""
        others = [
            [entry] if number == slot else self._candidates(queue, entry) for number, queue in enumerate(self._queues)
        ]
        return product(*others)

    def _candidates(self, queue: Waiting, entry: Entry) -> list[Entry]:
        if self._join.policy is not Policy.RECENT:
            return list(queue.oldest_first(entry.key))
        recent = (each for each in queue.newest_first(entry.key) if self._agree(each, entry))
        return [each for each in (next(recent, None),) if each is not None]

    def _agree(self, one: Entry, other: Entry) -> bool:
        both = combined((one.occurrence, other.occurrence))
        return both is not None and all(
            compare(each, both.names)
            for each in self._join.conditions
            if isinstance(each, Related) and each.left.name in both.names and each.right.name in both.names
        )

    def _whole(self, parts: Sequence[Occurrence]) -> Occurrence | None:
        keep = self._join.keep
        if keep is not None and max(each.end for each in parts) - min(each.end for each in parts) > keep:
            return None
        whole = combined(parts)
        if whole is None or not all(meets(condition, parts, whole.names) for condition in self._conditions):
            return None
        return whole

    def _use_up(self, choice: Sequence[Entry], whole: Occurrence) -> None:
        match self._join.policy:
            case Policy.UNRESTRICTED | Policy.GLOBE | Policy.RECENT:
                return
            case Policy.EXCLUSIVE:
                for queue in self._queues:
                    queue.clear()
            case Policy.DEFERRED if self._names:
                self._scopes.use_up(self._settles, whole)
            case _:
                for entry in choice:
                    entry.alive = False
