"""The table of renames: a row a line, `file | old | new`; `#` begins a comment.

`old` is a name of the module (`Doorkeeper`, `LIMIT`), a member (`Hub.publish`, `Hub.queue`) or a
parameter (`read_text(limit)`, `Hub.publish(event)`); `new` is the new name alone. Where `old` is
`module`, the file itself moves to the path `new`; where it is `fold`, its text becomes a part of
the module `new`, and its importers import that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

MODULE, FOLD = "module", "fold"
_NAME = r"[A-Za-z_]\w*"
_OLD = re.compile(rf"(?:{_NAME}\.)?{_NAME}(?:\({_NAME}\))?")


class TableProblem(Exception):
    """Raised for a row that is malformed or cannot be carried out, with its line."""


@dataclass(frozen=True, slots=True)
class Rename:
    """A new name for what `old` names in a file."""

    file: PurePosixPath
    old: str
    new: str

    @property
    def word(self) -> str:
        """The word that changes: the last of `Class.member` and `function(parameter)`."""
        words: list[str] = re.findall(_NAME, self.old)
        return words[-1]


@dataclass(frozen=True, slots=True)
class Move:
    """A new place for a module."""

    old: PurePosixPath
    new: PurePosixPath


@dataclass(frozen=True, slots=True)
class Fold:
    """A module that becomes a part of another one."""

    old: PurePosixPath
    new: PurePosixPath


Row = Rename | Move | Fold


def read_table(lines: Iterable[str]) -> Iterator[Row]:
    """Yield the rows of a table; raise TableProblem for a malformed one."""
    for number, line in enumerate(lines, 1):
        row = line.partition("#")[0].strip()
        if row:
            yield _read_row(row, number)


def _read_row(row: str, number: int) -> Row:
    columns = [each.strip() for each in row.split("|")]
    if len(columns) != 3 or not all(columns):
        raise TableProblem(f"line {number}: a row is `file | old | new`, got {row!r}")
    file, old, new = columns
    if not file.endswith(".py"):
        raise TableProblem(f"line {number}: {file} is not a Python file")
    if old in (MODULE, FOLD):
        if not new.endswith(".py"):
            raise TableProblem(f"line {number}: a module moves to a path, {new} is not one")
        kind = Move if old == MODULE else Fold
        return kind(PurePosixPath(file), PurePosixPath(new))
    if not _OLD.fullmatch(old):
        raise TableProblem(
            f"line {number}: {old!r} is not a name, Class.member or function(parameter)"
        )
    if not new.isidentifier():
        raise TableProblem(f"line {number}: {new!r} is not a name")
    return Rename(PurePosixPath(file), old, new)
