"""Atoms, names of the catalog and regions of a text.

An atom has predicates of a declared type; a missing attribute or another type fails them. Regions
and parts share one namespace. A part may use other names, but never itself. It has variables of its
own: each use of its name is another part, so its variables get the name as a prefix. A region
written in the text may have open rings.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tocsin.errors import MeaningProblem, Problem
from tocsin.events.views.epcis import is_list, parameter_for
from tocsin.languages.base.reading import (
    Context,
    Definition,
    DocumentDefinition,
    PartDefinition,
    RegionDefinition,
)
from tocsin.languages.base.regions import region_of
from tocsin.languages.base.texts import ProblemCollector, SourceSpan, did_you_mean
from tocsin.languages.opsl.read import OpslLimits, exceeded
from tocsin.languages.opsl.syntax import Atomic, Polygon, Predicate
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Condition, Equals, Not, Ordered
from tocsin.plan.nodes.composites import Part
from tocsin.plan.nodes.sources import SourceRecorder
from tocsin.values.scalars import ENVELOPE, Constant, Path
from tocsin.values.space import Metric

NOTHING = Condition(AnyOf(()))
"""Placeholder for a part with a problem; it never leaves this language."""

_ENVELOPE_NAMES = frozenset(
    ("id", "source", "type", "time", "endtime", "subject", "datacontenttype", "dataschema")
)
_PATH_STEP = re.compile(r"`([^`]+)`|([^.`\s]+)")
_WHOLE = re.compile(r"[+-]?\d+")
_UNEQUAL = ("!=", "<>")


def condition_of(atomic: Atomic, problems: ProblemCollector, limits: OpslLimits) -> Condition:
    """Return the conjunction of all predicates; a problem in one hides none in others."""
    found: list[BooleanNode] = []
    for predicate in atomic.predicates:
        fault = _type_fault(predicate)
        if fault:
            problems.add("PredicateTypeError", *fault)
            continue
        try:
            found.append(_test(predicate, limits))
        except Problem as problem:
            problems.at(predicate.value, problem)
    return Condition(AllOf(tuple(found)))


def path_of(name: str) -> Path:
    """Return the path of a name.

    `ce_id` and its like lead into the envelope, dots into objects, backticks make one step.
    """
    prefix, _, rest = name.partition("_")
    if prefix == "ce" and rest in _ENVELOPE_NAMES:
        return (ENVELOPE, rest)
    return tuple(quoted or plain for quoted, plain in _PATH_STEP.findall(name))


def _type_fault(predicate: Predicate) -> tuple[SourceSpan, str, str] | None:
    """Return place, message and hint of a type error in a predicate; None if its types fit."""
    if is_list(path_of(predicate.attribute.text)):
        name = predicate.attribute.text
        message = f"{name} is a list in EPCIS events, and a list compares with nothing"
        hint = f'ask for an element: epcis{{ "{parameter_for(path_of(name))}": ["..."] }}'
        return (predicate.attribute, message, hint)
    text = predicate.value.text[0] in "'\""
    match predicate.type.text:
        case "ARITH" if text:
            return (predicate.value, "ARITH compares with a number", "write STRING: for a text")
        case "STRING" if not text:
            return (
                predicate.value,
                "STRING compares with a text",
                "write the text in quotes, or ARITH: for a number",
            )
        case "STRING" if predicate.comparison.text not in ("=", *_UNEQUAL):
            return (predicate.comparison, "texts have no order", "compare texts with = or != only")
        case "ARITH" | "STRING":
            return None
        case other:
            near = (
                other.upper()
                if other.upper() in ("ARITH", "STRING")
                else "ARITH for numbers or STRING for texts"
            )
            return (predicate.type, f"the type {other} is not known", f"write {near}")


def _test(predicate: Predicate, limits: OpslLimits) -> BooleanNode:
    path, relation = path_of(predicate.attribute.text), predicate.comparison.text
    constant = _constant(predicate.value.text, limits)
    if relation == "=":
        return Equals(path, constant)
    if relation in _UNEQUAL:
        return Not(Equals(path, constant))
    return Ordered(path, relation, constant)


def _constant(written: str, limits: OpslLimits) -> Constant:
    quote = written[0]
    if quote in "'\"":
        return Constant.of(written[1:-1].replace(quote * 2, quote))
    if len(written) > limits.digits:
        raise exceeded(
            "the number is too large",
            None,
            f"a number has at most {limits.digits} digits",
            written[:40],
        )
    if _WHOLE.fullmatch(written):
        return Constant.of(int(written))
    value = float(written)
    if math.isinf(value):
        raise exceeded(
            "the number is too large",
            None,
            "a number with a fraction or an exponent is a double",
            written,
        )
    return Constant.of(value)


OWN_LANGUAGE = "opsl"
_COMPOSITES = "rule"
"""Another language whose definitions may be about several events."""

PART, REGION = "part", "region"
_EXAMPLES = {
    PART: {"language": OWN_LANGUAGE, "expression": "ARITH: id = 7"},
    REGION: {"region": "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))"},
}
CHAIN = 32
"""Names that may be defined by each other in a row: each is read while the one before is."""


@dataclass(frozen=True, slots=True)
class LoweredOpsl:
    """Plan part of a text, its problems and its source texts; with problems the part is
    meaningless.
    """

    part: Part
    problems: list[Problem]
    sources: SourceRecorder = field(default_factory=SourceRecorder, compare=False, repr=False)


Reader = Callable[[str, "OpslNameResolver", int], LoweredOpsl]
"""Reader of an OPSL text with names, at a nesting level."""


class OpslNameResolver:
    """Names that one subscription can see. Each is read once for all its uses."""

    def __init__(self, context: Context, read: Reader) -> None:
        self._context = context
        self._read = read
        self._meanings: dict[str, LoweredOpsl] = {}
        self._reading: list[str] = []

    def find(self, name: str, wanted: str = PART) -> Definition:
        """Return the definition of a name.

        Raises UnknownName, with a line that would define one, and NameKindError for a document.
        """
        definition = self._context.definitions.get(name)
        if definition is None:
            line = json.dumps({"define": name, **_EXAMPLES[wanted]})
            add = f"add a line to the file of subscriptions: {line}"
            way_out = did_you_mean(name, self._context.definitions, otherwise=add)
            raise MeaningProblem(
                f"the name {name} is not defined", code="UnknownName", token=name, hint=way_out
            )
        if isinstance(definition, DocumentDefinition):
            raise MeaningProblem(
                f"{name} is a document, and here stands a region or a part",
                code="NameKindError",
                token=name,
                hint='documents are for E-XML-QL, as in xml{WHERE <a>$x</>, <b>$x</> IN "..."}',
            )
        return definition

    def region(self, definition: RegionDefinition, metric: Metric) -> str:
        """Return the WKT of a named region."""
        try:
            return region_of(definition.region, metric)
        except Problem as problem:
            raise MeaningProblem(
                f"the region {definition.name}: {problem.message}",
                code=problem.code,
                hint=problem.hint,
            ) from None

    def part(self, definition: PartDefinition, level: int) -> LoweredOpsl:
        """Return the meaning of a named part; its problems are included the first time only."""
        name = definition.name
        if name in self._reading:
            circle = " uses ".join([*self._reading[self._reading.index(name) :], name])
            raise MeaningProblem(
                f"the part is defined by itself: {circle}",
                code="CyclicName",
                token=name,
                hint="break the circle",
            )
        if len(self._context.reading) + len(self._reading) >= CHAIN:
            raise exceeded(
                f"more than {CHAIN} names are defined by each other in a row",
                None,
                "write some of them out",
            )
        if name in self._meanings:
            return LoweredOpsl(self._meanings[name].part, [])
        self._reading.append(name)
        self._meanings[name] = self._meaning(definition, level)
        self._reading.pop()
        return self._meanings[name]

    def atom(self, language: str, text: str) -> Part:
        """Return an atom of another language."""
        return self._context.parse_atom(language, text)

    def _meaning(self, definition: PartDefinition, level: int) -> LoweredOpsl:
        try:
            if definition.language == OWN_LANGUAGE:
                meaning = self._read(definition.expression, self, level)
            elif definition.language == _COMPOSITES:
                meaning = LoweredOpsl(
                    self._context.parse_part(definition, level, tuple(self._reading[:-1])), []
                )
            else:
                meaning = LoweredOpsl(self.atom(definition.language, definition.expression), [])
        except Problem as problem:
            meaning = LoweredOpsl(NOTHING, [problem])
        return LoweredOpsl(
            meaning.part,
            [_problem_in_definition(definition.name, each) for each in meaning.problems],
        )


def _problem_in_definition(name: str, problem: Problem) -> Problem:
    where = f" ({problem.place})" if problem.place else ""
    message = f"in the part {name}{where}: {problem.message}"
    return type(problem)(message, code=problem.code, token=problem.token, hint=problem.hint)


def written_region(polygon: Polygon, metric: Metric = Metric.PLANAR) -> str:
    """Return the WKT of a region written in the text; raise RegionInvalid with the reason."""
    bodies = (f"({', '.join(map(_closed_ring, rings))})" for rings in polygon.polygons)
    return region_of(f"{polygon.spot.text} {_listed(polygon.spot.text, list(bodies))}", metric)


def _listed(word: str, bodies: Sequence[str]) -> str:
    return f"({', '.join(bodies)})" if word == "MULTIPOLYGON" else bodies[0]


def _closed_ring(ring: Sequence[tuple[str, str]]) -> str:
    ends = [tuple(map(float, corner)) for corner in (ring[0], ring[-1])]
    corners = ring if len(ring) > 1 and ends[0] == ends[1] else (*ring, ring[0])
    return f"({', '.join(f'{x} {y}' for x, y in corners)})"
