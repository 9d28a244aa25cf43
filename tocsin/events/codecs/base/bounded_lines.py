"""Lines of bounded length: however long a line is, no more of it is held than an event may have.

A longer line is cut one byte above the limit, so that whoever decodes it refuses it by its size;
what is left of it is read past in blocks and forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Protocol

from tocsin.events.codecs.base.cloudevents import MAX_BYTES

_BLOCK = 1 << 20


class Lines(Protocol):
    """What lines are read from: a file, a packed file, standard input."""

    def readline(self, size: int = -1, /) -> bytes:
        """A line or, where it is longer than the size, its beginning; empty at the end."""


class LineSource(Lines, Protocol):
    """The same where it can be read in blocks as well."""

    def read1(self, size: int = -1, /) -> bytes:
        """At most so many bytes; empty at the end."""


def bounded_lines(file: Lines, head: bytes = b"", limit: int = MAX_BYTES) -> Iterator[bytes]:
    """The lines of a file with their ends; `head` is what was read of the file already."""
    whole = head.rfind(b"\n") + 1
    yield from (_cut(line, limit) for line in BytesIO(head[:whole]))
    if rest := head[whole:]:
        yield _cut(rest + bounded_line(file, max(0, limit - len(rest))), limit)
    while line := bounded_line(file, limit):
        yield line


def bounded_line(file: Lines, limit: int = MAX_BYTES) -> bytes:
    """The next line, cut where it is too long; empty at the end of the file."""
    line = file.readline(limit + 1)
    if len(line) > limit and not line.endswith(b"\n"):
        skip_line(file)
    return line


def skip_line(file: Lines) -> None:
    """Reads past the rest of a line, holding none of it."""
    while (block := file.readline(_BLOCK)) and not block.endswith(b"\n"):
        pass


def _cut(line: bytes, limit: int) -> bytes:
    return line if len(line) <= limit + 1 else line[: limit + 1]
