"""Arrow arrays as typed arrays, without a Python object per value if the type allows.

Whole numbers, floats, booleans and strings (plain or dictionary) are read directly; decimals become
canonical numbers; every other type (lists, structs, times, binary) is present but compares as
unknown.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tocsin.engine.index.encoding import (
    Codes,
    Distinct,
    Encoding,
    Flags,
    Floats,
    Kinds,
    encoding_of_values,
    number_values,
)
from tocsin.values.scalars import Kind, canonical_number


def encoding_of_arrow(array: Any) -> Encoding:
    """Return the encoding of an Arrow array, chunked or not."""
    whole = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    given = whole.type
    if pa.types.is_dictionary(given) and not _is_string(given.value_type):
        return encoding_of_arrow(whole.cast(given.value_type))
    if pa.types.is_decimal(given):
        return encoding_of_values(
            [None if v is None else canonical_number(v) for v in whole.to_pylist()]
        )
    if pa.types.is_dictionary(given):
        return _strings(whole, whole)
    if _is_string(given):
        return _strings(whole, whole.cast(pa.large_string()).dictionary_encode())
    if pa.types.is_integer(given) or pa.types.is_floating(given):
        return _numbers(whole)
    return _booleans(whole) if pa.types.is_boolean(given) else _others(whole)


def encoding_of_nothing(size: int) -> Encoding:
    """Return the encoding of an attribute that no event has."""
    return _others(pa.nulls(size))


def _is_string(given: Any) -> bool:
    return bool(
        pa.types.is_string(given)
        or pa.types.is_large_string(given)
        or pa.types.is_string_view(given)
    )


def _numbers(array: Any) -> Encoding:
    plain = array.cast(pa.float64()) if pa.types.is_floating(array.type) else array
    held = plain.fill_null(0).to_numpy(zero_copy_only=False)
    numbers: Floats = np.where(_present(array), held.astype(np.float64), np.nan)
    kinds = _kinds(~np.isnan(numbers), Kind.NUMBER)

    def distinct(kind: Kind) -> Distinct:
        at = np.flatnonzero(kinds == Kind.NUMBER) if kind is Kind.NUMBER else np.empty(0, np.intp)
        codes = _no_codes(kinds)
        different, codes[at] = number_values(held[at].tolist())
        return Distinct(different, codes)

    return Encoding(kinds, numbers, lambda i: array[i].as_py(), distinct)


def _strings(array: Any, dictionary: Any) -> Encoding:
    """Encode strings. A dictionary may hold a string twice, or a null, so it is renumbered."""
    entries, renumbered = number_values(dictionary.dictionary.to_pylist())
    indices = dictionary.indices.fill_null(0).to_numpy(zero_copy_only=False)
    codes = renumbered[indices] if entries else _no_codes(indices)
    present = (
        _present(dictionary) & np.array([entry is not None for entry in entries] or [False])[codes]
    )
    kinds = _kinds(present, Kind.STRING)
    strings = Distinct(entries, np.where(present, codes, -1).astype(np.int32))
    return _encoding(array, kinds, {Kind.STRING: strings})


def _booleans(array: Any) -> Encoding:
    present = _present(array)
    held = array.fill_null(False).to_numpy(zero_copy_only=False)
    booleans = Distinct([False, True], np.where(present, held, -1).astype(np.int32))
    return _encoding(array, _kinds(present, Kind.BOOLEAN), {Kind.BOOLEAN: booleans})


def _others(array: Any) -> Encoding:
    return _encoding(array, _kinds(_present(array), Kind.OTHER), {})


def _encoding(array: Any, kinds: Kinds, distinct: dict[Kind, Distinct]) -> Encoding:
    numbers = np.full(len(kinds), np.nan)
    nothing = Distinct([], _no_codes(kinds))
    return Encoding(
        kinds, numbers, lambda i: array[i].as_py(), lambda kind: distinct.get(kind, nothing)
    )


def _present(array: Any) -> Flags:
    flags: Flags = array.is_valid().to_numpy(zero_copy_only=False)
    return flags


def _kinds(present: Flags, kind: Kind) -> Kinds:
    return np.where(present, np.uint8(kind), np.uint8(Kind.NULL))


def _no_codes(like: Any) -> Codes:
    return np.full(len(like), -1, np.int32)
