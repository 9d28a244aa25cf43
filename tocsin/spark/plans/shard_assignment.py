"""Assignment of subscriptions to shards: fixed for ever, with shards spread evenly over partitions.

Spark sends a key to the partition of its hash, so that the keys 0 and 1 may fall into one of two
partitions. So shard `n` has a key whose hash is `n` modulo 5040, a multiple of all numbers up to 10
and many more. The key does not depend on the number of shards or partitions.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from itertools import count

from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.wire.wire import plan_to_json

DEFAULT_SHARDS = 2
MAX_SHARDS = 256

_SPREAD = 5040
_MASK = 0xFFFFFFFF
_SEED = 42


def atom_name(atom: Atom) -> bytes:
    """Return a hash of the content of an atom, equal in every process and for every compilation."""
    return blake2b(plan_to_json(Plan(atom)).encode(), digest_size=16).digest()


def shard_of(subscription: str, shards: int) -> int:
    """Return the number of the shard that owns a subscription."""
    return int.from_bytes(blake2b(subscription.encode(), digest_size=8).digest()) % shards


@lru_cache(maxsize=8)
def shard_keys(shards: int) -> tuple[int, ...]:
    """Return the grouping keys of shards 0, 1, 2, ..."""
    keys: dict[int, int] = {}
    for candidate in count():
        residue = spark_hash(candidate) % _SPREAD
        if residue < shards:
            keys.setdefault(residue, candidate)
        if len(keys) == shards:
            break
    return tuple(keys[number] for number in range(shards))


def spark_hash(key: int) -> int:
    """Return Spark's hash of a bigint: Murmur3, 32 bits, signed."""
    low, high = key & _MASK, (key >> 32) & _MASK
    state = _mixed(_mixed(_SEED, low), high) ^ 8
    state = ((state ^ (state >> 16)) * 0x85EBCA6B) & _MASK
    state = ((state ^ (state >> 13)) * 0xC2B2AE35) & _MASK
    state ^= state >> 16
    return state - (1 << 32) if state >> 31 else state


def _mixed(state: int, word: int) -> int:
    word = _rotated((word * 0xCC9E2D51) & _MASK, 15)
    return (_rotated(state ^ ((word * 0x1B873593) & _MASK), 13) * 5 + 0xE6546B64) & _MASK


def _rotated(word: int, places: int) -> int:
    return ((word << places) | (word >> (32 - places))) & _MASK
