"""The loop of pairs under single use: one event against all that waits for a partner, in arrays.

It does what `engine.detection.join.PairNode` does with objects; only the pairs that were found are
told to Python. Arrays are made by `pair_table`, with room for all that an event can need. A pair
has two queues, of which the number of the second follows that of the first; a queue is a chain of
entries, in the order of their ends, and an entry is an event that waits, by its number.
"""

from __future__ import annotations

from tocsin.engine.index.kernels import Ints, compiled, inlined

NONE = -1

HEAD, TAIL, COUNT, LIFETIME, WAITS, FIRST_CONDITION, CONDITIONS = range(7)
"""A queue. What comes to it asks the conditions of what waits at the other of its pair."""

TAKEN, TRIED = range(2)
"""A pair: the last step in which it was found, and how many were asked for it."""

FIRST_COMPARISON, COMPARISONS, NEGATED = range(3)
"""A condition: all its comparisons hold or, where it is negated, not all."""

EARLIER, LATER, SLACK = range(3)
"""A comparison: one moment plus so much is not after another."""

MY_START, MY_END, THEIR_START, THEIR_END = range(4)
"""The moments of an event that comes and of one that waits."""

EVENT, NEXT, PREVIOUS, ENDED = range(4)
"""An entry; it knows itself when its event ended."""

START, END, IDENTITY, HOLDERS = range(4)
"""An event: two are equal in identity where the identities of the events are."""

FREE, LIVING, FREED, LONGEST = range(4)
"""Counters: the first free entry, how many are in use, how many events nothing holds any longer,
and how many wait for the pair for which most do.
"""


@compiled
def take_in(
    arrivals: Ints,
    new: int,
    step: int,
    queues: Ints,
    pairs: Ints,
    conditions: Ints,
    comparisons: Ints,
    entries: Ints,
    events: Ints,
    counters: Ints,
    found: Ints,
    freed: Ints,
) -> int:
    """An event comes to queues, to those of first slots before those of second ones: it takes the
    oldest partner that it may have, or waits. Gives how many pairs were found, each as the queue to
    which it came and the partner.
    """
    events[new, HOLDERS] += 1  # it is not free before it has come to all
    count = 0
    for turn in range(2 * arrivals.shape[0]):
        slot = turn // arrivals.shape[0]
        queue = arrivals[turn - slot * arrivals.shape[0]]
        pair = queue >> 1
        if queue & 1 != slot or pairs[pair, TAKEN] == step:
            continue
        others = queue ^ 1
        expire(others, events[new, END], queues, entries, events, counters, freed)
        partner = _partner(queue, new, queues, pairs, conditions, comparisons, entries, events)
        if partner != NONE:
            pairs[pair, TAKEN] = step
            found[count, 0] = queue
            found[count, 1] = partner
            count += 1
            _use_up(queue, partner, queues, entries, events, counters, freed)
            _use_up(others, partner, queues, entries, events, counters, freed)
            _use_up_last(queue, new, queues, entries, events, counters, freed)
            _use_up_last(others, new, queues, entries, events, counters, freed)
        elif queues[queue, WAITS] != 0:
            expire(queue, events[new, END], queues, entries, events, counters, freed)
            append(queue, new, queues, entries, events, counters)
            length = queues[queue, COUNT] + queues[others, COUNT]
            counters[LONGEST] = max(counters[LONGEST], length)
    _let_go(new, events, counters, freed)
    return count


@compiled
def expire_all(
    now: int, queues: Ints, entries: Ints, events: Ints, counters: Ints, freed: Ints
) -> None:
    """Drops all that nothing which ends at `now` or later can complete."""
    for queue in range(queues.shape[0]):
        expire(queue, now, queues, entries, events, counters, freed)


@inlined
def expire(
    queue: int, now: int, queues: Ints, entries: Ints, events: Ints, counters: Ints, freed: Ints
) -> None:
    """Drops what has waited in vain in one queue."""
    oldest = now - queues[queue, LIFETIME]
    entry = queues[queue, HEAD]
    while entry != NONE and entries[entry, ENDED] < oldest:
        drop(queue, entry, queues, entries, events, counters, freed)
        entry = queues[queue, HEAD]


@inlined
def append(
    queue: int, event: int, queues: Ints, entries: Ints, events: Ints, counters: Ints
) -> None:
    """The event waits in a queue from now on."""
    entry = counters[FREE]
    last = queues[queue, TAIL]
    counters[FREE] = entries[entry, NEXT]
    counters[LIVING] += 1
    entries[entry, EVENT] = event
    entries[entry, NEXT] = NONE
    entries[entry, PREVIOUS] = last
    entries[entry, ENDED] = events[event, END]
    if last == NONE:
        queues[queue, HEAD] = entry
    else:
        entries[last, NEXT] = entry
    queues[queue, TAIL] = entry
    queues[queue, COUNT] += 1
    events[event, HOLDERS] += 1


@inlined
def drop(
    queue: int, entry: int, queues: Ints, entries: Ints, events: Ints, counters: Ints, freed: Ints
) -> None:
    """Takes an entry out of its queue."""
    following = entries[entry, NEXT]
    before = entries[entry, PREVIOUS]
    if before == NONE:
        queues[queue, HEAD] = following
    else:
        entries[before, NEXT] = following
    if following == NONE:
        queues[queue, TAIL] = before
    else:
        entries[following, PREVIOUS] = before
    queues[queue, COUNT] -= 1
    entries[entry, NEXT] = counters[FREE]
    counters[FREE] = entry
    counters[LIVING] -= 1
    _let_go(entries[entry, EVENT], events, counters, freed)


@inlined
def _let_go(event: int, events: Ints, counters: Ints, freed: Ints) -> None:
    """One less holds the event."""
    events[event, HOLDERS] -= 1
    if events[event, HOLDERS] == 0:
        freed[counters[FREED]] = event
        counters[FREED] += 1


@inlined
def _partner(
    queue: int,
    new: int,
    queues: Ints,
    pairs: Ints,
    conditions: Ints,
    comparisons: Ints,
    entries: Ints,
    events: Ints,
) -> int:
    """The oldest that waits at the other slot and meets all conditions; NONE where there is none.
    No event is its own partner.
    """
    head = queues[queue ^ 1, HEAD]
    if head == NONE:
        return NONE
    first = queues[queue, FIRST_CONDITION]
    beyond = first + queues[queue, CONDITIONS]
    tail = queues[queue ^ 1, TAIL]
    low = entries[head, ENDED]
    high = entries[tail, ENDED]
    for row in range(first, beyond):
        if conditions[row, NEGATED] == 0:
            start = conditions[row, FIRST_COMPARISON]
            for number in range(start, start + conditions[row, COMPARISONS]):
                low = max(low, _earliest_end(number, low, new, comparisons, events))
                high = min(high, _latest_end(number, high, new, comparisons, events))
    entry = _first_ended(low, head, tail, entries)
    while entry != NONE and entries[entry, ENDED] <= high:
        pairs[queue >> 1, TRIED] += 1
        other = entries[entry, EVENT]
        if events[other, IDENTITY] != events[new, IDENTITY]:
            row = first
            while row < beyond and _holds(row, new, other, conditions, comparisons, events):
                row += 1
            if row == beyond:
                return int(other)
        entry = entries[entry, NEXT]
    return NONE


@inlined
def _first_ended(low: int, head: int, tail: int, entries: Ints) -> int:
    """The first of a queue that ended at `low` or later; looked for from the end, since who asks
    for later ones mostly asks for few.
    """
    if entries[head, ENDED] >= low:
        return head
    entry = tail
    found = NONE
    while entries[entry, ENDED] >= low:
        found = entry
        entry = entries[entry, PREVIOUS]
    return found


@inlined
def _earliest_end(number: int, low: int, new: int, comparisons: Ints, events: Ints) -> int:
    """When what waits has ended at the earliest: no earlier than it started."""
    earlier = comparisons[number, EARLIER]
    if earlier > MY_END or comparisons[number, LATER] <= MY_END:
        return low
    return int(events[new, earlier] + comparisons[number, SLACK])


@inlined
def _latest_end(number: int, high: int, new: int, comparisons: Ints, events: Ints) -> int:
    """When what waits has ended at the latest."""
    later = comparisons[number, LATER]
    if comparisons[number, EARLIER] != THEIR_END or later > MY_END:
        return high
    return int(events[new, later] - comparisons[number, SLACK])


@inlined
def _holds(
    row: int, new: int, other: int, conditions: Ints, comparisons: Ints, events: Ints
) -> bool:
    """Whether an event that came and one that waits meet a condition."""
    number = conditions[row, FIRST_COMPARISON]
    beyond = number + conditions[row, COMPARISONS]
    while number < beyond and (
        _moment(comparisons[number, EARLIER], new, other, events) + comparisons[number, SLACK]
        <= _moment(comparisons[number, LATER], new, other, events)
    ):
        number += 1
    return bool((number == beyond) != (conditions[row, NEGATED] != 0))


@inlined
def _moment(moment: int, new: int, other: int, events: Ints) -> int:
    return int(events[new, moment] if moment <= MY_END else events[other, moment - THEIR_START])


@inlined
def _use_up(
    queue: int, event: int, queues: Ints, entries: Ints, events: Ints, counters: Ints, freed: Ints
) -> None:
    """All that are the same occurrence wait no longer."""
    entry = queues[queue, HEAD]
    while entry != NONE and entries[entry, ENDED] <= events[event, END]:
        following = entries[entry, NEXT]
        if _are_same(entries[entry, EVENT], event, events):
            drop(queue, entry, queues, entries, events, counters, freed)
        entry = following


@inlined
def _use_up_last(
    queue: int, event: int, queues: Ints, entries: Ints, events: Ints, counters: Ints, freed: Ints
) -> None:
    """The same for an event that ended with the last."""
    entry = queues[queue, TAIL]
    while entry != NONE and entries[entry, ENDED] >= events[event, END]:
        before = entries[entry, PREVIOUS]
        if _are_same(entries[entry, EVENT], event, events):
            drop(queue, entry, queues, entries, events, counters, freed)
        entry = before


@inlined
def _are_same(one: int, other: int, events: Ints) -> bool:
    return bool(
        events[one, IDENTITY] == events[other, IDENTITY]
        and events[one, START] == events[other, START]
        and events[one, END] == events[other, END]
    )
