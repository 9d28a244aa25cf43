"""Compiled loops that write the answers of a block of events as bit vectors.

matrix   one row of 64-bit words per distinct answer; event i is bit i of its row
         row 0: no event      row 1: every event of the block      row 2...: answers
rows     for each probe:  r > 0    its row in the matrix
                          0        no event satisfies it
                          -1 - p   a few events do; they are listed in the pool at p
pool     ... | n | event 1 | ... | event n | ...        (place p holds n)
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.conditions.probes import RELATIONS
from tocsin.engine.index.kernels import Flags, Floats, Ints, Words, compiled, inlined

NO_ROW, ALL_ROW, FIRST_FREE_ROW = 0, 1, 2
WORD = 64

_LESS_OR_EQUAL, _GREATER = RELATIONS["<="], RELATIONS[">"]


@inlined
def mark(matrix: Words, row: int, event: int) -> None:
    """Add an event to a row."""
    # word event // 64, bit event % 64
    matrix[row, event >> 6] |= np.uint64(1) << np.uint64(event & 63)


@inlined
def new_row(matrix: Words, row: int) -> None:
    """Clear a row."""
    for word in range(matrix.shape[1]):
        matrix[row, word] = np.uint64(0)


@compiled
def begin_block(matrix: Words, rows: Ints, size: int) -> None:
    """Prepare a block of `size` events: no probe has a row, row 1 has every event."""
    for probe in range(rows.size):
        # no event satisfies a probe without a row
        rows[probe] = NO_ROW
    new_row(matrix, NO_ROW)
    new_row(matrix, ALL_ROW)
    # bits beyond the last event stay 0: negated rows are ANDed with this one
    for event in range(size):
        mark(matrix, ALL_ROW, event)


@compiled
def fill_flags(flags: Flags, probe: int, matrix: Words, rows: Ints, free: int) -> int:
    """Write the row of a probe from one flag per event; return the next free row."""
    rows[probe] = free
    new_row(matrix, free)
    any_event = False
    for event in range(flags.size):
        if flags[event]:
            mark(matrix, free, event)
            any_event = True
    # an empty row is not kept: row 0 serves all empty answers
    if any_event:
        return free + 1
    rows[probe] = NO_ROW
    return free


@compiled
def group_by_code(codes: Ints, ends: Ints, places: Ints, grouped: Ints) -> None:
    """Sort events by code, leaving out those with a negative one.

    Those of a code are `grouped[ends[code]:ends[code + 1]]`.
    """
    # a counting sort. First pass: how many events each code has
    for event in range(codes.size):
        if codes[event] >= 0:
            ends[codes[event] + 1] += 1
    # the counts become the places where the events of each code begin
    for code in range(ends.size - 1):
        ends[code + 1] += ends[code]
        places[code] = ends[code]
    for event in range(codes.size):
        code = codes[event]
        if code >= 0:
            # second pass, in the order of events, so that each list is ordered
            grouped[places[code]] = event
            places[code] += 1


@compiled
def count_lists(
    ends: Ints, starts: Ints, counts: Ints, pool: Ints, rows: Ints, touched: Ints
) -> int:
    """Count, in `rows` and downwards, the events of each probe listed for a code that occurs.

    Returns the number of probes, which are written to `touched`.
    """
    filled = 0
    for code in range(starts.size):
        events = ends[code + 1] - ends[code]
        if events == 0:
            # no event has this value
            continue
        for at in range(starts[code], starts[code] + counts[code]):
            probe = pool[at]
            # first time in this block
            if rows[probe] == NO_ROW:
                touched[filled] = probe
                filled += 1
            # counted downwards, as no row has a negative number yet
            rows[probe] -= events
    return filled


@compiled
def count_rows(touched: Ints, rows: Ints, few: int) -> tuple[int, int]:
    """Return the number of counted probes that need a row, and the pool size for the others."""
    dense = listed = 0
    for probe in touched:
        # many events: a bit vector is smaller and faster than a list
        if -rows[probe] > few:
            dense += 1
        else:
            # one place for the number of events, then the events
            listed += 1 - rows[probe]
    return dense, listed


@compiled
def assign_rows(
    touched: Ints, rows: Ints, few: int, matrix: Words, free: int, pool: Ints, used: int
) -> None:
    """Give each counted probe an empty row, or an empty list in the pool."""
    for probe in touched:
        events = -rows[probe]
        if events > few:
            new_row(matrix, free)
            rows[probe] = free
            free += 1
        else:
            # nothing is listed yet; fill_lists counts it up
            pool[used] = 0
            # -1 - p is negative for every place p, 0 included
            rows[probe] = -1 - used
            used += 1 + events


@compiled
def fill_lists(
    ends: Ints,
    grouped: Ints,
    starts: Ints,
    counts: Ints,
    lists: Ints,
    rows: Ints,
    matrix: Words,
    pool: Ints,
) -> None:
    """Write the events of each code to the rows or lists of its probes."""
    for code in range(starts.size):
        if ends[code] == ends[code + 1]:
            # no event has this value
            continue
        for at in range(starts[code], starts[code] + counts[code]):
            row = rows[lists[at]]
            if row > 0:
                for k in range(ends[code], ends[code + 1]):
                    mark(matrix, row, grouped[k])
            else:
                # a short list: the number of events, then the events
                place = -1 - row
                # several values may satisfy one probe: append to its list
                filled = place + 1 + pool[place]
                for k in range(ends[code], ends[code + 1]):
                    pool[filled] = grouped[k]
                    filled += 1
                pool[place] = filled - place - 1


@inlined
def _bucket(number: float, low: float, scale: float, buckets: int) -> int:
    """Return the bucket of a number; buckets have equal width and are monotone in the number."""
    place = (number - low) * scale
    # compared as floats first: an infinite number has no whole part
    if place >= buckets - 1:
        return buckets - 1
    # numbers below the lowest, and NaN, fall into the first bucket
    return int(place) if place > 0 else 0


@compiled
def count_buckets(ordered: Floats, low: float, scale: float, firsts: Ints) -> None:
    """Write for each bucket the number of ordered numbers before it."""
    buckets = firsts.size - 1
    for k in range(ordered.size):
        # how many numbers each bucket has, one place further on
        firsts[_bucket(ordered[k], low, scale, buckets) + 1] += 1
    # the counts become the number of numbers before each bucket
    for bucket in range(buckets):
        firsts[bucket + 1] += firsts[bucket]


@compiled
def rank_limits(
    ordered: Floats,
    low: float,
    scale: float,
    firsts: Ints,
    probes: Ints,
    relations: Ints,
    limits: Floats,
    ranks: Ints,
) -> None:
    """Write for each comparison the number of ordered numbers before its cut.

    A binary search within the bucket of the limit.
    """
    for k in range(probes.size):
        probe = probes[k]
        limit = limits[probe]
        # <= and > cut behind numbers equal to the limit, < and >= before them
        after_equal = relations[probe] == _LESS_OR_EQUAL or relations[probe] == _GREATER
        bucket = _bucket(limit, low, scale, firsts.size - 1)
        first, last = firsts[bucket], firsts[bucket + 1]
        # buckets are small, so this takes a step or two
        while first < last:
            middle = (first + last) >> 1
            if ordered[middle] < limit or (after_equal and ordered[middle] == limit):
                first = middle + 1
            else:
                last = middle
        ranks[k] = first


@inlined
def _mark_and_copy(
    event: int, wanted: Ints, rank: int, running: Words, matrix: Words, free: int
) -> int:
    """Add an event to the running set, and copy the set to a row if it is wanted."""
    running[event >> 6] |= np.uint64(1) << np.uint64(event & 63)
    # no comparison cuts here
    if wanted[rank] == NO_ROW:
        return free
    for word in range(running.size):
        matrix[free, word] = running[word]
    # replaces the mark by the number of the row
    wanted[rank] = free
    return free + 1


@compiled
def fill_ranks(
    events: Ints,
    probes: Ints,
    relations: Ints,
    ranks: Ints,
    before: Ints,
    behind: Ints,
    running: Words,
    matrix: Words,
    rows: Ints,
    free: int,
) -> int:
    """Write the rows of comparisons, one per distinct cut; return the next free row."""
    count = events.size
    for k in range(probes.size):
        # mark which cuts are needed: events before it for < and <=, behind it for > and >=
        if relations[probes[k]] <= _LESS_OR_EQUAL:
            before[ranks[k]] = 1
        else:
            behind[ranks[k]] = 1
    # no event lies before the first cut or behind the last: row 0
    before[0] = behind[count] = NO_ROW
    # events in the order of their numbers: the running set grows from below
    for rank in range(1, count + 1):
        free = _mark_and_copy(events[rank - 1], before, rank, running, matrix, free)
    for word in range(running.size):
        running[word] = np.uint64(0)
    # and once more from above
    for rank in range(count - 1, -1, -1):
        free = _mark_and_copy(events[rank], behind, rank, running, matrix, free)
    for k in range(probes.size):
        probe = probes[k]
        # comparisons with the same cut share one row
        rows[probe] = before[ranks[k]] if relations[probe] <= _LESS_OR_EQUAL else behind[ranks[k]]
    return free
