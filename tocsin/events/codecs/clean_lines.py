"""Lines of a file, without byte order marks, as far as the file can be read.

If the file breaks off or is not what its name claims, a problem says after how many lines.
"""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator

from tocsin.errors import MeaningProblem

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
