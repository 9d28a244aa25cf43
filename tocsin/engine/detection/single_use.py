"""Pairs of two events, each used once: the join of two atoms under single use, for all
subscriptions that have it.

All of them are served at once by one loop over arrays (`pair_table`), once for every event. The
answers are those of `join.PairNode`, which serves all other joins of two parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tocsin.engine.detection.base import Operator, Pending, State, StepContext, Writer
from tocsin.engine.detection.join import ends_last
from tocsin.engine.detection.pair_table import PairStore, TimeCondition
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.stateless import AtomSource
from tocsin.plan.nodes.composites import Join, Policy, is_bare
from tocsin.plan.semantics.bounds import join_lifetime
from tocsin.plan.semantics.occurrence import Occurrence


def is_single_use(part: Join, scopes: Scopes) -> bool:
    """True if the table of pairs can serve the join: two different bare atoms, limited waits,
    conditions on time only.
    """
    return (
        part.policy is Policy.CHRONICLE
        and len(part.parts) == 2
        and all(map(is_bare, part.parts))
        and part.parts[0] != part.parts[1]
        and not part.by
        and not scopes.names_in(part)
        and all(join_lifetime(part, slot) is not None for slot in (0, 1))
        and all(isinstance(each, TimeCondition) for each in part.conditions)
    )


class SingleUseOperator(Operator):
    """Operator of a join of two atoms under single use, for the subscriptions that have it."""

    __slots__ = ("_join", "_lifetimes", "_pair", "_table")

    _pair: int
    _table: PairStore[Operator]

    def __init__(self, part: Join, inner: list[Operator]) -> None:
        super().__init__(part, inner)
        self._join = part
        self._lifetimes = [join_lifetime(part, slot) or 0 for slot in (0, 1)]

    has_buffer = True

    def attach(self) -> None:
        """Do nothing: its place is in the table, which it gets when it starts."""

    def on_added(self, step: StepContext) -> None:
        """Add its pair to the table that serves all of them."""
        join = self._join
        self._table = table = step.pairs
        conditions = tuple(each for each in join.conditions if isinstance(each, TimeCondition))
        waits = [not ends_last(join, slot) for slot in (0, 1)]
        self._pair = table.add(self, conditions, self._lifetimes, waits)
        for slot, source in enumerate(self._atoms):
            source.queues.append(self._queue(slot))

    def detach(self) -> None:
        """Remove its pair from the table."""
        for slot, source in enumerate(self._atoms):
            source.queues.remove(self._queue(slot))
        self._table.remove(self._pair)

    @property
    def tried(self) -> int:
        """Number of buffered occurrences that were checked."""
        return self._table.tried(self._pair)

    @property
    def buffered_count(self) -> int:
        """Number of occurrences buffered at both slots."""
        return self._table.buffered_count_of(self._pair)

    @property
    def is_empty(self) -> bool:
        """True if nothing is buffered."""
        return not self.buffered_count

    def pending(self) -> Iterator[Pending]:
        """Yield the occurrences that wait for others."""
        for slot, lifetime in enumerate(self._lifetimes):
            for each in self._table.waiting(self._queue(slot)):
                yield Pending(self.part, slot, each, each.end + lifetime)

    def snapshot(self, writer: Writer) -> State:
        """Return the buffered occurrences, at their slots, as for any join."""
        return {
            "queues": [
                [writer.write(each) for each in self._table.waiting(self._queue(slot))]
                for slot in (0, 1)
            ]
        }

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the buffered occurrences."""
        for slot, held in enumerate(state["queues"]):
            for each in held:
                self._table.restore(self._queue(slot), read(each))

    @property
    def _atoms(self) -> Iterator[AtomSource]:
        return (each for each in self.inputs if isinstance(each, AtomSource))

    def _queue(self, slot: int) -> int:
        return 2 * self._pair + slot
