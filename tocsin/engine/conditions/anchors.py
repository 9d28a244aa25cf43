"""Anchors: a few probes of which a subscription needs at least one; an event visits only these.

A conjunction is anchored at its most selective operand, a disjunction at all its operands. Only
probes that an event finds by looking up its values can be anchors; a subscription without such a
probe has no anchor and is always visited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from tocsin.engine.conditions.probe_table import NEVER
from tocsin.engine.conditions.probes import AllFormulas, AnyFormula, Formula, Probe, ProbeLiteral
from tocsin.engine.conditions.programs import weight_of
from tocsin.engine.index.growable import INT32, Growable
from tocsin.engine.index.postings import Postings
from tocsin.plan.nodes.atoms import Ordered

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
