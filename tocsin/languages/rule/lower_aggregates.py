"""Lowering of aggregates over time and changes of a state, and settings of all parts of a rule.

Measures of the same events and the same window in one AND become one window:
`COUNT(b) >= 3 OVER 1m AND SUM(b.v) > 5 OVER 1m` requires both at one instant, as HAVING does over
one window. Measures of other events or of another window stay parts of a join.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import assert_never

from tocsin.errors import MeaningProblem, Problem
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.rule.names import NOTHING, RuleNameResolver, path_of
from tocsin.languages.rule.printer import part_text, state_text
from tocsin.languages.rule.syntax import (
    AggregateSyntax,
    AtomSyntax,
    Inside,
    Meets,
    NearRegion,
    PartSyntax,
    Slides,
    StateChangeSyntax,
    StateSyntax,
)
from tocsin.languages.rule.where import NUMERIC
from tocsin.plan.nodes import expressions
from tocsin.plan.nodes.atoms import Atom, Condition, PlaceIs
from tocsin.plan.nodes.composites import (
    HIDDEN,
    Absence,
    AfterWindow,
    Change,
    Join,
    Key,
    Named,
    Part,
    Policy,
    Sliding,
    is_one_event,
)
from tocsin.plan.nodes.expressions import Attribute, Elements, Measure, Ring
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.plan.nodes.sources import SourceRecorder
from tocsin.values.space import Metric, SpatialRelation
from tocsin.values.time import Duration

_AGGREGATES = {
    ("COUNT", False): expressions.Aggregate.COUNT,
    ("COUNT", True): expressions.Aggregate.DISTINCT,
    ("SUM", False): expressions.Aggregate.SUM,
    ("AVG", False): expressions.Aggregate.AVG,
    ("MIN", False): expressions.Aggregate.MIN,
    ("MAX", False): expressions.Aggregate.MAX,
}


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """Settings of all parts of a rule: keys, key of elements, policy, ring mode and horizon.

    A horizon of None is switched off.
    """

    by: Key
    each: Elements | None
    policy: Policy
    emit_mode: Ring | None
    horizon: Duration | None
    says_horizon: bool
    metric: Metric


@dataclass(slots=True)
class AggregateLowering:
    """One walk over a rule. `holding` are the names of the starts of HOLDS.

    `measured` are attributes aggregated as numbers, so that values that are not numbers can be
    counted; `aliases` are names of the same events.
    """

    problems: ProblemCollector
    warnings: ProblemCollector
    names: RuleNameResolver
    manner: RuleSettings
    sources: SourceRecorder
    holding: list[str] = field(default_factory=list)
    measured: list[Attribute] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    slides: bool = False
    _unnamed: int = 0

    @abstractmethod
    def part(self, node: PartSyntax) -> Part:
        """Return the part of a node."""

    def without_alias(self, attribute: Attribute) -> Attribute:
        """Return the attribute by the one name of its events, so that they are counted once."""
        name, *path = attribute.path
        while name in self.aliases:
            name = self.aliases[name]
        return Attribute((name, *path))

    def hidden_name(self) -> str:
        """Return a new internal name, which no match contains."""
        self._unnamed += 1
        return f".{self._unnamed}"

    # Aggregates and changes

    def _slides(self, node: Slides, name: str) -> Part:
        self.slides = True
        counted = self._counted(node.aggregate)
        if counted is None:
            return NOTHING
        every = None if node.every is None else node.every.microseconds
        if every is not None and self.manner.emit_mode not in (None, Ring.EVERY_TIME):
            assert node.every is not None
            self.problems.add(
                "RingError",
                node.every.spot,
                "windows that come EVERY so often ring at the end of each in which it holds",
                "leave RING out, or EVERY",
            )
        path = path_of(node.aggregate.path.text) if node.aggregate.path else ()
        kind = _AGGREGATES[node.aggregate.function, node.aggregate.distinct]
        own = name
        if node.aggregate.function in NUMERIC:
            own = name or self.hidden_name()
            self.measured.append(Attribute((own, *path)))
        made = self._made(
            node.aggregate.spot,
            lambda: self._sliding(
                counted,
                Measure(kind, path),
                (node.relation, node.value),
                node.over.microseconds,
                every,
            ),
        )
        self.sources.add(made, partial(part_text, node))
        return made if name else with_name(own, made)

    def _counted(self, aggregate: AggregateSyntax) -> Part | None:
        """Return the part that an aggregate is over; None if it lacks its attribute."""
        needs_path = aggregate.function in NUMERIC or aggregate.distinct
        if needs_path and aggregate.path is None:
            called = "COUNT(DISTINCT" if aggregate.distinct else f"{aggregate.function}("
            self.problems.add(
                "AggregateError",
                aggregate.spot,
                f"{called}...) is of an attribute, and here is none",
                f"write {called} reading.temperature)".replace("( ", "("),
            )
            return None
        return self.part(aggregate.atom)

    def _sliding(
        self,
        counted: Part,
        measure: Measure,
        threshold: tuple[str, int | float],
        over: Duration,
        every: Duration | None = None,
    ) -> Part:
        ring = Ring.EVERY_TIME if every else self.manner.emit_mode or Ring.ON_CHANGE
        return Sliding(
            counted,
            measure,
            *threshold,
            over,
            every,
            ring,
            self.manner.by,
            self._each,
        )

    @property
    def _each(self) -> str:
        return self.manner.each[0] if self.manner.each else ""

    def _changes(self, node: StateChangeSyntax, name: str) -> Part:
        if node.word != "HOLDS":
            becomes = node.word in ("BECOMES", "ENTERS")
            return self._change(node, node.atom, becomes)
        if node.length is None:
            self.problems.add(
                "HoldsError",
                node.spot,
                "HOLDS does not say for how long",
                "write FOR and a duration, as in HOLDS temperature > 8 FOR 10m",
            )
            return NOTHING
        since = name or self.hidden_name()
        self.holding.append(since)
        begins = Named(since, self._change(node, node.atom, True))
        return Absence(
            self._change(node, node.atom, False),
            AfterWindow(begins, node.length.microseconds),
            (),
            self.manner.policy,
            by=self.manner.by,
        )

    def _change(self, node: StateChangeSyntax, atom: AtomSyntax, becomes: bool) -> Part:
        part, state = self.part(atom), self._state(node.state)
        return self._made(
            node.spot, lambda: Change(part, state, becomes, self.manner.by, self._each)
        )

    def _state(self, state: StateSyntax) -> Atom:
        found = self._state_atom(state)
        self.sources.add(found, partial(state_text, state))
        return found

    def _state_atom(self, state: StateSyntax) -> Atom:
        metric = self.manner.metric
        match state:
            case Meets():
                return self.names.state(state)
            case Inside(region):
                inside = PlaceIs(SpatialRelation.INSIDE, self.names.region(region), metric=metric)
                return Condition(inside)
            case NearRegion(region, distance):
                place = self.names.region(region)
                if distance < 0:
                    message = "a distance is not negative"
                    self.problems.add("RegionError", region.spot, message, "write 0 or more")
                    return NOTHING
                near = PlaceIs(SpatialRelation.WITHIN, place, float(distance), metric)
                return Condition(near)
            case _:
                assert_never(state)

    def _made(self, spot: SourceSpan, make: Callable[[], Part]) -> Part:
        """Return the part that `make` returns; a problem that it raises is placed at the spot."""
        try:
            return make()
        except Problem as problem:
            self.problems.at(spot, _with_hint(problem))
            return NOTHING


def with_name(name: str, part: Part) -> Part:
    """Return the part with the name, which replaces a hidden one."""
    if not name:
        return part
    if isinstance(part, Named) and part.name == name:
        return part
    if isinstance(part, Named) and part.name.startswith(".") and is_one_event(part.part):
        return replace(part, name=name)
    return Named(name, part)


def _with_hint(problem: Problem) -> Problem:
    if problem.hint:
        return problem
    return MeaningProblem(problem.message, code=problem.code, hint="write another value")


# Measures in one AND.

PAIRED_MEASURES = "PairedMeasures"


@dataclass(frozen=True, slots=True)
class MergedConjunction:
    """Parts of an AND after merging, by the number of the first part that each was made of.

    `aliases` maps names of merged measures to the name that stands for all of them; `groups` has
    the numbers of the measures that were merged into a part.
    """

    parts: dict[int, Part]
    aliases: dict[str, str]
    groups: dict[int, list[int]]

    @property
    def measures(self) -> list[int]:
        """The numbers of the parts that are measures, or joins in any order that have some."""
        return [number for number, part in self.parts.items() if any(_measures_in(part))]


def merge_measures(parts: Sequence[Part]) -> MergedConjunction:
    """Return the parts with one part for all measures of the same events and the same window.

    It takes the place of the first of them and has the names of all.
    """
    windows: dict[Hashable, list[_Measure]] = {}
    merged: dict[int, Part] = {}
    for number, part in enumerate(parts):
        measure = _measure_in(number, part)
        if measure is None:
            merged[number] = part
        else:
            windows.setdefault(_window_of(measure.sliding), []).append(measure)
    aliases: dict[str, str] = {}
    for group in windows.values():
        merged[group[0].number] = _merge(group, aliases)
    groups = {group[0].number: [each.number for each in group] for group in windows.values()}
    several = {first: numbers for first, numbers in groups.items() if len(numbers) > 1}
    return MergedConjunction(dict(sorted(merged.items())), aliases, several)


@dataclass(frozen=True, slots=True)
class _Measure:
    """A part that is a measure: its number in the AND and its names, the outer ones first."""

    number: int
    names: list[str]
    sliding: Sliding


def _measures_in(part: Part) -> Iterator[bool]:
    match part:
        case Sliding():
            yield True
        case Named(_, inner):
            yield from _measures_in(inner)
        case Join(parts, ()):
            for each in parts:
                yield from _measures_in(each)
        case _:
            pass


def _measure_in(number: int, part: Part) -> _Measure | None:
    names = []
    while isinstance(part, Named) and part.elements is None:
        names.append(part.name)
        part = part.part
    return _Measure(number, names, part) if isinstance(part, Sliding) else None


def _window_of(sliding: Sliding) -> Hashable:
    """Return the values that two measures must share to be over the same window."""
    counted = _without_hidden_names(sliding.part)
    settings = (sliding.over, sliding.every, sliding.ring, sliding.by, sliding.each, sliding.keep)
    return (counted, settings)


def _without_hidden_names(part: Part) -> Part:
    inner = with_parts(part, _without_hidden_names)
    if isinstance(inner, Named) and inner.name.startswith(HIDDEN):
        return replace(inner, name=HIDDEN)
    return inner


def _merge(group: list[_Measure], aliases: dict[str, str]) -> Part:
    first, *others = group
    also = (*first.sliding.also, *(each for other in others for each in other.sliding.conditions))
    names = [name for measure in group for name in measure.names]
    visible = [each for each in names if not each.startswith(HIDDEN)]
    kept = visible or names[:1]
    aliases.update((each, kept[0]) for each in names if each != kept[0])
    whole: Part = replace(first.sliding, also=also)
    for name in reversed(kept):
        whole = Named(name, whole)
    return whole
