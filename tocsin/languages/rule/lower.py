"""From syntax to plan, form by form. A problem in one place hides none in others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import assert_never

from tocsin.errors import MeaningProblem, Problem
from tocsin.languages.intervals import ORDER, one_of_seven
from tocsin.languages.rule.names import NOTHING, Names
from tocsin.languages.rule.paths import path_of
from tocsin.languages.rule.sequences import Making, Sequencing, repeat_of, within_of
from tocsin.languages.rule.syntax import (
    Aggregate,
    AtomSyntax,
    Both,
    Changes,
    Either,
    EmbeddedAtom,
    EventAtom,
    Inside,
    Meets,
    NearRegion,
    PartSyntax,
    Sequence,
    Slides,
    Stands,
    StateSyntax,
    Step,
    Unit,
)
from tocsin.languages.rule.values import NUMERIC
from tocsin.languages.texts import Problems, Spot
from tocsin.plan import composites, measures
from tocsin.plan.atoms import Atom, Condition, PlaceIs
from tocsin.plan.composites import (
    Absence,
    AfterWindow,
    Change,
    Join,
    JoinCondition,
    Key,
    Named,
    Part,
    Policy,
    Sliding,
    is_one_event,
)
from tocsin.plan.elements import Elements
from tocsin.plan.expression import Attribute
from tocsin.plan.measures import Measure, Ring
from tocsin.values.space import Metric, SpatialRelation
from tocsin.values.time import Duration, format_duration

DEFAULT_HORIZON_USED = "DefaultHorizon"

_AGGREGATES = {
    ("COUNT", False): measures.Aggregate.COUNT,
    ("COUNT", True): measures.Aggregate.DISTINCT,
    ("SUM", False): measures.Aggregate.SUM,
    ("AVG", False): measures.Aggregate.AVG,
    ("MIN", False): measures.Aggregate.MIN,
    ("MAX", False): measures.Aggregate.MAX,
}
_HINT_WITHIN = "write WITHIN and how long, as in WITHIN 2h"


@dataclass(frozen=True, slots=True)
class Manner:
    """What holds for all parts of a rule: its keys, one of which may be of elements, its policy,
    how it rings, and its horizon, which is None where it is off.
    """

    by: Key
    each: Elements | None
    policy: Policy
    ring: Ring | None
    horizon: Duration | None
    says_horizon: bool
    metric: Metric


@dataclass(slots=True)
class Lowering:
    """One walk over a rule. `holding` are the names of what began to hold; `measured` are the
    numbers that are asked for, to tell how many were none.
    """

    problems: Problems
    warnings: Problems
    names: Names
    manner: Manner
    holding: list[str] = field(default_factory=list)
    measured: list[Attribute] = field(default_factory=list)
    slides: bool = False
    _unnamed: int = 0

    def part(self, node: PartSyntax) -> Part:
        """The part of a node."""
        match node:
            case EventAtom() | EmbeddedAtom():
                return self._bound(self.names.part(node), node.spot)
            case Unit():
                return self._unit(node)
            case Changes():
                return self._changes(node, "")
            case Slides():
                return self._slides(node, "")
            case Sequence(steps):
                return Sequencing(self._making()).part(steps)
            case Stands():
                return self._stands(node)
            case Both(parts):
                return self._both([self.part(each) for each in parts])
            case Either(parts):
                return composites.Either(tuple(self.part(each) for each in parts))
            case _:
                assert_never(node)

    def hidden_name(self) -> str:
        """A name that nobody is told."""
        self._unnamed += 1
        return f".{self._unnamed}"

    # Units

    def _unit(self, node: Unit) -> Part:
        """A part with a name; a sequence reads how often its steps happen, so this one is alone."""
        if node.repeat is not None:
            return self._alone(Step(node, spot=node.spot))
        match node.core:
            case Changes(word="HOLDS") as core:
                return self._changes(core, node.name)
            case Slides() as core:
                return _named(node.name, self._slides(core, node.name))
            case core:
                return _named(node.name, self.part(core))

    def _bound(self, part: Part, spot: Spot) -> Part:
        """A part that binds the elements of its events, where they are the keys."""
        each = self.manner.each
        if each is None:
            return part
        if not isinstance(part, Atom):
            self.problems.add(
                "ForEachError",
                spot,
                f"{spot.text} is about several events, whose elements are not told apart",
                "write the part out, or drop [] after the key",
            )
            return NOTHING
        return Named(self.hidden_name(), part, each)

    def _both(self, parts: list[Part]) -> Part:
        whole, *rest = parts
        for each in rest:
            whole = Join((whole, each), (), self.manner.policy, by=self.manner.by)
        return whole

    def _stands(self, node: Stands) -> Part:
        for side in (node.left, node.right):
            if isinstance(side, Unit) and side.repeat is not None:
                self.problems.add(
                    "RepeatError",
                    side.repeat.spot,
                    f"what happens {side.repeat.spot.text} has no interval beside {node.relation}",
                    "count in a sequence, as in a THEN b x3 WITHIN 5m",
                )
        word = "".join(each.capitalize() for each in node.relation.split())
        relation, exchanged = one_of_seven(("Un" if node.negated else "") + word)
        left, right = self.part(node.left), self.part(node.right)
        parts = (right, left) if exchanged else (left, right)
        stands = composites.Stands(0, relation, 1)
        conditions: tuple[JoinCondition, ...] = (*ORDER.get(relation, ()), stands)
        return Join(parts, conditions, self.manner.policy, by=self.manner.by)

    # Sequences

    def _making(self) -> Making:
        return Making(
            self._step_part,
            self._made,
            self._open_window,
            self._alone,
            self.problems,
            self.manner.by,
            self.manner.policy,
        )

    def _step_part(self, node: PartSyntax) -> Part:
        """The part of a step; the sequence knows how often it is to happen."""
        return self.part(replace(node, repeat=None) if isinstance(node, Unit) else node)

    def _open_window(self, step: Step) -> Duration:
        """The length of a window for which nothing is written: the horizon."""
        horizon = self.manner.horizon
        what = "NO" if step.absent else "a counted step"
        if horizon is None:
            message = f"{what} without WITHIN waits for ever, and the horizon is off"
            self.problems.add("UnboundedState", step.spot, message, _HINT_WITHIN)
            return 1
        if not self.manner.says_horizon:
            message = f"{what} without WITHIN waits for the horizon: {format_duration(horizon)}"
            hint = f"{_HINT_WITHIN}, or HORIZON {format_duration(horizon)} if it is meant"
            self.warnings.add(DEFAULT_HORIZON_USED, step.spot, message, hint)
        return horizon

    def _alone(self, step: Step) -> Part:
        """A step without another: several times within a time is a count that slides."""
        repeat, within = repeat_of(step), within_of(step)
        if step.absent or repeat is None:
            message = (
                "NO needs a step before or after it"
                if step.absent
                else "WITHIN counts from a step before"
            )
            hint = (
                "as in a THEN NO b WITHIN 2h, or NO b WITHIN 2h THEN a"
                if step.absent
                else "bound the whole with ALL WITHIN, or write a THEN b WITHIN 5m"
            )
            self.problems.add("WindowError", step.spot, message, hint)
            return self._step_part(step.part)
        if repeat.most not in (None, repeat.least):
            self.problems.add(
                "RepeatError",
                repeat.spot,
                f"{repeat.spot.text or 'a range'} needs a step before or after it",
                "alone only a least number is counted: write x3 WITHIN 5m",
            )
        length = self._open_window(step) if within is None else within
        assert isinstance(step.part, Unit)
        counted = self.part(step.part.core)
        self.slides = True
        made = self._made(
            step.spot,
            lambda: self._sliding(
                counted, Measure(measures.Aggregate.COUNT), (">=", repeat.least), length
            ),
        )
        return _named(step.part.name, made)

    # Aggregates and changes

    def _slides(self, node: Slides, name: str) -> Part:
        self.slides = True
        counted = self._counted(node.aggregate)
        if counted is None:
            return NOTHING
        every = None if node.every is None else node.every.microseconds
        if every is not None and self.manner.ring not in (None, Ring.EVERY_TIME):
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
        return made if name else _named(own, made)

    def _counted(self, aggregate: Aggregate) -> Part | None:
        """What an aggregate is over; None where it lacks the attribute that it is of."""
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
        asked: tuple[str, int | float],
        over: Duration,
        every: Duration | None = None,
    ) -> Part:
        ring = Ring.EVERY_TIME if every else self.manner.ring or Ring.ON_CHANGE
        return Sliding(
            counted,
            measure,
            *asked,
            over,
            every,
            ring,
            self.manner.by,
            self._each,
        )

    @property
    def _each(self) -> str:
        return self.manner.each[0] if self.manner.each else ""

    def _changes(self, node: Changes, name: str) -> Part:
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

    def _change(self, node: Changes, atom: AtomSyntax, becomes: bool) -> Part:
        part, state = self.part(atom), self._state(node.state)
        return self._made(
            node.spot, lambda: Change(part, state, becomes, self.manner.by, self._each)
        )

    def _state(self, state: StateSyntax) -> Atom:
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

    def _made(self, spot: Spot, make: Callable[[], Part]) -> Part:
        """What is made; what its own limits refuse is told at the spot."""
        try:
            return make()
        except Problem as problem:
            self.problems.at(spot, _with_hint(problem))
            return NOTHING


def _named(name: str, part: Part) -> Part:
    """The part by the name; one that nobody is told gives way to it."""
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
