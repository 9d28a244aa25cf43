"""Many texts to events at once. What is odd about a text is not judged here: its place stays empty,
and the strict reader is to be asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
import pyarrow as pa

from tocsin.engine.index.kernels import Flags, Ints
from tocsin.engine.texts.envelopes import (
    DATA,
    ID,
    NAMES,
    PLACE,
    SOURCE,
    TIME,
    TYPE,
    read_envelopes,
)
from tocsin.engine.texts.scanner import BEGIN, END, TOKEN, Token
from tocsin.engine.texts.tape import MOST, Tape, tape_of
from tocsin.events.scanned import ScannedEvent
from tocsin.values.time import Interval, ordered_interval

FEW = 32
"""Fewer texts are read one by one as quickly."""


def scanned_events(texts: Sequence[bytes | str]) -> list[ScannedEvent | None]:
    """The event of each text, or None where the text is odd, or they are few."""
    if len(texts) < FEW:
        return [None] * len(texts)
    found: list[ScannedEvent | None] = []
    for start in range(0, len(texts), MOST):
        found += _scanned(_all_bytes(texts[start : start + MOST]))
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


def _scanned(texts: list[bytes]) -> list[ScannedEvent | None]:
    tape = tape_of(texts)
    members = np.empty((tape.size, len(NAMES)), np.int32)
    times = np.empty((tape.size, 2), np.int64)
    odd = tape.odd
    read_envelopes(tape.text, tape.tape, tape.firsts, odd, members, times)
    good = np.flatnonzero(~odd)
    events = map(
        ScannedEvent,
        map(texts.__getitem__, good.tolist()),
        tape.texts(members[good, ID]).to_pylist(),
        _words(tape, members[good, SOURCE]),
        _words(tape, members[good, TYPE]),
        _intervals(tape, members[good, TIME], times[good]),
        *_spans(tape, members[good, DATA], tape.starts[good]),
        _is_there(tape, members[good, PLACE]).tolist(),
    )
    if len(good) == len(texts):
        return list(events)
    found: list[ScannedEvent | None] = [None] * len(texts)
    for row, event in zip(good.tolist(), events, strict=True):
        found[row] = event
    return found


def _words(tape: Tape, entries: Ints) -> Iterator[str]:
    """The texts of entries, of which many are equal as a rule: those are one object."""
    words: pa.DictionaryArray = tape.texts(entries).dictionary_encode()
    return map(words.dictionary.to_pylist().__getitem__, words.indices.to_numpy().tolist())


def _intervals(tape: Tape, entries: Ints, times: Ints) -> Iterator[Interval | None]:
    timed = _is_there(tape, entries)
    made = map(ordered_interval, times[:, 0].tolist(), times[:, 1].tolist())
    if timed.all():
        return made
    return (
        interval if has_time else None
        for interval, has_time in zip(made, timed.tolist(), strict=True)
    )


def _is_there(tape: Tape, entries: Ints) -> Flags:
    """Which members are there and not null."""
    there: Flags = (entries >= 0) & (tape.tape[entries, TOKEN] != Token.NULL)
    return there


def _spans(tape: Tape, entries: Ints, starts: Ints) -> tuple[Iterator[int], Iterator[int]]:
    """Where data begin and end in their texts; -1 where there are none."""
    there = _is_there(tape, entries)
    begins = np.where(there, tape.tape[entries, BEGIN] - starts, -1)
    ends = np.where(there, tape.tape[entries, END] - starts, -1)
    return iter(begins.tolist()), iter(ends.tolist())
