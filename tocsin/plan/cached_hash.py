"""Cached hashes: parts of a plan are looked up very often, and the hash of a part covers everything
inside it.

It belongs to the process and not to the value: texts hash differently in another, so it is neither
compared, shown, copied nor pickled.
"""

from __future__ import annotations

from typing import TypeVar

Value = TypeVar("Value", bound="HashedOnce")


class HashedOnce:
    """Slot for the cached hash of a frozen dataclass with slots; it is not a field."""

    __slots__ = ("_hash",)

    _hash: int


def hashed_once(kind: type[Value]) -> type[Value]:
    """Return the dataclass with a cached hash."""
    work_out = kind.__hash__

    def remembered(self: Value) -> int:
        try:
            return self._hash
        except AttributeError:
            hashed = work_out(self)
            object.__setattr__(self, "_hash", hashed)
            return hashed

    kind.__hash__ = remembered  # type: ignore[assignment]
    return kind
