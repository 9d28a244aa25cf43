"""Events of many texts at once. Odd texts get no event here and are left to the strict reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from tocsin.engine.json_scan.envelope_columns import EnvelopeColumns, scan_envelopes
from tocsin.engine.json_scan.tape import MAX_TEXTS
from tocsin.events.scanned import ScannedEvent

MIN_TEXTS = 32
"""Fewest texts that are scanned together; fewer are read one by one as fast."""


def scan_events(texts: Sequence[bytes | str]) -> list[ScannedEvent | None]:
    """Return the event of each text; None if it is odd, or if there are few texts."""
    if len(texts) < MIN_TEXTS:
        return [None] * len(texts)
    found: list[ScannedEvent | None] = []
    for start in range(0, len(texts), MAX_TEXTS):
        found += events_of(scan_envelopes(_all_bytes(texts[start : start + MAX_TEXTS])))
    return found


def scan_if_many(texts: Sequence[bytes | str]) -> EnvelopeColumns | None:
    """Scan the envelopes of up to MOST texts; None if there are few texts."""
    return scan_envelopes(_all_bytes(texts)) if len(texts) >= MIN_TEXTS else None


def events_of(envelopes: EnvelopeColumns) -> list[ScannedEvent | None]:
    """Return the event of each row; None if it is odd."""
    usual = np.flatnonzero(~envelopes.needs_fallback)
    events = envelopes.events(usual)
    if len(usual) == len(envelopes):
        return list(events)
    found: list[ScannedEvent | None] = [None] * len(envelopes)
    for row, event in zip(usual.tolist(), events, strict=True):
        found[row] = event
    return found


def _all_bytes(texts: Sequence[bytes | str]) -> list[bytes]:
    if set(map(type, texts)) == {bytes}:
        return cast("list[bytes]", list(texts))
    return [_bytes(text) for text in texts]


def _bytes(text: bytes | str) -> bytes:
    """Encode a text; one without a UTF-8 form becomes empty, which is odd."""
    if isinstance(text, bytes):
        return text
    try:
        return text.encode()
    except UnicodeEncodeError:
        return b""
