"""From text to syntax within the limits; every way to fail is a Problem with its place."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

from tocsin.errors import Place
from tocsin.languages.base.embedded import blanked
from tocsin.languages.base.parsing import Parser, Unexpected
from tocsin.languages.base.texts import TooDeep, refuse_long
from tocsin.languages.concept.limits import Limits, exceeded
from tocsin.languages.concept.syntax import Subscription, Terminology
from tocsin.languages.concept.syntax_errors import syntax_problem
from tocsin.languages.concept.transformer import Transformer

DEFAULT_LIMITS = Limits()

_OPENING = re.compile(
    r"\b(selector|graph|concept|xml|epcis)\s*\{|#[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|<[^<>\s]*>"
)
"""The brace of an atom of another language; comments, texts and IRIs, in which none counts."""


def read_subscription(text: str, limits: Limits = DEFAULT_LIMITS) -> Subscription:
    """The syntax of a subscription."""
    refuse_long(text, limits.text_bytes, "SYNTAX", exceeded)
    found: Subscription = _read("subscription", blanked(text, _OPENING, "SYNTAX"), limits)
    return found


def read_terminology(text: str, limits: Limits = DEFAULT_LIMITS) -> Terminology:
    """The syntax of a `.tbox` text."""
    refuse_long(text, limits.tbox_bytes, "SYNTAX", exceeded)
    found: Terminology = _read("tbox", text, limits)
    return found


def _read(start: str, text: str, limits: Limits) -> Any:
    try:
        return _parser(start, limits.nesting).read(text)
    except Unexpected as found:
        raise syntax_problem(text, found) from None
    except TooDeep as found:
        raise exceeded(
            f"the text nests deeper than {limits.nesting} levels",
            Place.at(text, found.offset),
            "drop parentheses that change nothing, or define a concept and use its name",
        ) from None


@cache
def _parser(start: str, nesting: int) -> Parser:
    folder = files("tocsin.languages.concept")
    grammars = (
        (folder / f"{name}.lark").read_text(encoding="utf-8") for name in (start, "grammar")
    )
    return Parser("\n".join(grammars), Transformer(nesting))
