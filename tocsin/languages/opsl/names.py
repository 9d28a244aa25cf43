"""Names of the catalog: one namespace of regions and parts. A part may use other names, but never
itself.

A part has variables of its own: each use of its name is another part, so its variables get the name
as a prefix.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from tocsin.errors import MeaningProblem, Problem
from tocsin.languages.base.context import (
    Context,
    Definition,
    DocumentDefinition,
    PartDefinition,
    RegionDefinition,
)
from tocsin.languages.base.regions import region_of
from tocsin.languages.base.suggestions import did_you_mean
from tocsin.languages.opsl.atoms import NOTHING
from tocsin.languages.opsl.limits import exceeded
from tocsin.plan.nodes.composites import Part
from tocsin.plan.nodes.sources import SourceRecorder
from tocsin.values.space import Metric

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
