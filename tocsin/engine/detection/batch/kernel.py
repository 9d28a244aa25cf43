"""Compiled loops of detection by batches: events against buffered ones, in arrays.

They take events in canonical order and do what `engine.detection.sequence` and
`engine.detection.absence_after` do with objects, in the same order; only results return to Python.
`tables` allocates the arrays, with room for all that a batch can need; `layout` names their
columns.

    events    start, end, entries that hold it       keys, numbers: more columns of the same events
    lines     one buffer each: head, tail, lifetime, ...      groups, members, conditions: probes
    entries   event, key, next, next of key, row, words of readers to which it is unavailable
    rows      per line and key: first, last, count; per absent part and key: its last start
    extremes  per row and number: least and greatest among the entries of the row
    index     hash table: place << 32 | key  ->  row
    timers    heap of (deadline, line), at most one for each line

    line   HEAD -> e0 -> e1 -> e2 -> e3 <- TAIL       by NEXT, in the order of arrival
    row k  FIRST -> e0 -------> e2 <- LAST            by NEXT_OF_KEY, living entries only
    row m  FIRST -------------------> e3 <- LAST      e1 is a tombstone: consumed, ROW is NONE
    state  FREE -> e4 -> e5 -> ...                    by NEXT, entries to be used again

Entries of deadlines have no row: they are found from the head only.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.detection.batch.layout import (
    ABSENCE_DUE,
    ABSENCE_EVENT,
    ABSENCE_LINE,
    ABSENCE_MEMBERS,
    ABSENCES,
    ALLOWED,
    ARM_DEADLINE,
    BUFFER,
    BUFFERED,
    CONDITION_COUNT,
    CONDITIONS,
    END,
    EVENT,
    FIRST,
    FREE,
    GREATER,
    GROUP_COUNT,
    GROUP_MEMBERS,
    HEAD,
    KEY_COLUMN,
    LAST,
    LATEST,
    LENGTH,
    LESS,
    LESS_OR_EQUAL,
    LIFETIME,
    LIVING,
    MEMBER_BIT,
    MEMBER_LINE,
    MEMBER_WORD,
    NEEDS_KEY,
    NEXT,
    NEXT_OF_KEY,
    NONE,
    NOT_AFTER,
    NOT_BEFORE,
    OF_KEY,
    OFFSET,
    OP,
    ORDER_BOUND,
    PAIRS,
    PLACE,
    PROBE,
    PROBED,
    PROBED_BITS,
    PROBED_COUNT,
    PROBED_PLACE,
    PROBING,
    READERS,
    RELATION,
    ROW,
    ROW_KEY,
    ROW_PLACE,
    ROWS,
    SHARE,
    START,
    TAIL,
    TIMED,
    TIMERS,
    UNAVAILABLE,
    WAITING,
    WAITS,
)
from tocsin.engine.index.kernels import Flags, Floats, Ints, compiled, inlined

# 2**64 divided by the golden ratio, as a signed number: its product spreads neighbouring codes
_GOLDEN = -7046029254386353131
# low bits of a product ignore the high ones of the code, the place; 35 bits are left for the mask
_SHIFT = 29
# dead entries that a line may have before a sweep: one pays off only over many
_MIN_DEAD_TO_SWEEP = 64
# before every start: an absent part that has not started cancels nothing
_NEVER = -(2**63)


@inlined
def _find(index: Ints, place: int, key: int) -> int:
    """Return the row of a place and a key; NONE without one."""
    # the size is a power of two
    mask = index.shape[0] - 1
    # neither part is negative, so that a code is never NONE, which marks a free slot
    code = (place << 32) | key
    at = ((code * _GOLDEN) >> _SHIFT) & mask
    while index[at, 0] != code:
        # nothing is ever removed: a free slot ends the probe
        if index[at, 0] == NONE:
            return NONE
        at = (at + 1) & mask
    row: int = index[at, 1]
    return row


@inlined
def _row(index: Ints, rows: Ints, state: Ints, place: int, key: int) -> int:
    """Return the row of a place and a key, made if it is missing."""
    mask = index.shape[0] - 1
    code = (place << 32) | key
    at = ((code * _GOLDEN) >> _SHIFT) & mask
    while index[at, 0] != code:
        if index[at, 0] == NONE:
            # `tables` has made room for the rows of a whole batch, and keeps the index half empty
            row: int = state[ROWS]
            state[ROWS] = row + 1
            rows[row, FIRST] = NONE
            rows[row, LAST] = NONE
            rows[row, WAITING] = 0
            rows[row, LATEST] = _NEVER
            # for `reindex`, and for the way back into operators
            rows[row, ROW_PLACE] = place
            rows[row, ROW_KEY] = key
            index[at, 0] = code
            index[at, 1] = row
            return row
        at = (at + 1) & mask
    known: int = index[at, 1]
    return known


@inlined
def _push_timer(timers: Ints, state: Ints, due: int, line: int) -> None:
    """Add a deadline to the heap. Each line has one timer at most."""
    at = state[TIMERS]
    state[TIMERS] = at + 1
    # later deadlines above move down until the new one has its place
    while at > 0:
        above = (at - 1) >> 1
        if timers[above, 0] <= due:
            break
        timers[at, 0] = timers[above, 0]
        timers[at, 1] = timers[above, 1]
        at = above
    timers[at, 0] = due
    timers[at, 1] = line


@inlined
def _pop_timer(timers: Ints, state: Ints) -> int:
    """Remove the soonest timer and return its line."""
    line: int = timers[0, 1]
    size = state[TIMERS] - 1
    state[TIMERS] = size
    # the last of the heap fills the gap at the top, and sinks
    due, moved = timers[size, 0], timers[size, 1]
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        # the sooner of both below moves up
        if below + 1 < size and timers[below + 1, 0] < timers[below, 0]:
            below += 1
        # here it is no later than both below
        if timers[below, 0] >= due:
            break
        timers[at, 0] = timers[below, 0]
        timers[at, 1] = timers[below, 1]
        at = below
    timers[at, 0] = due
    timers[at, 1] = moved
    return line


@inlined
def _append(
    lines: Ints, entries: Ints, events: Ints, state: Ints, line: int, event: int, key: int
) -> int:
    """Add an entry at the end of a line and return it."""
    # never empty: `tables` has made room for all entries of a batch
    entry: int = state[FREE]
    state[FREE] = entries[entry, NEXT]
    entries[entry, EVENT] = event
    entries[entry, OF_KEY] = key
    entries[entry, NEXT] = NONE
    entries[entry, NEXT_OF_KEY] = NONE
    entries[entry, ROW] = NONE
    # an entry that is used again has the bits of its predecessor
    for word in range(UNAVAILABLE, entries.shape[1]):
        entries[entry, word] = 0
    tail = lines[line, TAIL]
    # an empty line
    if tail == NONE:
        lines[line, HEAD] = entry
    else:
        entries[tail, NEXT] = entry
    lines[line, TAIL] = entry
    lines[line, LENGTH] += 1
    # an event that several lines hold is dropped with the last of them
    events[event, WAITS] += 1
    return entry


@inlined
def _release(entries: Ints, events: Ints, state: Ints, entry: int) -> None:
    """Put an entry that is out of its line on the free list."""
    events[entries[entry, EVENT], WAITS] -= 1
    entries[entry, NEXT] = state[FREE]
    state[FREE] = entry


@inlined
def _unlink(
    lines: Ints, entries: Ints, events: Ints, state: Ints, line: int, before: int, entry: int
) -> None:
    """Take an entry out of a line; `before` is the one before it, NONE for the first. The caller
    sets the tail.
    """
    after = entries[entry, NEXT]
    # lines are linked one way, so that the caller has to know the entry before
    if before == NONE:
        lines[line, HEAD] = after
    else:
        entries[before, NEXT] = after
    lines[line, LENGTH] -= 1
    _release(entries, events, state, entry)


@inlined
def _pop_head(lines: Ints, entries: Ints, events: Ints, state: Ints, line: int) -> None:
    _unlink(lines, entries, events, state, line, NONE, lines[line, HEAD])
    # the only entry was the tail, too
    if lines[line, HEAD] == NONE:
        lines[line, TAIL] = NONE


@compiled
def expire(
    lines: Ints, entries: Ints, rows: Ints, events: Ints, state: Ints, line: int, now: int
) -> None:
    """Expire entries that ended before `now - lifetime`. The oldest living entry of a line is also
    the oldest of its key.
    """
    oldest = now - lines[line, LIFETIME]
    head = lines[line, HEAD]
    # ends do not decrease along a line, so that the first entry in time ends the loop
    while head != NONE and events[entries[head, EVENT], END] < oldest:
        row = entries[head, ROW]
        # a tombstone has left its row already
        if row != NONE:
            # it is the first of its row: both chains are in the order of arrival
            rows[row, FIRST] = entries[head, NEXT_OF_KEY]
            if rows[row, FIRST] == NONE:
                rows[row, LAST] = NONE
            rows[row, WAITING] -= 1
            lines[line, LIVING] -= 1
        _pop_head(lines, entries, events, state, line)
        head = lines[line, HEAD]


@compiled
def _add_to_buffer(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    extremes: Floats,
    index: Ints,
    events: Ints,
    numbers: Floats,
    state: Ints,
    line: int,
    event: int,
    key: int,
) -> None:
    """Buffer an event under its key, for a later event to pair with."""
    entry = _append(lines, entries, events, state, line, event, key)
    row = _row(index, rows, state, line, key)
    entries[entry, ROW] = row
    last = rows[row, LAST]
    if last == NONE:
        rows[row, FIRST] = entry
        # extremes of what has left the row are out of date
        for column in range(numbers.shape[1]):
            extremes[row, column, 0] = np.inf
            extremes[row, column, 1] = -np.inf
    else:
        entries[last, NEXT_OF_KEY] = entry
    rows[row, LAST] = entry
    rows[row, WAITING] += 1
    lines[line, LIVING] += 1
    # every number column, since any of them may be the order bound of a group; NaN changes neither
    for column in range(numbers.shape[1]):
        number = numbers[event, column]
        extremes[row, column, 0] = min(extremes[row, column, 0], number)
        extremes[row, column, 1] = max(extremes[row, column, 1], number)


@compiled
def _sweep_used(lines: Ints, entries: Ints, events: Ints, state: Ints, line: int) -> None:
    """Take all tombstones out of a line."""
    before, entry = NONE, lines[line, HEAD]
    while entry != NONE:
        # read before the entry is on the free list, which uses the same link
        after = entries[entry, NEXT]
        if entries[entry, ROW] != NONE:
            before = entry
        else:
            _unlink(lines, entries, events, state, line, before, entry)
        entry = after
    # the last that is left, NONE in an empty line
    lines[line, TAIL] = before


@inlined
def _holds(relation: int, buffered: float, probing: float) -> bool:
    """True if the order holds between two numbers; a missing one is NaN, of which none holds."""
    # no order is tested as the negation of another: with NaN both are false
    if relation == LESS:
        return buffered < probing
    if relation == LESS_OR_EQUAL:
        return buffered <= probing
    if relation == GREATER:
        return buffered > probing
    return buffered >= probing


@inlined
def _fits(
    conditions: Ints,
    first: int,
    count: int,
    events: Ints,
    numbers: Floats,
    buffered: int,
    probing: int,
) -> bool:
    """True if a buffered event and a new one meet all conditions."""
    for condition in range(first, first + count):
        relation = conditions[condition, RELATION]
        other, own = conditions[condition, BUFFERED], conditions[condition, PROBING]
        # moments are integers, columns of the events; orders compare columns of floats
        if relation == NOT_BEFORE:
            if events[buffered, other] < events[probing, own] + conditions[condition, OFFSET]:
                return False
        elif relation == NOT_AFTER:
            if events[buffered, other] > events[probing, own] + conditions[condition, OFFSET]:
                return False
        elif not _holds(relation, numbers[buffered, other], numbers[probing, own]):
            return False
    return True


@compiled
def _consume(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    events: Ints,
    state: Ints,
    line: int,
    entry: int,
    before: int,
    word: int,
    bit: int,
) -> None:
    """Consume an entry for one reader. Unlink it from its row when no reader is left."""
    entries[entry, UNAVAILABLE + word] |= 1 << bit
    for each in range(entries.shape[1] - UNAVAILABLE):
        everyone = lines[line, READERS + each]
        # available to another reader: it stays
        if entries[entry, UNAVAILABLE + each] & everyone != everyone:
            return
    row, after = entries[entry, ROW], entries[entry, NEXT_OF_KEY]
    # `before` is the one before it in its row; in the line the one before is not known
    if before == NONE:
        rows[row, FIRST] = after
    else:
        entries[before, NEXT_OF_KEY] = after
    if after == NONE:
        rows[row, LAST] = before
    rows[row, WAITING] -= 1
    lines[line, LIVING] -= 1
    # so it stays in the line, as a tombstone, until these outnumber the living
    entries[entry, ROW] = NONE
    if lines[line, LENGTH] > 2 * lines[line, LIVING] + _MIN_DEAD_TO_SWEEP:
        _sweep_used(lines, entries, events, state, line)


@compiled
def _probe(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    extremes: Floats,
    events: Ints,
    numbers: Floats,
    state: Ints,
    group: Ints,
    conditions: Ints,
    line: int,
    row: int,
    word: int,
    bit: int,
    event: int,
) -> int:
    """Return the event of the oldest entry that fits and is available to a reader, and consume it;
    NONE without any.
    """
    screen = group[ORDER_BOUND]
    column, side = 0, 0
    # the group has an order between numbers: if the best of the row fails, all do
    if screen != NONE:
        column = conditions[screen, BUFFERED]
        relation = conditions[screen, RELATION]
        # the least of the row is the best for "less", the greatest for "greater"
        side = 0 if relation in (LESS, LESS_OR_EQUAL) else 1
        own = numbers[event, conditions[screen, PROBING]]
        if not _holds(relation, extremes[row, column, side], own):
            return NONE
    head = rows[row, FIRST]
    # expiry keeps the window, no condition does: an entry beyond it must not be found
    if events[entries[head, EVENT], END] + lines[line, LIFETIME] < events[event, END]:
        expire(lines, entries, rows, events, state, line, events[event, END])
    least, greatest = np.inf, -np.inf
    # read again, since expiry may have emptied the row
    before, entry = NONE, rows[row, FIRST]
    while entry != NONE:
        theirs: int = entries[entry, EVENT]
        # the bit of a reader is set if it consumed the entry, or attached after it
        if (entries[entry, UNAVAILABLE + word] >> bit) & 1 == 0 and _fits(
            conditions,
            group[CONDITIONS],
            group[CONDITION_COUNT],
            events,
            numbers,
            theirs,
            event,
        ):
            _consume(lines, entries, rows, events, state, line, entry, before, word, bit)
            return theirs
        if screen != NONE:
            number = numbers[theirs, column]
            least = min(least, number)
            greatest = max(greatest, number)
        before, entry = entry, entries[entry, NEXT_OF_KEY]
    # the bound let too much pass; all entries were visited, so that it can be made exact
    if screen != NONE:
        extremes[row, column, 0] = least
        extremes[row, column, 1] = greatest
    return NONE


@compiled
def _live_readers(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    index: Ints,
    events: Ints,
    probed: Ints,
    line: int,
    entry: int,
    word: int,
) -> int:
    """Return, as bits of one word, the readers for which the absence after an entry is not
    cancelled.
    """
    waiting: int = lines[line, READERS + word] & ~entries[entry, UNAVAILABLE + word]
    end, key = events[entries[entry, EVENT], END], entries[entry, OF_KEY]
    # without a key nothing cancels it
    if key != NONE and waiting != 0:
        # one table of starts for each absent part that readers of the line have
        begin = lines[line, PROBED]
        for each in range(begin, begin + lines[line, PROBED_COUNT]):
            row = _find(index, probed[each, PROBED_PLACE], key)
            # the window opens with the end of the entry: a start at that instant is outside
            if row != NONE and rows[row, LATEST] > end:
                waiting &= ~probed[each, PROBED_BITS + word]
    return waiting


@compiled
def _has_live_reader(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    index: Ints,
    events: Ints,
    probed: Ints,
    line: int,
    entry: int,
) -> bool:
    """True if the absence after an entry is not cancelled for some reader."""
    # the first word with a live reader decides
    for word in range(entries.shape[1] - UNAVAILABLE):
        if _live_readers(lines, entries, rows, index, events, probed, line, entry, word) != 0:
            return True
    return False


@compiled
def _set_timer(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    index: Ints,
    events: Ints,
    probed: Ints,
    timers: Ints,
    state: Ints,
    line: int,
) -> None:
    """Arm the timer for the first entry with a live reader; drop dead entries before it."""
    head = lines[line, HEAD]
    while head != NONE:
        if _has_live_reader(lines, entries, rows, index, events, probed, line, head):
            # one timer for each line: deadlines come in the order of arrival
            lines[line, TIMED] = 1
            due = events[entries[head, EVENT], END] + lines[line, LIFETIME]
            _push_timer(timers, state, due, line)
            return
        # cancelled for all readers, as most entries are long before their deadline
        _pop_head(lines, entries, events, state, line)
        head = lines[line, HEAD]


@compiled
def _drop_cancelled(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    index: Ints,
    events: Ints,
    probed: Ints,
    state: Ints,
    line: int,
) -> None:
    """Drop all entries of deadlines without a live reader, before they are due."""
    before, entry = NONE, lines[line, HEAD]
    while entry != NONE:
        after = entries[entry, NEXT]
        # the armed timer may be for an entry that goes: then it fires for nothing
        if _has_live_reader(lines, entries, rows, index, events, probed, line, entry):
            before = entry
        else:
            _unlink(lines, entries, events, state, line, before, entry)
        entry = after
    lines[line, TAIL] = before
    # the next time when the line has doubled, so that the cost per entry is constant
    lines[line, ALLOWED] = 2 * lines[line, LENGTH] + _MIN_DEAD_TO_SWEEP


@compiled
def emit_absences(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    index: Ints,
    events: Ints,
    probed: Ints,
    timers: Ints,
    state: Ints,
    absences: Ints,
    now: int,
) -> None:
    """List the absences that are due by `now`, with the readers for which they hold."""
    while state[TIMERS] > 0 and timers[0, 0] <= now:
        # all due entries of one line follow at once: Python sorts absences by deadline
        line = _pop_timer(timers, state)
        # set again below, if an entry is left
        lines[line, TIMED] = 0
        head = lines[line, HEAD]
        while head != NONE:
            event = entries[head, EVENT]
            due = events[event, END] + lines[line, LIFETIME]
            if due > now:
                break
            # the place is taken only if a reader is left; otherwise the next entry overwrites it
            at = state[ABSENCES]
            for word in range(entries.shape[1] - UNAVAILABLE):
                members = _live_readers(
                    lines, entries, rows, index, events, probed, line, head, word
                )
                absences[at, ABSENCE_MEMBERS + word] = members
                if members != 0:
                    state[ABSENCES] = at + 1
            absences[at, ABSENCE_DUE] = due
            absences[at, ABSENCE_LINE] = line
            absences[at, ABSENCE_EVENT] = event
            _pop_head(lines, entries, events, state, line)
            head = lines[line, HEAD]
        # the rest of the line is due later, and may be dead
        _set_timer(lines, entries, rows, index, events, probed, timers, state, line)


@compiled
def set_timers(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    index: Ints,
    events: Ints,
    probed: Ints,
    timers: Ints,
    state: Ints,
) -> None:
    """Arm the timers of all lines of deadlines, which were just loaded."""
    for line in range(lines.shape[0]):
        # NEEDS_KEY is NONE for lines of sequences, which have no timers
        if lines[line, NEEDS_KEY] >= 0 and lines[line, TIMED] == 0:
            _set_timer(lines, entries, rows, index, events, probed, timers, state, line)


@compiled
def put(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    extremes: Floats,
    index: Ints,
    events: Ints,
    numbers: Floats,
    state: Ints,
    line: int,
    waiting: Ints,
) -> None:
    """Load a line with entries: event, key, and words of the readers to which it is unavailable."""
    for i in range(waiting.shape[0]):
        event, key = waiting[i, 0], waiting[i, 1]
        # deadlines are never found by key, so that they need no row
        if lines[line, NEEDS_KEY] >= 0:
            _append(lines, entries, events, state, line, event, key)
        else:
            _add_to_buffer(
                lines, entries, rows, extremes, index, events, numbers, state, line, event, key
            )
        # the entry just added is the tail
        for word in range(entries.shape[1] - UNAVAILABLE):
            entries[lines[line, TAIL], UNAVAILABLE + word] = waiting[i, 2 + word]


@inlined
def _note_start(index: Ints, rows: Ints, state: Ints, place: int, key: int, start: int) -> None:
    row = _row(index, rows, state, place, key)
    # events come by end, so that a long one may have started before the last
    rows[row, LATEST] = max(rows[row, LATEST], start)


@compiled
def note_starts(index: Ints, rows: Ints, state: Ints, place: int, starts: Ints) -> None:
    """Load the last starts of an absent part: keys and instants."""
    for i in range(starts.shape[0]):
        _note_start(index, rows, state, place, starts[i, 0], starts[i, 1])


@compiled
def reindex(index: Ints, rows: Ints, state: Ints) -> None:
    """Fill an empty index with all rows."""
    mask = index.shape[0] - 1
    for row in range(state[ROWS]):
        code = (rows[row, ROW_PLACE] << 32) | rows[row, ROW_KEY]
        at = ((code * _GOLDEN) >> _SHIFT) & mask
        # codes differ, so that a free slot is all that is looked for
        while index[at, 0] != NONE:
            at = (at + 1) & mask
        index[at, 0] = code
        index[at, 1] = row


@compiled
def detect(
    base: int,
    firsts: Ints,
    atoms: Ints,
    within: Flags,
    op_firsts: Ints,
    ops: Ints,
    lines: Ints,
    entries: Ints,
    rows: Ints,
    extremes: Floats,
    index: Ints,
    events: Ints,
    keys: Ints,
    numbers: Floats,
    groups: Ints,
    members: Ints,
    conditions: Ints,
    probed: Ints,
    timers: Ints,
    state: Ints,
    pairs: Ints,
    absences: Ints,
) -> None:
    """Run a batch whose first event is `base`; event i is an occurrence of the atoms from firsts[i]
    on, and in the shares of within[i].
    """
    # Python has read the results of the last batch
    state[PAIRS] = 0
    state[ABSENCES] = 0
    for i in range(firsts.shape[0] - 1):
        event = base + i
        now = events[event, END]
        # only deadlines before the event: one at `now` is for after all events that end by then
        if state[TIMERS] > 0 and timers[0, 0] < now:
            emit_absences(
                lines, entries, rows, index, events, probed, timers, state, absences, now - 1
            )
        for a in range(firsts[i], firsts[i + 1]):
            atom = atoms[a]
            # the ops of an atom are in the order in which its consumers would be served
            for o in range(op_firsts[atom], op_firsts[atom + 1]):
                # consumers of a share of the events skip the others
                if not within[i, ops[o, SHARE]]:
                    continue
                op, place = ops[o, OP], ops[o, PLACE]
                key = keys[event, ops[o, KEY_COLUMN]]
                if op == ARM_DEADLINE:
                    # missing key: ignored; missing attribute of a condition: cannot be cancelled
                    if key == NONE and lines[place, NEEDS_KEY] == 1:
                        continue
                    _append(lines, entries, events, state, place, event, key)
                    # cancelled entries behind the head are not seen by the timer
                    if lines[place, LENGTH] > lines[place, ALLOWED]:
                        _drop_cancelled(lines, entries, rows, index, events, probed, state, place)
                    # an armed timer is for an older entry, which is due no later
                    if lines[place, TIMED] == 0:
                        _set_timer(
                            lines, entries, rows, index, events, probed, timers, state, place
                        )
                # without its key an event pairs with nothing, and cancels nothing
                elif key == NONE:
                    continue
                elif op == BUFFER:
                    # before the append, so that expired entries do not count as buffered
                    expire(lines, entries, rows, events, state, place, now)
                    _add_to_buffer(
                        lines,
                        entries,
                        rows,
                        extremes,
                        index,
                        events,
                        numbers,
                        state,
                        place,
                        event,
                        key,
                    )
                elif op == PROBE:
                    group = groups[place]
                    begin = group[GROUP_MEMBERS]
                    # each member takes its own oldest entry: what one consumes others may have
                    for member in range(begin, begin + group[GROUP_COUNT]):
                        line = members[member, MEMBER_LINE]
                        row = _find(index, line, key)
                        # the common case: nothing is buffered under the key
                        if row == NONE or rows[row, WAITING] == 0:
                            continue
                        first = _probe(
                            lines,
                            entries,
                            rows,
                            extremes,
                            events,
                            numbers,
                            state,
                            group,
                            conditions,
                            line,
                            row,
                            members[member, MEMBER_WORD],
                            members[member, MEMBER_BIT],
                            event,
                        )
                        if first != NONE:
                            # at most one pair for each event and member: `tables` has made room
                            at = state[PAIRS]
                            state[PAIRS] = at + 1
                            # by number in the batch, to find the step that emits it
                            pairs[at, 0] = i
                            pairs[at, 1] = place
                            pairs[at, 2] = member
                            pairs[at, 3] = first
                # NOTE_START: what the start cancels is found out at the deadlines
                else:
                    _note_start(index, rows, state, place, key, events[event, START])


@compiled
def forget_before(
    lines: Ints, entries: Ints, rows: Ints, events: Ints, state: Ints, now: int
) -> None:
    """Expire entries that nothing which ends at `now` or later can complete; deadlines have their
    timers.
    """
    for line in range(lines.shape[0]):
        # lines of sequences only
        if lines[line, NEEDS_KEY] < 0:
            expire(lines, entries, rows, events, state, line, now)


@compiled
def list_line(lines: Ints, entries: Ints, line: int, listed: Ints) -> int:
    """List the living entries of a line, oldest first, as `put` takes them; return their number."""
    # `listed` has a place for each entry of the line, tombstones included
    count = 0
    entry = lines[line, HEAD]
    while entry != NONE:
        # a line of deadlines has no rows, and no tombstones
        if lines[line, NEEDS_KEY] >= 0 or entries[entry, ROW] != NONE:
            listed[count, 0] = entries[entry, EVENT]
            listed[count, 1] = entries[entry, OF_KEY]
            for word in range(entries.shape[1] - UNAVAILABLE):
                listed[count, 2 + word] = entries[entry, UNAVAILABLE + word]
            count += 1
        entry = entries[entry, NEXT]
    return count
