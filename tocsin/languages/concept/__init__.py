"""Concepts: events by meaning, intervals in relation, and absence over time.

An atomic subscription is a description-logic concept, and an event rings it when it is an instance;
composites combine such events by interval relations, `&`, `|`, timed absence and shared values.
"""

from __future__ import annotations

from functools import partial

from tocsin.languages.base.context import EMPTY_CONTEXT, Context
from tocsin.languages.base.options import NO_OPTIONS
from tocsin.languages.base.reading import Options, Reading, capture_problems
from tocsin.languages.concept.checks import warnings_of
from tocsin.languages.concept.limits import ConceptLimits
from tocsin.languages.concept.lower import lower
from tocsin.languages.concept.names import names_of
from tocsin.languages.concept.options import settings_of
from tocsin.languages.concept.read import read_subscription
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
    return Reading(Plan(meaning.part), syntax=written, warn=warn)
