"""The problems of a text that parses: each has its code, its place and a way out, and none hides another."""

from __future__ import annotations

from tocsin.errors import MeaningProblem, Place, Problem, UnsupportedProblem
from tocsin.languages.concept.syntax import Spot

_START = Place(1, 1)


class Problems:
    """What is wrong with one text, in the order in which it was found."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Problem] = []

    def add(self, code: str, spot: Spot, message: str, hint: str) -> None:
        """Note a problem at a token of the text."""
        kind = UnsupportedProblem if code == "UNSUPPORTED" else MeaningProblem
        self.found.append(kind(message, code=code, place=self.place(spot), token=spot.text[:40], hint=hint))

    def at(self, spot: Spot, problem: Problem, code: str = "") -> None:
        """Note a problem that something below the text raised, as one of the token."""
        self.found.append(
            type(problem)(
                problem.message,
                code=code or problem.code,
                place=self.place(spot),
                token=problem.token or spot.text[:40],
                hint=problem.hint,
            )
        )

    def place(self, spot: Spot) -> Place:
        """Where a token stands."""
        return Place.at(self.text, spot.offset)

    def in_reading_order(self) -> list[Problem]:
        """All problems, from the start of the text to its end."""
        return sorted(self.found, key=_reading_order)


def _reading_order(problem: Problem) -> tuple[int, int]:
    place = problem.place or _START
    return (place.line, place.column)
