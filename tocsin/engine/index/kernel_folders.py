"""Folders for machine code, where numba's own search finds none or one was shipped.

`TOCSIN_KERNELS` names a folder that `tocsin warm` has filled. Beside it there is a folder for
temporary files, private to the user, since machine code that others could write would be run.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

VARIABLE = "TOCSIN_KERNELS"
"""The environment variable for a folder of machine code; it need not be writable."""

_SPARK_FOLDERS = "SPARK_LOCAL_DIRS"
"""Spark's variable for the folders of an executor, which exist where nothing else is writable."""


def shipped_folder() -> Path | None:
    """Return the folder that the environment names; None if it names none."""
    given = os.environ.get(VARIABLE)
    return Path(given).absolute() if given else None


def temporary_folder() -> Path | None:
    """Return a folder of this user for temporary files; None if no such folder is writable."""
    for root in _roots():
        folder = Path(root) / f"tocsin-kernels-{_user()}"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            if _is_private(folder):
                tempfile.TemporaryFile(dir=folder).close()
                return folder
        except OSError:
            continue
    return None


def _roots() -> list[str]:
    executor = os.environ.get(_SPARK_FOLDERS, "").split(",")[0]
    try:
        return [*filter(None, [executor]), tempfile.gettempdir()]
    except FileNotFoundError:  # no folder for temporary files is writable
        return [*filter(None, [executor])]


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _is_private(folder: Path) -> bool:
    """True if only this user can write into a folder; on Windows its place says so."""
    found = folder.lstat()
    if not hasattr(os, "getuid"):
        return True
    is_own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return is_own and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
