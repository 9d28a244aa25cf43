"""Damages to the files of a data folder, drawn by a seed: what disks, people and restores do."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

PAGE = 4096


def truncate(file: Path, _older: Path, draw: random.Random) -> None:
    """Cut the file at any byte."""
    data = file.read_bytes()
    file.write_bytes(data[: draw.randrange(len(data))] if data else b"")


def delete(file: Path, _older: Path, _draw: random.Random) -> None:
    """Remove the file."""
    file.unlink()


def zero_page(file: Path, _older: Path, draw: random.Random) -> None:
    """Overwrite one page with zeros."""
    data = bytearray(file.read_bytes())
    start = draw.randrange(max(1, len(data) // PAGE)) * PAGE
    data[start : start + PAGE] = bytes(len(data[start : start + PAGE]))
    file.write_bytes(bytes(data))


def overwrite(file: Path, _older: Path, draw: random.Random) -> None:
    """Overwrite any part of the file with noise."""
    data = bytearray(file.read_bytes())
    start = draw.randrange(max(1, len(data)))
    length = min(len(data) - start, draw.randrange(1, 3 * PAGE))
    data[start : start + length] = draw.randbytes(length)
    file.write_bytes(bytes(data))


def replace_by_older(file: Path, older: Path, _draw: random.Random) -> None:
    """Put an older copy in the place of the file; it has no write-ahead log then."""
    source = older / file.name
    if source.exists():
        shutil.copyfile(source, file)
    else:
        file.unlink()
    for suffix in ("-wal", "-shm"):
        beside = file.with_name(file.name + suffix)
        beside.unlink(missing_ok=True)
        if (older / beside.name).exists():
            shutil.copyfile(older / beside.name, beside)


def replace_under_its_wal(file: Path, older: Path, _draw: random.Random) -> None:
    """Put an older copy of one file in place, and leave the write-ahead log that is there."""
    source = older / file.name
    if source.exists():
        shutil.copyfile(source, file)


Damage = Callable[[Path, Path, random.Random], None]

DAMAGES: tuple[Damage, ...] = (
    truncate,
    delete,
    zero_page,
    overwrite,
    replace_by_older,
    replace_under_its_wal,
)
STORES = ("log", "state", "catalog", "delivery", "epcis")
FILES = tuple(f"{store}.db{suffix}" for store in STORES for suffix in ("", "-wal"))
