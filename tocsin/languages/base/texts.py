"""Texts of every language: tokens with their places, problems at them, and pieces of a text.

A problem has its place, the token there and a hint. Every language reports a text that leaves the
grammar in one form: the token found, the tokens expected, and a suggestion.

A suggestion is the nearest known word. Pieces are cut out by the offsets of their tokens, with the
brackets that belong to them.

Atoms of other languages stand in braces: `selector{ ... }`. Braces balance; those inside quoted
texts do not count.

The text between the braces is blanked before the outer language is read, so that every offset stays
true; the other language reads it from the whole text. The language in the braces decides how a
quote is written inside a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TypeVar

from tocsin.errors import (
    MeaningProblem,
    Place,
    Problem,
    SyntaxProblem,
    UnsupportedProblem,
)
from tocsin.languages.base.parsing import END, Token, Unexpected

LONGEST_TOKEN = 40
"""Characters of a token that a problem repeats."""

_LOOK_BACK = 200
"""Characters before an error that a hint looks at."""

CURLY_QUOTES = frozenset("“”„‟‘’‚‛«»")
"""Quotes that word processors put in place of straight ones."""

_LONGEST_SHOWN = 30
START = Place(1, 1)
"""Place of a problem of the whole text."""


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A token of the text: its characters, and its offset, which does not count in comparisons."""

    offset: int = field(compare=False)
    text: str


def spot_of(token: Token) -> SourceSpan:
    """Return the offset and characters of a token of the parser."""
    return SourceSpan(token.start_pos or 0, str(token))


class TooDeep(Exception):
    """Raised where the nesting limit is passed, with the offset."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


def problem_at(text: str, spot: SourceSpan, code: str, message: str, hint: str) -> Problem:
    """Return a problem at a token of a text; the code decides its class."""
    place = Place.at(text, spot.offset)
    return _kind(code)(message, code=code, place=place, token=spot.text, hint=hint)


class ProblemCollector:
    """Problems of one text in the order of discovery, each once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Problem] = []
        self._reported: set[tuple[str, int, str]] = set()

    def __bool__(self) -> bool:
        return bool(self.found)

    def add(self, code: str, spot: SourceSpan, message: str, hint: str) -> None:
        """Add a problem at a token of the text; the code decides its class."""
        if (code, spot.offset, message) not in self._reported:
            self._reported.add((code, spot.offset, message))
            cut = SourceSpan(spot.offset, spot.text[:LONGEST_TOKEN])
            self.found.append(problem_at(self.text, cut, code, message, hint))

    def at(self, spot: SourceSpan, problem: Problem, code: str = "") -> None:
        """Add a problem raised by a deeper layer, placed at the token."""
        self.found.append(
            type(problem)(
                problem.message,
                code=code or problem.code,
                place=self.place(spot),
                token=problem.token or spot.text[:LONGEST_TOKEN],
                hint=problem.hint,
            )
        )

    def place(self, spot: SourceSpan) -> Place:
        """Return the line and column of a token."""
        return Place.at(self.text, spot.offset)

    def in_reading_order(self) -> list[Problem]:
        """Return all problems, from the start of the text to its end."""
        return sorted(self.found, key=reading_order)


@dataclass(frozen=True, slots=True)
class SyntaxErrorContext:
    """A text that leaves the grammar: the text before the error, the rest, and the error."""

    before: str
    here: str
    found: Unexpected

    @property
    def just_before(self) -> str:
        """End of the text before the error: enough for a hint.

        A pattern anchored at the end tries every place of its text, so the text must be short.
        """
        return end_of(self.before)

    @property
    def last_word(self) -> str:
        """Word right before the error, or ""."""
        word = re.search(r"[\w-]*$", self.just_before)
        return word[0] if word else ""

    def could_be(self, *terminals: str) -> bool:
        """True if one of the terminals is expected here."""
        return not self.found.expected.isdisjoint(terminals)


def end_of(text: str) -> str:
    """Return the last characters of a text, at most the number that a hint may look at."""
    return text[-_LOOK_BACK:]


def split_at_error(text: str, found: Unexpected) -> tuple[str, str]:
    """Return the text before an error, without blanks at its end, and the rest."""
    return text[: found.offset].rstrip(), text[found.offset :]


def unexpected_problem(
    text: str, found: Unexpected, code: str, expected: str, hint: str, what: str = "text"
) -> SyntaxProblem:
    """Return the problem of a text that is not in the grammar; `expected` are words for what may
    follow.
    """
    there = (
        f"the {what} ends"
        if found.terminal == END
        else f"{show_token(found.token)} is not expected"
    )
    return SyntaxProblem(
        f"{there} here" + (f"; expected {expected}" if expected else ""),
        code=code,
        place=Place.at(text, found.offset),
        token=found.token[:LONGEST_TOKEN],
        hint=hint,
    )


@dataclass(frozen=True, slots=True)
class TerminalNames:
    """Words for the terminals of a grammar.

    `unsaid` terminals are left out; a whole group that is expected somewhere is named by one word.
    """

    words: Mapping[str, str]
    unsaid: frozenset[str] = frozenset(("BLANK",))
    groups: tuple[tuple[frozenset[str], str], ...] = ()
    end_last: bool = True

    def describe(self, terminals: frozenset[str]) -> str:
        """Return the expected terminals in words, as a choice."""
        rest = terminals - self.unsaid
        told: list[str] = []
        for group, word in self.groups:
            if group <= rest:
                rest -= group
                told.append(word)
        words = {self.words.get(each, each.lstrip("_")) for each in rest}
        return alternatives(told + sorted(words, key=self._order))

    def _order(self, word: str) -> tuple[bool, str]:
        return (self.end_last and word.startswith("the end"), word)


AnyErrorContext = TypeVar("AnyErrorContext", bound=SyntaxErrorContext)


def find_hint(error: AnyErrorContext, rules: Iterable[Callable[[AnyErrorContext], str]]) -> str:
    """Return the hint of the first rule that has one; "" if none has."""
    return next(filter(None, (rule(error) for rule in rules)), "")


def alternatives(words: Iterable[str]) -> str:
    """Return words as a choice: `a, b or c`."""
    given = list(words)
    return " or ".join(filter(None, (", ".join(given[:-1]), *given[-1:])))


def show_token(token: str) -> str:
    """Return a token as a message shows it: escaped if not printable, and cut to length."""
    visible = token if token.isprintable() else ascii(token)
    return visible if len(visible) <= _LONGEST_SHOWN else visible[: _LONGEST_SHOWN - 3] + "..."


def _kind(code: str) -> type[Problem]:
    if code == "UNSUPPORTED":
        return UnsupportedProblem
    return SyntaxProblem if code == "SYNTAX" or code.endswith("SyntaxError") else MeaningProblem


def reading_order(problem: Problem) -> tuple[int, int]:
    """Sort key of problems, from the start of the text to its end."""
    place = problem.place or START
    return (place.line, place.column)


Extent = tuple[int, int]
"""Offsets of the first character of a piece, and of the one after its last."""

_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


class TextSlices:
    """Pieces of one text. `mask` returns it with blanks for texts whose brackets do not count."""

    def __init__(self, text: str, mask: Callable[[str], str] = str) -> None:
        self._text = text
        self._mask = mask
        self._depths: list[int] = []

    def piece(self, extent: Extent) -> str:
        """Return a piece, extended at both ends to the brackets that pair with those inside it."""
        start, end = extent
        depths = self._nesting()
        lowest = min(depths[start : end + 1])
        while start > 0 and depths[start] > lowest:
            start -= 1
        while end < len(self._text) and depths[end] > lowest:
            end += 1
        return self._text[start:end]

    def _nesting(self) -> list[int]:
        """Return the nesting depth of brackets before each character, and at the end."""
        if not self._depths:
            self._depths = [0]
            for each in self._mask(self._text):
                self._depths.append(self._depths[-1] + _BRACKETS.get(each, 0))
        return self._depths


def extent_of(spot: SourceSpan) -> Extent:
    """Return the extent of a token."""
    return spot.offset, spot.offset + len(spot.text)


def blank(text: str, quoted: re.Pattern[str]) -> str:
    """Return the text with blanks for all that the pattern finds, at its old length."""
    return quoted.sub(lambda found: " " * len(found[0]), text)


def enclose(*extents: Extent) -> Extent:
    """Return the extent from the first to the last of several."""
    return min(start for start, _ in extents), max(end for _, end in extents)


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the known word most similar to the word, or "".

    The cutoff is a similarity from 0 (any word) to 1 (equal).
    """
    return next(iter(get_close_matches(word, list(known), n=1, cutoff=cutoff)), "")


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6, otherwise: str = "") -> str:
    """Return "did you mean ...?" with the nearest known word; `otherwise` if none is near."""
    meant = nearest(word, known, cutoff)
    return f"did you mean {meant}?" if meant else otherwise


_TWICE = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|[{}]""")
_BACKSLASHED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[{}]""", re.DOTALL)
_WITH_BACKSLASHES = ("concept", "epcis", "graph")


def blank_braces(text: str, opening: re.Pattern[str], code: str) -> str:
    """Return the text with everything inside braces as blanks, at its old length.

    `opening` finds an opening brace, with the language before it as its group, and any text in
    which braces do not count.
    """
    pieces, kept, at = [], 0, 0
    while found := opening.search(text, at):
        at = found.end()
        if found[0].endswith("{"):
            end = _closing(text, at, found[1], code)
            pieces += [text[kept:at], " " * (end - at)]
            kept = at = end
    return "".join((*pieces, text[kept:]))


def shift_problem(problem: Problem, text: str, offset: int) -> Problem:
    """Return a problem of the text that starts at the offset, placed in the whole text."""
    start, inner = Place.at(text, offset), problem.place or Place(1, 1)
    column = inner.column + start.column - 1 if inner.line == 1 else inner.column
    place = Place(start.line + inner.line - 1, column)
    return type(problem)(
        problem.message, code=problem.code, place=place, token=problem.token, hint=problem.hint
    )


def _closing(text: str, start: int, language: str | None, code: str) -> int:
    """Return the offset of the brace that closes the one before `start`, or raise."""
    depth, mark = 1, _BACKSLASHED if language in _WITH_BACKSLASHES else _TWICE
    for found in mark.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    raise SyntaxProblem(
        "the brace is not closed",
        code=code,
        place=Place.at(text, start - 1),
        token="{",
        hint="close it with }, as in selector{ price < 400 }; a brace inside quotes does not count",
    )
