"""From text to syntax within the limits; every way to fail is a Problem with its place."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from tocsin.errors import Place
from tocsin.languages.base.parsing import Parser, Unexpected
from tocsin.languages.base.texts import TooDeep, refuse_long
from tocsin.languages.selector.limits import Limits, exceeded
from tocsin.languages.selector.syntax_errors import syntax_problem
from tocsin.languages.selector.wording import Wording


def read(parser: Parser, text: str, limits: Limits, wording: Wording) -> Any:
    """What the parser's builder makes of the text."""
    refuse_long(
        text,
        limits.text_bytes,
        "SelectorSyntaxError",
        exceeded,
        "selector",
        "split the subscription",
    )
    try:
        return parser.read(text)
    except Unexpected as found:
        raise syntax_problem(text, found, wording) from None
    except TooDeep as found:
        raise exceeded(
            f"the selector nests deeper than {limits.nesting} levels",
            Place.at(text, found.offset),
            "drop parentheses that change nothing, or split the subscription",
        ) from None


@cache
def grammar(*names: str) -> str:
    """The grammar files of this folder, one after the other."""
    folder = files("tocsin.languages.selector")
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)
