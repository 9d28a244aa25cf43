"""Lines of files: of bounded length, without byte order marks, as far as the file can be read.

At most the size of an event is held, however long a line is: a longer line is cut one byte above
the limit, so that the decoder refuses it by its size; the rest is skipped in blocks. If a file
breaks off or is not what its name claims, a problem says after how many lines.
"""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Protocol

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.base.cloudevents import MAX_BYTES

_BLOCK = 1 << 20


class Lines(Protocol):
    """A source of lines: a file, a compressed file, standard input."""

    def readline(self, size: int = -1, /) -> bytes:
        """Return a line, or its first `size` bytes; empty at the end."""


class LineSource(Lines, Protocol):
    """A source of lines that can be read in blocks as well."""

    def read1(self, size: int = -1, /) -> bytes:
        """Return at most `size` bytes; empty at the end."""


def bounded_lines(file: Lines, head: bytes = b"", limit: int = MAX_BYTES) -> Iterator[bytes]:
    """Yield the lines of a file with their ends; `head` is the part of the file read already."""
    whole = head.rfind(b"\n") + 1
    yield from (_cut(line, limit) for line in BytesIO(head[:whole]))
    if rest := head[whole:]:
        yield _cut(rest + bounded_line(file, max(0, limit - len(rest))), limit)
    while line := bounded_line(file, limit):
        yield line


def bounded_line(file: Lines, limit: int = MAX_BYTES) -> bytes:
    """Return the next line, cut if it is too long; empty at the end of the file."""
    line = file.readline(limit + 1)
    if len(line) > limit and not line.endswith(b"\n"):
        skip_line(file)
    return line


def skip_line(file: Lines) -> None:
    """Skip the rest of a line, without holding it."""
    while (block := file.readline(_BLOCK)) and not block.endswith(b"\n"):
        pass


def _cut(line: bytes, limit: int) -> bytes:
    return line if len(line) <= limit + 1 else line[: limit + 1]


UNREADABLE = (OSError, EOFError, zlib.error)
"""The errors of reading a compressed file that is cut off or damaged, or of a failing disk."""


def sound_lines(lines: Iterable[bytes], name: str) -> Iterator[bytes]:
    """Yield the lines of a file; any may begin with a byte order mark, as in joined files."""
    read = 0
    try:
        for line in lines:
            yield line.removeprefix(BOM_UTF8)
            read += 1
    except UNREADABLE as error:
        raise damaged_file_problem(name, read, error) from None


def damaged_file_problem(name: str, read: int, error: BaseException) -> MeaningProblem:
    """Return the problem of a file that cannot be read beyond `read` lines."""
    after = f" after line {read}" if read else ""
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return MeaningProblem(
        f"cannot read {name}{after}: {why}",
        code="FileError",
        hint="the file is cut off, damaged or not what its name says: write or fetch it again",
    )
