"""Lines of files, and values of JSON documents, one by one and of bounded length.

Lines have no byte order marks; a file is read as far as it can be.

At most the size of an event is held, however long a line is: a longer line is cut one byte above
the limit, so that the decoder refuses it by its size; the rest is skipped in blocks. If a file
breaks off or is not what its name claims, a problem says after how many lines.

The values of a JSON document one by one: each value of the text, and each element of an array.

A document may have any length: at most the longest value is held. A broken value, or one longer
than an event may be, loses only itself: reading continues at the next line that begins with a `{`.
"""

from __future__ import annotations

import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import NamedTuple, Protocol

from tocsin.errors import EventProblem, LimitProblem, MeaningProblem, Problem
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


_CHUNK = 1 << 20
_PATIENCE = 64 << 20
"""The number of bytes of broken values after which the rest of the document is abandoned."""

_TOKEN = re.compile(rb'"(?:[^"\\\n]|\\[^\n])*+"|["{}\[\],]')
_BLANK = re.compile(rb"[ \t\r\n]*+")
_RESTART = re.compile(rb"\n[ \t]*+(?=\{)")
_CLOSER = {b"{": b"}", b"[": b"]"}


class JsonValue(NamedTuple):
    """The text of a value and the line in which it begins, with the problem of a broken one."""

    raw: bytes
    line: int
    problem: Problem | None = None


def json_values(
    file: LineSource, head: bytes = b"", *, split_arrays: bool = True
) -> Iterator[JsonValue]:
    """Yield the values of a document as texts, in order; `head` is the part of the file read
    already.
    """
    return iter(_Splitter(file, head, split_arrays).values())


_End = tuple[int, Problem | None]
"""The length of a value, and its problem."""


class _Nesting:
    """The open brackets inside a value. In an array a comma or the array's end ends the value."""

    def __init__(self, in_array: bool) -> None:
        self._in_array = in_array
        self._closers = bytearray()

    @property
    def depth(self) -> int:
        return len(self._closers)

    def take(self, mark: bytes) -> int | None:
        """Return None inside the value; at its end 1 if the mark belongs to it, else 0; -1 if it is
        wrong.
        """
        if mark in b"{[":
            self._closers += _CLOSER[mark]
            return None
        if not self._closers:
            return -1 if mark == b"}" else 0
        if mark == b",":
            return None
        if self._closers.pop() != mark[0]:
            return -1
        return None if self._closers or self._in_array else 1


class _Splitter:
    """A window on the text: the next value begins at `_at` in `_text`, in line `_line`."""

    def __init__(self, file: LineSource, head: bytes, split_arrays: bool) -> None:
        self._file = file
        self._text = head
        self._split_arrays = split_arrays
        self._at = 0
        self._line = 1
        self._ended = False
        self._in_array = False
        self._patience = _PATIENCE

    def values(self) -> Iterator[JsonValue]:
        while self._skip_blank():
            first = self._text[self._at : self._at + 1]
            if self._is_mark(first):
                continue
            size, problem = self._measured(first)
            yield JsonValue(self._text[self._at : self._at + size].rstrip(), self._line, problem)
            if problem is None:
                self._pass(size)
            elif not self._recover(size):
                yield JsonValue(
                    b"",
                    self._line,
                    EventProblem("the document is too broken: the rest is not read"),
                )
                return
        if self._in_array:
            yield JsonValue(
                b"", self._line, EventProblem("the document ends inside an array: ] is missing")
            )

    def _is_mark(self, first: bytes) -> bool:
        """Skip a bracket of the array around the values, or a comma between them; return True if it
        is one.
        """
        if self._in_array and first in (b",", b"]"):
            self._in_array = first == b","
        elif not self._in_array and first == b"[" and self._split_arrays:
            self._in_array = True
        else:
            return False
        self._pass(1)
        return True

    def _measured(self, first: bytes) -> _End:
        """Return the end of the value that begins here."""
        if not self._in_array and first not in (b"{", b"["):
            return self._size_of_line(), EventProblem(
                "malformed JSON: expected an object or an array, got"
                f" {first.decode('utf-8', 'replace')!r}"
            )
        nesting = _Nesting(self._in_array)
        position = 0
        while True:
            position, end = self._walk(nesting, position)
            if end is not None:
                return end
            if len(self._text) - self._at > MAX_BYTES:
                message = f"a value of the document has more than {MAX_BYTES:,} bytes"
                return MAX_BYTES, LimitProblem(message, code="EventLimitError")
            if not self._more():
                early = EventProblem("malformed JSON: the document ends too early")
                return len(self._text) - self._at, early if nesting.depth else None

    def _walk(self, nesting: _Nesting, position: int) -> tuple[int, _End | None]:
        """Scan the known part of the value from a position; return how far, and the value's end or
        None.
        """
        for token in _TOKEN.finditer(self._text, self._at + position):
            size, mark = token.start() - self._at, token.group()
            if mark == b'"':  # the closing quote is not read yet, or missing
                if self._text.find(b"\n", token.start()) >= 0 or self._ended:
                    return size, (
                        size + 1,
                        EventProblem(f"malformed JSON: a text is not closed{self._place(size)}"),
                    )
                return size, None
            position = token.end() - self._at
            if len(mark) == 1 and (step := nesting.take(mark)) is not None:
                wrong = EventProblem(
                    f"malformed JSON: unexpected {mark.decode()}{self._place(size)}"
                )
                return position, (size + max(step, 0), wrong if step < 0 else None)
        return position, None

    def _size_of_line(self) -> int:
        end = self._text.find(b"\n", self._at)
        return (len(self._text) if end < 0 else end) - self._at

    def _place(self, size: int) -> str:
        line = self._line + self._text.count(b"\n", self._at, self._at + size)
        return f" at line {line}"

    def _skip_blank(self) -> bool:
        """Skip blanks; return False at the end of the text."""
        while True:
            found = _BLANK.match(self._text, self._at)
            assert found is not None
            self._pass(found.end() - self._at)
            if self._at < len(self._text):
                return True
            if not self._more():
                return False

    def _recover(self, size: int) -> bool:
        """Skip a broken value, up to a line that begins with `{`; return False if too much was
        skipped.
        """
        self._patience -= size
        while (found := _RESTART.search(self._text, self._at)) is None:
            self._pass(max(len(self._text) - self._at - 1, 0))
            if not self._more():
                self._pass(len(self._text) - self._at)
                return True
        self._pass(found.end() - self._at)
        return self._patience > 0

    def _pass(self, size: int) -> None:
        self._line += self._text.count(b"\n", self._at, self._at + size)
        self._at += size

    def _more(self) -> bool:
        """Read the next chunk and drop the text already passed; return False at the end."""
        chunk = b"" if self._ended else self._file.read1(_CHUNK)
        self._ended = not chunk
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return bool(chunk)
