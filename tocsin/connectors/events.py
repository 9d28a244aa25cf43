"""Files of events as items: lines, values of a document, or rows of a table.

A file of unknown format, or one that breaks off, gives an item with the reason. A broken item has
its problem and its line, and reading continues after it.
"""

from __future__ import annotations

import tempfile
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from io import BufferedIOBase, BufferedReader
from itertools import chain
from pathlib import Path
from typing import IO, cast

from tocsin.connectors.files import InputFile, open_bytes, without_mark
from tocsin.connectors.table_rows import Row, csv_columns, csv_rows, parquet_rows
from tocsin.errors import LimitProblem, MeaningProblem, Problem
from tocsin.events.codecs.bare_documents import (
    DocumentOrigin,
    event_of_rdf,
    event_of_record,
    events_of_json_ld,
    events_of_mapped_json,
    events_of_xml,
    is_json_ld,
)
from tocsin.events.codecs.base.cloudevents import MAX_BYTES, parse_json
from tocsin.events.codecs.base.lines import (
    UNREADABLE,
    bounded_lines,
    damaged_file_problem,
    json_values,
)
from tocsin.events.codecs.columns import Columns
from tocsin.events.codecs.decode import FileItem
from tocsin.events.codecs.epcis.document import DOCUMENTS, decode_document
from tocsin.events.codecs.formats import HEAD, Format, format_of, suffix_format
from tocsin.events.event import Event
from tocsin.events.views.children import child_texts, outermost_tag
from tocsin.values.media_types import N_TRIPLES, RDF_XML, TURTLE
from tocsin.values.time import parse_instant

_CHUNK = 1 << 16
_LARGEST_TABLE = 1 << 30


@dataclass(frozen=True, slots=True)
class Opened:
    """An open file: its first bytes, its origin, and the label of its items."""

    file: BufferedIOBase
    head: bytes
    origin: DocumentOrigin
    label: str | None = None

    @property
    def is_mapped(self) -> bool:
        """True if fields are mapped to columns, so that records have no envelope."""
        return bool(self.origin.columns.fields)

    def piece(self, raw: bytes, line: int, make: Callable[[], list[Event] | Event]) -> FileItem:
        """Return an item with the events from `make`, or with the problem that it raises."""
        try:
            made = make()
            return FileItem(
                raw, line, self.label, tuple(made) if isinstance(made, list) else (made,)
            )
        except Problem as problem:
            return FileItem(raw, line, self.label, problem)

    def refused(self, raw: bytes, line: int, problem: Problem) -> FileItem:
        """Return an item with a problem."""
        return FileItem(raw, line, self.label, problem)


Reader = Callable[[Opened], Iterator[FileItem]]


def read_lines(opened: Opened) -> Iterator[FileItem]:
    """Yield an item for each line; decoded later, unless columns are mapped.

    Any line may begin with a byte order mark, as in joined files.
    """
    for number, marked in enumerate(bounded_lines(opened.file, opened.head), 1):
        line = marked.removeprefix(BOM_UTF8)
        if line.isspace():
            continue
        if opened.is_mapped:
            yield opened.piece(
                line, number, partial(events_of_mapped_json, line, opened.origin, number)
            )
        else:
            yield FileItem(line, number, opened.label)


def read_xml_lines(opened: Opened) -> Iterator[FileItem]:
    """Yield an item for each line, which is an XML document."""
    for number, line in enumerate(bounded_lines(opened.file, opened.head), 1):
        if not line.isspace():
            yield opened.piece(line, number, partial(events_of_xml, line, opened.origin, number))


def read_json(opened: Opened) -> Iterator[FileItem]:
    """Yield an item for each value of a document and for each element of an array."""
    for number, (raw, line, problem) in enumerate(json_values(opened.file, opened.head), 1):
        if problem is not None:
            yield opened.refused(raw, line, problem)
        elif opened.is_mapped:
            yield opened.piece(
                raw, line, partial(events_of_mapped_json, raw, opened.origin, number)
            )
        elif b'"@' in raw and _holds_json_ld(raw):
            yield opened.piece(raw, line, partial(events_of_json_ld, raw, opened.origin, number))
        else:
            yield FileItem(raw, line, opened.label)


def read_json_ld(opened: Opened) -> Iterator[FileItem]:
    """Yield an item for each JSON-LD document of the file."""
    values = json_values(opened.file, opened.head, split_arrays=False)
    for number, (raw, line, problem) in enumerate(values, 1):
        if problem is not None:
            yield opened.refused(raw, line, problem)
        else:
            yield opened.piece(raw, line, partial(events_of_json_ld, raw, opened.origin, number))


def read_xml(opened: Opened) -> Iterator[FileItem]:
    """Yield one item for the document, or one per line if each line is a document."""
    raw = _whole(opened)
    piece = opened.piece(raw, 1, partial(events_of_xml, raw, opened.origin))
    if isinstance(piece.found, Problem) and _has_documents_as_lines(opened, raw):
        yield from read_xml_lines(replace(opened, head=raw))
    else:
        yield piece


def read_children(opened: Opened) -> Iterator[FileItem]:
    """Yield an item for each child of the outermost element.

    An EPCIS document, whose events are deeper, is read as one.
    """
    if outermost_tag(opened.head).rpartition("}")[2] in DOCUMENTS:
        yield from read_xml(opened)
        return
    line = 1
    try:
        for number, (line, text) in enumerate(child_texts(_chunks(opened)), 1):
            raw = text.encode()
            yield opened.piece(raw, line, partial(events_of_xml, raw, opened.origin, number))
    except Problem as problem:
        yield opened.refused(b"", line, problem)


def read_epcis(opened: Opened) -> Iterator[FileItem]:
    """Yield one item for an EPCIS document, XML or JSON."""
    raw = _whole(opened)
    yield opened.piece(raw, 1, partial(decode_document, raw))


def read_rdf(media_type: str, opened: Opened) -> Iterator[FileItem]:
    """Yield one item for an RDF document."""
    raw = _whole(opened)
    yield opened.piece(raw, 1, partial(event_of_rdf, raw, media_type, opened.origin))


def read_csv(opened: Opened) -> Iterator[FileItem]:
    """Yield an item for each row below the header."""
    lines = bounded_lines(opened.file, opened.head)
    header = next(lines, b"")
    if header:
        names, mark = csv_columns(header)
        yield from _records(opened, names, csv_rows(lines, names, mark))


def read_parquet(opened: Opened) -> Iterator[FileItem]:
    """Yield an item for each row; a stream is copied to a file first, as Parquet is read from its
    end.
    """
    if isinstance(opened.file, BufferedReader) and opened.file.seekable():
        opened.file.seek(0)
        yield from _records(opened, *parquet_rows(opened.file))
        return
    with tempfile.TemporaryFile() as copy:
        size = 0
        for chunk in _chunks(opened):
            size += len(chunk)
            if size > _LARGEST_TABLE:
                raise LimitProblem(
                    f"the table has more than {_LARGEST_TABLE:,} bytes", code="EventLimitError"
                )
            copy.write(chunk)
        copy.seek(0)
        yield from _records(opened, *parquet_rows(cast("IO[bytes]", copy)))


READERS: dict[Format, Reader] = {
    Format.JSON_LINES: read_lines,
    Format.JSON: read_json,
    Format.XML: read_xml,
    Format.EPCIS: read_epcis,
    Format.TURTLE: partial(read_rdf, TURTLE),
    Format.N_TRIPLES: partial(read_rdf, N_TRIPLES),
    Format.RDF_XML: partial(read_rdf, RDF_XML),
    Format.JSON_LD: read_json_ld,
    Format.CSV: read_csv,
    Format.PARQUET: read_parquet,
}


def _records(opened: Opened, names: list[str], rows: Iterator[Row]) -> Iterator[FileItem]:
    """Yield the items of rows; raises if a mapped column is missing."""
    opened.origin.columns.require(names)
    origin = replace(opened.origin, columns=opened.origin.columns.with_own_names(names))
    for number, row in enumerate(rows, 1):
        if row.problem is not None:
            yield opened.refused(row.raw, row.line, row.problem)
        else:
            make = partial(event_of_record, row.written, row.typed, origin, number)
            yield opened.piece(row.raw, row.line, make)


def _whole(opened: Opened) -> bytes:
    """Return the bytes of a document, cut just above the limit, for the codec to refuse."""
    return opened.head + opened.file.read(max(0, MAX_BYTES + 1 - len(opened.head)))


def _chunks(opened: Opened) -> Iterator[bytes]:
    return chain((opened.head,), iter(partial(opened.file.read, _CHUNK), b""))


def _has_documents_as_lines(opened: Opened, raw: bytes) -> bool:
    first, *others = raw.strip().split(b"\n", 1)
    alone = opened.piece(first, 1, partial(events_of_xml, first, opened.origin))
    return bool(others) and not isinstance(alone.found, Problem)


def _holds_json_ld(raw: bytes) -> bool:
    try:
        return is_json_ld(parse_json(raw))
    except Problem:
        return False


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
