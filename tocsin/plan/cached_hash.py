"""Hashes that are worked out once: parts of a plan are looked up over and over, and the hash of a
part is that of all that is inside it.

It belongs to the process and not to the value: texts hash differently in another, so it is neither
compared, shown, copied nor pickled.
"""

from __future__ import annotations

from typing import TypeVar

Value = TypeVar("Value", bound="HashedOnce")


class HashedOnce:
    """Room for the hash of a frozen dataclass with slots, which is no field of it."""

    __slots__ = ("_hash",)

    _hash: int


def hashed_once(kind: type[Value]) -> type[Value]:
    """The dataclass, whose values remember their hash."""
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
