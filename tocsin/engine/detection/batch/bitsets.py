"""The bits of those who stand in a line, as the compiled loops have them: in words, since they are
more than one integer of theirs has room for.
"""

from __future__ import annotations

from collections.abc import Iterable

WORD_BITS = 62
"""So many bits are in a word."""


def words_needed(bits: int) -> int:
    """How many words have room for some bits; one where there are none."""
    return max(1, -(-bits.bit_length() // WORD_BITS))


def words_of(bits: int, count: int) -> tuple[int, ...]:
    """Bits in so many words."""
    if count == 1:
        return (bits,)
    word = (1 << WORD_BITS) - 1
    return tuple([bits >> WORD_BITS * number & word for number in range(count)])


def bits_in(words: Iterable[int]) -> int:
    """The bits of some words."""
    return sum(word << WORD_BITS * number for number, word in enumerate(words))


def place_of(bit: int) -> tuple[int, int]:
    """The word of a bit, and its place there."""
    return divmod(bit.bit_length() - 1, WORD_BITS)
