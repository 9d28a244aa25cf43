"""Atoms, names of the catalog, regions and paths of a rule.

A name that the catalog defines wins over a type. As a path, `ce_id` and its like lead into the
envelope, dots into objects.
"""

from __future__ import annotations

import json
import re
from difflib import get_close_matches

from tocsin.errors import Problem
from tocsin.languages.base.plan_parts import prefix_names
from tocsin.languages.base.reading import Context, PartDefinition, RegionDefinition
from tocsin.languages.base.regions import region_of
from tocsin.languages.base.texts import ProblemCollector, SourceSpan, shift_problem
from tocsin.languages.rule.syntax import AtomSyntax, EmbeddedAtom, EventAtom, Meets, Region
from tocsin.plan.nodes.atoms import AllOf, AnyOf, Atom, BooleanNode, Condition, Equals
from tocsin.plan.nodes.composites import Part
from tocsin.plan.nodes.sources import SourceRecorder
from tocsin.values.scalars import ENVELOPE, INSTANT, Constant, Path
from tocsin.values.space import Metric

OWN_LANGUAGE = "rule"
SELECTOR = "selector"
NOTHING = Condition(AnyOf(()))
"""Placeholder for a part with a problem; it never leaves this language."""

_SOMEWHERE = "POLYGON ((0 0, 1 0, 1 1, 0 0))"
"""Placeholder for a region with a problem."""

_TYPE = (ENVELOPE, "type")


class RuleNameResolver:
    """Resolution of the names and inner texts of one rule; errors are added as problems.

    `levels` is the nesting depth of the rule.
    """

    def __init__(
        self,
        problems: ProblemCollector,
        context: Context,
        metric: Metric,
        sources: SourceRecorder,
        levels: int = 0,
    ) -> None:
        self._problems = problems
        self._sources = sources
        self._context = context
        self._metric = metric
        self._levels = levels
        self._times_used: dict[str, int] = {}

    def part(self, node: AtomSyntax) -> Part:
        """Return the part of an atom of the text; a name may stand for several events."""
        match node:
            case EmbeddedAtom():
                return self._embedded(node)
            case EventAtom(name, condition):
                found = self._context.definitions.get(name)
                if isinstance(found, PartDefinition):
                    return self._defined(node, found)
                if isinstance(found, RegionDefinition):
                    self._refuse_region(node)
                    return NOTHING
                own = Equals(_TYPE, Constant.of(name))
                if not condition:
                    return Condition(own)
                return Condition(AllOf((own, self.condition(condition, node.start))))

    def condition(self, text: str, start: int) -> BooleanNode:
        """Return a condition of `selector` that starts at an offset of the text."""
        try:
            found = self._context.parse_atom(SELECTOR, text)
        except Problem as problem:
            self._problems.found.append(shift_problem(problem, self._problems.text, start))
            return NOTHING.expression
        assert isinstance(found, Condition)
        return found.expression

    def made_condition(self, text: str, spot: SourceSpan) -> BooleanNode:
        """Return a condition of `selector` from a generated text, with problems at the spot."""
        try:
            found = self._context.parse_atom(SELECTOR, text)
        except Problem as problem:
            self._problems.at(spot, problem)
            return NOTHING.expression
        assert isinstance(found, Condition)
        return found.expression

    def state(self, state: Meets) -> Atom:
        """Return the state in which a condition holds."""
        count = len(self._problems.found)
        found = self.condition(state.condition, state.start)
        for place in range(count, len(self._problems.found)):
            self._problems.found[place] = _of_state(self._problems.found[place], state)
        return Condition(found)

    def region(self, region: Region) -> str:
        """Return the WKT of a region."""
        try:
            return region_of(self._shape(region), self._metric)
        except Problem as problem:
            self._problems.at(region.spot, problem)
            return _SOMEWHERE

    def _shape(self, region: Region) -> object:
        if "(" in region.text:
            return region.text
        found = self._context.definitions.get(region.text)
        if isinstance(found, RegionDefinition):
            return found.region
        if found is not None:
            message = f"a region is needed here, and {region.text} is something else"
            self._problems.add("NameKindError", region.spot, message, _region_line(region.text))
            return _SOMEWHERE
        regions = [
            name
            for name, each in self._context.definitions.items()
            if isinstance(each, RegionDefinition)
        ]
        near = get_close_matches(region.text, regions, n=1)
        hint = f"did you mean {near[0]}?" if near else _region_line(region.text)
        message = f"the region {region.text} is not defined"
        self._problems.add("UnknownRegion", region.spot, message, hint)
        return _SOMEWHERE

    def _defined(self, node: EventAtom, definition: PartDefinition) -> Part:
        if node.condition:
            self._problems.add(
                "NameKindError",
                node.spot,
                f"{node.type} is defined as a part, which takes no condition",
                f"leave the condition out, or write selector{{ ce_type = '{node.type}' AND ... }}",
            )
            return NOTHING
        try:
            part = self._context.parse_part(definition, self._levels, ())
        except Problem as problem:
            self._problems.at(node.spot, _problem_in_definition(node.type, problem))
            return NOTHING
        times = self._times_used[node.type] = self._times_used.get(node.type, 0) + 1
        prefix = f"{node.type}." if times == 1 else f"{node.type}:{times}."
        return self._sources.replace(part, prefix_names(part, prefix))

    def _embedded(self, node: EmbeddedAtom) -> Part:
        if node.language == OWN_LANGUAGE:
            hint = "write the part itself, in parentheses"
            message = f"{OWN_LANGUAGE} is the language of the whole text"
            self._problems.add("AtomError", node.spot, message, hint)
            return NOTHING
        try:
            return self._context.parse_atom(node.language, node.text)
        except Problem as problem:
            start = node.start if problem.place is not None else node.spot.offset
            self._problems.found.append(shift_problem(problem, self._problems.text, start))
            return NOTHING

    def _refuse_region(self, node: EventAtom) -> None:
        self._problems.add(
            "NameKindError",
            node.spot,
            f"an event is needed here, and {node.type} is a region",
            f"as in position ENTERS {node.type}; a type of that name is selector{{ ce_type ="
            f" '{node.type}' }}",
        )


def _of_state(problem: Problem, state: Meets) -> Problem:
    """Return a problem of a state, with a hint in case its AND or OR was to join two parts."""
    joins = any(word in state.condition.upper().split() for word in ("AND", "OR"))
    hint = (
        f"{problem.hint}; AND and OR belong to the state: to join another part, put the change in"
        " parentheses"
        if joins
        else problem.hint
    )
    return type(problem)(
        problem.message, code=problem.code, place=problem.place, token=problem.token, hint=hint
    )


def _problem_in_definition(name: str, problem: Problem) -> Problem:
    where = f" ({problem.place})" if problem.place else ""
    message = f"in the part {name}{where}: {problem.message}"
    return type(problem)(message, code=problem.code, token=problem.token, hint=problem.hint)


def _region_line(name: str) -> str:
    line = json.dumps({"define": name, "region": "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))"})
    return f"add a line to the file of subscriptions: {line}"


# Names of attributes as paths.

ENVELOPE_NAMES = frozenset(
    ("id", "source", "type", "time", "endtime", "subject", "datacontenttype", "dataschema")
)
_PATH_STEP = re.compile(r"`([^`]+)`|([^.`]+)")
_TIMES = ((ENVELOPE, "time"), (ENVELOPE, "endtime"))


def path_of(name: str) -> Path:
    """Return the path of a name; backticks make one step."""
    prefix, _, rest = name.partition("_")
    if prefix == "ce" and rest in ENVELOPE_NAMES:
        return (ENVELOPE, rest)
    return tuple(quoted or plain for quoted, plain in _PATH_STEP.findall(name))


def is_time(path: Path) -> bool:
    """True if a path leads to a time of the envelope."""
    return path in _TIMES


def as_instant(path: Path) -> Path:
    """Return the path to a time of the envelope as a number of microseconds."""
    return (*path, INSTANT)
