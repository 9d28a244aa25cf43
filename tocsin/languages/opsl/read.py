"""Text to syntax tree within the limits; every failure is a problem with its place."""

from __future__ import annotations

import re
from functools import cache

from tocsin.languages.base.embedded import blank_braces
from tocsin.languages.base.grammar import Grammar, grammar_of
from tocsin.languages.base.parsing import Parser
from tocsin.languages.base.slices import TextSlices, blank
from tocsin.languages.base.texts import START
from tocsin.languages.opsl.limits import OpslLimits, exceeded
from tocsin.languages.opsl.syntax import OpslSubscription, nodes_of
from tocsin.languages.opsl.syntax_errors import SYNTAX_CODE, syntax_problem
from tocsin.languages.opsl.transformer import OpslTransformer

_OPENING = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![A-Za-z])([A-Za-z]+)\s*\{|\{""")
"""Opening brace of an atom of another language; or a quoted text, in which braces do not count.

A word is tried from its first letter only: a long one costs its length, not the square of it.
"""

_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")

_GRAMMAR = Grammar(
    SYNTAX_CODE,
    syntax_problem,
    exceeded,
    flatter="drop parentheses that change nothing, or name a part and use the name",
    shorter="split the subscription, or name its regions and parts and use the names",
    opening=_OPENING,
)


def read(text: str, limits: OpslLimits) -> OpslSubscription:
    """Return the syntax tree of a subscription."""
    subscription: OpslSubscription = _GRAMMAR.read(_parser(limits.nesting), text, limits)
    _refuse_large(subscription, limits)
    return subscription


@cache
def _parser(nesting: int) -> Parser:
    return Parser(grammar_of("opsl"), OpslTransformer(nesting))


def _refuse_large(subscription: OpslSubscription, limits: OpslLimits) -> None:
    if len(subscription.bindings) > limits.variables:
        raise exceeded(
            f"the subscription has more than {limits.variables} variables",
            START,
            "split the subscription",
        )
    bodies = (subscription.main, *(each.definition for each in subscription.bindings))
    size = len(subscription.comparisons) + sum(1 for body in bodies for _ in nodes_of(body))
    if size > limits.parts:
        raise exceeded(
            f"the subscription has {size:,} parts, the limit is {limits.parts:,}",
            START,
            "split the subscription, or say several conditions on one event as one atom: selector{"
            " ... }",
        )


def slices_of(text: str) -> TextSlices:
    """Return the pieces of a text that has been read."""
    return TextSlices(text, _mask)


def _mask(text: str) -> str:
    return blank(blank_braces(text, _OPENING, SYNTAX_CODE), _QUOTED)
