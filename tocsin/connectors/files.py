"""Files of lines: a path, `-` for standard input or output, `.gz` for compressed. Lines are bytes, as they came."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.epcis.inside import whole_documents
from tocsin.events.codecs.sound_lines import sound_lines


@contextmanager
def open_lines(path: str, progress: Callable[[int], object] = lambda position: None) -> Iterator[Iterable[bytes]]:
    """The lines of a file, as far as it can be read; `progress` hears the position in the file now and then."""
    if path == "-":
        yield sound_lines(sys.stdin.buffer, "standard input")
        return
    try:
        with Path(path).open("rb") as raw:
            yield _reported(sound_lines(_unpacked(raw, path), path), raw, progress)
    except OSError as error:
        raise MeaningProblem(f"cannot read {path}: {_reason(error)}", code="FileError") from None


@contextmanager
def open_events(path: str, progress: Callable[[int], object] = lambda position: None) -> Iterator[Iterable[bytes]]:
    """The lines of a file of events; a file that is one document, as EPCIS has them, is one piece."""
    with open_lines(path, progress) as lines:
        yield whole_documents(lines)


def write_lines(path: str, lines: Iterable[str]) -> None:
    """Writes lines to a file or, for `-`, to standard output."""
    try:
        if path == "-":
            _write(sys.stdout.buffer, lines)
            return
        with cast("IO[bytes]", gzip.open(path, "wb") if path.endswith(".gz") else Path(path).open("wb")) as out:
            _write(out, lines)
    except OSError as error:
        raise MeaningProblem(f"cannot write {path}: {_reason(error)}", code="FileError") from None


def size_of(path: str) -> int | None:
    """Bytes of the file on disk, or None where that is not known."""
    return Path(path).stat().st_size if path != "-" and Path(path).is_file() else None


def _unpacked(raw: BinaryIO, path: str) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if path.endswith(".gz") else raw


def _reported(lines: Iterable[bytes], raw: BinaryIO, progress: Callable[[int], object]) -> Iterator[bytes]:
    for number, line in enumerate(lines):
        if number % 1000 == 0:
            progress(raw.tell())
        yield line


def _write(out: IO[bytes], lines: Iterable[str]) -> None:
    for line in lines:
        out.write(line.encode() + b"\n")
    out.flush()


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
