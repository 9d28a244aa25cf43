"""The port between a shard and the state of Spark: one map and one timer.

`state_apis.py` has an adapter for each interface of Spark.
"""

from __future__ import annotations

from typing import Protocol

from tocsin.spark.shard.shard import Millis


class KeyedState(Protocol):
    """State of the shard whose turn it is: a map from numbers to bytes, and a timer."""

    def get(self, number: int) -> bytes | None:
        """Return the bytes under a number, or None."""
        ...

    def put(self, number: int, packed: bytes) -> None:
        """Replace the bytes under a number."""
        ...

    def clear(self) -> None:
        """Remove all numbers."""
        ...

    def set_timer(self, before: Millis | None, at: Millis | None) -> None:
        """Replace the timer at `before` by one at `at`; None for no timer. The two may be equal."""
        ...
