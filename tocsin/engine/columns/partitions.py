"""Partitions of the events of a batch, from columns: no event is created for its key."""

from __future__ import annotations

import numpy as np

from tocsin.engine.columns.batch import Batch, Column, EventBatch
from tocsin.engine.index.kernels import Ints
from tocsin.plan.nodes.composites import Key
from tocsin.values.partition_hash import partition_of
from tocsin.values.scalars import Kind

_KEY_KINDS = (Kind.BOOLEAN, Kind.NUMBER, Kind.STRING)
"""Kinds whose values can be equal; all other values share one partition."""


def partitions_of_batch(batch: EventBatch, key: Key, shares: int) -> Ints:
    """Return the partition number, out of `shares`, of each event of a batch, by a key."""
    if not isinstance(batch, Batch):  # a column may have another type than the attribute
        events = map(batch.event, range(batch.size))
        found = [partition_of([event.attribute(path) for path in key], shares) for event in events]
        return np.array(found, np.int64)
    coded = [_coded(batch.column(path)) for path in key]
    first, back = np.zeros(0, np.int64), np.zeros(batch.size, np.int64)
    for codes, values in coded:  # renumbered each time, so that they stay small
        _, first, back = np.unique(
            back * len(values) + codes, return_index=True, return_inverse=True
        )
    different = [
        partition_of([values[codes[event]] for codes, values in coded], shares)
        for event in first.tolist()
    ]
    numbers: Ints = np.array(different, np.int64)[back]
    return numbers


def _coded(column: Column) -> tuple[Ints, list[object]]:
    """Return the code of each event's value, and the values."""
    values: list[object] = [None]
    codes = np.zeros(column.size, np.int64)
    for kind in _KEY_KINDS:
        distinct = column.distinct(kind)
        codes = np.where(distinct.codes < 0, codes, distinct.codes + len(values))
        values += distinct.values
    return codes, values
