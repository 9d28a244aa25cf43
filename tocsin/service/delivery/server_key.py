"""The server's own key, from which webhook secrets are derived: in the settings, or in a file that
only the server may read.
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from pathlib import Path
from secrets import token_bytes

from tocsin.errors import MeaningProblem, StateProblem

_SIZE = 32


def server_key(given: str | None, file: Path) -> bytes:
    """Return the key in the settings, else the one in the file, which is created if missing."""
    if given is not None:
        return _decoded(given, "the secret in the settings of delivery")
    try:
        _make(file)
        return _decoded(file.read_text("ascii"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise StateProblem(
            f"the key of the server cannot be read: {error}", code="KeyFileError", token=str(file)
        ) from None


def _make(file: Path) -> None:
    """Write a new key to a file, atomically."""
    if file.exists():
        return
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    draft.touch(0o600)
    with draft.open("w", encoding="ascii") as out:
        out.write(b64encode(token_bytes(_SIZE)).decode() + "\n")
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)


def _decoded(text: str, where: str) -> bytes:
    try:
        key = b64decode(text.strip(), validate=True)
    except ValueError:
        key = b""
    if len(key) < _SIZE:
        raise MeaningProblem(
            f"{where} holds no key",
            code="KeyFileError",
            hint=f"{_SIZE} random bytes in base64, as `openssl rand -base64 {_SIZE}` makes them",
        )
    return key
