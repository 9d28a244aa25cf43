"""Text to syntax tree within the limits; every failure is a problem with its place.

Options: `world`, `intervals` and `origin`. A text beyond a limit is refused with LIMIT.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from tocsin.errors import MeaningProblem
from tocsin.knowledge.concepts.assertions import World
from tocsin.languages.base.grammar import Grammar, TextLimits, grammar_of, limit_problems
from tocsin.languages.base.parsing import Parser
from tocsin.languages.base.reading import option_problem, refuse_unknown
from tocsin.languages.base.texts import TextSlices, blank, blank_braces
from tocsin.languages.concept.syntax import ConceptSubscription, Terminology
from tocsin.languages.concept.syntax_errors import syntax_problem
from tocsin.languages.concept.transformer import ConceptTransformer
from tocsin.values.time import Instant, parse_instant


@dataclass(frozen=True, slots=True)
class ConceptLimits(TextLimits):
    """Largest text in bytes, a `.tbox` text included, and deepest nesting."""

    nesting: int = 100
    tbox_bytes: int = 1 << 24


exceeded = limit_problems("LIMIT")


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


_CHOICES = {"world": tuple(each.value for each in World), "intervals": ("paper", "proper")}
_ORIGIN = "origin"


@dataclass(frozen=True, slots=True)
class ConceptOptions:
    """Options of a subscription: closed or open world, proper intervals, origin.

    In the closed world unstated facts are false. `proper` allows relations in time for proper
    intervals only. Timed negations are tested from `origin` on; without one their windows are
    counted from the epoch.
    """

    world: World = World.CLOSED
    proper: bool = False
    origin: Instant | None = None


def settings_of(options: Mapping[str, object]) -> ConceptOptions:
    """Return the settings of a subscription's options; raise if one is unknown."""
    for name, value in options.items():
        refuse_unknown((name,), "concept", (*_CHOICES, _ORIGIN))
        if name in _CHOICES and value not in _CHOICES[name]:
            raise option_problem(
                f"{name} {value!r} is not known", name, f"one of {', '.join(_CHOICES[name])}"
            )
    return ConceptOptions(
        World(options.get("world", "closed")),
        options.get("intervals") == "proper",
        _origin(options),
    )


def _origin(options: Mapping[str, object]) -> Instant | None:
    written = options.get(_ORIGIN)
    if written is None:
        return None
    try:
        return parse_instant(str(written))
    except MeaningProblem as problem:
        raise option_problem(
            f"origin: {problem.message}", _ORIGIN, "write a time such as 2026-01-31T08:00:00Z"
        ) from None
