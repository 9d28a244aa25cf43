"""A shard as the state store holds it: one map from numbers to bytes. Number 0 is the head, 1 the
list of subscriptions where there is one, 2 the snapshot, and from 3 on come the steps since.

It is one state, since Spark spends more on naming a state, in each task anew, than on writing it.
Each step has a number of its own, so that one more costs nothing for those before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any

from pyspark.sql.types import BinaryType, LongType, StructField, StructType

from tocsin.spark.match_task.serde import pack, unpack

STATE = "head"
"""Also the name of one of three states that earlier versions had, which was no map: Spark refuses
to go on from theirs, and `failures` says what to do.
"""

NUMBER_SCHEMA = StructType([StructField("number", LongType())])
BYTES_SCHEMA = StructType([StructField("packed", BinaryType())])
"""Types, not texts: each task would ask Spark to read these anew, and wait for the answer."""

_HEAD, _LIST, _SNAPSHOT, _FIRST_STEP = range(4)

LOG_FACTOR = 4
LOG_BYTES = 256 << 10
"""A new snapshot is due when the steps are this many bytes, and this many times as large as the
last snapshot.
"""


@dataclass(frozen=True, slots=True)
class Head:
    """What there is in the store: the name of the state, sizes, how many steps, the timer that is
    set, and whose subscriptions.
    """

    token: bytes
    shards: int
    base_bytes: int
    log_bytes: int
    steps: int
    alarm: int | None
    source: str

    def is_full_after(self, step: bytes) -> bool:
        """Whether the steps since the last snapshot are enough for a new one."""
        log_bytes = self.log_bytes + len(step)
        return log_bytes > max(LOG_BYTES, LOG_FACTOR * self.base_bytes)


class StoredShard:
    """Reads and writes the parts of one shard; `parts` is the map state, for the current key."""

    def __init__(self, parts: Any) -> None:
        self._parts = parts

    def head(self) -> Head | None:
        """Nothing for a new shard; raises what it may where the bytes are damaged."""
        packed = self._get(_HEAD)
        return None if packed is None else Head(*unpack(packed))

    def list(self) -> bytes | None:
        """The list of subscriptions; None where they come from a catalog."""
        return self._get(_LIST)

    def snapshot(self) -> bytes | None:
        """The last snapshot; None only where the store is damaged."""
        return self._get(_SNAPSHOT)

    def steps(self, head: Head) -> Iterator[bytes | None]:
        """The steps since, in order; one is None only where the store is damaged."""
        return map(self._get, range(_FIRST_STEP, _FIRST_STEP + head.steps))

    def begin(self, head: Head, list: bytes | None, snapshot: bytes) -> None:
        """Writes a shard anew: nothing else is left of it."""
        self._parts.clear()
        if list is not None:
            self._put(_LIST, list)
        self._put(_SNAPSHOT, snapshot)
        self._put_head(head)

    def append(self, head: Head, step: bytes) -> None:
        """Writes one more step, the last that the head counts."""
        self._put(_FIRST_STEP + head.steps - 1, step)
        self._put_head(head)

    def _put_head(self, head: Head) -> None:
        self._put(_HEAD, pack(astuple(head)))

    def _get(self, number: int) -> bytes | None:
        row = self._parts.getValue((number,))
        return None if row is None else bytes(row[0])

    def _put(self, number: int, packed: bytes) -> None:
        self._parts.updateValue((number,), (packed,))
