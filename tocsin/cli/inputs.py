"""The events that a command is given: files, directories and patterns, and how they are to
be read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tocsin.catalog.yaml_text import yaml_values
from tocsin.connectors.events import Reading, Split, format_in, pieces_of
from tocsin.connectors.files import is_packed, open_file, size_of
from tocsin.connectors.inputs import InputFile, input_files
from tocsin.errors import MeaningProblem, Problem
from tocsin.events.codecs.columns import Columns
from tocsin.events.codecs.decode import as_line
from tocsin.events.codecs.file_item import Piece
from tocsin.events.codecs.formats import Format
from tocsin.events.dead_letter import DeadLetter, malformed

_LONGEST_MAPPING = 1 << 20


@dataclass(frozen=True, slots=True)
class EventFiles:
    """Files of events, in the order in which they are read, and how."""

    files: tuple[InputFile, ...]
    reading: Reading = field(default_factory=Reading)

    @property
    def size(self) -> int | None:
        """Bytes of all files together, where they are known."""
        sizes = [size_of(each.path) for each in self.files]
        return None if None in sizes else sum(filter(None, sizes))

    def pieces(self, progress: Callable[[int], object] = lambda position: None) -> Iterator[Piece]:
        """The pieces of all files; `progress` hears how many bytes are read now and then."""
        before = 0
        for each in self.files:
            label = each.name if len(self.files) > 1 else None
            yield from pieces_of(each, self.reading, label, partial(_tell, progress, before))
            before += size_of(each.path) or 0

    def told(self) -> str:
        """The files in a message."""
        return self.files[0].path if len(self.files) == 1 else f"{len(self.files)} files"


def _tell(progress: Callable[[int], object], before: int, position: int) -> None:
    progress(before + position)


def event_files(
    given: Iterable[str],
    format: Format | None = None,
    split: Split = Split.DOCUMENT,
    columns: str | None = None,
    zone: str | None = None,
    time: str | None = None,
) -> EventFiles:
    """The files that are meant; a problem where there are none."""
    return EventFiles(
        tuple(input_files(given)), Reading(format, split, _columns(columns, zone), time)
    )


def _columns(given: str | None, zone: str | None) -> Columns:
    """`field=column,...`, or the file of such a mapping, which may name the zone as well."""
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
    """The mapping of a file in YAML, of which JSON is a part."""
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
    """All events in one file of lines, for engines that read only such; where each line was, and
    what was no event.
    """

    path: str
    places: list[tuple[str | None, int]] = field(default_factory=list)
    dead_letters: list[DeadLetter] = field(default_factory=list)

    def placed(self, letter: DeadLetter) -> DeadLetter:
        """The letter with the file and the line from which its line was made."""
        if letter.line is None or not self.places:
            return letter
        file, line = self.places[letter.line - 1]
        return letter.in_file(file, line)


@contextmanager
def spooled(events: EventFiles) -> Iterator[Spooled]:
    """One file of lines with all the events: the file itself where it is one, else a copy for as
    long as it is used.
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
                    malformed(problem, piece.raw, piece.line).in_file(piece.file)
                )
                continue
            copy.writelines(lines)
            found.places += [(piece.file, piece.line)] * len(lines)
        copy.flush()
        yield found


def one_line(raw: bytes) -> bytes:
    """A JSON text as one line: line ends stand between its parts, where they count as blanks."""
    return raw.strip().replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"


def _is_plain_lines(events: EventFiles) -> bool:
    if len(events.files) != 1 or events.files[0].path == "-" or events.reading.columns.fields:
        return False
    path = events.files[0].path
    return format_in(events.files[0], events.reading) is Format.JSON_LINES and is_packed(
        path
    ) == path.endswith(".gz")
