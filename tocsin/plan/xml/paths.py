"""Regular paths: paths from an element down to another, by the names of the elements on the way.

As in XML-QL: `bib.book.title`, `part+.(subpart|component.piece)`; a step goes from an element to
one of its children. A path without steps, which `part*` and `part?` allow, stays at its start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from tocsin.errors import MeaningProblem


@dataclass(frozen=True, slots=True)
class PathStep:
    """A step to a child of the expanded name; None for any."""

    name: str | None


@dataclass(frozen=True, slots=True)
class PathSequence:
    """One part after the other."""

    parts: tuple[RegularPath, ...]


@dataclass(frozen=True, slots=True)
class PathChoice:
    """One of the parts."""

    parts: tuple[RegularPath, ...]


@dataclass(frozen=True, slots=True)
class PathRepeat:
    """A repeated part (`*`, `+`), or an optional one (`?`)."""

    part: RegularPath
    mark: str

    def __post_init__(self) -> None:
        if self.mark not in ("*", "+", "?"):
            raise MeaningProblem(f"a part is repeated by * + or ?, got {self.mark}")


RegularPath: TypeAlias = PathStep | PathSequence | PathChoice | PathRepeat


def steps_of(path: RegularPath) -> Iterator[PathStep]:
    """Yield the steps that a path is written with, from left to right."""
    match path:
        case PathStep():
            yield path
        case PathSequence(parts) | PathChoice(parts):
            for part in parts:
                yield from steps_of(part)
        case PathRepeat(part):
            yield from steps_of(part)
        case _:
            assert_never(path)


def may_be_empty(path: RegularPath) -> bool:
    """True if the path may have no steps."""
    match path:
        case PathStep():
            return False
        case PathSequence(parts):
            return all(map(may_be_empty, parts))
        case PathChoice(parts):
            return any(map(may_be_empty, parts))
        case PathRepeat(part, mark):
            return mark != "+" or may_be_empty(part)
        case _:
            assert_never(path)


def path_text(path: RegularPath, name_text: Callable[[str], str]) -> str:
    """Return the path as it is written; `name_text` writes an expanded name."""
    return _text(path, name_text, 0)


def _text(path: RegularPath, name_text: Callable[[str], str], binding: int) -> str:
    """Return a path as text, in parentheses if needed.

    `binding` is the operator strength around it: 0 nothing, 1 a sequence, 2 a mark.
    """
    match path:
        case PathStep(name):
            return "$" if name is None else name_text(name)
        case PathSequence(parts):
            text = ".".join(_text(part, name_text, 1) for part in parts)
            return f"({text})" if binding > 1 else text
        case PathChoice(parts):
            text = "|".join(_text(part, name_text, 0) for part in parts)
            return f"({text})" if binding > 0 else text
        case PathRepeat(part, mark):
            return _text(part, name_text, 2) + mark
        case _:
            assert_never(path)
