"""The problems of an E-XML-QL text that parses: each has its code, its place and a way out, and none hides another."""

from __future__ import annotations

from tocsin.errors import MeaningProblem, Place, Problem, SyntaxProblem
from tocsin.languages.exmlql.syntax import Spot

SYNTAX_CODE = "ExmlqlSyntaxError"


class Problems:
    """What is wrong with one text, in the order in which it was found: that is the order of the checks (spec 3.5)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Problem] = []

    def add(self, code: str, spot: Spot, message: str, hint: str) -> None:
        """Note a problem at a token of the text."""
        self.found.append(
            MeaningProblem(message, code=code, place=Place.at(self.text, spot.offset), token=spot.text[:40], hint=hint)
        )

    def syntax(self, spot: Spot, message: str, hint: str) -> None:
        """Note something that is not in the language although the grammar lets it through."""
        self.found.append(
            SyntaxProblem(
                message, code=SYNTAX_CODE, place=Place.at(self.text, spot.offset), token=spot.text[:40], hint=hint
            )
        )
