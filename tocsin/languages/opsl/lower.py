"""Syntax to plan, form by form. A problem in one place hides none elsewhere.

NOTHING replaces a part with a problem. Parts and levels are counted with every name written out.
The ten temporal and twelve spatial forms are in tables by their glyphs.

Windows on a duration are half-open, (start, start + t]; windows between two parts are open at both
ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar, assert_never

from tocsin.errors import Problem
from tocsin.languages.base.plan_parts import prefix_names
from tocsin.languages.base.reading import Context, PartDefinition, RegionDefinition
from tocsin.languages.base.texts import ProblemCollector, SourceSpan, TextSlices, shift_problem
from tocsin.languages.opsl.names import (
    NOTHING,
    OWN_LANGUAGE,
    REGION,
    LoweredOpsl,
    OpslNameResolver,
    condition_of,
    written_region,
)
from tocsin.languages.opsl.quantities import distance_of, duration_of, in_range, instant_of
from tocsin.languages.opsl.read import OpslLimits, OpslOptions, exceeded, read, slices_of
from tocsin.languages.opsl.syntax import (
    After,
    Atomic,
    CatalogName,
    Concurrent,
    Fixed,
    OpslAnd,
    OpslEmbeddedAtom,
    OpslOr,
    OpslSubscription,
    OpslVariable,
    OpslWindow,
    Polygon,
    Spatial,
    Syntax,
    WindowedOperand,
    extent,
)
from tocsin.languages.opsl.variables import order_of_bindings
from tocsin.languages.opsl.where import place_comparisons
from tocsin.plan.nodes.composites import (
    Absence,
    AfterInstant,
    AfterWindow,
    AtRegion,
    BetweenWindow,
    DuringWindow,
    Either,
    End,
    FixedWindow,
    Join,
    Moment,
    Named,
    Near,
    Only,
    Part,
    Precedes,
    parts_of,
)
from tocsin.plan.nodes.sources import SourceRecorder
from tocsin.values.space import Metric, SpatialRelation
from tocsin.values.time import Duration, Instant

FIXED: Mapping[str, Callable[[Part, Instant, Duration], Part]] = {
    "!": lambda part, start, length: Absence(part, FixedWindow(start, length)),
    "=|": lambda part, start, length: Only(part, DuringWindow(start, length)),
    "|=": lambda part, start, length: Only(part, AfterInstant(start + length)),
}
"""`(T;t)B` by operator: the operand, the start of the window and its length."""

AFTER: Mapping[str, Callable[[Part, Part, Duration], Part]] = {
    "!": lambda first, part, length: Absence(part, AfterWindow(first, length)),
    "=|": lambda first, part, length: Join(
        (first, part), (_follows(0, 1), _ends_within(1, 0, length))
    ),
    "|=": lambda first, part, length: Join((first, part), (_follows(0, 1, length),)),
}
"""`(A;t)B` by operator: the part that opens the window, the operand, and the window's length."""

BETWEEN: Mapping[str, Callable[[Part, Part, Part], Part]] = {
    "!": lambda first, last, part: Absence(part, BetweenWindow(first, last)),
    "=|": lambda first, last, part: Join((first, last, part), (_follows(0, 2), _follows(2, 1))),
    "|=": lambda first, last, part: Join((first, last, part), (_follows(0, 1), _follows(1, 2))),
}
"""`(A;B)C` by operator: the parts that open and close the window, and the operand."""

RELATIONS: Mapping[str, SpatialRelation] = {
    "@": SpatialRelation.INSIDE,
    "IN": SpatialRelation.INSIDE,
    "OVLP": SpatialRelation.MEETS,
    "SPL": SpatialRelation.SAME_PLACE,
    "DIST<": SpatialRelation.NEARER,
    "DIST=": SpatialRelation.AT,
    "DIST>": SpatialRelation.FARTHER,
}
"""The spatial operators, DIST with its comparison."""


def concurrent(other: Part, part: Part, tolerance: Duration, longest: Duration | None) -> Part:
    """Return `|(A)B`: they share time, or miss it by at most the tolerance.

    With a longest duration, an occurrence that ends later than that and the tolerance together
    cannot be concurrent. Without it, one may last for ever: only the horizon bounds the wait.
    """
    conditions = (_starts_before_end(1, 0, tolerance), _starts_before_end(0, 1, tolerance))
    return Join((other, part), conditions, keep=None if longest is None else tolerance + longest)


def at_region(
    part: Part, relation: SpatialRelation, region: str, distance: float, metric: Metric
) -> Part:
    """Return a spatial form with a region."""
    return Only(part, AtRegion(relation, region, distance, metric))


def near(
    other: Part, part: Part, relation: SpatialRelation, distance: float, metric: Metric
) -> Part:
    """Return a spatial form with a part: the operand has the relation to the other part."""
    return Join((other, part), (Near(1, relation, 0, distance, metric),))


def _follows(earlier: int, later: int, gap: Duration = 0) -> Precedes:
    return Precedes(Moment(earlier, End.FINISH), Moment(later, End.START), gap)


def _ends_within(part: int, after: int, length: Duration) -> Precedes:
    return Precedes(Moment(part, End.FINISH), Moment(after, End.FINISH), -length, or_equal=True)


def _starts_before_end(part: int, other: int, tolerance: Duration) -> Precedes:
    return Precedes(Moment(part, End.START), Moment(other, End.FINISH), -tolerance, or_equal=True)


class Sizes:
    """Counter of parts and levels with every name written out. A shared part is measured once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Part, int, int]] = {}

    def of(self, part: Part) -> tuple[int, int]:
        """Return the number of parts and of levels, the part itself included."""
        if id(part) not in self._known:
            inner = [self.of(each) for each in parts_of(part)]
            count = 1 + sum(each for each, _ in inner)
            self._known[id(part)] = (part, count, 1 + max((each for _, each in inner), default=0))
        _, count, levels = self._known[id(part)]
        return count, levels


Value = TypeVar("Value")

_REGION = "POINT (0 0)"
"""Placeholder for a region with a problem."""


@dataclass(slots=True)
class OpslLowering:
    """One walk over the bodies of a text. `variables` are the parts of the variables bound until
    now.
    """

    problems: ProblemCollector
    settings: OpslOptions
    limits: OpslLimits
    names: OpslNameResolver
    sources: SourceRecorder
    slices: TextSlices
    variables: dict[str, Part] = field(default_factory=dict)
    sizes: Sizes = field(default_factory=Sizes)
    _times_used: dict[str, int] = field(default_factory=dict)
    _written_out: int = 0

    def part(self, node: Syntax, level: int) -> Part:
        """Return the part of a node at a nesting level; raise beyond the limit."""
        if level > self.limits.nesting:
            raise self._too_deep(node.spot, self.limits.nesting)
        return self.sources.add(self._part(node, level), lambda: self.slices.piece(extent(node)))

    def _part(self, node: Syntax, level: int) -> Part:
        match node:
            case Atomic():
                return condition_of(node, self.problems, self.limits)
            case OpslEmbeddedAtom():
                return self._embedded(node)
            case OpslVariable():
                return Named(node.name, self.variables.get(node.name, NOTHING))
            case CatalogName():
                return self._name(node, level)
            case OpslAnd():
                return Join((self.part(node.left, level + 1), self.part(node.right, level + 1)))
            case OpslOr():
                return Either(tuple(self.part(each, level + 1) for each in node.operands))
            case WindowedOperand():
                return self._temporal(node, level + 1)
            case Concurrent():
                parts = (self.part(node.other, level + 1), self.part(node.operand, level + 1))
                return concurrent(*parts, self.settings.tolerance, self.settings.longest_event)
            case Spatial():
                return self._spatial(node, level + 1)
            case _:
                assert_never(node)

    def _temporal(self, node: WindowedOperand, level: int) -> Part:
        window, part = node.window, self.part(node.operand, level)
        match window:
            case Fixed():
                start = self._value(window.instant, instant_of, 0)
                length = self._value(window.duration, duration_of, 0)
                self._value(window.duration, lambda written: in_range(start + length, written), 0)
                return FIXED[node.operator](part, start, length)
            case After():
                length = self._value(window.duration, duration_of, 0)
                return AFTER[node.operator](self.part(window.part, level), part, length)
            case OpslWindow():
                first, last = self.part(window.first, level), self.part(window.last, level)
                return BETWEEN[node.operator](first, last, part)
            case _:
                assert_never(window)

    def _spatial(self, node: Spatial, level: int) -> Part:
        relation = RELATIONS[node.operator + (node.comparison.text if node.comparison else "")]
        distance = self.settings.same_place if node.operator == "SPL" else 0.0
        if node.distance:
            distance = self._value(node.distance, distance_of, 0.0)
        part, region = self.part(node.operand, level), self._region(node)
        if region is not None:
            return at_region(part, relation, region, distance, self.settings.metric)
        assert not isinstance(node.place, Polygon)
        other = self.part(node.place, level)
        return near(other, part, relation, distance, self.settings.metric)

    def _region(self, node: Spatial) -> str | None:
        """Return the region of a spatial operator; None if it has a part instead."""
        place = node.place
        if isinstance(place, Polygon):
            return self._value(
                place.spot, lambda _: written_region(place, self.settings.metric), _REGION
            )
        if not isinstance(place, CatalogName) or node.operator == "IN":
            return None
        return self._named_region(place, needed=node.operator == "@")

    def _named_region(self, place: CatalogName, needed: bool) -> str | None:
        try:
            definition = self.names.find(place.name, REGION)
        except Problem as problem:
            self.problems.at(place.spot, problem)
            return _REGION
        if isinstance(definition, RegionDefinition):
            return self._value(
                place.spot, lambda _: self.names.region(definition, self.settings.metric), _REGION
            )
        if needed:
            self.problems.add(
                "NameKindError",
                place.spot,
                f"@ needs a region, and {place.name} is a part",
                f"write IN({place.name}) for the place of a part",
            )
        return _REGION if needed else None

    def _name(self, node: CatalogName, level: int) -> Part:
        try:
            definition = self.names.find(node.name)
            if isinstance(definition, PartDefinition):
                return self._named_part(node, definition, level)
        except Problem as problem:
            self.problems.at(node.spot, problem)
            return NOTHING
        self.problems.add(
            "NameKindError",
            node.spot,
            f"a part is needed here, and {node.name} is a region",
            f"a region stands in @({node.name}), OVLP, SPL or DIST",
        )
        return NOTHING

    def _named_part(self, node: CatalogName, definition: PartDefinition, level: int) -> Part:
        meaning = self.names.part(definition, level)
        for problem in meaning.problems:
            self.problems.at(node.spot, problem)
        self._written_out += self.sizes.of(meaning.part)[0]
        if self._written_out > self.limits.parts:
            raise self._too_large(node.spot)
        times = self._times_used[node.name] = self._times_used.get(node.name, 0) + 1
        prefix = f"{node.name}." if times == 1 else f"{node.name}:{times}."
        return self.sources.replace(meaning.part, prefix_names(meaning.part, prefix))

    def _embedded(self, node: OpslEmbeddedAtom) -> Part:
        text = self.problems.text
        if node.language == OWN_LANGUAGE:
            hint = "write the part itself, in parentheses"
            self.problems.add(
                "AtomError", node.spot, f"{OWN_LANGUAGE} is the language of the whole text", hint
            )
            return NOTHING
        try:
            return self.names.atom(node.language, text[node.start : node.end])
        except Problem as problem:
            known = problem.place is not None
            self.problems.found.append(
                shift_problem(problem, text, node.start if known else node.spot.offset)
            )
            return NOTHING

    def check_size(self, part: Part, spot: SourceSpan) -> None:
        """Refuse a part that is beyond the limits with every variable and name written out.

        Variables count as levels, so that twice the nesting limit is allowed.
        """
        count, levels = self.sizes.of(part)
        if count > self.limits.parts:
            raise self._too_large(spot)
        if levels > 2 * self.limits.nesting:
            raise self._too_deep(spot, 2 * self.limits.nesting)

    def _value(self, spot: SourceSpan, read: Callable[[str], Value], default: Value) -> Value:
        try:
            return read(spot.text)
        except Problem as problem:
            self.problems.at(spot, problem)
            return default

    def _too_deep(self, spot: SourceSpan, levels: int) -> Problem:
        message = f"with variables and names written out, parts nest deeper than {levels} levels"
        return exceeded(message, self.problems.place(spot), "split the subscription", spot.text)

    def _too_large(self, spot: SourceSpan) -> Problem:
        message = (
            f"with variables and names written out, there are more than {self.limits.parts:,} parts"
        )
        return exceeded(message, self.problems.place(spot), "split the subscription", spot.text)


def lower(
    text: str,
    subscription: OpslSubscription,
    settings: OpslOptions,
    context: Context,
    limits: OpslLimits,
) -> LoweredOpsl:
    """Return the meaning of a subscription; raise if it is beyond the limits."""

    def lowering(each: str) -> OpslLowering:
        recorder = SourceRecorder()
        problems, slices = ProblemCollector(each), slices_of(each)
        return OpslLowering(problems, settings, limits, names, recorder, slices)

    def read_part(each: str, _: OpslNameResolver, level: int) -> LoweredOpsl:
        inner = lowering(each)
        outer.sources.add_definition(inner.sources)
        return _lower(read(each, limits), inner, level)

    names = OpslNameResolver(context, read_part)
    outer = lowering(text)
    return _lower(subscription, outer, 0)


def _lower(subscription: OpslSubscription, walk: OpslLowering, level: int) -> LoweredOpsl:
    for binding in order_of_bindings(subscription, walk.problems):
        walk.variables[binding.name] = walk.part(binding.definition, level)
        walk.check_size(walk.variables[binding.name], binding.spot)
    pattern = walk.part(subscription.main, level)
    walk.check_size(pattern, subscription.spot)
    placed = place_comparisons(pattern, subscription.comparisons, walk.variables, walk.problems)
    pattern = walk.sources.replace(pattern, placed)
    return LoweredOpsl(pattern, walk.problems.in_reading_order(), walk.sources)
