"""The language `concept`: events by meaning, intervals in relation, absence over time.

Begin with `parse` in this file. `grammar.lark` and `transformer.py` give the tree of `syntax.py`,
`lower.py` the plan, with `concept_builder.py` for concepts and their names; `terminology.py` reads
a `.tbox` file, `checks.py` warns, `syntax_errors.py` explains. An event matches a concept when it
is an instance; composites combine such events by interval relations, `&`, `|`, timed absence and
shared values.

Imports: `errors`, `events`, `knowledge`, `languages.base`, `plan`, `values`.
Test a change with: `tests/languages/concept`, `tests/scenarios`.
"""

from __future__ import annotations

from functools import partial

from tocsin.languages.base.reading import (
    EMPTY_CONTEXT,
    NO_OPTIONS,
    Context,
    Options,
    Reading,
    capture_problems,
)
from tocsin.languages.concept.checks import warnings_of
from tocsin.languages.concept.concept_builder import names_of
from tocsin.languages.concept.lower import lower
from tocsin.languages.concept.read import ConceptLimits, read_subscription, settings_of
from tocsin.languages.concept.terminology import tbox_of_text
from tocsin.plan.nodes.composites import Plan

__all__ = ["ConceptLimits", "parse", "tbox_of_text"]

_DEFAULT_LIMITS = ConceptLimits()


@capture_problems
def parse(
    text: str,
    options: Options = NO_OPTIONS,
    context: Context = EMPTY_CONTEXT,
    limits: ConceptLimits = _DEFAULT_LIMITS,
) -> Reading:
    """Return the reading of a subscription, with its problems in the order of their places."""
    settings, names = settings_of(options), names_of(context.ontology)
    written = read_subscription(text, limits)
    meaning = lower(text, written, settings, names, context)
    if meaning.problems:
        return Reading(problems=tuple(meaning.problems), syntax=written)
    warn = partial(warnings_of, text, written, meaning, context)
    return Reading(Plan(meaning.part), syntax=written, warn=warn, recorder=meaning.sources)
