"""Lines as they come from a file: without byte order marks, and as far as the file can be read.

Where it breaks off, or is not what its name claims, a problem says after how many lines.
"""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator

from tocsin.errors import MeaningProblem

UNREADABLE = (OSError, EOFError, zlib.error)
"""What reading raises where a packed file is cut off, damaged or not packed at all, or a disk
fails.
"""


def sound_lines(lines: Iterable[bytes], name: str) -> Iterator[bytes]:
    """The lines of the file that goes by a name; a byte order mark may begin any of them, as where
    files are joined.
    """
    read = 0
    try:
        for line in lines:
            yield line.removeprefix(BOM_UTF8)
            read += 1
    except UNREADABLE as error:
        raise damaged(name, read, error) from None


def damaged(name: str, read: int, error: BaseException) -> MeaningProblem:
    """The problem of a file that cannot be read, or not further than so many lines."""
    after = f" after line {read}" if read else ""
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return MeaningProblem(
        f"cannot read {name}{after}: {why}",
        code="FileError",
        hint="the file is cut off, damaged or not what its name says: write or fetch it again",
    )
