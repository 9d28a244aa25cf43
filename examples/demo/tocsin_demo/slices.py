"""The day cut into slices of simulated time, each a file ready to be released: one file is one
micro-batch.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from threading import Event

from tocsin.values.time import Duration, Instant, parse_duration
from tocsin_demo.story import DAY, MIDNIGHT, Line, Story

_COARSE: Duration = parse_duration("2h")
_FINE: Duration = parse_duration("1h")
_SECOND: Duration = parse_duration("1s")
_FINE_FROM = 20_000


@dataclass(frozen=True, slots=True)
class Slice:
    """The lines that arrive from `start` up to, but not at, `end`."""

    start: Instant
    end: Instant
    lines: int
    path: Path

    def inside(self, folder: Path) -> Slice:
        """The slice as it will be when its file is in that folder."""
        return replace(self, path=folder / self.path.name)


def prepare(story: Story, folder: Path, given_up: Event) -> list[Slice]:
    """Writes the slices of the whole day, unless given up; a short day has long ones, else it would
    be all waiting.
    """
    length = _FINE if story.lines >= _FINE_FROM else _COARSE
    slices: list[Slice] = []
    for number, lines in groupby(story.tell(), lambda line: (line.arrival - MIDNIGHT) // length):
        if given_up.is_set():
            break
        slices.append(_write(folder, len(slices), MIDNIGHT + number * length, length, lines))
    return slices


def line_of(event: str, text: str) -> str | None:
    """The line of the event with this id in the text of a slice, or None where it is in another
    slice.
    """
    found = text.find(f'"id":"{event}"')
    return None if found < 0 else text[text.rfind("\n", 0, found) + 1 : text.find("\n", found)]


def part_of_day(now: Instant) -> float:
    """How much of the day is over, from 0 to 1."""
    return (now - MIDNIGHT) / DAY


def _write(
    folder: Path, number: int, start: Instant, length: Duration, lines: Iterable[Line]
) -> Slice:
    texts = [line.text for line in lines]
    path = folder / f"{number:03d}.jsonl"
    path.write_text("".join(text + "\n" for text in texts))
    # Spark takes the oldest file first: simulated time makes that certain, however quickly the
    # files were written.
    os.utime(path, (start // _SECOND, start // _SECOND))
    return Slice(start, start + length, len(texts), path)
