"""Many texts to events at once. What is odd about a text is not judged here: its place stays empty,
and the strict reader is to be asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from tocsin.engine.json_scan.envelope_columns import Glance, glance_at
from tocsin.engine.json_scan.tape import MOST
from tocsin.events.scanned import ScannedEvent

FEW = 32
"""Fewer texts are read one by one as quickly."""


def scanned_events(texts: Sequence[bytes | str]) -> list[ScannedEvent | None]:
    """The event of each text, or None where the text is odd, or they are few."""
    if len(texts) < FEW:
        return [None] * len(texts)
    found: list[ScannedEvent | None] = []
    for start in range(0, len(texts), MOST):
        found += events_of(glance_at(_all_bytes(texts[start : start + MOST])))
    return found


def glance_at_texts(texts: Sequence[bytes | str]) -> Glance | None:
    """What a glance at up to MOST texts tells; None where they are few."""
    return glance_at(_all_bytes(texts)) if len(texts) >= FEW else None


def events_of(glance: Glance) -> list[ScannedEvent | None]:
    """The event of each row, or None where it is odd."""
    usual = np.flatnonzero(~glance.odd)
    events = glance.events(usual)
    if len(usual) == len(glance):
        return list(events)
    found: list[ScannedEvent | None] = [None] * len(glance)
    for row, event in zip(usual.tolist(), events, strict=True):
        found[row] = event
    return found


def _all_bytes(texts: Sequence[bytes | str]) -> list[bytes]:
    if set(map(type, texts)) == {bytes}:
        return cast("list[bytes]", list(texts))
    return [_bytes(text) for text in texts]


def _bytes(text: bytes | str) -> bytes:
    """A text that cannot be written as UTF-8 is odd, as nothing is."""
    if isinstance(text, bytes):
        return text
    try:
        return text.encode()
    except UnicodeEncodeError:
        return b""
