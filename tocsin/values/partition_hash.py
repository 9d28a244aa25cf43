"""Shares: values that are equal as attributes fall into one share, in every process and for ever.

TRUE is not 1, and 1 is 1.0. What equals nothing, a list, an object or what is missing, is of one
kind: it falls into a share too, together with its like.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from tocsin.values.scalars import canonical_number


def share_of(values: Iterable[Any], shares: int) -> int:
    """The number of the share, from 0, that values taken together fall into."""
    return _share_of_text("".join(map(_text, values)), shares)


@lru_cache(maxsize=1 << 16)
def _share_of_text(text: str, shares: int) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % shares


def _text(value: Any) -> str:
    """One text for all values that are equal to this one; its length keeps it apart from the
    next.
    """
    if isinstance(value, str):
        return f"s{len(value)}:{value}"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, int | float) and not (isinstance(value, float) and math.isnan(value)):
        return f"n{_number_text(value)}:"
    return "-"


def _number_text(value: float) -> str:
    """What is larger than any float is written in a base that has no limit of digits."""
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return hex(value)
    return repr(value if math.isinf(value) else canonical_number(value))
