"""Text to syntax tree within the limits; every failure is a problem with its place."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from tocsin.languages.base.embedded import blank_braces
from tocsin.languages.base.grammar import Grammar, grammar_of
from tocsin.languages.base.parsing import Parser
from tocsin.languages.base.slices import TextSlices, blank
from tocsin.languages.concept.limits import ConceptLimits, exceeded
from tocsin.languages.concept.syntax import ConceptSubscription, Terminology
from tocsin.languages.concept.syntax_errors import syntax_problem
from tocsin.languages.concept.transformer import ConceptTransformer

DEFAULT_LIMITS = ConceptLimits()

_OPENING = re.compile(
    r"\b(selector|graph|concept|xml|epcis)\s*\{|#[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|<[^<>\s]*>"
)
"""Opening brace of an atom of another language; or a comment, text or IRI, in which braces do not
count.
"""

_QUOTED = re.compile(r"#[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|<[^<>\s]*>")

_TERMINOLOGY = Grammar(
    "SYNTAX",
    syntax_problem,
    exceeded,
    flatter="drop parentheses that change nothing, or define a concept and use its name",
    shorter="split it",
    what="text",
)
_SUBSCRIPTION = replace(_TERMINOLOGY, opening=_OPENING)


def read_subscription(text: str, limits: ConceptLimits = DEFAULT_LIMITS) -> ConceptSubscription:
    """Return the syntax tree of a subscription."""
    found: ConceptSubscription = _SUBSCRIPTION.read(
        _parser("subscription", limits.nesting), text, limits
    )
    return found


def slices_of(text: str) -> TextSlices:
    """Return the pieces of a text that has been read."""
    return TextSlices(text, _mask)


def _mask(text: str) -> str:
    return blank(blank_braces(text, _OPENING, "SYNTAX"), _QUOTED)


def read_terminology(text: str, limits: ConceptLimits = DEFAULT_LIMITS) -> Terminology:
    """Return the syntax tree of a `.tbox` text."""
    large = replace(limits, text_bytes=limits.tbox_bytes)
    found: Terminology = _TERMINOLOGY.read(_parser("tbox", limits.nesting), text, large)
    return found


@cache
def _parser(start: str, nesting: int) -> Parser:
    return Parser(grammar_of("concept", start, "grammar"), ConceptTransformer(nesting))
