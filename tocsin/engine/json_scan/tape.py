"""A batch of JSON texts on a tape: requested members come as columns, and nothing else is read.

Odd rows, see `scanner`, have no entries. Texts are slices of one large text, or dictionary-encoded
as numbers.

Compiled loops find the entries of members, and their values.
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
from tocsin.engine.index.kernels import Ints, Words, compiled, inlined
from tocsin.engine.json_scan.envelopes import after_coordinate, point_of
from tocsin.engine.json_scan.numbers import decimal_number, whole_number
from tocsin.engine.json_scan.scanner import (
    BEGIN,
    END,
    MAX_DEPTH,
    NAME,
    NAME_END,
    PARENT,
    TOKEN,
    WIDTH,
    JsonToken,
    same_bytes,
    scan_rows,
)
from tocsin.values.scalars import Kind, Path

_WHOLE, _DECIMAL = int(JsonToken.WHOLE), int(JsonToken.DECIMAL)


@inlined
def _is_called(text: Ints, tape: Ints, entry: int, name: Ints) -> bool:
    begin = tape[entry, NAME]
    # lengths first: most names differ in them
    if tape[entry, NAME_END] - begin != len(name):
        return False
    step = 0
    while step < len(name) and text[begin + step] == name[step]:
        step += 1
    return step == len(name)


@compiled
def find_members(
    text: Ints, tape: Ints, firsts: Ints, parents: Ints, inside: bool, name: Ints, found: Ints
) -> None:
    """Write for each row the entry of the member with a name, -1 if it has none.

    It is a member of the row or, `inside`, of the entry in `parents`. Most rows have it at the same
    position as the previous one, which is tried first.
    """
    usual = 0
    for row in range(len(found)):
        found[row] = -1
        first, last = firsts[row], firsts[row + 1]
        parent = parents[row]
        # the row has no such parent
        if inside and parent < 0:
            continue
        # where the previous row had it
        guess = first + usual
        if guess < last and tape[guess, PARENT] == parent and _is_called(text, tape, guess, name):
            found[row] = guess
            continue
        for entry in range(first, last):
            if tape[entry, PARENT] == parent and _is_called(text, tape, entry, name):
                found[row] = entry
                # the next row is tried here first
                usual = entry - first
                break


@compiled
def read_numbers(
    text: Ints, tape: Ints, entries: Ints, tokens: Ints, numbers: Floats, hard: Ints
) -> int:
    """Write the values of entries that are numbers; return the number of rows in `hard`."""
    count = 0
    for row in range(len(entries)):
        entry = entries[row]
        if tokens[row] == _WHOLE:
            numbers[row] = whole_number(text, tape[entry, BEGIN], tape[entry, END])
        elif tokens[row] == _DECIMAL:
            good, value = decimal_number(text, tape[entry, BEGIN], tape[entry, END])
            numbers[row] = value
            # too many digits for an exact float: the caller asks Python
            if not good:
                hard[count] = row
                count += 1
    return count


@compiled
def read_points(
    text: Ints,
    tape: Ints,
    firsts: Ints,
    entries: Ints,
    found: Floats,
    spans: Ints,
    hard: Ints,
) -> int:
    """Write the coordinates of entries that are plain points, and their positions.

    Returns the number of rows with too many digits for this loop; their numbers are in `hard`.
    """
    count = 0
    for row in range(len(entries)):
        if entries[row] < 0:
            # no place
            continue
        first, second, end = point_of(text, tape, entries[row], firsts[row + 1])
        spans[row, 0] = first
        spans[row, 1] = after_coordinate(text, first, end)
        spans[row, 2] = second
        spans[row, 3] = end
        good, x = decimal_number(text, first, spans[row, 1])
        fine, y = decimal_number(text, second, end)
        found[row, 0] = x
        found[row, 1] = y
        # too many digits: the caller asks shapely
        if not (good and fine):
            hard[count] = row
            count += 1
    return count


_PRIME = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_MIN_SLOTS_PER_PIECE = 2
"""Slots of the hash table per piece, at least: half empty, so that chains stay short."""
_MAX_COLLISIONS_PER_PIECE = 8
"""Collisions allowed per piece, on average; beyond it Arrow encodes texts made to collide."""


def slice_texts(text: Ints, begins: Ints, ends: Ints) -> pa.Array:
    """Return the pieces of a text as an Arrow array."""
    offsets = np.zeros(len(begins) + 1, np.int64)
    np.cumsum(ends - begins, out=offsets[1:])
    letters = np.empty(offsets[-1], np.uint8)
    _copy_pieces(text, begins, ends, letters)
    return pa.Array.from_buffers(
        pa.large_string(), len(begins), [None, pa.py_buffer(offsets), pa.py_buffer(letters)]
    )


def dictionary_encode_texts(text: Ints, begins: Ints, ends: Ints) -> tuple[list[str], Codes]:
    """Return the distinct pieces in order of appearance, and the code of each piece."""
    size = len(begins)
    table = np.full(1 << (_MIN_SLOTS_PER_PIECE * size).bit_length(), -1, np.int32)
    hashes, firsts, codes = (
        np.empty(size, np.uint64),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
    )
    count = _number_pieces(
        text, begins, ends, table, hashes, firsts, codes, _MAX_COLLISIONS_PER_PIECE * size
    )
    if count < 0:
        encoded = slice_texts(text, begins, ends).dictionary_encode()
        return encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
    chosen = firsts[:count]
    return slice_texts(text, begins[chosen], ends[chosen]).to_pylist(), codes


@compiled
def _copy_pieces(text: Ints, begins: Ints, ends: Ints, letters: Ints) -> None:
    """Copy the pieces of a text, one after the other."""
    at = 0
    for row in range(len(begins)):
        # pieces are short: a loop is faster than a slice for each
        for place in range(begins[row], ends[row]):
            letters[at] = text[place]
            at += 1


@compiled
def _number_pieces(
    text: Ints,
    begins: Ints,
    ends: Ints,
    table: Ints,
    hashes: Words,
    firsts: Ints,
    codes: Ints,
    patience: int,
) -> int:
    """Write the code of each piece, and for each code the first row that has it.

    Returns the number of distinct pieces; -1 after more than `patience` collisions.
    """
    # an open hash table of piece numbers; its length is a power of two
    mask = len(table) - 1
    count = 0
    for row in range(len(begins)):
        begin, end = begins[row], ends[row]
        # multiplicative hash, begun with the length
        hashed = np.uint64(end - begin)
        for at in range(begin, end):
            hashed = (hashed ^ np.uint64(text[at])) * _PRIME
        # the upper half has mixed best
        place = np.int64(hashed >> _HALF) & mask
        code = table[place]
        # linear probing until the same piece, or a free place
        while code >= 0 and not (
            hashes[code] == hashed
            and ends[firsts[code]] - begins[firsts[code]] == end - begin
            and same_bytes(text, begin, begins[firsts[code]], end - begin)
        ):
            patience -= 1
            # texts made to collide: the caller lets Arrow encode them
            if patience < 0:
                return -1
            place = (place + 1) & mask
            code = table[place]
        # a new piece
        if code < 0:
            code = count
            table[place] = code
            hashes[code] = hashed
            firsts[code] = row
            count += 1
        codes[row] = code
    return count


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
