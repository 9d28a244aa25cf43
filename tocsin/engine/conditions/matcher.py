"""The indexed matcher: every distinct predicate is decided once per batch, as a bit vector of
events.

A subscription is a small program over these bit vectors; one with a required predicate that no
event of a block satisfies is skipped. A small batch goes event by event through the same indexes
instead, and an event visits only subscriptions that have one of its probes as an anchor. Adding or
removing a subscription touches only its own probes, and removing it frees all state that only it
used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.conditions.answers import AnswerMatrix, OneEvent
from tocsin.engine.conditions.bitmaps import WORD
from tocsin.engine.conditions.indexes import ConditionIndexes
from tocsin.engine.conditions.probes import (
    NEVER,
    AllFormulas,
    AnyFormula,
    Formula,
    Probe,
    ProbeLiteral,
    lower_condition,
)
from tocsin.engine.conditions.program_kernel import run_one, run_programs
from tocsin.engine.conditions.programs import (
    ProgramStore,
    compile_condition_program,
    probe_of,
    weight_of,
)
from tocsin.engine.index.growable import INT32, Growable, Postings
from tocsin.engine.index.kernels import to_python
from tocsin.engine.index.matcher_parts import (
    BlockHits,
    Hits,
    Keys,
    WorkCounters,
    concatenate_hits,
    sort_by_event,
)
from tocsin.plan.nodes.atoms import Condition, Ordered

# Anchors: a few probes of which a subscription needs at least one; an event visits only these.
#
# A conjunction is anchored at its most selective operand, a disjunction at all its operands. Only
# probes that an event finds by looking up its values can be anchors; a subscription without such
# a probe has no anchor and is always visited.

ALWAYS = NEVER
"""Probe under which always visited subscriptions are filed; no event finds it."""

NO_LIST = -1

Choice = tuple[int, int, frozenset[int]]
"""Rank of its selectivity (less is better), number of subscriptions that share it, and the probes.
"""

_EXCLUDES = itemgetter(0, 1)


class ConditionAnchors:
    """Lists of subscription slots by probe; `lists` has the number of each probe's list."""

    __slots__ = ("lists", "slots")

    def __init__(self) -> None:
        self.lists = Growable(INT32)
        self.slots = Postings()

    def choose(self, formula: Formula, number_of: Callable[[Probe], int]) -> list[int]:
        """Return the probes under which a formula is filed."""
        choice = self._choice(formula, number_of)
        return [ALWAYS] if choice is None else sorted(choice[2])

    def add(self, slot: int, probes: Iterable[int]) -> None:
        """File a subscription under probes."""
        for probe in probes:
            known = self._list(probe)
            if known == NO_LIST:
                self.lists[probe] = self.slots.new(slot)
            else:
                self.slots.append(known, slot)

    def remove(self, slot: int, probes: Iterable[int]) -> None:
        """Remove a subscription from its probes."""
        for probe in probes:
            if self.slots.remove(self._list(probe), slot):
                self.lists[probe] = NO_LIST
        if not len(self.slots):
            self.lists = Growable(INT32)

    def lists_of(self, probes: int) -> npt.NDArray[np.int32]:
        """Return the list numbers of all probes below `probes`."""
        self._reach(probes - 1)
        return self.lists.array

    def _choice(self, formula: Formula, number_of: Callable[[Probe], int]) -> Choice | None:
        match formula:
            case ProbeLiteral():
                probe = formula.probe
                if formula.negated or isinstance(probe, Ordered):
                    return None
                return self._single(formula, number_of(probe))
            case AllFormulas(operands):
                choices = [
                    choice for operand in operands if (choice := self._choice(operand, number_of))
                ]
                return (
                    min(choices, key=_EXCLUDES) if len(choices) > 1 else next(iter(choices), None)
                )
            case AnyFormula(operands):
                return _union([self._choice(operand, number_of) for operand in operands])

    def _single(self, literal: ProbeLiteral, probe: int) -> Choice:
        known = self._list(probe)
        sharing = 0 if known == NO_LIST else self.slots.counts[known]
        return weight_of(literal), sharing, frozenset((probe,))

    def _list(self, probe: int) -> int:
        if probe >= len(self.lists):
            self._reach(probe)
        return int(self.lists[probe])

    def _reach(self, probe: int) -> None:
        missing = probe + 1 - len(self.lists)
        if missing > 0:
            self.lists.extend([NO_LIST] * missing)


def _union(choices: list[Choice | None]) -> Choice | None:
    known = [choice for choice in choices if choice is not None]
    if not known or len(known) < len(choices):
        return None
    probes = frozenset(probe for choice in known for probe in choice[2])
    return max(choice[0] for choice in known), sum(choice[1] for choice in known), probes


__all__ = ["Hits", "Matcher"]

BLOCK = 8192
"""Events whose answers are held at a time."""

_LARGEST_BLOCK = 1 << 16
"""An event's number within its block has 16 bits."""

MAX_EVENTS_ONE_BY_ONE = 12
"""Most events of a batch that goes event by event."""

MAX_PROGRAMS_IN_PYTHON = 5_000
"""Programs run in plain Python first, event by event: a tenth of the time to load compiled code."""

_MIN_HITS_CAPACITY = 1 << 20

_run_one_in_python = to_python(run_one)


class Matcher:
    """Subscriptions by key."""

    __slots__ = (
        "_anchors",
        "_block",
        "_few",
        "_indexes",
        "_keys",
        "_one",
        "_plain",
        "_programs",
        "_rows",
        "work",
    )

    def __init__(
        self,
        *,
        block: int = BLOCK,
        few: int = MAX_EVENTS_ONE_BY_ONE,
        plain: int = MAX_PROGRAMS_IN_PYTHON,
    ) -> None:
        if not 0 < block <= _LARGEST_BLOCK:
            raise ValueError(f"a block has 1 to {_LARGEST_BLOCK} events, got {block}")
        self._block = block
        self._few = few
        self._plain = plain
        self.work = WorkCounters()
        self._keys = Keys()
        self._indexes = ConditionIndexes(self.work)
        self._programs = ProgramStore()
        self._anchors = ConditionAnchors()
        self._rows = AnswerMatrix()
        self._one = OneEvent()

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    @property
    def distinct_predicates(self) -> int:
        """Number of distinct probes of all subscriptions."""
        return len(self._indexes.table)

    def key_of(self, slot: int) -> str:
        """Return the key of a slot."""
        return self._keys.key_of(slot)

    def keys_of(self, slots: Iterable[int]) -> list[str]:
        """Return the keys of slots, one by one."""
        return self._keys.keys_of(slots)

    def add(self, key: str, atom: Condition) -> None:
        """Add a subscription; raise for a known key, and change nothing then."""
        self._keys.require_new(key)
        formula = lower_condition(atom.expression)
        program = compile_condition_program(formula, self._indexes.use)
        anchors = self._anchors.choose(formula, self._indexes.number_of)
        slot = self._keys.add(key)
        self._programs.add(slot, program, anchors)
        self._anchors.add(slot, anchors)

    def remove(self, key: str) -> None:
        """Remove a subscription and all state that only it used."""
        slot = self._keys.remove(key)
        instructions, anchors = self._programs.remove(slot)
        self._anchors.remove(slot, anchors)
        for instruction in instructions:
            if instruction >= 0:
                self._indexes.table.release(probe_of(instruction))
        if not len(self):
            self._rows, self._one = AnswerMatrix(), OneEvent()

    def match(self, batch: EventBatch) -> Hits:
        """Return the subscriptions that match each event."""
        if batch.size <= self._few:
            hits = concatenate_hits([self._match_one(batch, i) for i in range(batch.size)])
        else:
            self._plain = 0
            windows = self._indexes.fill(batch, self._rows, self._block)
            hits = sort_by_event([self._match_block(window) for window in windows])
        self.work.events += batch.size
        self.work.hits += len(hits)
        return hits

    def _match_one(self, batch: EventBatch, i: int) -> Hits:
        one, programs, table, anchors = (
            self._one,
            self._programs,
            self._indexes.table,
            self._anchors,
        )
        self._indexes.see(batch, i, one, self._keys.capacity)
        found = np.empty(programs.live, np.int32)
        yes = one.yes()
        run = _run_one_in_python if programs.live <= self._plain else run_one
        count, candidates = run(
            yes,
            anchors.lists_of(table.capacity),
            anchors.slots.starts.array,
            anchors.slots.counts.array,
            anchors.slots.pool.array,
            programs.starts.array,
            programs.lengths.array,
            programs.code.array,
            programs.jumps.array,
            table.relations.array,
            table.attributes.array,
            table.limits.array,
            one.numbers,
            one.tied,
            one.seen,
            one.visited,
            one.generation,
            one.compared,
            found,
        )
        self._plain -= candidates
        self.work.candidates += candidates
        self.work.predicate_evaluations += len(yes) + int(one.compared[0])
        slots = found[:count]
        return Hits(np.full(count, i, np.int32), slots[np.argsort(programs.places.array[slots])])

    def _match_block(self, window: slice) -> BlockHits:
        """Run all programs over the block with answers in the rows."""
        self.work.predicate_evaluations += self._rows.decided
        programs, rows = self._programs, self._rows
        order, matrix = programs.order.array, rows.matrix
        words = matrix.shape[1]
        (play, spare), (rest, kept) = (
            np.empty((2, words), np.uint64),
            np.empty((2, programs.depth, words), np.uint64),
        )
        found = BlockHits(window)
        at = 0
        while at < len(order):
            events, slots = found.new_part(max(_MIN_HITS_CAPACITY, words * WORD))
            at, count, candidates = run_programs(
                order,
                at,
                programs.starts.array,
                programs.lengths.array,
                programs.required.array,
                programs.code.array,
                programs.jumps.array,
                rows.numbers,
                matrix,
                rows.pool,
                play,
                spare,
                rest,
                kept,
                events,
                slots,
                found.tally,
            )
            found.end_part(count)
            self.work.candidates += candidates
        return found
