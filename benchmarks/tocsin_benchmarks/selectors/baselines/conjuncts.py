"""Disjunctive normal form: a selector as alternatives, each a set of literals that must all hold.

Matchers that know AND only (counting, matching tree) take every alternative as a subscription of
its own. The number of alternatives can grow exponentially with the selector; beyond the limit the
selector is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from tocsin.errors import LimitProblem
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Not, Ordered
from tocsin.plan.passes.simplify import push_not_down
from tocsin_benchmarks.selectors.baselines.value_tests import Simple, ValueTest, simple, value_test

MAX_ALTERNATIVES = 4096

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True, slots=True)
class Literal:
    """A predicate that must hold, or must be false where it is negated. Unknown is neither."""

    predicate: Simple
    negated: bool

    def test(self) -> ValueTest:
        """The literal as a test of a value of a fitting class."""
        holds = value_test(self.predicate)
        return (lambda value: not holds(value)) if self.negated else holds


Conjunct = frozenset[Literal]


def conjuncts_of(selector: BooleanNode) -> list[Conjunct]:
    """The different alternatives of a selector, in the order in which they stand in it."""
    return list(dict.fromkeys(_alternatives(push_not_down(selector))))


def _alternatives(node: BooleanNode) -> list[Conjunct]:
    match node:
        case AnyOf(operands):
            return _limited(
                alternative for operand in operands for alternative in _alternatives(operand)
            )
        case AllOf(operands):
            choices = product(*(_alternatives(operand) for operand in operands))
            return _limited(
                frozenset(literal for part in choice for literal in part) for choice in choices
            )
        case Not(predicate):
            return [frozenset((_literal(simple(predicate), negated=True),))]
        case _:
            return [frozenset((_literal(simple(node), negated=False),))]


def _limited(alternatives: Iterator[Conjunct]) -> list[Conjunct]:
    taken: list[Conjunct] = []
    for alternative in alternatives:
        if len(taken) == MAX_ALTERNATIVES:
            raise LimitProblem(
                f"a selector has more than {MAX_ALTERNATIVES:,} alternatives without OR"
            )
        taken.append(alternative)
    return taken


def _literal(predicate: Simple, *, negated: bool) -> Literal:
    """A negated ordering is the opposite ordering: both are unknown of what is no number."""
    if negated and isinstance(predicate, Ordered):
        return Literal(replace(predicate, relation=_OPPOSITE[predicate.relation]), negated=False)
    return Literal(predicate, negated)
