"""Compiled loop of pairs under single use: one event against all buffered ones, in arrays.

It does what `engine.detection.join.PairJoinOperator` does with objects; only the pairs found return
to Python. `pair_table` allocates the arrays, with room for all that an event can need.

    queues       two for each pair p: 2p takes the first slot, 2p + 1 the second
    pairs        the last step in which p was found, and the checks made for it
    conditions   for each queue, those of its arrivals: first comparison, count, negated
    comparisons  earlier moment + slack <= later moment
    entries      event, next, previous, end of the event
    events       start, end, identity, number of holders

    queue 2p       HEAD -> e0 <-> e3 <-> e4 <- TAIL     by NEXT and PREVIOUS, in the order of ends
    queue 2p + 1   HEAD -> e1 <- TAIL
    counters       FREE -> e2 -> e5 -> ...              by NEXT, entries to be used again

An event is freed when its last holder lets go: an entry, or the loop that takes it in.
"""

from __future__ import annotations

from tocsin.engine.index.kernels import Ints, compiled, inlined

# no entry, no partner, no step
NONE = -1

HEAD, TAIL, COUNT, LIFETIME, WAITS, FIRST_CONDITION, CONDITIONS = range(7)
"""Columns of a queue. Its arrivals check its conditions against the other queue of the pair."""

TAKEN, TRIED = range(2)
"""Columns of a pair: the last step in which it was found, and the number of checks for it."""

FIRST_COMPARISON, COMPARISONS, NEGATED = range(3)
"""Columns of a condition: all its comparisons hold or, if it is negated, not all."""

EARLIER, LATER, SLACK = range(3)
"""Columns of a comparison: the earlier moment plus the slack is not after the later one."""

MY_START, MY_END, THEIR_START, THEIR_END = range(4)
"""Moments of a new event and of a buffered one."""

EVENT, NEXT, PREVIOUS, ENDED = range(4)
"""Columns of an entry. It repeats the end of its event, so that a search stays in one table."""

START, END, IDENTITY, HOLDERS = range(4)
"""Columns of an event: two have one identity number iff their identities are equal."""

FREE, LIVING, FREED, LONGEST = range(4)
"""Counters: the first free entry, the entries in use, the events without a holder, and the most
entries that any pair had.
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
    """Let an event arrive at its queues, those of first slots before those of second ones: at each
    it takes the oldest partner that it may have, or is buffered. Return the number of pairs in
    `found`, each as the queue of arrival and the partner.
    """
    # the loop is a holder, too: the event is not free before it has come to all queues
    events[new, HOLDERS] += 1
    count = 0
    # two rounds over the arrivals: first slots, then second ones
    for turn in range(2 * arrivals.shape[0]):
        slot = turn // arrivals.shape[0]
        queue = arrivals[turn - slot * arrivals.shape[0]]
        pair = queue >> 1
        # single use: a pair that the event completed at its first slot is done in this step
        if queue & 1 != slot or pairs[pair, TAKEN] == step:
            continue
        # the two queues of a pair differ in the lowest bit
        others = queue ^ 1
        expire(others, events[new, END], queues, entries, events, counters, freed)
        partner = _partner(queue, new, queues, pairs, conditions, comparisons, entries, events)
        if partner != NONE:
            pairs[pair, TAKEN] = step
            found[count, 0] = queue
            found[count, 1] = partner
            count += 1
            # an event may be buffered at both slots, and is consumed at both
            _use_up(queue, partner, queues, entries, events, counters, freed)
            _use_up(others, partner, queues, entries, events, counters, freed)
            _use_up_last(queue, new, queues, entries, events, counters, freed)
            _use_up_last(others, new, queues, entries, events, counters, freed)
        # an event that completes every match of the pair has nothing to wait for
        elif queues[queue, WAITS] != 0:
            expire(queue, events[new, END], queues, entries, events, counters, freed)
            append(queue, new, queues, entries, events, counters)
            length = queues[queue, COUNT] + queues[others, COUNT]
            # lets `owners_of_more` skip all pairs while none exceeds the limit
            counters[LONGEST] = max(counters[LONGEST], length)
    _let_go(new, events, counters, freed)
    return count


@compiled
def expire_all(
    now: int, queues: Ints, entries: Ints, events: Ints, counters: Ints, freed: Ints
) -> None:
    """Expire entries of all queues that nothing which ends at `now` or later can complete."""
    for queue in range(queues.shape[0]):
        expire(queue, now, queues, entries, events, counters, freed)


@inlined
def expire(
    queue: int, now: int, queues: Ints, entries: Ints, events: Ints, counters: Ints, freed: Ints
) -> None:
    """Expire the entries of one queue that ended before `now - lifetime`."""
    oldest = now - queues[queue, LIFETIME]
    entry = queues[queue, HEAD]
    # ends do not decrease, so that the first entry in time ends the search
    while entry != NONE and entries[entry, ENDED] < oldest:
        drop(queue, entry, queues, entries, events, counters, freed)
        entry = queues[queue, HEAD]


@inlined
def append(
    queue: int, event: int, queues: Ints, entries: Ints, events: Ints, counters: Ints
) -> None:
    """Buffer an event at the end of a queue."""
    # never empty: `pair_table` makes room before
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
    """Take an entry out of its queue."""
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
    # the free list uses the same link
    entries[entry, NEXT] = counters[FREE]
    counters[FREE] = entry
    counters[LIVING] -= 1
    _let_go(entries[entry, EVENT], events, counters, freed)


@inlined
def _let_go(event: int, events: Ints, counters: Ints, freed: Ints) -> None:
    """Subtract a holder of the event; list it as freed with the last."""
    events[event, HOLDERS] -= 1
    # Python objects are released in one go, by `pair_table`
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
    """Return the oldest event at the other slot that meets all conditions; NONE without any. No
    event is its own partner.
    """
    head = queues[queue ^ 1, HEAD]
    # nothing to pair with, the common case
    if head == NONE:
        return NONE
    first = queues[queue, FIRST_CONDITION]
    beyond = first + queues[queue, CONDITIONS]
    tail = queues[queue ^ 1, TAIL]
    # bounds of the ends of partners, narrowed by the conditions
    low = entries[head, ENDED]
    high = entries[tail, ENDED]
    for row in range(first, beyond):
        # one comparison of a negated condition may fail: it bounds nothing
        if conditions[row, NEGATED] == 0:
            start = conditions[row, FIRST_COMPARISON]
            for number in range(start, start + conditions[row, COMPARISONS]):
                low = max(low, _earliest_end(number, low, new, comparisons, events))
                high = min(high, _latest_end(number, high, new, comparisons, events))
    entry = _first_ended(low, head, tail, entries)
    while entry != NONE and entries[entry, ENDED] <= high:
        pairs[queue >> 1, TRIED] += 1
        other = entries[entry, EVENT]
        # the same event, which came to both slots
        if events[other, IDENTITY] != events[new, IDENTITY]:
            # bounds are necessary, not sufficient: all conditions are checked
            row = first
            while row < beyond and _holds(row, new, other, conditions, comparisons, events):
                row += 1
            if row == beyond:
                return int(other)
        entry = entries[entry, NEXT]
    return NONE


@inlined
def _first_ended(low: int, head: int, tail: int, entries: Ints) -> int:
    """Return the first entry that ended at `low` or later, NONE without any. The search runs from
    the tail, since a late bound mostly leaves few entries.
    """
    # no bound, or one before all entries; below, the head stops the search
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
    """Return a lower bound of the end of a partner, from one comparison: it ends no earlier than it
    starts.
    """
    earlier = comparisons[number, EARLIER]
    # bounded from below only if a moment of the new event is the earlier one
    if earlier > MY_END or comparisons[number, LATER] <= MY_END:
        return low
    return int(events[new, earlier] + comparisons[number, SLACK])


@inlined
def _latest_end(number: int, high: int, new: int, comparisons: Ints, events: Ints) -> int:
    """Return an upper bound of the end of a partner, from one comparison."""
    later = comparisons[number, LATER]
    # from above only if the end itself is the earlier moment: a start says nothing of the end
    if comparisons[number, EARLIER] != THEIR_END or later > MY_END:
        return high
    return int(events[new, later] - comparisons[number, SLACK])


@inlined
def _holds(
    row: int, new: int, other: int, conditions: Ints, comparisons: Ints, events: Ints
) -> bool:
    """True if a new event and a buffered one meet a condition."""
    number = conditions[row, FIRST_COMPARISON]
    beyond = number + conditions[row, COMPARISONS]
    # stops at the first comparison that fails
    while number < beyond and (
        _moment(comparisons[number, EARLIER], new, other, events) + comparisons[number, SLACK]
        <= _moment(comparisons[number, LATER], new, other, events)
    ):
        number += 1
    return bool((number == beyond) != (conditions[row, NEGATED] != 0))


@inlined
def _moment(moment: int, new: int, other: int, events: Ints) -> int:
    # the first two moments are the columns START and END, the others follow in the same order
    return int(events[new, moment] if moment <= MY_END else events[other, moment - THEIR_START])


@inlined
def _use_up(
    queue: int, event: int, queues: Ints, entries: Ints, events: Ints, counters: Ints, freed: Ints
) -> None:
    """Consume all entries of a queue that are the same occurrence as a buffered event."""
    # from the head, up to the end of the event
    entry = queues[queue, HEAD]
    while entry != NONE and entries[entry, ENDED] <= events[event, END]:
        # read first: `drop` puts the link on the free list
        following = entries[entry, NEXT]
        if _are_same(entries[entry, EVENT], event, events):
            drop(queue, entry, queues, entries, events, counters, freed)
        entry = following


@inlined
def _use_up_last(
    queue: int, event: int, queues: Ints, entries: Ints, events: Ints, counters: Ints, freed: Ints
) -> None:
    """Consume all entries of a queue that are the same occurrence as the new event, whose end is
    the last.
    """
    # from the tail, as nothing ended later than the new event
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
