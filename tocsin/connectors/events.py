"""Files of events as items. A file of unknown format, or one that breaks off, gives an item with
the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from io import BufferedIOBase, BufferedReader
from pathlib import Path

from tocsin.connectors.files import InputFile, open_bytes, without_mark
from tocsin.connectors.readers import READERS, Opened, Reader, read_children
from tocsin.errors import MeaningProblem, Problem
from tocsin.events.codecs.bare_documents import DocumentOrigin
from tocsin.events.codecs.base.lines import UNREADABLE, damaged_file_problem
from tocsin.events.codecs.columns import Columns
from tocsin.events.codecs.decode import FileItem
from tocsin.events.codecs.formats import HEAD, Format, format_of, suffix_format
from tocsin.values.time import parse_instant

MODIFIED = "modified"
_BLOCK = 1 << 16


class Split(StrEnum):
    """The part of an XML document that is an event: the document, or each child of its outermost
    element.
    """

    DOCUMENT = "document"
    CHILDREN = "children"


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Read options of files: the format if names and first bytes are ambiguous, columns, and a
    time.

    `time` is that of documents and records that have none: an instant in RFC 3339, or `modified`
    for that of the file.
    """

    format: Format | None = None
    split: Split = Split.DOCUMENT
    columns: Columns = field(default_factory=Columns)
    time: str | None = None

    def __post_init__(self) -> None:
        if self.time not in (None, MODIFIED):
            parse_instant(str(self.time))


def read_items(
    file: InputFile,
    reading: ReadOptions,
    label: str | None = None,
    progress: Callable[[int], object] = lambda position: None,
) -> Iterator[FileItem]:
    """Yield the items of a file in order, each with the label as its file."""
    line, head = 0, b""
    try:
        with open_bytes(file.path, progress) as stream:
            opened, whole = _opened(file, reading, label, stream)
            head = opened.head
            for piece in _reader(file, reading, opened, whole)(opened):
                line = piece.line
                yield piece
    except UNREADABLE as error:
        yield FileItem(b"", line + 1, label, damaged_file_problem(file.path, line, error))
    except Problem as problem:
        yield FileItem(b"" if line else head.split(b"\n", 1)[0], line + 1, label, problem)


def format_in(file: InputFile, reading: ReadOptions) -> Format | None:
    """Return the format in which a file is read; None if it is unclear."""
    try:
        with open_bytes(file.path) as stream:
            opened, whole = _opened(file, reading, None, stream)
            return reading.format or _format(file, reading, opened, whole)
    except (*UNREADABLE, Problem):
        return None


def _opened(
    file: InputFile, reading: ReadOptions, label: str | None, stream: BufferedIOBase
) -> tuple[Opened, bool]:
    """Read the first bytes of a file; return it, and True if these are all.

    A file that breaks off there fails again when it is read further.
    """
    head, broken = b"", None
    try:
        while len(head) < HEAD and (block := stream.read1(_BLOCK)):
            head += block
    except UNREADABLE as error:
        broken = error
    whole = len(head) < HEAD and broken is None
    rest = stream if broken is None else _Broken(broken)
    return Opened(rest, without_mark(head), _origin(file, reading), label), whole


def _origin(file: InputFile, reading: ReadOptions) -> DocumentOrigin:
    if reading.time != MODIFIED:
        return DocumentOrigin(
            file.name,
            None if reading.time is None else parse_instant(reading.time),
            reading.columns,
        )
    modified = None if file.path == "-" else Path(file.path).stat().st_mtime_ns // 1000
    return DocumentOrigin(file.name, modified, reading.columns)


def _reader(file: InputFile, reading: ReadOptions, opened: Opened, whole: bool) -> Reader:
    format = reading.format or _format(file, reading, opened, whole)
    if format is Format.XML and reading.split is Split.CHILDREN:
        return read_children
    return READERS[format]


def _format(file: InputFile, reading: ReadOptions, opened: Opened, whole: bool) -> Format:
    """Return the format by the first bytes and the name.

    A text that is neither JSON nor XML is a table if columns are given.
    """
    try:
        return format_of(file.path, opened.head, whole=whole)
    except Problem:
        if (
            reading.columns.fields
            and suffix_format(file.path) is None
            and b"\0" not in opened.head[:4096]
        ):
            return Format.CSV
        if file.path.endswith(".gz") and isinstance(opened.file, BufferedReader):
            told = f"{file.path} is not packed, as its name says, and no file of events"
            raise MeaningProblem(told, code="FileError", hint="fetch it again") from None
        raise


class _Broken(BufferedIOBase):
    """The rest of a file that cannot be read."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def read(self, size: int | None = -1, /) -> bytes:
        """Raise the error of the first attempt."""
        raise self._error

    read1 = readline = read
