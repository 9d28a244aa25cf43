"""The loops of detection by batches: events in canonical order against what waits, in arrays.

They do what `engine.detection.sequence` and `engine.detection.absence_after` do with objects, in
the same order; only what was found is told to Python. Arrays are made by `tables`, with room for
all that a batch can need.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.detection.batch.layout import (
    ALLOWED,
    ASK,
    ASKED,
    ASKED_BITS,
    ASKED_COUNT,
    ASKED_PLACE,
    AWAIT,
    CONDITION_COUNT,
    CONDITIONS,
    END,
    EVENT,
    EVERYONE,
    FIRST,
    FREE,
    GONE,
    GREATER,
    GROUP_COUNT,
    GROUP_MEMBERS,
    HEAD,
    KEEP,
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
    MINE,
    NEEDS_KEY,
    NEXT,
    NEXT_OF_KEY,
    NONE,
    NOT_AFTER,
    NOT_BEFORE,
    OF_KEY,
    OFFSET,
    OP,
    PAIRS,
    PLACE,
    RELATION,
    ROW,
    ROW_KEY,
    ROW_PLACE,
    ROWS,
    SCREEN,
    SHARE,
    SILENCE_DUE,
    SILENCE_EVENT,
    SILENCE_LINE,
    SILENCE_MEMBERS,
    SILENCES,
    START,
    TAIL,
    THEIRS,
    TIMED,
    TIMERS,
    WAITING,
    WAITS,
)
from tocsin.engine.index.kernels import Flags, Floats, Ints, compiled, inlined

_GOLDEN = -7046029254386353131
_SHIFT = 29
_ROOM = 64
_NEVER = -(2**63)


@inlined
def _find(index: Ints, place: int, key: int) -> int:
    """The row of a place and a key; NONE where there is none."""
    mask = index.shape[0] - 1
    code = (place << 32) | key
    at = ((code * _GOLDEN) >> _SHIFT) & mask
    while index[at, 0] != code:
        if index[at, 0] == NONE:
            return NONE
        at = (at + 1) & mask
    row: int = index[at, 1]
    return row


@inlined
def _row(index: Ints, rows: Ints, state: Ints, place: int, key: int) -> int:
    """The row of a place and a key, made where there is none."""
    mask = index.shape[0] - 1
    code = (place << 32) | key
    at = ((code * _GOLDEN) >> _SHIFT) & mask
    while index[at, 0] != code:
        if index[at, 0] == NONE:
            row: int = state[ROWS]
            state[ROWS] = row + 1
            rows[row, FIRST] = NONE
            rows[row, LAST] = NONE
            rows[row, WAITING] = 0
            rows[row, LATEST] = _NEVER
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
    """A heap of the soonest deadlines: each line has one timer at most."""
    at = state[TIMERS]
    state[TIMERS] = at + 1
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
    """The line of the soonest timer, which is taken out."""
    line: int = timers[0, 1]
    size = state[TIMERS] - 1
    state[TIMERS] = size
    due, moved = timers[size, 0], timers[size, 1]
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and timers[below + 1, 0] < timers[below, 0]:
            below += 1
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
    """One more waits at the end of a line."""
    entry: int = state[FREE]
    state[FREE] = entries[entry, NEXT]
    entries[entry, EVENT] = event
    entries[entry, OF_KEY] = key
    entries[entry, NEXT] = NONE
    entries[entry, NEXT_OF_KEY] = NONE
    entries[entry, ROW] = NONE
    for word in range(GONE, entries.shape[1]):
        entries[entry, word] = 0
    tail = lines[line, TAIL]
    if tail == NONE:
        lines[line, HEAD] = entry
    else:
        entries[tail, NEXT] = entry
    lines[line, TAIL] = entry
    lines[line, LENGTH] += 1
    events[event, WAITS] += 1
    return entry


@inlined
def _release(entries: Ints, events: Ints, state: Ints, entry: int) -> None:
    """An entry that is out of its line may be used again."""
    events[entries[entry, EVENT], WAITS] -= 1
    entries[entry, NEXT] = state[FREE]
    state[FREE] = entry


@inlined
def _cut_out(
    lines: Ints, entries: Ints, events: Ints, state: Ints, line: int, before: int, entry: int
) -> None:
    """Takes an entry out of a line; `before` is the one before it, NONE where it is the first.
    Where the line ends then is for the caller to say.
    """
    after = entries[entry, NEXT]
    if before == NONE:
        lines[line, HEAD] = after
    else:
        entries[before, NEXT] = after
    lines[line, LENGTH] -= 1
    _release(entries, events, state, entry)


@inlined
def _pop_head(lines: Ints, entries: Ints, events: Ints, state: Ints, line: int) -> None:
    _cut_out(lines, entries, events, state, line, NONE, lines[line, HEAD])
    if lines[line, HEAD] == NONE:
        lines[line, TAIL] = NONE


@compiled
def trim(
    lines: Ints, entries: Ints, rows: Ints, events: Ints, state: Ints, line: int, now: int
) -> None:
    """Drops what nothing that ends at `now` or later can complete. What lives and stands first in a
    line stands first under its key, too.
    """
    oldest = now - lines[line, LIFETIME]
    head = lines[line, HEAD]
    while head != NONE and events[entries[head, EVENT], END] < oldest:
        row = entries[head, ROW]
        if row != NONE:
            rows[row, FIRST] = entries[head, NEXT_OF_KEY]
            if rows[row, FIRST] == NONE:
                rows[row, LAST] = NONE
            rows[row, WAITING] -= 1
            lines[line, LIVING] -= 1
        _pop_head(lines, entries, events, state, line)
        head = lines[line, HEAD]


@compiled
def _keep(
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
    """One more may be followed."""
    entry = _append(lines, entries, events, state, line, event, key)
    row = _row(index, rows, state, line, key)
    entries[entry, ROW] = row
    last = rows[row, LAST]
    if last == NONE:
        rows[row, FIRST] = entry
        for column in range(numbers.shape[1]):
            extremes[row, column, 0] = np.inf
            extremes[row, column, 1] = -np.inf
    else:
        entries[last, NEXT_OF_KEY] = entry
    rows[row, LAST] = entry
    rows[row, WAITING] += 1
    lines[line, LIVING] += 1
    for column in range(numbers.shape[1]):
        number = numbers[event, column]
        extremes[row, column, 0] = min(extremes[row, column, 0], number)
        extremes[row, column, 1] = max(extremes[row, column, 1], number)


@compiled
def _sweep_used(lines: Ints, entries: Ints, events: Ints, state: Ints, line: int) -> None:
    """Takes out of a line what was used up."""
    before, entry = NONE, lines[line, HEAD]
    while entry != NONE:
        after = entries[entry, NEXT]
        if entries[entry, ROW] != NONE:
            before = entry
        else:
            _cut_out(lines, entries, events, state, line, before, entry)
        entry = after
    lines[line, TAIL] = before


@inlined
def _holds(relation: int, theirs: float, mine: float) -> bool:
    """Whether an order holds between two numbers; it holds of none that is missing."""
    if relation == LESS:
        return theirs < mine
    if relation == LESS_OR_EQUAL:
        return theirs <= mine
    if relation == GREATER:
        return theirs > mine
    return theirs >= mine


@inlined
def _fits(
    conditions: Ints, first: int, count: int, events: Ints, numbers: Floats, theirs: int, mine: int
) -> bool:
    """Whether what waits and what comes meet all conditions."""
    for condition in range(first, first + count):
        relation = conditions[condition, RELATION]
        other, own = conditions[condition, THEIRS], conditions[condition, MINE]
        if relation == NOT_BEFORE:
            if events[theirs, other] < events[mine, own] + conditions[condition, OFFSET]:
                return False
        elif relation == NOT_AFTER:
            if events[theirs, other] > events[mine, own] + conditions[condition, OFFSET]:
                return False
        elif not _holds(relation, numbers[theirs, other], numbers[mine, own]):
            return False
    return True


@compiled
def _use_up(
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
    """A bit says that the member has it no more; who is the last to lose it takes it out."""
    entries[entry, GONE + word] |= 1 << bit
    for each in range(entries.shape[1] - GONE):
        everyone = lines[line, EVERYONE + each]
        if entries[entry, GONE + each] & everyone != everyone:
            return
    row, after = entries[entry, ROW], entries[entry, NEXT_OF_KEY]
    if before == NONE:
        rows[row, FIRST] = after
    else:
        entries[before, NEXT_OF_KEY] = after
    if after == NONE:
        rows[row, LAST] = before
    rows[row, WAITING] -= 1
    lines[line, LIVING] -= 1
    entries[entry, ROW] = NONE
    if lines[line, LENGTH] > 2 * lines[line, LIVING] + _ROOM:
        _sweep_used(lines, entries, events, state, line)


@compiled
def _ask(
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
    """The event of the oldest that waits, fits and is still to be had for a member; it is used up.
    NONE where there is none.
    """
    screen = group[SCREEN]
    column, side = 0, 0
    if screen != NONE:
        column = conditions[screen, THEIRS]
        relation = conditions[screen, RELATION]
        side = 0 if relation in (LESS, LESS_OR_EQUAL) else 1
        own = numbers[event, conditions[screen, MINE]]
        if not _holds(relation, extremes[row, column, side], own):
            return NONE
    head = rows[row, FIRST]
    if events[entries[head, EVENT], END] + lines[line, LIFETIME] < events[event, END]:
        trim(lines, entries, rows, events, state, line, events[event, END])
    least, greatest = np.inf, -np.inf
    before, entry = NONE, rows[row, FIRST]
    while entry != NONE:
        theirs: int = entries[entry, EVENT]
        if (entries[entry, GONE + word] >> bit) & 1 == 0 and _fits(
            conditions,
            group[CONDITIONS],
            group[CONDITION_COUNT],
            events,
            numbers,
            theirs,
            event,
        ):
            _use_up(lines, entries, rows, events, state, line, entry, before, word, bit)
            return theirs
        if screen != NONE:
            number = numbers[theirs, column]
            least = min(least, number)
            greatest = max(greatest, number)
        before, entry = entry, entries[entry, NEXT_OF_KEY]
    if screen != NONE:  # it promised too much: all were looked at, so it is known exactly now
        extremes[row, column, 0] = least
        extremes[row, column, 1] = greatest
    return NONE


@compiled
def _waiting_for(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    index: Ints,
    events: Ints,
    asked: Ints,
    line: int,
    entry: int,
    word: int,
) -> int:
    """The members, as bits of a word, for which the silence after an entry is unbroken."""
    waiting: int = lines[line, EVERYONE + word] & ~entries[entry, GONE + word]
    end, key = events[entries[entry, EVENT], END], entries[entry, OF_KEY]
    if key != NONE and waiting != 0:
        begin = lines[line, ASKED]
        for each in range(begin, begin + lines[line, ASKED_COUNT]):
            row = _find(index, asked[each, ASKED_PLACE], key)
            if row != NONE and rows[row, LATEST] > end:
                waiting &= ~asked[each, ASKED_BITS + word]
    return waiting


@compiled
def _is_waited_for(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    index: Ints,
    events: Ints,
    asked: Ints,
    line: int,
    entry: int,
) -> bool:
    """Whether the silence after an entry is unbroken for anybody."""
    for word in range(entries.shape[1] - GONE):
        if _waiting_for(lines, entries, rows, index, events, asked, line, entry, word) != 0:
            return True
    return False


@compiled
def _set_timer(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    index: Ints,
    events: Ints,
    asked: Ints,
    timers: Ints,
    state: Ints,
    line: int,
) -> None:
    """For the first that anybody waits for; what nobody does is dropped on the way to it."""
    head = lines[line, HEAD]
    while head != NONE:
        if _is_waited_for(lines, entries, rows, index, events, asked, line, head):
            lines[line, TIMED] = 1
            due = events[entries[head, EVENT], END] + lines[line, LIFETIME]
            _push_timer(timers, state, due, line)
            return
        _pop_head(lines, entries, events, state, line)
        head = lines[line, HEAD]


@compiled
def _drop_broken(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    index: Ints,
    events: Ints,
    asked: Ints,
    state: Ints,
    line: int,
) -> None:
    """What no member waits for any more need not be kept until its deadline."""
    before, entry = NONE, lines[line, HEAD]
    while entry != NONE:
        after = entries[entry, NEXT]
        if _is_waited_for(lines, entries, rows, index, events, asked, line, entry):
            before = entry
        else:
            _cut_out(lines, entries, events, state, line, before, entry)
        entry = after
    lines[line, TAIL] = before
    lines[line, ALLOWED] = 2 * lines[line, LENGTH] + _ROOM


@compiled
def ring_silences(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    index: Ints,
    events: Ints,
    asked: Ints,
    timers: Ints,
    state: Ints,
    silences: Ints,
    now: int,
) -> None:
    """The silences whose deadlines have come by `now`."""
    while state[TIMERS] > 0 and timers[0, 0] <= now:
        line = _pop_timer(timers, state)
        lines[line, TIMED] = 0
        head = lines[line, HEAD]
        while head != NONE:
            event = entries[head, EVENT]
            due = events[event, END] + lines[line, LIFETIME]
            if due > now:
                break
            at = state[SILENCES]
            for word in range(entries.shape[1] - GONE):
                members = _waiting_for(lines, entries, rows, index, events, asked, line, head, word)
                silences[at, SILENCE_MEMBERS + word] = members
                if members != 0:
                    state[SILENCES] = at + 1
            silences[at, SILENCE_DUE] = due
            silences[at, SILENCE_LINE] = line
            silences[at, SILENCE_EVENT] = event
            _pop_head(lines, entries, events, state, line)
            head = lines[line, HEAD]
        _set_timer(lines, entries, rows, index, events, asked, timers, state, line)


@compiled
def set_timers(
    lines: Ints,
    entries: Ints,
    rows: Ints,
    index: Ints,
    events: Ints,
    asked: Ints,
    timers: Ints,
    state: Ints,
) -> None:
    """For all lines of silences, which are filled and have none yet."""
    for line in range(lines.shape[0]):
        if lines[line, NEEDS_KEY] >= 0 and lines[line, TIMED] == 0:
            _set_timer(lines, entries, rows, index, events, asked, timers, state, line)


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
    """What waited in a line before there were tables: event, key and who has it no more."""
    for i in range(waiting.shape[0]):
        event, key = waiting[i, 0], waiting[i, 1]
        if lines[line, NEEDS_KEY] >= 0:
            _append(lines, entries, events, state, line, event, key)
        else:
            _keep(lines, entries, rows, extremes, index, events, numbers, state, line, event, key)
        for word in range(entries.shape[1] - GONE):
            entries[lines[line, TAIL], GONE + word] = waiting[i, 2 + word]


@inlined
def _note_start(index: Ints, rows: Ints, state: Ints, place: int, key: int, start: int) -> None:
    row = _row(index, rows, state, place, key)
    rows[row, LATEST] = max(rows[row, LATEST], start)


@compiled
def note_starts(index: Ints, rows: Ints, state: Ints, place: int, starts: Ints) -> None:
    """When an absent part last started before there were tables: keys and instants."""
    for i in range(starts.shape[0]):
        _note_start(index, rows, state, place, starts[i, 0], starts[i, 1])


@compiled
def reindex(index: Ints, rows: Ints, state: Ints) -> None:
    """Finds all rows by an index that is empty yet."""
    mask = index.shape[0] - 1
    for row in range(state[ROWS]):
        code = (rows[row, ROW_PLACE] << 32) | rows[row, ROW_KEY]
        at = ((code * _GOLDEN) >> _SHIFT) & mask
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
    asked: Ints,
    timers: Ints,
    state: Ints,
    pairs: Ints,
    silences: Ints,
) -> None:
    """A batch, whose first event is `base`; event i is an occurrence of the atoms from firsts[i]
    on, and in the shares of within[i].
    """
    state[PAIRS] = 0
    state[SILENCES] = 0
    for i in range(firsts.shape[0] - 1):
        event = base + i
        now = events[event, END]
        if state[TIMERS] > 0 and timers[0, 0] < now:
            ring_silences(
                lines, entries, rows, index, events, asked, timers, state, silences, now - 1
            )
        for a in range(firsts[i], firsts[i + 1]):
            atom = atoms[a]
            for o in range(op_firsts[atom], op_firsts[atom + 1]):
                if not within[i, ops[o, SHARE]]:
                    continue
                op, place = ops[o, OP], ops[o, PLACE]
                key = keys[event, ops[o, KEY_COLUMN]]
                if op == AWAIT:
                    if key == NONE and lines[place, NEEDS_KEY] == 1:
                        continue
                    _append(lines, entries, events, state, place, event, key)
                    if lines[place, LENGTH] > lines[place, ALLOWED]:
                        _drop_broken(lines, entries, rows, index, events, asked, state, place)
                    if lines[place, TIMED] == 0:
                        _set_timer(lines, entries, rows, index, events, asked, timers, state, place)
                elif key == NONE:
                    continue
                elif op == KEEP:
                    trim(lines, entries, rows, events, state, place, now)
                    _keep(
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
                elif op == ASK:
                    group = groups[place]
                    begin = group[GROUP_MEMBERS]
                    for member in range(begin, begin + group[GROUP_COUNT]):
                        line = members[member, MEMBER_LINE]
                        row = _find(index, line, key)
                        if row == NONE or rows[row, WAITING] == 0:
                            continue
                        first = _ask(
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
                            at = state[PAIRS]
                            state[PAIRS] = at + 1
                            pairs[at, 0] = i
                            pairs[at, 1] = place
                            pairs[at, 2] = member
                            pairs[at, 3] = first
                else:
                    _note_start(index, rows, state, place, key, events[event, START])


@compiled
def forget_before(
    lines: Ints, entries: Ints, rows: Ints, events: Ints, state: Ints, now: int
) -> None:
    """Drops what nothing that ends at `now` or later can complete; silences have their timers."""
    for line in range(lines.shape[0]):
        if lines[line, NEEDS_KEY] < 0:
            trim(lines, entries, rows, events, state, line, now)


@compiled
def list_line(lines: Ints, entries: Ints, line: int, listed: Ints) -> int:
    """Writes down what lives in a line, oldest first: event, key and who has it no more; how many
    these are.
    """
    count = 0
    entry = lines[line, HEAD]
    while entry != NONE:
        if lines[line, NEEDS_KEY] >= 0 or entries[entry, ROW] != NONE:
            listed[count, 0] = entries[entry, EVENT]
            listed[count, 1] = entries[entry, OF_KEY]
            for word in range(entries.shape[1] - GONE):
                listed[count, 2 + word] = entries[entry, GONE + word]
            count += 1
        entry = entries[entry, NEXT]
    return count
