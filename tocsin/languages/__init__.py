"""Languages: text to plan. The table below is the whole list; a language is a folder and none
imports another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from tocsin.errors import MeaningProblem, Place, Problem
from tocsin.languages import concept, epcis, exmlql, graph, opsl, selector
from tocsin.languages.base.context import Context
from tocsin.languages.base.reading import Language, Options
from tocsin.languages.near import hint_for_language
from tocsin.plan.atoms import Atom
from tocsin.plan.composites import Plan
from tocsin.plan.construction import Construct
from tocsin.values.time import Duration, Instant

LANGUAGES: Mapping[str, Language] = {
    "selector": Language(
        parse=lambda text, options, _: selector.parse(text, options),
        problems=lambda text, options, _: selector.problems(text, options),
        warnings=lambda text, options, _: selector.warnings(text, options),
    ),
    "concept": concept.LANGUAGE,
    "epcis": epcis.LANGUAGE,
    "exmlql": exmlql.LANGUAGE,
    "graph": graph.LANGUAGE,
    "opsl": Language(
        parse=opsl.parse, problems=opsl.problems, warnings=opsl.warnings, window=opsl.window
    ),
}

_ATOM_NAMES = {"xml": "exmlql"}
"""Languages that go by another name where their atoms stand in braces."""


_KNOWING = ("concept", "epcis", "graph")
"""Languages that look at the ontology."""

_XML_OPENING = "WHERE "
_OPENED = re.compile(r"\s*(WHERE|NAMESPACE)\b")
"""A block in braces may leave WHERE out: it has nothing else to say."""


def parse_subscription(
    language: str, expression: str, options: Options, context: Context | None = None
) -> Plan:
    """The plan of a subscription's text, not yet passed through the passes; raises the first
    problem.
    """
    given = context or Context()
    _require_knowledge(language, given)
    return _language(language).parse(expression, options, _with_atoms(given))


def problems_in_subscription(
    language: str, expression: str, options: Options, context: Context | None = None
) -> list[Problem]:
    """Every problem of a subscription's text; empty iff it parses."""
    given = context or Context()
    try:
        _require_knowledge(language, given)
        return _language(language).problems(expression, options, _with_atoms(given))
    except Problem as problem:
        return [problem]


def warnings_in_subscription(
    language: str, expression: str, options: Options, context: Context | None = None
) -> list[Problem]:
    """What a subscription without problems says that is probably not meant."""
    return _language(language).warnings(expression, options, _with_atoms(context or Context()))


def window_in_subscription(
    language: str, expression: str, start: Instant, length: Duration
) -> tuple[Place, str] | None:
    """Where a text has a window of absolute time, and how it is written; None where a definition
    has it.
    """
    return _language(language).window(expression, start, length)


def xml_ql_of(
    language: str, expression: str, options: Options, context: Context | None = None
) -> list[str]:
    """The XML-QL queries that build what an E-XML-QL subscription constructs; none where it
    constructs nothing.
    """
    if language != "exmlql":
        raise MeaningProblem(
            f"a subscription in {language} has no XML-QL form",
            code="LanguageError",
            token=language,
            hint="XML-QL is the form of what exmlql subscriptions construct; choose one with --id",
        )
    return exmlql.xml_ql(expression, options, _with_atoms(context or Context()))


def _with_atoms(context: Context) -> Context:
    return replace(
        context,
        parse_atom=partial(_parse_atom, context),
        warn_of_atom=partial(_warn_of_atom, context),
    )


def _parse_atom(context: Context, language: str, text: str) -> Atom:
    """The atom of a text in braces. Its own context reads no atoms: they do not nest."""
    _require_knowledge(language, context)
    opening = _opening(language, text)
    try:
        plan = _language(_ATOM_NAMES.get(language, language)).parse(opening + text, {}, context)
    except Problem as problem:
        raise _moved_back(problem, len(opening)) from None
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


def _warn_of_atom(context: Context, language: str, text: str) -> list[Problem]:
    """The warnings of a text in braces."""
    opening = _opening(language, text)
    found = _language(_ATOM_NAMES.get(language, language)).warnings(opening + text, {}, context)
    return [_moved_back(each, len(opening)) for each in found]


def _opening(language: str, text: str) -> str:
    """What a text in braces leaves out."""
    return _XML_OPENING if language == "xml" and not _OPENED.match(text) else ""


def _require_knowledge(language: str, context: Context) -> None:
    """Raises what is wrong with the ontology, where a language looks at it; the others are none the
    worse.
    """
    if language in _KNOWING and isinstance(context.ontology, Problem):
        raise context.ontology


def _moved_back(problem: Problem, columns: int) -> Problem:
    """A problem of a text that had so many characters put before it, told for the text itself."""
    place = problem.place
    if not columns or place is None or place.line > 1:
        return problem
    moved = Place(1, max(1, place.column - columns))
    return type(problem)(
        problem.message, code=problem.code, place=moved, token=problem.token, hint=problem.hint
    )


def _language(name: str) -> Language:
    try:
        return LANGUAGES[name]
    except KeyError:
        message, hint = f"the language {name!r} is not known", hint_for_language(name, LANGUAGES)
        raise MeaningProblem(message, code="LanguageError", token=name, hint=hint) from None
