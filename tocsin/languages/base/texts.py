"""What every language does with a text: tokens with their places, problems told at them, and limits
on its size.

A problem has the place where it stands, the token there and a way out. A text that leaves the
grammar is told in one form, whatever the language: what stands there, what could, and what was
probably meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
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
"""How much of a token a problem repeats."""

_LOOK_BACK = 200
"""How much of what stands before an error a hint looks at."""

CURLY_QUOTES = frozenset("“”„‟‘’‚‛«»")
"""What word processors make of straight ones."""

_LONGEST_SHOWN = 30
START = Place(1, 1)
"""Where a problem of the whole text is told."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A token of the text: its offset from the start, which does not count in comparisons, and its
    characters.
    """

    offset: int = field(compare=False)
    text: str


def spot_of(token: Token) -> Spot:
    """Where a token of the parser stands."""
    return Spot(token.start_pos or 0, str(token))


class TooDeep(Exception):
    """The nesting limit is passed at an offset."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


def problem_at(text: str, spot: Spot, code: str, message: str, hint: str) -> Problem:
    """A problem at a token of a text; the code says what kind of problem it is."""
    place = Place.at(text, spot.offset)
    return _kind(code)(message, code=code, place=place, token=spot.text, hint=hint)


class Problems:
    """What is wrong with one text, in the order in which it was found, each thing told once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Problem] = []
        self._told: set[tuple[str, int, str]] = set()

    def __bool__(self) -> bool:
        return bool(self.found)

    def add(self, code: str, spot: Spot, message: str, hint: str) -> None:
        """Note a problem at a token of the text; the code says what kind of problem it is."""
        if (code, spot.offset, message) not in self._told:
            self._told.add((code, spot.offset, message))
            cut = Spot(spot.offset, spot.text[:LONGEST_TOKEN])
            self.found.append(problem_at(self.text, cut, code, message, hint))

    def at(self, spot: Spot, problem: Problem, code: str = "") -> None:
        """Note a problem that something below the text raised, as one of the token."""
        self.found.append(
            type(problem)(
                problem.message,
                code=code or problem.code,
                place=self.place(spot),
                token=problem.token or spot.text[:LONGEST_TOKEN],
                hint=problem.hint,
            )
        )

    def place(self, spot: Spot) -> Place:
        """Where a token stands."""
        return Place.at(self.text, spot.offset)

    def in_reading_order(self) -> list[Problem]:
        """All problems, from the start of the text to its end."""
        return sorted(self.found, key=reading_order)


@dataclass(frozen=True, slots=True)
class Slip:
    """A text that leaves the grammar: what was read before, what stands from there on, and what the
    parser found.
    """

    before: str
    here: str
    found: Unexpected

    @property
    def just_before(self) -> str:
        """The end of what was read before: enough for a hint. A pattern that looks for what stands
        at the end tries every place of its text, so the text must not be long.
        """
        return end_of(self.before)

    @property
    def last_word(self) -> str:
        """The word right before the error, or nothing."""
        word = re.search(r"[\w-]*$", self.just_before)
        return word[0] if word else ""

    def could_be(self, *terminals: str) -> bool:
        """Whether one of the terminals would have been right here."""
        return not self.found.expected.isdisjoint(terminals)


def end_of(text: str) -> str:
    """The last characters of a text, as many as a hint may look at."""
    return text[-_LOOK_BACK:]


def parts_at(text: str, found: Unexpected) -> tuple[str, str]:
    """What was read before an error, without blanks at its end, and what stands from there on."""
    return text[: found.offset].rstrip(), text[found.offset :]


def unexpected_problem(
    text: str, found: Unexpected, code: str, expected: str, hint: str, what: str = "text"
) -> SyntaxProblem:
    """The problem of a text that is not in the grammar; `expected` has in words what could stand
    there.
    """
    there = f"the {what} ends" if found.terminal == END else f"{shown(found.token)} is not expected"
    return SyntaxProblem(
        f"{there} here" + (f"; expected {expected}" if expected else ""),
        code=code,
        place=Place.at(text, found.offset),
        token=found.token[:LONGEST_TOKEN],
        hint=hint,
    )


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The terminals of a grammar in words: `unsaid` ones are not told, and a whole group that
    could stand somewhere is told as one.
    """

    words: Mapping[str, str]
    unsaid: frozenset[str] = frozenset(("BLANK",))
    groups: tuple[tuple[frozenset[str], str], ...] = ()
    end_last: bool = True

    def told(self, terminals: frozenset[str]) -> str:
        """What could stand somewhere, as a choice."""
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


SomeSlip = TypeVar("SomeSlip", bound=Slip)


def first_hint(slip: SomeSlip, rules: Iterable[Callable[[SomeSlip], str]]) -> str:
    """What the first rule says that has something to say; nothing where none has."""
    return next(filter(None, (rule(slip) for rule in rules)), "")


def alternatives(words: Iterable[str]) -> str:
    """Words as a choice: `a, b or c`."""
    given = list(words)
    return " or ".join(filter(None, (", ".join(given[:-1]), *given[-1:])))


def shown(token: str) -> str:
    """A token as a message shows it."""
    visible = token if token.isprintable() else ascii(token)
    return visible if len(visible) <= _LONGEST_SHOWN else visible[: _LONGEST_SHOWN - 3] + "..."


def _kind(code: str) -> type[Problem]:
    if code == "UNSUPPORTED":
        return UnsupportedProblem
    return SyntaxProblem if code == "SYNTAX" or code.endswith("SyntaxError") else MeaningProblem


def reading_order(problem: Problem) -> tuple[int, int]:
    """The key to sort problems by, from the start of the text to its end."""
    place = problem.place or START
    return (place.line, place.column)
