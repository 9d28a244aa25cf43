"""From text to syntax within the limits; every way to fail is a Problem with its place."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from tocsin.errors import Place, SyntaxProblem
from tocsin.languages.parsing import Parser, Unexpected
from tocsin.languages.selector.build import TooDeep
from tocsin.languages.selector.hints import Wording, syntax_problem
from tocsin.languages.selector.limits import Limits, exceeded


def read(parser: Parser, text: str, limits: Limits, wording: Wording) -> Any:
    """What the parser's builder makes of the text."""
    _refuse_long(text, limits)
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


def _refuse_long(text: str, limits: Limits) -> None:
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise SyntaxProblem(
            "half of a surrogate pair is no character",
            code="SelectorSyntaxError",
            place=Place.at(text, error.start),
            token=ascii(text[error.start]),
            hint="write the text in valid Unicode",
        ) from None
    if size > limits.text_bytes:
        raise exceeded(
            f"the selector has {size:,} bytes, the limit is {limits.text_bytes:,}",
            Place(1, 1),
            "split the subscription",
        )
