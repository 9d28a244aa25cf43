"""Which concepts of a TBox can have no members: what they mean contradicts itself."""

from __future__ import annotations

from tocsin.errors import LimitProblem
from tocsin.knowledge.concepts.assertions import Assertions, Individual, Kind, World
from tocsin.knowledge.concepts.tableau import Limits, examine
from tocsin.knowledge.concepts.tbox import TBox

_ANYTHING = Individual(Kind.FRESH, "anything")
_NOTHING_SAID = Assertions((), ())
_LIMITS = Limits(branches=200, assumptions=5_000, all_assumptions=50_000)
"""Past them a concept counts as one with members: whether to refuse a TBox is not worth more."""


def memberless(tbox: TBox) -> frozenset[str]:
    """The names of all concepts of which it is certain that nothing can ever have them."""
    return frozenset(axiom.name for axiom in tbox.axioms if _is_empty(tbox, axiom.name))


def _is_empty(tbox: TBox, name: str) -> bool:
    try:
        meant = tbox.expanded(name)
    except LimitProblem:
        return False
    return examine(_NOTHING_SAID, [(_ANYTHING, meant)], World.OPEN, _LIMITS).is_inconsistent
