"""Text to syntax tree within the limits; every failure is a problem with its place.

`TextLimits` and `NestingTransformer` are the bases of each language's limits and transformer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, ClassVar, Protocol

from tocsin.errors import LimitProblem, MeaningProblem, Place, Problem, SyntaxProblem
from tocsin.languages.base.parsing import Parser, Unexpected
from tocsin.languages.base.texts import START, SourceSpan, TooDeep, blank_braces


@dataclass(frozen=True, slots=True)
class TextLimits:
    """Bytes of text in UTF-8, and levels of nesting; a language adds further limits.

    `deepest` is the highest nesting that may be configured, because plans are walked recursively.
    """

    deepest: ClassVar[int | None] = None

    text_bytes: int = 64 << 10
    nesting: int = 64

    def __post_init__(self) -> None:
        if self.deepest is not None and self.nesting > self.deepest:
            raise MeaningProblem(f"the nesting limit is at most {self.deepest}, got {self.nesting}")


class Exceeded(Protocol):
    """Factory of the problem of a text beyond a limit."""

    def __call__(
        self, message: str, place: Place | None, hint: str, token: str = ""
    ) -> LimitProblem: ...


def limit_problems(code: str) -> Exceeded:
    """Return the factory of limit problems of a language, with its code."""

    def exceeded(message: str, place: Place | None, hint: str, token: str = "") -> LimitProblem:
        return LimitProblem(message, code=code, place=place, token=token, hint=hint)

    return exceeded


def grammar_of(language: str, *names: str) -> str:
    """Return the grammar files of a language's folder, concatenated."""
    folder = files(f"tocsin.languages.{language}")
    return "\n".join(
        (folder / f"{name}.lark").read_text(encoding="utf-8") for name in names or ("grammar",)
    )


@dataclass(frozen=True, slots=True)
class Grammar:
    """Reader of the texts of one language, with the wording of its refusals.

    `what` is the word for a text, `nesting` the word for the part of it that nests; `shorter` and
    `flatter` are hints for a text that is too long or nests too deep. `opening` finds the braces of
    atoms of other languages, for a language that has them. `prepare` changes a text before the
    parser reads it and keeps every offset; problems refer to the text as written.
    """

    syntax_code: str
    syntax_problem: Callable[[str, Unexpected], Problem]
    exceeded: Exceeded
    flatter: str
    shorter: str = "split the subscription"
    what: str = "subscription"
    nesting: str = ""
    opening: re.Pattern[str] | None = None
    prepare: Callable[[str], str] = str

    def read(self, parser: Parser, text: str, limits: TextLimits) -> Any:
        """Return the parser's result for a text; raise a problem if it is not in the grammar."""
        self.refuse_long(text, limits.text_bytes)
        plain = blank_braces(text, self.opening, self.syntax_code) if self.opening else text
        try:
            return parser.read(self.prepare(plain))
        except Unexpected as found:
            raise self.syntax_problem(plain, found) from None
        except TooDeep as found:
            raise self.exceeded(
                f"the {self.nesting or self.what} nests deeper than {limits.nesting} levels",
                Place.at(text, found.offset),
                self.flatter,
            ) from None

    def refuse_long(self, text: str, limit: int) -> None:
        """Raise if the text is not Unicode, or has more bytes in UTF-8 than the limit."""
        try:
            size = len(text.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise SyntaxProblem(
                "half of a surrogate pair is no character",
                code=self.syntax_code,
                place=Place.at(text, error.start),
                token=ascii(text[error.start]),
                hint="write the text in valid Unicode",
            ) from None
        if size > limit:
            raise self.exceeded(
                f"the {self.what} has {size:,} bytes, the limit is {limit:,}", START, self.shorter
            )


Children = list[Any]


class NestingTransformer:
    """Transformer with the nesting limit; it has no other state, so one serves every text."""

    def __init__(self, nesting: int) -> None:
        self._nesting = nesting

    def _below(self, spot: SourceSpan, operands: Iterable[Any]) -> int:
        """Return the depth of a node above operands; raise at the token if it is too deep."""
        depth = depth_of(operands) + 1
        self._watch(depth, spot)
        return depth

    def _watch(self, depth: int, spot: SourceSpan) -> None:
        if depth > self._nesting:
            raise TooDeep(spot.offset)


def depth_of(operands: Iterable[Any]) -> int:
    """Return the depth of the deepest operand; 0 without operands."""
    return max((operand.depth for operand in operands), default=0)
