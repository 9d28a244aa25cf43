"""Placement of WHERE: each condition at the lowest operator that has all the parts it names.

An absence has its absent part and the bounds of its window; a count has all events that it counted.
A condition on one event alone belongs to that event.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.rule.syntax import RuleComparison
from tocsin.languages.rule.values import CODE
from tocsin.plan.nodes.composites import (
    Absence,
    BetweenWindow,
    Either,
    Fulfilling,
    Gathered,
    Join,
    Named,
    NamedCondition,
    Only,
    Part,
    Sliding,
    names_of,
    names_used_by,
    parts_of,
)
from tocsin.plan.nodes.measures import Satisfies, names_aggregated_in
from tocsin.plan.nodes.rewriting import with_parts


@dataclass(frozen=True, slots=True)
class WhereCondition:
    """A condition and the comparison that it comes from."""

    condition: NamedCondition
    comparison: RuleComparison

    @property
    def names(self) -> frozenset[str]:
        """The names of the parts in the condition."""
        return names_used_by(self.condition)

    @property
    def is_of_all(self) -> bool:
        """True if it aggregates several events."""
        condition = self.condition
        return isinstance(condition, Satisfies) and bool(names_aggregated_in(condition.expression))


def attach(part: Part, wanted: Sequence[WhereCondition], problems: ProblemCollector) -> Part:
    """Return the part with every condition in its place; add a problem for one without a place."""
    attachment = _ConditionPlacement(list(wanted))
    whole = attachment.part(part)
    for each in attachment.waiting:
        problems.add(CODE, each.comparison.left.spot, *_unrelated_parts(each.names))
    for each in attachment.uncertain:
        problems.add(CODE, each.comparison.left.spot, *_uncertain(each.names))
    return whole


class _ConditionPlacement:
    """One walk from the inside out."""

    def __init__(self, waiting: list[WhereCondition]) -> None:
        self.waiting = waiting
        self.uncertain: list[WhereCondition] = []

    def part(self, part: Part) -> Part:
        if not self.waiting:
            return part
        whole = with_parts(part, self.part)
        match whole:
            case Join(parts, conditions):
                found = self._take(visible(whole), _certain_all(parts))
                return replace(whole, conditions=(*conditions, *found)) if found else whole
            case Absence() | Gathered():
                return self._windowed(whole)
            case Named(name, inner):
                own = self._own(name, _is_measure(inner))
                return Only(whole, Fulfilling(own)) if own else whole
            case _:
                return whole

    def _windowed(self, whole: Absence | Gathered) -> Part:
        counted, *bounds = parts_of(whole)
        inside, around = names_of(counted), _union(map(visible, bounds))
        certain = _certain(counted) | _certain_all(bounds)
        between = isinstance(whole.window, BetweenWindow)
        found = self._take(inside | around, certain, None if between else inside)
        return replace(whole, conditions=(*whole.conditions, *found)) if found else whole

    def _take(
        self, known: frozenset[str], certain: frozenset[str], needed: frozenset[str] | None = None
    ) -> tuple[NamedCondition, ...]:
        """Take the waiting conditions that name known parts only, one of them a needed part."""
        found = [
            each
            for each in self.waiting
            if each.names <= known and (needed is None or each.names & needed)
        ]
        self.waiting = [each for each in self.waiting if each not in found]
        self.uncertain += [each for each in found if not each.names <= certain]
        return tuple(each.condition for each in found)

    def _own(self, name: str, slides: bool) -> tuple[NamedCondition, ...]:
        """Take the waiting conditions on a named part alone.

        Conditions on several events are taken for a measure only, and a measure takes no others.
        """
        found = [each for each in self.waiting if each.names == {name} and each.is_of_all is slides]
        self.waiting = [each for each in self.waiting if each not in found]
        return tuple(each.condition for each in found)


def _is_measure(part: Part) -> bool:
    """Return True if a part is a measure, maybe with another name and a condition of its own."""
    while isinstance(part, Named | Only):
        part = part.part
    return isinstance(part, Sliding)


def visible(part: Part) -> frozenset[str]:
    """Return the names that an occurrence of the part can have events for; not absent ones."""
    match part:
        case Named(name, inner):
            return visible(inner) | {name}
        case Absence():
            return _union(map(visible, parts_of(part)[1:]))
        case _:
            return _union(map(visible, parts_of(part)))


def _certain(part: Part) -> frozenset[str]:
    """Return the names that every occurrence of the part has events for."""
    match part:
        case Either(parts):
            return frozenset.intersection(*map(_certain, parts))
        case Named(name, inner):
            return _certain(inner) | {name}
        case Absence():
            return _certain_all(parts_of(part)[1:])
        case _:
            return _certain_all(parts_of(part))


def _certain_all(parts: Iterable[Part]) -> frozenset[str]:
    return _union(map(_certain, parts))


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)


def _unrelated_parts(names: frozenset[str]) -> tuple[str, str]:
    told = " and ".join(sorted(names)) or "nothing"
    return (
        f"{told} never stand together, so they cannot be compared",
        "join them; what is absent is compared with the steps around it only",
    )


def _uncertain(names: frozenset[str]) -> tuple[str, str]:
    return (
        f"{' or '.join(sorted(names))} has no event when the other side of OR happens",
        "name the whole of (a OR b), or make two rules",
    )
