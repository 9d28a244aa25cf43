"""The problems of a graph subscription that parses: each with code, place and a way out, and none hides another."""

from __future__ import annotations

from tocsin.errors import MeaningProblem, Place, Problem, SyntaxProblem, UnsupportedProblem
from tocsin.languages.graph.syntax import Spot

_START = Place(1, 1)
_KINDS: dict[str, type[Problem]] = {"SYNTAX": SyntaxProblem, "UNSUPPORTED": UnsupportedProblem}


class Problems:
    """What is wrong with one text, each thing told once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._found: dict[tuple[str, int, str], Problem] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, code: str, spot: Spot, message: str, hint: str) -> None:
        """Note a problem at a token of the text."""
        kind = _KINDS.get(code, MeaningProblem)
        place = Place.at(self.text, spot.offset)
        problem = kind(message, code=code, place=place, token=spot.text[:40], hint=hint)
        self._found.setdefault((code, spot.offset, message), problem)

    def in_reading_order(self) -> list[Problem]:
        """All problems, from the start of the text to its end."""
        return sorted(self._found.values(), key=_reading_order)


def _reading_order(problem: Problem) -> tuple[int, int]:
    place = problem.place or _START
    return (place.line, place.column)
