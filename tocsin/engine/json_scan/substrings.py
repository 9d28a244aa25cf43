"""Slices of one large text: as texts, or dictionary-encoded as numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tocsin.engine.index.encoding import Codes
from tocsin.engine.index.kernels import Ints, Words, compiled
from tocsin.engine.json_scan.scanner import same_bytes

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
