"""Files: a path, or `-` for standard input or output. What is packed with gzip, by its first bytes,
is unpacked.
"""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BufferedIOBase, BufferedReader, FileIO
from pathlib import Path
from typing import IO, Any, cast

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.clean_lines import UNREADABLE

_BLOCK = 1 << 17
_PACKED = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@contextmanager
def open_bytes(
    path: str, progress: Callable[[int], object] = lambda position: None
) -> Iterator[BufferedIOBase]:
    """A file to be read, unpacked; `progress` hears the position in the file now and then."""
    if path == "-":
        yield _unpacked(_peekable(sys.stdin.buffer))
        return
    with _peekable(BufferedReader(_Told(path, progress), _BLOCK)) as raw:
        yield _unpacked(raw)


@contextmanager
def open_file(path: str) -> Iterator[BufferedIOBase]:
    """The same where a file that cannot be read is the user's problem."""
    try:
        with open_bytes(path) as file:
            yield file
    except UNREADABLE as error:
        raise MeaningProblem(f"cannot read {path}: {reason_of(error)}", code="FileError") from None


def without_mark(head: bytes) -> bytes:
    """The first bytes of a file without the byte order mark of UTF-8."""
    return head.removeprefix(_BYTE_ORDER_MARK)


def write_lines(path: str, lines: Iterable[str]) -> None:
    """Writes lines to a file or, for `-`, to standard output."""
    try:
        if path == "-":
            _write_out(lines)
            return
        with cast(
            "IO[bytes]", gzip.open(path, "wb") if path.endswith(".gz") else Path(path).open("wb")
        ) as out:
            _write(out, lines)
    except OSError as error:
        raise MeaningProblem(f"cannot write {path}: {reason_of(error)}", code="FileError") from None


def size_of(path: str) -> int | None:
    """Bytes of the file on disk, or None where that is not known."""
    return Path(path).stat().st_size if path != "-" and Path(path).is_file() else None


def is_packed(path: str) -> bool:
    """Whether a file is packed, by its first bytes."""
    with Path(path).open("rb") as file:
        return file.read(2) == _PACKED


def reason_of(error: BaseException) -> str:
    """Why a file could not be read or written, in words."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


class _Told(FileIO):
    """A file that tells where it is whenever it is read on."""

    def __init__(self, path: str, progress: Callable[[int], object]) -> None:
        super().__init__(path)
        self._progress = progress
        self._passed = 0

    def readinto(self, buffer: Any, /) -> int:
        """Reads into a buffer, as every file does."""
        count = super().readinto(buffer) or 0
        self._passed += count  # a pipe cannot be asked where it is
        self._progress(self._passed)
        return count


def _unpacked(raw: BufferedReader) -> BufferedIOBase:
    return gzip.GzipFile(fileobj=raw) if raw.peek(2)[:2] == _PACKED else raw


def _peekable(raw: Any) -> BufferedReader:
    return raw if isinstance(raw, BufferedReader) else BufferedReader(raw)


def _write_out(lines: Iterable[str]) -> None:
    """To standard output; whoever reads it may have seen enough, as `head` has, and close it."""
    try:
        _write(sys.stdout.buffer, lines)
    except BrokenPipeError:
        # nothing is left to be written at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(out: IO[bytes], lines: Iterable[str]) -> None:
    for line in lines:
        out.write(line.encode() + b"\n")
    out.flush()
