"""Short-circuit code (spec 4.5): a list of tests with a target for TRUE and one for not TRUE."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tocsin.errors import MeaningProblem
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Not, Predicate

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
