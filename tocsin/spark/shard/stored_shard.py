"""A shard in the state store: one map from numbers to bytes.

Number 0 is the head, 1 the list of subscriptions if there is one, 2 the snapshot, and from 3 on the
steps since. It is one state, since in each task Spark spends more on registering a state than on
writing it. Each step has a number of its own, so that adding one costs nothing for those before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any

from pyspark.sql.types import BinaryType, LongType, StructField, StructType

from tocsin.spark.match_task.serde import pack, unpack

STATE = "head"
"""The name of the map, also of one of three states of earlier versions, which was not a map.

Spark refuses to continue from theirs, and `failures` says what to do.
"""

NUMBER_SCHEMA = StructType([StructField("number", LongType())])
BYTES_SCHEMA = StructType([StructField("packed", BinaryType())])
"""The type of a value; not as text, which each task would send to Spark for parsing, and wait."""

_HEAD, _LIST, _SNAPSHOT, _FIRST_STEP = range(4)

LOG_FACTOR = 4
LOG_BYTES = 256 << 10
"""A new snapshot is due when the steps exceed this size and `LOG_FACTOR` times the last snapshot.
"""


@dataclass(frozen=True, slots=True)
class Head:
    """The state name, sizes, the number of steps, the timer that is set, and the source."""

    token: bytes
    shards: int
    base_bytes: int
    log_bytes: int
    steps: int
    alarm: int | None
    source: str

    def is_full_after(self, step: bytes) -> bool:
        """True if the steps since the last snapshot, with this one, are enough for a new one."""
        log_bytes = self.log_bytes + len(step)
        return log_bytes > max(LOG_BYTES, LOG_FACTOR * self.base_bytes)


class StoredShard:
    """The parts of one shard in the store; `parts` is the map state, for the current key."""

    def __init__(self, parts: Any) -> None:
        self._parts = parts

    def head(self) -> Head | None:
        """Return the head, or None for a new shard; raises any error if the bytes are damaged."""
        packed = self._get(_HEAD)
        return None if packed is None else Head(*unpack(packed))

    def list(self) -> bytes | None:
        """Return the list of subscriptions; None if they come from a catalog."""
        return self._get(_LIST)

    def snapshot(self) -> bytes | None:
        """Return the last snapshot; None only if the store is damaged."""
        return self._get(_SNAPSHOT)

    def steps(self, head: Head) -> Iterator[bytes | None]:
        """Yield the steps since, in order; one is None only if the store is damaged."""
        return map(self._get, range(_FIRST_STEP, _FIRST_STEP + head.steps))

    def begin(self, head: Head, list: bytes | None, snapshot: bytes) -> None:
        """Replace the whole stored shard."""
        self._parts.clear()
        if list is not None:
            self._put(_LIST, list)
        self._put(_SNAPSHOT, snapshot)
        self._put_head(head)

    def append(self, head: Head, step: bytes) -> None:
        """Write the last step that the head counts, and the head."""
        self._put(_FIRST_STEP + head.steps - 1, step)
        self._put_head(head)

    def _put_head(self, head: Head) -> None:
        self._put(_HEAD, pack(astuple(head)))

    def _get(self, number: int) -> bytes | None:
        row = self._parts.getValue((number,))
        return None if row is None else bytes(row[0])

    def _put(self, number: int, packed: bytes) -> None:
        self._parts.updateValue((number,), (packed,))
