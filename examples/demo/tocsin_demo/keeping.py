"""What --output keeps: matches and dead letters as JSON Lines, written as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from tocsin.errors import MeaningProblem

MATCHES = "matches.jsonl"
DEAD_LETTERS = "dead-letters.jsonl"


class Keeper:
    """Two open files, or none."""

    def __init__(self, matches: TextIO | None = None, dead_letters: TextIO | None = None) -> None:
        self._matches = matches
        self._dead_letters = dead_letters

    def keep(self, matches: Iterable[str], dead_letters: Iterable[str]) -> None:
        """Appends lines to each."""
        for out, lines in ((self._matches, matches), (self._dead_letters, dead_letters)):
            if out is not None:
                out.writelines(line + "\n" for line in lines)


@contextmanager
def keeper_in(folder: Path | None) -> Iterator[Keeper]:
    """A keeper that writes into a folder, made where it is missing; without a folder it keeps
    nothing.
    """
    if folder is None:
        yield Keeper()
        return
    with ExitStack() as files:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            opened = [
                files.enter_context((folder / name).open("w")) for name in (MATCHES, DEAD_LETTERS)
            ]
        except OSError as error:
            raise MeaningProblem(
                f"cannot write into {folder}: {error.strerror or error}",
                code="FileError",
                hint="give a folder",
            ) from None
        yield Keeper(*opened)
