"""Files: a path, or `-` for standard input or output. Gzip, detected by the first bytes, is
decompressed.

An argument may also be a directory with all below it, or a pattern like `day-*.xml`. Of a
directory, files with the suffix of a known format are read, in the order of their names; not hidden
files, nor those whose name begins with `_`, which other systems write beside their data. An
argument without any file is a problem.
"""

from __future__ import annotations

import gzip
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from glob import glob, has_magic
from io import BufferedIOBase, BufferedReader, FileIO
from pathlib import Path
from typing import IO, Any, cast

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.base.lines import UNREADABLE
from tocsin.events.codecs.formats import SUFFIXES, suffix_format

_BLOCK = 1 << 17
_PACKED = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@contextmanager
def open_bytes(
    path: str, progress: Callable[[int], object] = lambda position: None
) -> Iterator[BufferedIOBase]:
    """Open a file for reading, decompressed; `progress` is called with the position in the file."""
    if path == "-":
        yield _unpacked(_peekable(sys.stdin.buffer))
        return
    with _peekable(BufferedReader(_ProgressFile(path, progress), _BLOCK)) as raw:
        yield _unpacked(raw)


@contextmanager
def open_file(path: str) -> Iterator[BufferedIOBase]:
    """Open a file for reading, decompressed; raises MeaningProblem if it cannot be read."""
    try:
        with open_bytes(path) as file:
            yield file
    except UNREADABLE as error:
        raise MeaningProblem(f"cannot read {path}: {reason_of(error)}", code="FileError") from None


def without_mark(head: bytes) -> bytes:
    """Return the first bytes of a file without the byte order mark of UTF-8."""
    return head.removeprefix(_BYTE_ORDER_MARK)


def write_lines(path: str, lines: Iterable[str]) -> None:
    """Write lines to a file or, for `-`, to standard output."""
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
    """Return the bytes of the file on disk, or None if unknown."""
    return Path(path).stat().st_size if path != "-" and Path(path).is_file() else None


def has_compression(path: str) -> bool:
    """True if a file is compressed, by its first bytes."""
    with Path(path).open("rb") as file:
        return file.read(2) == _PACKED


def reason_of(error: BaseException) -> str:
    """Return the reason why a file could not be read or written, in words."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


class _ProgressFile(FileIO):
    """A file that reports its position on every read."""

    def __init__(self, path: str, progress: Callable[[int], object]) -> None:
        super().__init__(path)
        self._progress = progress
        self._passed = 0

    def readinto(self, buffer: Any, /) -> int:
        """Read into a buffer, and report the position."""
        count = super().readinto(buffer) or 0
        self._passed += count  # a pipe has no position
        self._progress(self._passed)
        return count


def _unpacked(raw: BufferedReader) -> BufferedIOBase:
    return gzip.GzipFile(fileobj=raw) if raw.peek(2)[:2] == _PACKED else raw


def _peekable(raw: Any) -> BufferedReader:
    return raw if isinstance(raw, BufferedReader) else BufferedReader(raw)


def _write_out(lines: Iterable[str]) -> None:
    """Write to standard output; a reader may close it early, as `head` does."""
    try:
        _write(sys.stdout.buffer, lines)
    except BrokenPipeError:
        # so that the flush at exit does not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(out: IO[bytes], lines: Iterable[str]) -> None:
    for line in lines:
        out.write(line.encode() + b"\n")
    out.flush()


# Files that the arguments of a command mean.

STANDARD_INPUT = "stdin"


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read: its path, and its name as the source of events."""

    path: str
    name: str


def input_files(given: Iterable[str]) -> list[InputFile]:
    """Return the files of the arguments, each once; those of equal name are named by path."""
    found = {each.path: each for word in given for each in _meant(word)}
    names = Counter(each.name for each in found.values())
    return [
        each if names[each.name] == 1 else replace(each, name=each.path) for each in found.values()
    ]


def _meant(word: str) -> list[InputFile]:
    if word == "-":
        return [InputFile(word, STANDARD_INPUT)]
    path = Path(word)
    if path.is_dir():
        return list(_inside(path))
    if path.exists():
        return [InputFile(word, path.name)]
    if has_magic(word):
        return list(_matching(word))
    raise _refused(f"cannot read {word}: there is no such file or directory", word, _near(path))


def _inside(folder: Path) -> Iterator[InputFile]:
    below = sorted(each for each in folder.rglob("*") if each.is_file())
    chosen = [each for each in below if suffix_format(each.name) and not _is_hidden(each, folder)]
    if not chosen:
        others = f"its {len(below)} file(s) have other suffixes" if below else "it is empty"
        hint = f"{others}; events have {' '.join(SUFFIXES)}, or name the file and give --format"
        raise _refused(f"the directory {folder} holds no file of events", str(folder), hint)
    for each in chosen:
        yield InputFile(str(each), each.relative_to(folder).as_posix())


def _matching(pattern: str) -> Iterator[InputFile]:
    found = sorted(each for each in _paths(pattern) if Path(each).is_file())
    if not found:
        raise _refused(
            f"nothing matches {pattern}",
            pattern,
            "patterns are those of a shell: * ? [a-z] and ** for folders",
        )
    for each in found:
        yield InputFile(each, Path(each).name)


def _paths(pattern: str) -> list[str]:
    return glob(pattern, recursive=True)  # noqa: PTH207 (takes a root)


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)


def _near(path: Path) -> str:
    """Return a hint with an existing file of similar name, or ""."""
    there = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
    near = get_close_matches(path.name, there, 1)
    return f"did you mean {path.parent / near[0]}?" if near else ""


def _refused(message: str, token: str, hint: str) -> MeaningProblem:
    return MeaningProblem(message, code="FileError", token=token, hint=hint)
