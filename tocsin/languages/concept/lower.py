"""Syntax to plan: a concept is one atom, `&` and relations in time are joins.

Timed negation is an absence. All joins are chronicle: oldest with oldest, each used once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tocsin.errors import MeaningProblem, Problem
from tocsin.knowledge.concepts.concept import Concept, Nothing
from tocsin.languages.base.plan_parts import ORDER, keyed_operators, keyed_whole, one_of_seven
from tocsin.languages.base.reading import Context, PartDefinition
from tocsin.languages.base.texts import ProblemCollector, SourceSpan, TextSlices, shift_problem
from tocsin.languages.concept.concept_builder import ConceptBuilder, ConceptNameResolver
from tocsin.languages.concept.correlation import Correlating, SharedValue
from tocsin.languages.concept.read import ConceptOptions, exceeded, read_subscription, slices_of
from tocsin.languages.concept.syntax import (
    ConceptAnd,
    ConceptEmbeddedAtom,
    ConceptName,
    ConceptOr,
    ConceptSubscription,
    Syntax,
    TemporalRelation,
    TimedNegation,
    extent,
    leaves_of,
)
from tocsin.plan.nodes import composites
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    EveryWindow,
    Join,
    Part,
    Policy,
    Stands,
)
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.nodes.sources import SourceRecorder
from tocsin.values.time import Duration, Instant, parse_duration

__all__ = [
    "ORDER",
    "Options",
    "both",
    "duration_of",
    "one_of_seven",
    "silent_after",
    "silent_before",
    "silent_every",
    "stands",
]

Options = Mapping[str, object]

_FORM = "write a number and its unit, as 30 min, or PT30M; a month or a year has no fixed length"
_LONGEST = 100 * 366 * 86_400_000_000


def both(left: Part, right: Part) -> Part:
    """Return `A & B`: one of each, of different events, in any order."""
    return Join((left, right), policy=Policy.CHRONICLE)


def stands(left: Part, relation: str, right: Part, proper: bool) -> Part:
    """Return `A Before B` or another of the fourteen relations, with the order of bounds it
    implies.
    """
    return Join(
        (left, right), (*ORDER.get(relation, ()), Stands(0, relation, 1, proper)), Policy.CHRONICLE
    )


def silent_every(part: Part, length: Duration, origin: Instant | None) -> Part:
    """Return `not (A) (t)`: recurring windows without A, of that length, counted from the origin
    on.
    """
    return Absence(part, EveryWindow(length, origin), policy=Policy.CHRONICLE)


def silent_before(part: Part, length: Duration, anchor: Part) -> Part:
    """Return `not (A) (t anchored) Before B`: B without A in the time before it."""
    return Absence(part, BeforeWindow(anchor, length), policy=Policy.CHRONICLE)


def silent_after(part: Part, length: Duration, anchor: Part) -> Part:
    """Return `A Before not (B) (t anchored)`: A without B in the time after it."""
    return Absence(part, AfterWindow(anchor, length), policy=Policy.CHRONICLE)


def duration_of(written: str) -> Duration:
    """Return a duration with its unit in microseconds.

    Raises if it is zero, negative, longer than a century, or has months or years.
    """
    try:
        length = parse_duration(written)
    except MeaningProblem:
        length = 0
    if not 0 < length <= _LONGEST:
        raise MeaningProblem(
            f"{written!r} is no duration", code="DURATION", token=written, hint=_FORM
        )
    return length


OWN_LANGUAGE = "concept"
MAX_NAMES_IN_A_ROW = 32
"""Names defined by each other in a row: each is read while the one before is."""

MAX_LEVELS = 128
"""Levels of nesting of texts that are read inside of each other, together."""


@dataclass(frozen=True, slots=True)
class LoweredConcept:
    """Plan part of a text and its problems; with problems the part means nothing.

    `spots` has the first place of each test: in the text itself, or the name that leads to it.
    """

    part: Part
    problems: list[Problem]
    spots: Mapping[ConceptTest, SourceSpan]
    sources: SourceRecorder


def lower(
    text: str,
    written: ConceptSubscription,
    settings: ConceptOptions,
    names: ConceptNameResolver,
    context: Context,
) -> LoweredConcept:
    """Return the meaning of a text that has been read."""
    problems = ProblemCollector(text)
    lowering = ConceptLowering(problems, ConceptBuilder(problems, names), settings, context)
    part = lowering.whole(written)
    return LoweredConcept(part, problems.in_reading_order(), lowering.spots, lowering.sources)


@dataclass(slots=True)
class ConceptLowering:
    """One walk over a text and the definitions that it uses; `inside` are those being read now.

    `spots` are the places of the tests; inside a definition that is the name that leads to it,
    `used_at`. `level` is the nesting depth of all texts that lead here, together.
    """

    problems: ProblemCollector
    describing: ConceptBuilder
    settings: ConceptOptions
    context: Context
    shared: tuple[SharedValue, ...] = ()
    inside: tuple[str, ...] = ()
    places: Mapping[int, int] = field(default_factory=dict)
    spots: dict[ConceptTest, SourceSpan] = field(default_factory=dict)
    used_at: SourceSpan | None = None
    level: int = 0
    sources: SourceRecorder = field(default_factory=SourceRecorder)
    slices: TextSlices = field(init=False)

    def __post_init__(self) -> None:
        self.slices = slices_of(self.problems.text)
        self.describing = ConceptBuilder(
            self.problems, self.describing.names, self._defined_concept
        )

    def whole(self, written: ConceptSubscription) -> Part:
        """Return the part of a text, with its correlation and key."""
        self.level = written.body.depth
        leaves = list(leaves_of(written.body))
        self.places = {id(leaf): number for number, leaf in enumerate(leaves)}
        correlating = Correlating(self.problems, self.describing, len(leaves))
        self.shared = tuple(map(correlating.shared, written.shared))
        by = correlating.key(written)
        part = self.part(written.body)
        return self.sources.replace(
            part, keyed_whole(keyed_operators(part, by), by) if by else part
        )

    def part(self, node: Syntax) -> Part:
        """Return the part of a node."""
        return self.sources.add(self._part(node), lambda: self.slices.piece(extent(node)))

    def _part(self, node: Syntax) -> Part:
        match node:
            case ConceptOr(operands):
                return composites.Either(tuple(map(self.part, operands)))
            case ConceptAnd(left, right):
                return both(self.part(left), self.part(right))
            case TemporalRelation():
                return self._temporal(node)
            case TimedNegation():
                return self._timed(node)
            case ConceptEmbeddedAtom():
                return self._embedded(node)
            case ConceptName() if self._is_part(node):
                return self._defined_part(node)
            case _:
                return self._test(self.describing.concept(node), node)

    def _test(self, concept: Concept, node: Syntax) -> Part:
        tbox = self.describing.names.tbox
        try:
            tbox.require_served(concept)
            expanded = tbox.expand(concept)
        except Problem as problem:
            self.problems.at(node.spot, problem)
            expanded = Nothing()
        bound = {each.variable: each.at(self.places.get(id(node), 0)) for each in self.shared}
        variables = tuple(sorted(bound))
        roles = tuple(bound[each] for each in variables)
        named = () if roles == variables else variables
        test = ConceptTest(expanded, tbox, self.settings.world, roles, named)
        self.spots.setdefault(test, self.used_at or node.spot)
        return test

    def _temporal(self, node: TemporalRelation) -> Part:
        relation, exchanged = one_of_seven(node.relation)
        left, right = (node.right, node.left) if exchanged else (node.left, node.right)
        before, after = _is_anchored(left), _is_anchored(right)
        if not (before or after):
            return stands(self.part(left), relation, self.part(right), self.settings.proper)
        absent, anchor = (left, right) if before else (right, left)
        assert isinstance(absent, TimedNegation)
        if relation != "Before" or (before and after):
            self._unanchored(absent)
        silent = silent_before if before else silent_after
        return silent(self.part(absent.operand), self._duration(absent.duration), self.part(anchor))

    def _timed(self, node: TimedNegation) -> Part:
        if node.anchored:
            self._unanchored(node)
        elif self.shared:
            self.problems.add(
                "UNSUPPORTED",
                node.spot,
                "an absence at regular times has no values to correlate by",
                "anchor it, as in A Before not (B) (PT1H anchored), or drop correlate by",
            )
        return silent_every(
            self.part(node.operand), self._duration(node.duration), self.settings.origin
        )

    def _unanchored(self, node: TimedNegation) -> None:
        self.problems.add(
            "UNSUPPORTED",
            node.spot,
            "an anchored absence stands on one side of Before, beside what it is anchored to",
            "write not (A) (PT1H anchored) Before B, A Before not (B) (PT1H anchored), or drop"
            " anchored",
        )

    def _duration(self, spot: SourceSpan) -> Duration:
        try:
            return duration_of(spot.text)
        except Problem as problem:
            self.problems.at(spot, problem, "DURATION")
            return 1

    def _embedded(self, node: ConceptEmbeddedAtom) -> Part:
        if self.shared:
            self.problems.add(
                "UNSUPPORTED",
                node.spot,
                "an atom of another language has no roles to correlate by",
                "say it as a concept, or drop correlate by",
            )
        try:
            return self.context.parse_atom(node.language, self.problems.text[node.start : node.end])
        except Problem as problem:
            self.problems.found.append(shift_problem(problem, self.problems.text, node.start))
            return self._test(Nothing(), node)

    # Definitions that the subscription uses

    def _is_part(self, node: ConceptName) -> bool:
        return (
            not self.describing.names.is_concept(self.describing.names.full(node))
            and self._definition(node) is not None
        )

    def _definition(self, node: ConceptName) -> PartDefinition | None:
        found = self.context.definitions.get(node.name)
        return found if isinstance(found, PartDefinition) else None

    def _defined_part(self, node: ConceptName) -> Part:
        definition = self._definition(node)
        assert definition is not None
        try:
            if definition.language != OWN_LANGUAGE:
                return self.context.parse_atom(definition.language, definition.expression)
            inner, body = self._own(node, definition)
            return inner.part(body)
        except Problem as problem:
            self.problems.at(node.spot, problem)
            return self._test(Nothing(), node)

    def _defined_concept(self, node: ConceptName) -> Concept | None:
        """Return the concept of a definition, which must be about one event too; None if not
        defined.
        """
        definition = self._definition(node)
        if definition is None:
            return None
        if definition.language != OWN_LANGUAGE:
            self.problems.add(
                "LEVEL",
                node.spot,
                f"{node.name!r} is defined in another language and has no place inside a concept",
                "use it as a whole part, or define it as a concept",
            )
            return Nothing()
        try:
            inner, body = self._own(node, definition)
            return inner.describing.concept(body)
        except Problem as problem:
            self.problems.at(node.spot, problem)
            return Nothing()

    def _own(self, node: ConceptName, definition: PartDefinition) -> tuple[ConceptLowering, Syntax]:
        """Return a walk over the text of a definition, and the syntax of that text.

        Its problems are placed at the name that uses the definition. Raises on a cycle and beyond
        limits.
        """
        if node.name in self.inside:
            raise MeaningProblem(
                f"the definition is cyclic: {' -> '.join((*self.inside, node.name))}",
                code="TBOX_CYCLE",
                token=node.name,
                hint="a part is defined by others, never by itself",
            )
        if len(self.inside) >= MAX_NAMES_IN_A_ROW:
            message = f"more than {MAX_NAMES_IN_A_ROW} names are defined by each other in a row"
            raise exceeded(message, None, "write some of them out", node.name)
        if self.context.uses is not None:
            self.context.uses.read()
        body = read_subscription(definition.expression).body
        level = self.level + body.depth
        if level > MAX_LEVELS:
            message = f"with names written out, concepts nest deeper than {MAX_LEVELS} levels"
            raise exceeded(message, None, "write fewer levels", node.name)
        problems = _DefinitionProblems(self.problems, node.spot, definition.expression)
        place = self.places.get(id(node), 0)
        shared = tuple(SharedValue(each.variable, (each.at(place),)) for each in self.shared)
        inner = ConceptLowering(
            problems,
            self.describing,
            self.settings,
            self.context,
            shared,
            (*self.inside, node.name),
            spots=self.spots,
            used_at=self.used_at or node.spot,
            level=level,
        )
        self.sources.add_definition(inner.sources)
        return inner, body


def _is_anchored(node: Syntax) -> bool:
    return isinstance(node, TimedNegation) and node.anchored


class _DefinitionProblems(ProblemCollector):
    """Problems of a definition's text, placed at the name that uses the definition."""

    def __init__(self, outer: ProblemCollector, spot: SourceSpan, text: str) -> None:
        super().__init__(text)
        self._outer = outer
        self._spot = spot

    def add(self, code: str, spot: SourceSpan, message: str, hint: str) -> None:
        """Add a problem at the name."""
        self._outer.add(
            code, self._spot, f"in the definition of {self._spot.text}: {message}", hint
        )

    def at(self, spot: SourceSpan, problem: Problem, code: str = "") -> None:
        """Add a problem raised by a deeper layer, at the name."""
        self._outer.at(self._spot, problem, code)
