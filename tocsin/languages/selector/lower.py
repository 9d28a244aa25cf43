"""Syntax to plan. AND, OR and NOT keep the shape of the text; a problem in one test hides none in
others.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tocsin.errors import Place, Problem
from tocsin.languages.base.texts import SourceSpan
from tocsin.languages.selector.comparisons import ALWAYS, NEVER
from tocsin.languages.selector.limits import exceeded
from tocsin.languages.selector.predicates import predicate_of
from tocsin.languages.selector.syntax import (
    SelectorComparison,
    SelectorConjunction,
    SelectorDisjunction,
    SelectorNegation,
    Syntax,
)
from tocsin.languages.selector.values import LoweringContext
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Not, predicates_of


@dataclass(frozen=True, slots=True)
class Lowered:
    """Condition of a selector, its problems, and the place of each predicate by its `id()`.

    With problems the condition is meaningless.
    """

    condition: BooleanNode
    problems: list[Problem] = field(default_factory=list)
    spots: dict[int, SourceSpan] = field(default_factory=dict)


def lower(syntax: Syntax | None, setting: LoweringContext) -> Lowered:
    """Return the condition of a text; without a syntax tree it is true of every event."""
    if syntax is None:
        return Lowered(ALWAYS)
    walk = _SelectorLowering(setting)
    return Lowered(walk.condition(syntax), walk.problems, walk.spots)


class _SelectorLowering:
    """One walk over a syntax tree, which counts its predicates."""

    def __init__(self, setting: LoweringContext) -> None:
        self.problems: list[Problem] = []
        self.spots: dict[int, SourceSpan] = {}
        self._setting = setting
        self._literals = 0

    def condition(self, node: Syntax) -> BooleanNode:
        match node:
            case SelectorConjunction(_, operands):
                return AllOf(tuple(map(self.condition, operands)))
            case SelectorDisjunction(_, operands):
                return AnyOf(tuple(map(self.condition, operands)))
            case SelectorNegation(_, operand):
                return Not(self.condition(operand))
            case _:
                return self._test(node)

    def _test(self, node: Syntax) -> BooleanNode:
        self._count(node)
        try:
            found = predicate_of(node, self._setting)
            start = node.left.spot if isinstance(node, SelectorComparison) else node.spot
            self.spots |= {id(predicate): start for predicate in predicates_of(found)}
            return found
        except Problem as problem:
            self.problems.append(problem)
            return NEVER

    def _count(self, node: Syntax) -> None:
        self._literals += 1
        limit = self._setting.limits.literals
        if self._literals > limit:
            raise exceeded(
                f"the selector has more than {limit:,} predicates",
                Place.at(self._setting.text, node.spot.offset),
                "use IN for a list of values, or split the subscription",
                node.spot.text,
            )
