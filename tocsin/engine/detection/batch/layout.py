"""Columns of the tables, for the loops that fill them and for their readers.

All tables but the numbers are of 64-bit integers. `NONE` stands for no entry, no row, no key. Masks
of readers are in words, which take the last columns of their table, since a mask may have more bits
than one of the loops' integers.
"""

from __future__ import annotations

from collections.abc import Iterable

NONE = -1

# events: start, end, and the number of entries that hold it
START, END, WAITS = 0, 1, 2
EVENT_FIELDS = 3

# ops of an atom, in the order in which its consumers are served: the kind, the line, group or table
# of starts, the column of the key, and the share of the events
OP, PLACE, KEY_COLUMN, SHARE = 0, 1, 2, 3
OP_FIELDS = 4
BUFFER, PROBE, RECORD_START, ARM_DEADLINE = 0, 1, 2, 3

# lines: one shared buffer each, in the order of arrival, with the tables of starts that cancel its
# absences and, in words, the mask of its readers
LIFETIME, HEAD, TAIL, LENGTH, LIVING, ALLOWED, TIMED, NEEDS_KEY, PROBED, PROBED_COUNT = range(10)
READERS = 10

# entries: one event in one line and, in words, the mask of readers to which it is unavailable
EVENT, OF_KEY, NEXT, NEXT_OF_KEY, ROW, UNAVAILABLE = range(6)

# rows: the entries of a line under one key, or the last start of an absent part under it
FIRST, LAST, WAITING, LATEST, ROW_PLACE, ROW_KEY = range(6)
ROW_FIELDS = 6

# groups: members that check the same conditions; the screen is an order that extremes can refute
GROUP_MEMBERS, GROUP_COUNT, CONDITIONS, CONDITION_COUNT, ORDER_BOUND = range(5)
GROUP_FIELDS = 5

# tables of starts that cancel absences of a line and, in words, the mask of readers concerned
PROBED_PLACE, PROBED_BITS = 0, 1

# members of groups: the line that one probes, the word of its bit there, and the place in it
MEMBER_LINE, MEMBER_WORD, MEMBER_BIT = range(3)
MEMBER_FIELDS = 3

# conditions: a moment of the buffered event against one of the new event, or number against number
RELATION, BUFFERED, PROBING, OFFSET = range(4)
CONDITION_FIELDS = 4
NOT_BEFORE, NOT_AFTER, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL = range(6)

# state: the first free entry, the numbers of rows and timers, and of pairs and absences found
FREE, ROWS, TIMERS, PAIRS, ABSENCES = range(5)
STATE_FIELDS = 5

# pairs: the number in the batch of the last event, the group and the member, the first event
PAIR_FIELDS = 4

# silences: the deadline, the line, the event and, in words, the readers for which the absence holds
ABSENCE_DUE, ABSENCE_LINE, ABSENCE_EVENT, ABSENCE_MEMBERS = range(4)


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
