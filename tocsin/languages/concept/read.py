"""From text to syntax within the limits; every way to fail is a Problem with its place."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from tocsin.languages.base.grammar import Grammar, grammar_of
from tocsin.languages.base.parsing import Parser
from tocsin.languages.concept.limits import Limits, exceeded
from tocsin.languages.concept.syntax import Subscription, Terminology
from tocsin.languages.concept.syntax_errors import syntax_problem
from tocsin.languages.concept.transformer import Transformer

DEFAULT_LIMITS = Limits()

_OPENING = re.compile(
    r"\b(selector|graph|concept|xml|epcis)\s*\{|#[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|<[^<>\s]*>"
)
"""The brace of an atom of another language; comments, texts and IRIs, in which none counts."""

_TERMINOLOGY = Grammar(
    "SYNTAX",
    syntax_problem,
    exceeded,
    flatter="drop parentheses that change nothing, or define a concept and use its name",
    shorter="split it",
    what="text",
)
_SUBSCRIPTION = replace(_TERMINOLOGY, opening=_OPENING)


def read_subscription(text: str, limits: Limits = DEFAULT_LIMITS) -> Subscription:
    """The syntax of a subscription."""
    found: Subscription = _SUBSCRIPTION.read(_parser("subscription", limits.nesting), text, limits)
    return found


def read_terminology(text: str, limits: Limits = DEFAULT_LIMITS) -> Terminology:
    """The syntax of a `.tbox` text."""
    large = replace(limits, text_bytes=limits.tbox_bytes)
    found: Terminology = _TERMINOLOGY.read(_parser("tbox", limits.nesting), text, large)
    return found


@cache
def _parser(start: str, nesting: int) -> Parser:
    return Parser(grammar_of("concept", start, "grammar"), Transformer(nesting))
