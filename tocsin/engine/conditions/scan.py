"""The paper's algorithm (spec 4.4, 4.5): every subscription in turn, without an index.

A condition is short-circuit code, a list of tests with a target for TRUE and one for not TRUE. Each
distinct predicate is evaluated at most once per event. It is the fallback, and the oracle of
every index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.index.growable import CountedSlots
from tocsin.engine.index.matcher_parts import Hits, Keys, WorkCounters
from tocsin.errors import MeaningProblem
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    BooleanNode,
    Condition,
    Not,
    Predicate,
    predicates_of,
)
from tocsin.plan.passes import prepared_expression
from tocsin.plan.semantics.predicate_truth import predicate_truth
from tocsin.values.truth import Truth, negation

ACCEPT = -1
REJECT = -2


@dataclass(frozen=True, slots=True)
class ShortCircuitStep:
    """A test of one predicate and its two targets: the number of a step, ACCEPT or REJECT."""

    predicate: int
    negated: bool
    if_true: int
    if_not: int


@dataclass(frozen=True, slots=True)
class ShortCircuitCode:
    """The steps and the first one; a condition without predicates begins at ACCEPT or REJECT."""

    steps: tuple[ShortCircuitStep, ...]
    start: int


def compile_short_circuit(
    expression: BooleanNode, number_of: Callable[[Predicate], int]
) -> ShortCircuitCode:
    """Return the code of an expression in negation normal form; operands keep their order."""
    steps: list[ShortCircuitStep] = []
    start = _emit(expression, ACCEPT, REJECT, steps, number_of)
    return ShortCircuitCode(tuple(steps), start)


def _emit(
    node: BooleanNode,
    if_true: int,
    if_not: int,
    steps: list[ShortCircuitStep],
    number_of: Callable[[Predicate], int],
) -> int:
    """Write the steps of a node; return its entry.

    Steps are written from the last to the first, so that both targets are known.
    """
    match node:
        case AllOf(operands):
            for operand in reversed(operands):
                if_true = _emit(operand, if_true, if_not, steps, number_of)
            return if_true
        case AnyOf(operands):
            for operand in reversed(operands):
                if_not = _emit(operand, if_true, if_not, steps, number_of)
            return if_not
        case Not(operand):
            if isinstance(operand, AllOf | AnyOf | Not):
                raise MeaningProblem(
                    "a negation must stand on a predicate here", hint="push negations down first"
                )
            steps.append(ShortCircuitStep(number_of(operand), True, if_true, if_not))
        case predicate:
            steps.append(ShortCircuitStep(number_of(predicate), False, if_true, if_not))
    return len(steps) - 1


PropsRow = tuple[Predicate, Truth]


class ScanMatcher:
    """Subscriptions in insertion order, run one by one over a table of predicate results."""

    __slots__ = (
        "_codes",
        "_keys",
        "_predicates",
        "_reorder",
        "props",
        "work",
    )

    def __init__(self, *, reorder: bool = True) -> None:
        self._reorder = reorder
        self._keys = Keys()
        self._codes: dict[int, ShortCircuitCode] = {}
        self._predicates = CountedSlots[Predicate]()
        self.props: list[PropsRow] = []
        """The predicate table of the event matched last: rows in the order of evaluation."""
        self.work = WorkCounters()

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    @property
    def distinct_predicates(self) -> int:
        """Number of distinct predicates of all subscriptions."""
        return len(self._predicates)

    def key_of(self, slot: int) -> str:
        """Return the key of a slot."""
        return self._keys.key_of(slot)

    def keys_of(self, slots: Iterable[int]) -> list[str]:
        """Return the keys of slots, one by one."""
        return self._keys.keys_of(slots)

    def add(self, key: str, atom: Condition) -> None:
        """Add a subscription; raise for a known key, and change nothing then."""
        self._keys.require_new(key)
        expression = prepared_expression(atom.expression) if self._reorder else atom.expression
        numbers = {each: self._predicates.use(each) for each in predicates_of(expression)}
        self._codes[self._keys.add(key)] = compile_short_circuit(expression, numbers.__getitem__)

    def remove(self, key: str) -> None:
        """Remove a subscription and every predicate that only it had."""
        code = self._codes.pop(self._keys.remove(key))
        for step in code.steps:
            self._predicates.release(step.predicate)

    def match(self, batch: EventBatch) -> Hits:
        """Test every event against every subscription."""
        found = [(i, slot) for i in range(batch.size) for slot in self._matching(batch.event(i))]
        self.work.events += batch.size
        self.work.hits += len(found)
        pairs = np.array(found, np.int32).reshape(-1, 2)
        return Hits(pairs[:, 0].copy(), pairs[:, 1].copy())

    def _matching(self, event: Event) -> list[int]:
        self.props = []
        truths: list[Truth | None] = [None] * self._predicates.capacity
        self.work.candidates += len(self._codes)
        return [slot for slot, code in self._codes.items() if self._accepts(code, truths, event)]

    def _accepts(self, code: ShortCircuitCode, truths: list[Truth | None], event: Event) -> bool:
        at = code.start
        while at >= 0:
            step = code.steps[at]
            known = truths[step.predicate]
            value = self._evaluated(step.predicate, truths, event) if known is None else known
            at = (
                step.if_true
                if (negation(value) if step.negated else value) is Truth.TRUE
                else step.if_not
            )
        return at == ACCEPT

    def _evaluated(self, number: int, truths: list[Truth | None], event: Event) -> Truth:
        predicate = self._predicates.item_at(number)
        value = truths[number] = predicate_truth(predicate, event)
        self.props.append((predicate, value))
        self.work.predicate_evaluations += 1
        return value
