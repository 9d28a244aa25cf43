"""Event arguments of commands: files, directories and patterns, and how to read them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tocsin.catalog.files import yaml_values
from tocsin.connectors.events import ReadOptions, Split, format_in, read_items
from tocsin.connectors.files import InputFile, has_compression, input_files, open_file, size_of
from tocsin.errors import MeaningProblem, Problem
from tocsin.events.codecs.columns import Columns
from tocsin.events.codecs.decode import FileItem, as_line
from tocsin.events.codecs.formats import Format
from tocsin.events.dead_letter import DeadLetter, malformed_input

_LONGEST_MAPPING = 1 << 20


@dataclass(frozen=True, slots=True)
class EventFiles:
    """Files of events, in reading order, with their read options."""

    files: tuple[InputFile, ...]
    reading: ReadOptions = field(default_factory=ReadOptions)

    @property
    def size(self) -> int | None:
        """The bytes of all files together, or None if unknown."""
        sizes = [size_of(each.path) for each in self.files]
        return None if None in sizes else sum(filter(None, sizes))

    def pieces(
        self, progress: Callable[[int], object] = lambda position: None
    ) -> Iterator[FileItem]:
        """Yield the items of all files; `progress` is called with the number of bytes read."""
        before = 0
        for each in self.files:
            label = each.name if len(self.files) > 1 else None
            yield from read_items(
                each, self.reading, label, partial(_report_progress, progress, before)
            )
            before += size_of(each.path) or 0

    def describe(self) -> str:
        """Return the files as text for a message."""
        return self.files[0].path if len(self.files) == 1 else f"{len(self.files)} files"


def _report_progress(progress: Callable[[int], object], before: int, position: int) -> None:
    progress(before + position)


def event_files(
    given: Iterable[str],
    format: Format | None = None,
    split: Split = Split.DOCUMENT,
    columns: str | None = None,
    zone: str | None = None,
    time: str | None = None,
) -> EventFiles:
    """Return the files of the arguments; raises if an argument names no file."""
    return EventFiles(
        tuple(input_files(given)), ReadOptions(format, split, _columns(columns, zone), time)
    )


def _columns(given: str | None, zone: str | None) -> Columns:
    """Parse `field=column,...`, or a file with such a mapping, which may name the zone as well."""
    if given is None:
        return Columns.of({}, zone)
    if "=" in given:
        return Columns.parse(given, zone)
    mapping = _mapping_in(given)
    return Columns.of(
        {name: each for name, each in mapping.items() if name != "zone"},
        zone or mapping.get("zone"),
    )


def _mapping_in(path: str) -> Mapping[str, Any]:
    """Return the mapping in a file of YAML, which includes JSON."""
    with open_file(path) as file:
        text = file.read(_LONGEST_MAPPING).decode("utf-8", "replace").removeprefix("\ufeff")
    values = [value for _, value in yaml_values(text)]
    if len(values) != 1 or not isinstance(values[0], dict):
        hint = "as in {id: nr, time: sent_at, zone: UTC}; or give field=column,field=column"
        raise MeaningProblem(
            f"{path} holds no mapping of fields to columns", code="ColumnsError", hint=hint
        )
    return values[0]


@dataclass(slots=True)
class Spooled:
    """All events in one file of lines, for engines that read nothing else.

    With the origin of each line, and dead letters for items that are not events.
    """

    path: str
    places: list[tuple[str | None, int]] = field(default_factory=list)
    dead_letters: list[DeadLetter] = field(default_factory=list)

    def placed(self, letter: DeadLetter) -> DeadLetter:
        """Return the letter with the original file and line in place of the line of the copy."""
        if letter.line is None or not self.places:
            return letter
        file, line = self.places[letter.line - 1]
        return letter.in_file(file, line)


@contextmanager
def spool_events(events: EventFiles) -> Iterator[Spooled]:
    """Yield one file of lines with all the events: the file itself if it is one, else a temporary
    copy.
    """
    if _is_plain_lines(events):
        yield Spooled(events.files[0].path)
        return
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as copy:
        found = Spooled(copy.name)
        for piece in events.pieces():
            try:
                lines = (
                    [one_line(piece.raw)]
                    if piece.found is None
                    else [as_line(each) for each in piece.events()]
                )
            except Problem as problem:
                found.dead_letters.append(
                    malformed_input(problem, piece.raw, piece.line).in_file(piece.file)
                )
                continue
            copy.writelines(lines)
            found.places += [(piece.file, piece.line)] * len(lines)
        copy.flush()
        yield found


def one_line(raw: bytes) -> bytes:
    """Return a JSON text as one line: line ends occur only between tokens, as blanks."""
    return raw.strip().replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"


def _is_plain_lines(events: EventFiles) -> bool:
    if len(events.files) != 1 or events.files[0].path == "-" or events.reading.columns.fields:
        return False
    path = events.files[0].path
    return format_in(events.files[0], events.reading) is Format.JSON_LINES and has_compression(
        path
    ) == path.endswith(".gz")
