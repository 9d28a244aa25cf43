"""Lowering of aggregates over time and changes of a state, and settings of all parts of a rule."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import assert_never

from tocsin.errors import MeaningProblem, Problem
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.rule.names import NOTHING, RuleNameResolver
from tocsin.languages.rule.paths import path_of
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
from tocsin.languages.rule.values import NUMERIC
from tocsin.plan.nodes import measures
from tocsin.plan.nodes.atoms import Atom, Condition, PlaceIs
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    Change,
    Key,
    Named,
    Part,
    Policy,
    Sliding,
    is_one_event,
)
from tocsin.plan.nodes.expression import Attribute
from tocsin.plan.nodes.list_elements import Elements
from tocsin.plan.nodes.measures import Measure, Ring
from tocsin.plan.nodes.sources import SourceRecorder
from tocsin.values.space import Metric, SpatialRelation
from tocsin.values.time import Duration

_AGGREGATES = {
    ("COUNT", False): measures.Aggregate.COUNT,
    ("COUNT", True): measures.Aggregate.DISTINCT,
    ("SUM", False): measures.Aggregate.SUM,
    ("AVG", False): measures.Aggregate.AVG,
    ("MIN", False): measures.Aggregate.MIN,
    ("MAX", False): measures.Aggregate.MAX,
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
