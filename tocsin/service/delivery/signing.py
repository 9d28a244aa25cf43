"""Signatures after Standard Webhooks 1.0.0: HMAC-SHA256 over `id.timestamp.body`, version `v1`.

A secret is derived from the server's own key and its purpose, so that none is stored. A message is
signed with the newest secret and, for a while after a change, with the previous one. The server's
own key is in the settings, or in a file that only the server may read.
"""

from __future__ import annotations

import hmac
import os
from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes

from standardwebhooks.webhooks import Webhook

from tocsin.errors import MeaningProblem, StateProblem

PREFIX = "whsec_"
_SHORTEST_KEY = 24


def make_secret(key: bytes, *purpose: str) -> str:
    """Return the secret for a purpose, which cannot be derived without the server's key.

    Other words, or the same text split at another place, make another secret.
    """
    if len(key) < _SHORTEST_KEY:
        raise MeaningProblem(
            f"the key of the server has {len(key)} bytes, fewer than {_SHORTEST_KEY}",
            code="KeyError",
            hint="let tocsin make it: remove the file, then start again",
        )
    words = [word.encode() for word in purpose]
    told = b"".join(len(word).to_bytes(8, "big") + word for word in words)
    return PREFIX + b64encode(hmac.digest(key, told, sha256)).decode()


def signature_headers(secrets: Sequence[str], id: str, now: int, body: str) -> dict[str, str]:
    """Return the three headers of a message sent at second `now`, with one signature per secret."""
    if "." in id:
        raise MeaningProblem(
            f"the id {id!r} of a message has a full stop, which parts the id from the time",
            code="MessageIdError",
            token=id,
        )
    time = datetime.fromtimestamp(now, UTC)
    signatures = [Webhook(secret).sign(id, time, body) for secret in secrets]
    return {
        "webhook-id": id,
        "webhook-timestamp": str(now),
        "webhook-signature": " ".join(signatures),
    }


# The server's own key.

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
