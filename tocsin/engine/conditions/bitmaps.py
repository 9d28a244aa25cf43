"""Compiled loops that write the answers of a block of events. A set of events is a bit vector:
event i is bit i of it.

A matrix of bit vectors has one row per answer that is needed in the block. Row 0 holds no event,
row 1 all of them. `rows` maps the number of a probe to its row; to 0 where no event answers it with
yes; and where only a few do, to -1 - p instead, with their number at place p of a pool and the
events themselves behind it.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.conditions.predicate_table import RELATIONS
from tocsin.engine.index.kernels import Flags, Floats, Ints, Words, compiled, inlined

NO_ROW, ALL_ROW, FIRST_FREE_ROW = 0, 1, 2
WORD = 64

_LESS_OR_EQUAL, _GREATER = RELATIONS["<="], RELATIONS[">"]


@inlined
def mark(matrix: Words, row: int, event: int) -> None:
    """Puts an event into a row."""
    matrix[row, event >> 6] |= np.uint64(1) << np.uint64(event & 63)


@inlined
def new_row(matrix: Words, row: int) -> None:
    """Empties a row."""
    for word in range(matrix.shape[1]):
        matrix[row, word] = np.uint64(0)


@compiled
def begin_block(matrix: Words, rows: Ints, size: int) -> None:
    """No probe has a row; row 0 is empty and row 1 has every event of the block."""
    for probe in range(rows.size):
        rows[probe] = NO_ROW
    new_row(matrix, NO_ROW)
    new_row(matrix, ALL_ROW)
    for event in range(size):
        mark(matrix, ALL_ROW, event)


@compiled
def fill_flags(flags: Flags, probe: int, matrix: Words, rows: Ints, free: int) -> int:
    """The row of a probe whose answers are known event by event; gives the next free row."""
    rows[probe] = free
    new_row(matrix, free)
    any_event = False
    for event in range(flags.size):
        if flags[event]:
            mark(matrix, free, event)
            any_event = True
    if any_event:
        return free + 1
    rows[probe] = NO_ROW
    return free


@compiled
def group_by_code(codes: Ints, ends: Ints, places: Ints, grouped: Ints) -> None:
    """Events with a code, sorted by it: those of a code are `grouped[ends[code]:ends[code +
    1]]`.
    """
    for event in range(codes.size):
        if codes[event] >= 0:
            ends[codes[event] + 1] += 1
    for code in range(ends.size - 1):
        ends[code + 1] += ends[code]
        places[code] = ends[code]
    for event in range(codes.size):
        code = codes[event]
        if code >= 0:
            grouped[places[code]] = event
            places[code] += 1


@compiled
def count_lists(
    ends: Ints, starts: Ints, counts: Ints, pool: Ints, rows: Ints, touched: Ints
) -> int:
    """Counts down, in `rows`, the events of each probe in the lists of the codes that occur; gives
    how many probes.
    """
    filled = 0
    for code in range(starts.size):
        events = ends[code + 1] - ends[code]
        if events == 0:
            continue
        for at in range(starts[code], starts[code] + counts[code]):
            probe = pool[at]
            if rows[probe] == NO_ROW:
                touched[filled] = probe
                filled += 1
            rows[probe] -= events
    return filled


@compiled
def count_rows(touched: Ints, rows: Ints, few: int) -> tuple[int, int]:
    """How many counted probes have more than a few events, and how much of the pool the others
    need.
    """
    dense = listed = 0
    for probe in touched:
        if -rows[probe] > few:
            dense += 1
        else:
            listed += 1 - rows[probe]
    return dense, listed


@compiled
def assign_rows(
    touched: Ints, rows: Ints, few: int, matrix: Words, free: int, pool: Ints, used: int
) -> None:
    """Gives each counted probe an empty row or an empty place in the pool of events."""
    for probe in touched:
        events = -rows[probe]
        if events > few:
            new_row(matrix, free)
            rows[probe] = free
            free += 1
        else:
            pool[used] = 0
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
    """Writes the events of each code into the rows or places of the probes in its list."""
    for code in range(starts.size):
        if ends[code] == ends[code + 1]:
            continue
        for at in range(starts[code], starts[code] + counts[code]):
            row = rows[lists[at]]
            if row > 0:
                for k in range(ends[code], ends[code + 1]):
                    mark(matrix, row, grouped[k])
            else:
                place = -1 - row
                filled = place + 1 + pool[place]
                for k in range(ends[code], ends[code + 1]):
                    pool[filled] = grouped[k]
                    filled += 1
                pool[place] = filled - place - 1


@inlined
def _bucket(number: float, low: float, scale: float, buckets: int) -> int:
    """Which of the buckets of equal width a number falls into; never falls as the number grows."""
    place = (number - low) * scale
    if place >= buckets - 1:
        return buckets - 1
    return int(place) if place > 0 else 0


@compiled
def count_buckets(ordered: Floats, low: float, scale: float, firsts: Ints) -> None:
    """For each bucket, how many of the ordered numbers lie before it."""
    buckets = firsts.size - 1
    for k in range(ordered.size):
        firsts[_bucket(ordered[k], low, scale, buckets) + 1] += 1
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
    """For each comparison, how many of the ordered numbers lie before its cut: halving within the
    limit's bucket.
    """
    for k in range(probes.size):
        probe = probes[k]
        limit = limits[probe]
        after_equal = relations[probe] == _LESS_OR_EQUAL or relations[probe] == _GREATER
        bucket = _bucket(limit, low, scale, firsts.size - 1)
        first, last = firsts[bucket], firsts[bucket + 1]
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
    """One more event is in the running set; where this set is wanted it becomes a row."""
    running[event >> 6] |= np.uint64(1) << np.uint64(event & 63)
    if wanted[rank] == NO_ROW:
        return free
    for word in range(running.size):
        matrix[free, word] = running[word]
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
    """The rows of comparisons: the events before the cut or those behind it, one row per different
    answer.
    """
    count = events.size
    for k in range(probes.size):
        if relations[probes[k]] <= _LESS_OR_EQUAL:
            before[ranks[k]] = 1
        else:
            behind[ranks[k]] = 1
    before[0] = behind[count] = NO_ROW
    for rank in range(1, count + 1):
        free = _mark_and_copy(events[rank - 1], before, rank, running, matrix, free)
    for word in range(running.size):
        running[word] = np.uint64(0)
    for rank in range(count - 1, -1, -1):
        free = _mark_and_copy(events[rank], behind, rank, running, matrix, free)
    for k in range(probes.size):
        probe = probes[k]
        rows[probe] = before[ranks[k]] if relations[probe] <= _LESS_OR_EQUAL else behind[ranks[k]]
    return free
