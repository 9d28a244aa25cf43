"""The input of a stream in a folder: files that Spark takes in their order, one in each
micro-batch.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

_FIRST_TIME = 1_000_000_000


def write_in_order(directory: Path, pieces: Iterable[Sequence[bytes]]) -> None:
    """Each piece as a file of lines.

    Spark takes the oldest file first, and files written at once have no order: each gets a time of
    its own.
    """
    directory.mkdir()
    for number, lines in enumerate(pieces):
        path = directory / f"part-{number:03}.jsonl"
        path.write_bytes(b"\n".join(lines))
        os.utime(path, (_FIRST_TIME + number,) * 2)
