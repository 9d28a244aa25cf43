"""Limits of a text. A text beyond one is refused before it can cost anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from tocsin.errors import LimitProblem, MeaningProblem, Place


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
