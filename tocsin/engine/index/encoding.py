"""Python values as typed arrays: the kind of each, and its number. NaN is not valid and counts as
null.

Numbers are held as the nearest float64. That is exact below 2**53; from there on two different
integers may share a float (`is_uncertain`), and equal floats must be compared by their exact
values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.values.scalars import Kind, kind_of

EXACT_LIMIT = 2.0**53
"""Integers of smaller magnitude are exact as float64."""

Kinds = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """The distinct values of one kind, and the code of each event's value; -1 if it has none."""

    values: list[Any]
    codes: Codes


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """A column: kinds, numbers (NaN for other kinds), exact value by index, and distinct values."""

    kinds: Kinds
    numbers: Floats
    value: Callable[[int], Any]
    distinct: Callable[[Kind], Distinct]


def encoding_of_values(values: Sequence[Any]) -> Encoding:
    """Return the encoding of values as events hold them; None is null."""
    kinds = _kinds(values)
    numbers = np.full(len(kinds), np.nan)
    at = np.flatnonzero(kinds == Kind.NUMBER)
    if len(at):
        numbers[at] = nearest_floats(_chosen(values, at))
        kinds[at[np.isnan(numbers[at])]] = Kind.NULL
    return Encoding(kinds, numbers, values.__getitem__, lambda kind: _distinct(values, kinds, kind))


def is_uncertain(numbers: Floats) -> Flags:
    """Return a flag per number: True if it may stand for an integer that no float can hold."""
    flags: Flags = np.abs(numbers) >= EXACT_LIMIT
    return flags


def nearest_float(value: float) -> float:
    """Return the nearest float; an integer beyond all floats becomes infinite."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def nearest_floats(values: Sequence[float]) -> Floats:
    """Return the nearest float of each number."""
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        return np.fromiter(map(nearest_float, values), np.float64, len(values))


def number_values(values: Sequence[Any]) -> tuple[list[Any], Codes]:
    """Return the distinct values in order of appearance, and the code of each value."""
    different = list(dict.fromkeys(values))
    number = {value: code for code, value in enumerate(different)}
    return different, np.fromiter(map(number.__getitem__, values), np.int32, len(values))


def _kinds(values: Sequence[Any]) -> Kinds:
    """Return the kind of each value; fast if all have one type, as in most columns."""
    types = set(map(type, values))
    if len(types) == 1:
        return np.full(len(values), kind_of(values[0]), np.uint8)
    sample = dict(zip(map(type, values), values, strict=True))
    kind_by_type = {given: int(kind_of(value)) for given, value in sample.items()}
    return np.fromiter(map(kind_by_type.__getitem__, map(type, values)), np.uint8, len(values))


def _distinct(values: Sequence[Any], kinds: Kinds, kind: Kind) -> Distinct:
    at = np.flatnonzero(kinds == kind)
    codes = np.full(len(kinds), -1, np.int32)
    different, codes[at] = number_values(_chosen(values, at))
    return Distinct(different, codes)


def _chosen(values: Sequence[Any], at: npt.NDArray[np.intp]) -> Sequence[Any]:
    return values if len(at) == len(values) else [values[i] for i in at.tolist()]
