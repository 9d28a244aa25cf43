"""From text to syntax within the limits; every way to fail is a Problem with its place."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from tocsin.errors import Place, SyntaxProblem
from tocsin.languages.concept.build import Builder, TooDeep
from tocsin.languages.concept.embedded import blanked
from tocsin.languages.concept.hints import syntax_problem
from tocsin.languages.concept.limits import Limits, exceeded
from tocsin.languages.concept.syntax import Subscription, Terminology
from tocsin.languages.parsing import Parser, Unexpected

DEFAULT_LIMITS = Limits()


def read_subscription(text: str, limits: Limits = DEFAULT_LIMITS) -> Subscription:
    """The syntax of a subscription."""
    _refuse_long(text, limits.text_bytes)
    found: Subscription = _read("subscription", blanked(text), limits)
    return found


def read_terminology(text: str, limits: Limits = DEFAULT_LIMITS) -> Terminology:
    """The syntax of a `.tbox` text."""
    _refuse_long(text, limits.tbox_bytes)
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
    grammars = ((folder / f"{name}.lark").read_text(encoding="utf-8") for name in (start, "concept"))
    return Parser("\n".join(grammars), Builder(nesting))


def _refuse_long(text: str, limit: int) -> None:
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise SyntaxProblem(
            "half of a surrogate pair is no character",
            code="SYNTAX",
            place=Place.at(text, error.start),
            token=ascii(text[error.start]),
            hint="write the text in valid Unicode",
        ) from None
    if size > limit:
        raise exceeded(f"the text has {size:,} bytes, the limit is {limit:,}", Place(1, 1), "split it")
