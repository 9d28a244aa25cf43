"""Masks of readers as the compiled loops have them: in words, since a mask may have more bits than
one of their integers.
"""

from __future__ import annotations

from collections.abc import Iterable

WORD_BITS = 62
"""Bits of a word, so that it is never negative as a 64-bit integer."""


def count_words(bits: int) -> int:
    """Return the number of words for a mask; at least one."""
    return max(1, -(-bits.bit_length() // WORD_BITS))


def to_words(bits: int, count: int) -> tuple[int, ...]:
    """Return a mask as `count` words."""
    if count == 1:
        return (bits,)
    word = (1 << WORD_BITS) - 1
    return tuple([bits >> WORD_BITS * number & word for number in range(count)])


def from_words(words: Iterable[int]) -> int:
    """Return the mask of some words."""
    return sum(word << WORD_BITS * number for number, word in enumerate(words))


def place_of(bit: int) -> tuple[int, int]:
    """Return the word of a bit, and its place there."""
    return divmod(bit.bit_length() - 1, WORD_BITS)
