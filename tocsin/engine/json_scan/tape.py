"""A batch of JSON texts on a tape: requested members come as columns, and nothing else is read.

Odd rows, see `scanner`, have no entries.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from operator import is_
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tocsin.engine.index.encoding import (
    Codes,
    Distinct,
    Encoding,
    Flags,
    Floats,
    Kinds,
    number_values,
)
from tocsin.engine.index.kernels import Ints
from tocsin.engine.json_scan.scanner import (
    BEGIN,
    END,
    MAX_DEPTH,
    TOKEN,
    WIDTH,
    JsonToken,
    scan_rows,
)
from tocsin.engine.json_scan.substrings import dictionary_encode_texts
from tocsin.engine.json_scan.tape_lookup import find_members, read_numbers, read_points
from tocsin.events.event import Path
from tocsin.values.scalars import Kind

MAX_TEXT_BYTES = 1 << 16
"""Most bytes of a text; a longer one is odd. So positions in a batch fit into 32 bits."""

MAX_TEXTS = 1 << 14
"""Most texts of a batch."""

MAX_BATCH_BYTES = MAX_TEXT_BYTES * MAX_TEXTS
"""Most bytes of a batch; positions fit into 32 bits."""

_KIND = np.array(
    [Kind.NULL, Kind.BOOLEAN, Kind.NUMBER, Kind.STRING, Kind.OTHER, Kind.OTHER, Kind.NUMBER],
    np.uint8,
)
"""The kind of each token."""

_TRUE = ord("t")
_COLON = ord(":")


class Tape:
    """The members of many JSON objects, by row."""

    __slots__ = ("_members", "all_bytes", "firsts", "needs_fallback", "starts", "tape", "text")

    def __init__(self, texts: Sequence[bytes]) -> None:
        size = len(texts)
        kept, lengths = texts, np.fromiter(map(len, texts), np.int64, size)
        if size and lengths.max() > MAX_TEXT_BYTES:
            kept = [text if len(text) <= MAX_TEXT_BYTES else b"" for text in texts]
            lengths[lengths > MAX_TEXT_BYTES] = 0
        self.all_bytes = b"".join(kept)
        assert len(self.all_bytes) <= MAX_BATCH_BYTES, "the caller cuts batches"
        self.text = np.frombuffer(self.all_bytes, np.uint8)
        self.starts = np.zeros(size + 1, np.int64)
        np.cumsum(lengths, out=self.starts[1:])
        room = np.count_nonzero(self.text == _COLON) + 1  # no member is without a colon
        tape = np.empty((room, WIDTH), np.int32)
        self.firsts = np.empty(size + 1, np.int32)
        self.needs_fallback: Flags = np.empty(size, np.bool_)
        stack = np.empty((MAX_DEPTH, 3), np.int32)
        scan_rows(self.text, self.starts, tape, self.firsts, self.needs_fallback, stack)
        self.tape = tape
        if not self.all_bytes.isascii():
            self._refuse_bad_characters(kept)
        self._members: dict[Path, Ints] = {}

    def _refuse_bad_characters(self, texts: Sequence[bytes]) -> None:
        """Mark rows that are not UTF-8 as odd."""
        for row, text in enumerate(texts):
            if not text.isascii():
                try:
                    text.decode()
                except UnicodeDecodeError:
                    self.needs_fallback[row] = True

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.needs_fallback)

    def members(self, path: Path) -> Ints:
        """Return for each row the entry of the member at a path; -1 if it has none."""
        if path not in self._members:
            parents = self.members(path[:-1]) if len(path) > 1 else np.full(self.size, -1, np.int32)
            name = np.frombuffer(path[-1].encode("utf-8", "surrogatepass"), np.uint8)
            found = np.empty(self.size, np.int32)
            find_members(self.text, self.tape, self.firsts, parents, len(path) > 1, name, found)
            self._members[path] = found
        return self._members[path]

    def encoding(self, entries: Ints) -> Encoding:
        """Return a column of the values of entries; -1 is null."""
        tokens = np.where(entries < 0, np.int32(JsonToken.NULL), self.tape[entries, TOKEN])
        kinds: Kinds = _KIND[tokens]
        numbers = self._numbers(entries, tokens)

        def distinct(kind: Kind) -> Distinct:
            codes = np.full(len(entries), -1, np.int32)
            at = np.flatnonzero(kinds == kind)
            values: list[Any] = []
            if len(at):
                values, codes[at] = self._numbered(kind, entries[at], numbers[at])
            return Distinct(values, codes)

        return Encoding(kinds, numbers, lambda row: self.value(entries[row]), distinct)

    def value(self, entry: int) -> Any:
        """Return the value of an entry as the strict reader would."""
        if entry < 0:
            return None
        begin, end = int(self.tape[entry, BEGIN]), int(self.tape[entry, END])
        text = self.all_bytes[begin:end].decode()
        return text if self.tape[entry, TOKEN] == JsonToken.STRING else json.loads(text)

    def points(self, entries: Ints) -> Floats:
        """Return the coordinates of entries that are plain points; NaN for -1."""
        found = np.full((len(entries), 2), np.nan)
        hard = np.empty(len(entries), np.int64)
        spans = np.empty((len(entries), 4), np.int32)
        count = read_points(self.text, self.tape, self.firsts, entries, found, spans, hard)
        for row in hard[:count].tolist():
            span = spans[row].tolist()
            found[row] = [float(self.all_bytes[span[at] : span[at + 1]]) for at in (0, 2)]
        return found

    def _numbers(self, entries: Ints, tokens: Ints) -> Floats:
        numbers = np.full(len(entries), np.nan)
        hard = np.empty(len(entries), np.int64)
        count = read_numbers(self.text, self.tape, entries, tokens, numbers, hard)
        for row in hard[:count].tolist():
            numbers[row] = self.value(entries[row])
        return numbers

    def _numbered(self, kind: Kind, entries: Ints, numbers: Floats) -> tuple[list[Any], Codes]:
        """Return the distinct values of entries of one kind, and the code of each."""
        if kind is Kind.STRING:
            begins, ends = self.tape[entries, BEGIN], self.tape[entries, END]
            return dictionary_encode_texts(self.text, begins, ends)
        if kind is Kind.BOOLEAN:
            truths = self.text[self.tape[entries, BEGIN]] == _TRUE
            return [False, True], truths.astype(np.int32)
        if kind is Kind.NUMBER and (np.abs(numbers) < _EXACT).all():
            return _coded_numbers(numbers + 0.0)  # no zero is negative
        return number_values([self.value(entry) for entry in entries.tolist()])


_EXACT = 2.0**53

_SPARSE = 4
"""Most slots of a table of numbers, per number."""

_MAX_KEPT_TAPE_BYTES = 1 << 23
"""Most bytes of a tape that is kept for the next caller."""

_last: deque[tuple[Sequence[bytes], Tape]] = deque(maxlen=1)


def tape_of(texts: Sequence[bytes]) -> Tape:
    """Return the tape of texts.

    Envelopes and columns are read from the very same texts one after the other, so the last tape is
    cached, and returned once.
    """
    with suppress(IndexError):  # another thread may have taken it
        known, tape = _last.pop()
        if known is texts or (len(known) == len(texts) and all(map(is_, known, texts))):
            return tape
    made = Tape(texts)
    if len(made.all_bytes) <= _MAX_KEPT_TAPE_BYTES:
        _last.append((texts, made))
    return made


def _coded_numbers(numbers: Floats) -> tuple[list[float], Codes]:
    """Return the distinct numbers, and the code of each.

    Whole numbers that lie close together, a common case, are marked in a table, which takes a tenth
    of the time of hashing.
    """
    low, high = numbers.min(), numbers.max()
    if high - low > _SPARSE * len(numbers) or (numbers != np.rint(numbers)).any():
        return _coded(pa.array(numbers))
    places = (numbers - low).astype(np.int64)
    there = np.zeros(int(high - low) + 1, np.bool_)
    there[places] = True
    codes = np.cumsum(there, dtype=np.int32) - np.int32(1)
    return (np.flatnonzero(there) + low).tolist(), codes[places]


def _coded(array: pa.Array) -> tuple[list[Any], npt.NDArray[np.int32]]:
    encoded = array.dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
