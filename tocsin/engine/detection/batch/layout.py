"""What the columns of the tables mean, for the loops that fill them and for those who read them.

All tables but the numbers are of 64-bit integers. `NONE` stands for no entry, no row, no key. What
is in words takes the last columns of its table.
"""

from __future__ import annotations

NONE = -1

# events: when each starts and ends, and at how many places it waits
START, END, WAITS = 0, 1, 2
EVENT_FIELDS = 3

# ops of an atom, in the order in which the nodes are served: what is done, where, with which key,
# and for which share of the events
OP, PLACE, KEY_COLUMN, SHARE = 0, 1, 2, 3
OP_FIELDS = 4
KEEP, ASK, NOTE_START, AWAIT = 0, 1, 2, 3

# lines: what waits in the order of arrival, the tables of starts that are asked and, in words, the
# bits of the members that wait for it
LIFETIME, HEAD, TAIL, LENGTH, LIVING, ALLOWED, TIMED, NEEDS_KEY, ASKED, ASKED_COUNT = range(10)
EVERYONE = 10

# entries: one event that waits in one line and, in words, the members that have it not or no more
EVENT, OF_KEY, NEXT, NEXT_OF_KEY, ROW, GONE = range(6)

# rows: what waits in a line under one key, or when an absent part last started there
FIRST, LAST, WAITING, LATEST, ROW_PLACE, ROW_KEY = range(6)
ROW_FIELDS = 6

# groups: members that ask the same questions; the screen is a condition that extremes answer
GROUP_MEMBERS, GROUP_COUNT, CONDITIONS, CONDITION_COUNT, SCREEN = range(5)
GROUP_FIELDS = 5

# tables of starts that the silences of a line ask and, in words, the bits of those who do
ASKED_PLACE, ASKED_BITS = 0, 1

# members of groups: the line that one asks, the word of its bit there, and the place in it
MEMBER_LINE, MEMBER_WORD, MEMBER_BIT = range(3)
MEMBER_FIELDS = 3

# conditions: a moment of what waits against a moment of what comes, or a number against a number
RELATION, THEIRS, MINE, OFFSET = range(4)
CONDITION_FIELDS = 4
NOT_BEFORE, NOT_AFTER, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL = range(6)

# the state of all: the first free entry, how many rows and timers there are, what was found
FREE, ROWS, TIMERS, PAIRS, SILENCES = range(5)
STATE_FIELDS = 5

# pairs: the event of the batch that came last, the group and the member that asked, what waited
PAIR_FIELDS = 4

# silences: when one is over, its line, its event and, in words, the members for which it is
SILENCE_DUE, SILENCE_LINE, SILENCE_EVENT, SILENCE_MEMBERS = range(4)
