"""Partition keys as numbers: equal keys have one number, whichever attribute they came from."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from tocsin.engine.columns.batch import Column, EventBatch
from tocsin.engine.detection.batch.layout import NONE
from tocsin.engine.detection.partition_keys import NO_PARTITION_KEY
from tocsin.engine.index.kernels import Ints
from tocsin.plan.nodes.composites import Key as Paths
from tocsin.plan.semantics.condition_evaluation import scalar_key
from tocsin.values.scalars import Kind

_SCALARS = (Kind.NUMBER, Kind.STRING, Kind.BOOLEAN)


class KeyCodes:
    """Number of every key that was seen, and key of every number."""

    __slots__ = ("_codes", "_of_several", "values")

    def __init__(self) -> None:
        self._codes: dict[Hashable, int] = {}
        self._of_several: dict[tuple[int, ...], int] = {}
        self.values: list[Hashable] = []

    def code(self, key: Hashable) -> int:
        """Return the number of a key, new or not; NONE if there is no key."""
        if key is None:
            return NONE
        code = self._codes.setdefault(key, len(self.values))
        if code == len(self.values):
            self.values.append(key)
        return code

    def column(self, paths: Paths, batch: EventBatch) -> Ints:
        """Return the numbers of the keys at some paths, for a batch."""
        if not paths:
            return np.full(batch.size, self.code(NO_PARTITION_KEY), np.int64)
        columns = [self._of_one(batch.column(path)) for path in paths]
        return columns[0] if len(columns) == 1 else self._combined(columns)

    def _of_one(self, column: Column) -> Ints:
        found = np.full(column.size, NONE, np.int64)
        for kind in _SCALARS:
            rows = np.flatnonzero(column.kinds == kind)
            if len(rows):
                distinct = column.distinct(kind)
                codes = [self.code(scalar_key(value)) for value in distinct.values]
                found[rows] = np.array(codes, np.int64)[distinct.codes[rows]]
        return found

    def _combined(self, columns: list[Ints]) -> Ints:
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return np.array([self._several(row) for row in rows], np.int64)

    def _several(self, codes: tuple[int, ...]) -> int:
        known = self._of_several.get(codes)
        if known is None:
            key = None if NONE in codes else tuple([self.values[code] for code in codes])
            known = self._of_several[codes] = self.code(key)
        return known
