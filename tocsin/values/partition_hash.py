"""Stable hash partitions: equal attribute values fall into one share, in every process and for
ever.

TRUE is not 1, and 1 is 1.0. Values that equal nothing (NaN, lists, objects, missing values) count
as one value and share a partition.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from tocsin.values.scalars import canonical_number


def partition_of(values: Iterable[Any], shares: int) -> int:
    """Return the number of the share, from 0, for values taken together."""
    return _share_of_text("".join(map(_text, values)), shares)


@lru_cache(maxsize=1 << 16)
def _share_of_text(text: str, shares: int) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % shares


def _text(value: Any) -> str:
    """Return one text for all values equal to this one; its length separates it from the next."""
    if isinstance(value, str):
        return f"s{len(value)}:{value}"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, int | float) and not (isinstance(value, float) and math.isnan(value)):
        return f"n{_number_text(value)}:"
    return "-"


def _number_text(value: float) -> str:
    """Return the text of a number; integers beyond any float as hex, which has no digit limit."""
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return hex(value)
    return repr(value if math.isinf(value) else canonical_number(value))
