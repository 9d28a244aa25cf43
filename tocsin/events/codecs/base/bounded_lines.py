"""Lines of bounded length: at most the size of an event is held, however long a line is.

A longer line is cut one byte above the limit, so that the decoder refuses it by its size; the rest
is skipped in blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Protocol

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
