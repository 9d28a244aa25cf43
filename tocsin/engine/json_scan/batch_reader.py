"""Events of many texts at once, by columns of their envelopes.

The columns say which rows are odd, and have positions of identity, type and data, and times; no
event is created for them. Odd texts get no event here and are left to the strict reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import cast

import numpy as np

from tocsin.engine.index.kernels import Flags, Ints, Words
from tocsin.engine.json_scan.envelopes import NAMES, SPANNED, read_envelopes
from tocsin.engine.json_scan.tape import MAX_TEXTS, dictionary_encode_texts, slice_texts, tape_of
from tocsin.events.event import UNTIMED, ScannedEvent
from tocsin.values.time import Interval, ordered_interval


@dataclass(frozen=True, slots=True, eq=False)
class EnvelopeColumns:
    """Envelope columns, one row per text.

    `spans` has begin and end of id, source, type and data, -1 without data; `times` has start and
    end, UNTIMED without a time. Equal identities have equal `hashes`. The columns of an odd row
    have no meaning.
    """

    texts: list[bytes]
    needs_fallback: Flags
    spans: Ints
    times: Ints
    placed: Flags
    hashes: Words

    def __len__(self) -> int:
        return len(self.texts)

    def fast_rows(self) -> EnvelopeColumns:
        """Return the rows that are not odd."""
        if not self.needs_fallback.any():
            return self
        kept = np.flatnonzero(~self.needs_fallback)
        return EnvelopeColumns(
            [self.texts[row] for row in kept.tolist()],
            self.needs_fallback[kept],
            self.spans[kept],
            self.times[kept],
            self.placed[kept],
            self.hashes[kept],
        )

    def event(self, row: int) -> ScannedEvent:
        """Return the event of one row, which must not be odd."""
        raw, span = self.texts[row], self.spans[row].tolist()
        id_, source, type_ = (raw[span[at] : span[at + 1]].decode() for at in (0, 2, 4))
        start, end = self.times[row].tolist()
        interval = None if end == UNTIMED else ordered_interval(start, end)
        return ScannedEvent(
            raw, id_, source, type_, interval, span[6], span[7], bool(self.placed[row])
        )

    def events(self, rows: Ints) -> Iterator[ScannedEvent]:
        """Return an iterator over the events of many rows, which must not be odd."""
        texts = list(map(self.texts.__getitem__, rows.tolist()))
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        spans = self.spans[rows]
        places = spans[:, :6] + (np.cumsum(lengths) - lengths)[:, np.newaxis]
        text = np.frombuffer(b"".join(texts), np.uint8)
        return map(
            ScannedEvent,
            texts,
            slice_texts(text, places[:, 0], places[:, 1]).to_pylist(),
            _words(text, places[:, 2], places[:, 3]),
            _words(text, places[:, 4], places[:, 5]),
            _intervals(self.times[rows]),
            spans[:, 6].tolist(),
            spans[:, 7].tolist(),
            self.placed[rows].tolist(),
        )


def scan_envelopes(texts: list[bytes]) -> EnvelopeColumns:
    """Scan the envelopes of texts."""
    tape = tape_of(texts)
    size = tape.size
    found = EnvelopeColumns(
        texts,
        tape.needs_fallback,
        np.empty((size, 2 * len(SPANNED)), np.int32),
        np.empty((size, 2), np.int64),
        np.empty(size, np.bool_),
        np.empty(size, np.uint64),
    )
    read_envelopes(
        tape.text,
        tape.tape,
        tape.starts,
        tape.firsts,
        found.needs_fallback,
        np.empty(len(NAMES), np.int32),
        found.spans,
        found.times,
        found.placed,
        found.hashes,
    )
    return found


def concatenate_envelopes(given: Sequence[EnvelopeColumns]) -> EnvelopeColumns:
    """Concatenate several."""
    if len(given) == 1:
        return given[0]
    return EnvelopeColumns(
        list(chain.from_iterable(each.texts for each in given)),
        np.concatenate([each.needs_fallback for each in given]),
        np.concatenate([each.spans for each in given]),
        np.concatenate([each.times for each in given]),
        np.concatenate([each.placed for each in given]),
        np.concatenate([each.hashes for each in given]),
    )


def _words(text: Ints, begins: Ints, ends: Ints) -> Iterator[str]:
    """Return an iterator over pieces; equal ones, which are common, share one object."""
    words, codes = dictionary_encode_texts(text, begins, ends)
    return map(words.__getitem__, codes.tolist())


def _intervals(times: Ints) -> Iterator[Interval | None]:
    starts, ends = times[:, 0].tolist(), times[:, 1].tolist()
    if (times[:, 1] != UNTIMED).all():
        return map(ordered_interval, starts, ends)
    return (
        None if end == UNTIMED else ordered_interval(start, end)
        for start, end in zip(starts, ends, strict=True)
    )


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
