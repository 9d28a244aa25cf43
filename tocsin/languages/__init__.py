"""The subscription languages, from text to plan; `LANGUAGES` is the whole list.

Begin with `read_text` in this file. A language is a folder with a function `parse`, imports no
other and is loaded for its first text; `base` has the shared parts. `definitions.py` checks
definitions on their own, `to_rule.py` writes plans of other languages as rules.
Imports: `errors`, `knowledge`, `languages.base`, `languages.epcis`, `languages.exmlql`,
`languages.graph`, `languages.opsl`, `languages.rule`, `lazy_import`, `plan`, `values`; never
`engine` or `reference`.
Test a change with: `tests/languages`, `tests/scenarios`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from tocsin.errors import LimitProblem, MeaningProblem, Place, Problem
from tocsin.languages.base.reading import (
    EMPTY_CONTEXT,
    NO_OPTIONS,
    Context,
    Options,
    Parse,
    PartDefinition,
    Reading,
    SubscriptionSettings,
    Uses,
)
from tocsin.languages.language_suggestions import hint_for_language
from tocsin.lazy_import import LazyModule
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Forward, Part, Plan
from tocsin.plan.nodes.sources import SourceRecorder
from tocsin.plan.semantics.extent import count_parts, require_extent
from tocsin.plan.xml.construction import Construct
from tocsin.values.time import Duration, Instant

if TYPE_CHECKING:
    from tocsin.knowledge.ontology import Ontology
    from tocsin.languages import exmlql, opsl
    from tocsin.languages.graph import names as graph_names
else:
    exmlql, opsl = LazyModule(f"{__name__}.exmlql"), LazyModule(f"{__name__}.opsl")
    graph_names = LazyModule(f"{__name__}.graph.names")

__all__ = [
    "LANGUAGES",
    "parse_subscription",
    "problems_in_subscription",
    "read_atom",
    "read_text",
    "warnings_in_subscription",
    "window_in_subscription",
    "without_ontology",
]

LANGUAGES: Mapping[str, LazyModule] = {
    name: LazyModule(f"{__name__}.{name}")
    for name in "selector concept epcis exmlql graph opsl rule plan".split()
}
"""Every language by its name: a module with a function `parse`."""

_ATOM_NAMES = {"xml": "exmlql"}
"""Languages that have another name before the braces of an atom."""


_KNOWING = ("concept", "epcis", "graph")
"""Languages that use the ontology."""

_CHAIN = 32
"""Names that may be defined by each other in a row: each is read while the one before is."""

_LEVELS = 128
"""Levels of nesting of texts that are read inside of each other, together.

Reading one takes some frames of the stack, and every level of it two or three.
"""

_XML_OPENING = "WHERE "
_OPENED = re.compile(r"\s*(WHERE|NAMESPACE)\b")
"""A block in braces may leave WHERE out: it has nothing else to say."""


def read_text(
    language: str, text: str, options: Options = NO_OPTIONS, context: Context | None = None
) -> Reading:
    """Return the `Reading` of a text; it answers every later question about the text.

    The plan has not been through the passes yet.
    """
    given = context or EMPTY_CONTEXT
    if given.uses is None:
        given = replace(given, uses=Uses())
    try:
        _require_knowledge(language, given)
        atoms = _Atoms(given)
        reading = _parse_of(language)(text, options, atoms.around())
        for each in atoms.definitions:
            reading.recorder.add_definition(each)
        if reading.plan is not None:
            require_extent(reading.plan)
            count_parts(reading.plan.pattern)
        return reading
    except Problem as problem:
        return Reading(problems=(problem,))


def parse_subscription(
    language: str, expression: str, options: Options, context: Context | None = None
) -> Plan:
    """Return the plan of a subscription's text, before the passes; raise the first problem."""
    return read_text(language, expression, options, context).require_plan()


def problems_in_subscription(
    language: str, expression: str, options: Options, context: Context | None = None
) -> list[Problem]:
    """Return every problem of a subscription's text; empty iff it parses."""
    return list(read_text(language, expression, options, context).problems)


def warnings_in_subscription(
    language: str, expression: str, options: Options, context: Context | None = None
) -> list[Problem]:
    """Return the warnings of a subscription without problems: what is probably not meant."""
    return list(read_text(language, expression, options, context).warnings)


def window_in_subscription(
    language: str, expression: str, start: Instant, length: Duration
) -> tuple[Place, str] | None:
    """Return the place of a window of absolute time and its text; None if a definition has it.

    Called only for a text that is refused, so the text is read again here.
    """
    return opsl.window(expression, start, length) if language == "opsl" else None


def without_ontology() -> Ontology:
    """Return the ontology that graph patterns use if none is given."""
    return graph_names.without_ontology()


def read_atom(language: str, text: str, context: Context) -> Atom:
    """Return the atom of a text as it would stand in braces; raise if it is not an atom."""
    return _Atoms(context).atom(language, text)


class _Atoms:
    """Texts in braces of one text. Each is read once, for its atom and for its warnings.

    The context of such a text reads no atoms: they do not nest. `definitions` are the source texts
    of the definitions that were read for it.
    """

    def __init__(self, context: Context) -> None:
        self.definitions: list[SourceRecorder] = []
        self._context = context
        self._readings: dict[tuple[str, str], Reading] = {}

    def around(self) -> Context:
        """Return the context of the text that has the braces."""
        return replace(
            self._context,
            parse_atom=self.atom,
            warn_of_atom=self.warnings,
            parse_part=self.part,
        )

    def part(
        self, definition: PartDefinition, levels: int = 0, through: tuple[str, ...] = ()
    ) -> Part:
        """Return the part of a definition."""
        reading = _read_part(self._context, definition, levels, through)
        self.definitions.append(reading.recorder)
        return reading.require_plan().pattern

    def atom(self, language: str, text: str) -> Atom:
        """Return the atom that a text means."""
        _require_knowledge(language, self._context)
        try:
            plan = self._reading(language, text).require_plan()
        except Problem as problem:
            raise _moved_back(problem, len(_opening(language, text))) from None
        return _require_atom(language, plan)

    def warnings(self, language: str, text: str) -> list[Problem]:
        """Return the warnings of a text."""
        before = len(_opening(language, text))
        return [_moved_back(each, before) for each in self._reading(language, text).warnings]

    def _reading(self, language: str, text: str) -> Reading:
        found = self._readings.get((language, text))
        if found is None:
            parse = _parse_of(_ATOM_NAMES.get(language, language))
            found = parse(_opening(language, text) + text, NO_OPTIONS, self._context)
            self._readings[language, text] = found
        return found


def _read_part(
    context: Context, definition: PartDefinition, levels: int, through: tuple[str, ...]
) -> Reading:
    """Return the reading of a definition in any language, which may use other definitions but never
    itself; it has a plan.

    `levels` are those of the text that uses it, `through` the names that it was reached by.
    """
    name, reading = definition.name, (*context.reading, *through)
    if name in reading:
        circle = " uses ".join((*reading[reading.index(name) :], name))
        raise MeaningProblem(
            f"the part is defined by itself: {circle}",
            code="CyclicName",
            token=name,
            hint="break the circle",
        )
    if len(reading) >= _CHAIN:
        raise LimitProblem(
            f"more than {_CHAIN} names are defined by each other in a row",
            code="NameLimitError",
            token=name,
            hint="write some of them out",
        )
    if context.uses is not None:
        context.uses.read()
    level = context.level + levels
    if level > _LEVELS:
        raise LimitProblem(
            f"with names written out, parts nest deeper than {_LEVELS} levels",
            code="NameLimitError",
            token=name,
            hint="write fewer levels, or make what a name means a subscription of its own",
        )
    inner = replace(context, reading=(*reading, name), settings=SubscriptionSettings(), level=level)
    found = read_text(definition.language, definition.expression, NO_OPTIONS, inner)
    plan = found.require_plan()
    if plan.output != Forward():
        raise MeaningProblem(
            f"{name} says what is sent, and here it is a part of something else",
            code="NameKindError",
            token=name,
            hint="define only which events are meant",
        )
    if context.uses is not None:
        context.uses.bring(count_parts(plan.pattern))
    return found


def _require_atom(language: str, plan: Plan) -> Atom:
    if isinstance(plan.output, Construct):
        raise MeaningProblem(
            f"{language}{{ ... }} says which events are meant, it constructs nothing",
            code="AtomError",
            token=language,
            hint="leave CONSTRUCT out, or make the construction a subscription of its own",
        )
    if not isinstance(plan.pattern, Atom):
        raise MeaningProblem(
            f"{language}{{ ... }} is about one event, and this is about several",
            code="AtomError",
            token=language,
            hint="an atom in braces describes one event; combine events outside of it",
        )
    return plan.pattern


def _opening(language: str, text: str) -> str:
    """Return the words that a text in braces leaves out."""
    return _XML_OPENING if language == "xml" and not _OPENED.match(text) else ""


def _require_knowledge(language: str, context: Context) -> None:
    """Raise the problem of the ontology if the language uses it; other languages do not care."""
    if language in _KNOWING and isinstance(context.ontology, Problem):
        raise context.ontology


def _moved_back(problem: Problem, columns: int) -> Problem:
    """Return a problem with its column reduced by the characters put before the text."""
    place = problem.place
    if not columns or place is None or place.line > 1:
        return problem
    moved = Place(1, max(1, place.column - columns))
    return type(problem)(
        problem.message, code=problem.code, place=moved, token=problem.token, hint=problem.hint
    )


def _parse_of(name: str) -> Parse:
    try:
        language = LANGUAGES[name]
    except KeyError:
        message, hint = f"the language {name!r} is not known", hint_for_language(name, LANGUAGES)
        raise MeaningProblem(message, code="LanguageError", token=name, hint=hint) from None
    return cast(Parse, language.parse)
