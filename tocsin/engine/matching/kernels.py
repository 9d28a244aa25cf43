"""The compiled loops; the only file that imports numba. A set of events is a bit vector: event i is bit i of it.

A matrix of bit vectors has one row per answer that is needed in a block of events. Row 0 holds no event, row 1 all of
them; `rows` maps the number of a probe to its row, 0 for a probe that no event of the block answers with yes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit
from numba.cpython.unsafe.numbers import trailing_zeros

from tocsin.engine.matching.programs import BEGIN, NEXT
from tocsin.engine.matching.table import RELATIONS

Ints = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_BORROWED: dict[str, Any] = {"_nrt": False}
"""Without it numba counts references to every array at every inlined call, which took five sixths of the time."""

NO_ROW, ALL_ROW, FIRST_FREE_ROW = 0, 1, 2
WORD = 64

_LESS, _LESS_OR_EQUAL, _GREATER = RELATIONS["<"], RELATIONS["<="], RELATIONS[">"]


def compiled(kernel: Kernel) -> Kernel:
    """Compiled at its first call and kept on disk; arrays are borrowed, not counted, so a kernel cannot make one."""
    return cast(Kernel, njit(cache=True, **_BORROWED)(kernel))


def inlined(kernel: Kernel) -> Kernel:
    """Compiled into every kernel that calls it; a call would cost more than what these do."""
    return cast(Kernel, njit(cache=True, forceinline=True, **_BORROWED)(kernel))


_lowest_bit = cast(Callable[[Any], int], trailing_zeros)


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
    """Events with a code, sorted by it: those of a code are `grouped[ends[code]:ends[code + 1]]`."""
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
def fill_lists(
    ends: Ints, grouped: Ints, starts: Ints, counts: Ints, pool: Ints, matrix: Words, rows: Ints, free: int
) -> int:
    """The rows of all probes in the lists of the codes that occur; gives the next free row."""
    for code in range(starts.size):
        if ends[code] == ends[code + 1]:
            continue
        for at in range(starts[code], starts[code] + counts[code]):
            row = rows[pool[at]]
            if row == NO_ROW:
                row = rows[pool[at]] = free
                new_row(matrix, row)
                free += 1
            for k in range(ends[code], ends[code + 1]):
                mark(matrix, row, grouped[k])
    return free


@compiled
def rank_limits(ordered: Floats, probes: Ints, relations: Ints, limits: Floats, ranks: Ints) -> None:
    """For each comparison, how many of the ordered numbers lie before its cut."""
    for k in range(probes.size):
        probe = probes[k]
        limit = limits[probe]
        after_equal = relations[probe] == _LESS_OR_EQUAL or relations[probe] == _GREATER
        low, high = 0, ordered.size
        while low < high:
            middle = (low + high) >> 1
            if ordered[middle] < limit or (after_equal and ordered[middle] == limit):
                low = middle + 1
            else:
                high = middle
        ranks[k] = low


@inlined
def _mark_and_copy(event: int, wanted: Ints, rank: int, running: Words, matrix: Words, free: int) -> int:
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
    """The rows of comparisons: the events before the cut or those behind it, one row per different answer."""
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


@inlined
def _may_hold(code: Ints, start: int, required: int, rows: Ints) -> bool:
    """Whether none of the required literals is without any event."""
    for at in range(start, start + required):
        instruction = code[at]
        if instruction & 1 == 0 and rows[instruction >> 1] == NO_ROW:
            return False
    return True


@inlined
def _keep(play: Words, matrix: Words, row: int) -> bool:
    left = np.uint64(0)
    for word in range(play.size):
        play[word] &= matrix[row, word]
        left |= play[word]
    return bool(left)


@inlined
def _keep_others(play: Words, matrix: Words, row: int) -> bool:
    left = np.uint64(0)
    for word in range(play.size):
        play[word] &= ~matrix[row, word]
        left |= play[word]
    return bool(left)


@inlined
def _next_operand(play: Words, rest: Words, kept: Words, depth: int) -> bool:
    left = np.uint64(0)
    for word in range(play.size):
        kept[depth, word] |= play[word]
        rest[depth, word] &= ~play[word]
        play[word] = rest[depth, word]
        left |= play[word]
    return bool(left)


@inlined
def _rejoin(play: Words, kept: Words, depth: int) -> bool:
    left = np.uint64(0)
    for word in range(play.size):
        play[word] |= kept[depth, word]
        left |= play[word]
    return bool(left)


@inlined
def _run(
    code: Ints, jumps: Ints, start: int, end: int, matrix: Words, rows: Ints, play: Words, rest: Words, kept: Words
) -> bool:
    """Runs one program over the block; TRUE when an event is left in play."""
    for word in range(play.size):
        play[word] = matrix[ALL_ROW, word]
    at, depth, left = start, -1, True
    while at < end:
        instruction = code[at]
        if instruction >= 0:
            row = rows[instruction >> 1]
            left = _keep_others(play, matrix, row) if instruction & 1 else _keep(play, matrix, row)
            at += 1 if left else jumps[at]
        elif instruction == BEGIN:
            depth += 1
            for word in range(play.size):
                rest[depth, word] = play[word]
                kept[depth, word] = np.uint64(0)
            at += 1
        elif instruction == NEXT:
            left = _next_operand(play, rest, kept, depth)
            at += 1 if left else jumps[at]
        else:
            left = _rejoin(play, kept, depth)
            depth -= 1
            at += 1 if left else jumps[at]
    return left


@inlined
def _emit(play: Words, slot: int, found_events: Ints, found_slots: Ints, filled: int, tally: Ints) -> int:
    for word in range(play.size):
        bits = play[word]
        while bits:
            event = word * WORD + _lowest_bit(bits)
            found_events[filled] = event
            found_slots[filled] = slot
            tally[event] += 1
            filled += 1
            bits &= bits - np.uint64(1)
    return filled


@compiled
def run_programs(
    order: Ints,
    first: int,
    starts: Ints,
    lengths: Ints,
    required: Ints,
    code: Ints,
    jumps: Ints,
    rows: Ints,
    matrix: Words,
    play: Words,
    rest: Words,
    kept: Words,
    found_events: Ints,
    found_slots: Ints,
    tally: Ints,
) -> tuple[int, int, int]:
    """Runs the programs from `first` on until all are done or the room for what is found is short.

    Gives the place to go on from, how many pairs were found, and how many programs were run.
    """
    words = matrix.shape[1]
    filled = candidates = 0
    for k in range(first, order.size):
        slot = order[k]
        if slot < 0:
            continue
        start = starts[slot]
        if not _may_hold(code, start, required[slot], rows):
            continue
        if found_events.size - filled < words * WORD:
            return k, filled, candidates
        candidates += 1
        if _run(code, jumps, start, start + lengths[slot], matrix, rows, play, rest, kept):
            filled = _emit(play, slot, found_events, found_slots, filled, tally)
    return order.size, filled, candidates


@compiled
def scatter(found_events: Ints, found_slots: Ints, places: Ints, slots: Ints) -> None:
    """Sorts found pairs by event, keeping their order; `places` is the next place of each event and moves on."""
    for k in range(found_events.size):
        event = found_events[k]
        slots[places[event]] = found_slots[k]
        places[event] += 1


@inlined
def _answers(
    probe: int,
    relations: Ints,
    attributes: Ints,
    limits: Floats,
    numbers: Floats,
    tied: Flags,
    seen: Ints,
    generation: int,
) -> bool:
    """Whether one event answers a probe with yes; comparisons are made here, all else was looked up before."""
    relation = relations[probe]
    if relation == 0:
        return bool(seen[probe] == generation)
    number = numbers[attributes[probe]]
    limit = limits[probe]
    if number == limit and tied[attributes[probe]]:
        return bool(seen[probe] == generation)
    if relation == _LESS:
        return bool(number < limit)
    if relation == _LESS_OR_EQUAL:
        return bool(number <= limit)
    if relation == _GREATER:
        return bool(number > limit)
    return bool(number >= limit)


@inlined
def _holds(
    at: int,
    end: int,
    code: Ints,
    jumps: Ints,
    relations: Ints,
    attributes: Ints,
    limits: Floats,
    numbers: Floats,
    tied: Flags,
    seen: Ints,
    generation: int,
) -> bool:
    """Runs one program over one event."""
    truth = True
    while at < end:
        instruction = code[at]
        if instruction >= 0:
            yes = _answers(instruction >> 1, relations, attributes, limits, numbers, tied, seen, generation)
            truth = yes != (instruction & 1 == 1)
            at += 1 if truth else jumps[at]
        elif instruction == BEGIN:
            at += 1
        elif instruction == NEXT:
            at += jumps[at] if truth else 1
            truth = True
        else:
            at += 1 if truth else jumps[at]
    return truth


@compiled
def run_one(
    yes: Ints,
    lists: Ints,
    list_starts: Ints,
    list_counts: Ints,
    list_pool: Ints,
    starts: Ints,
    lengths: Ints,
    code: Ints,
    jumps: Ints,
    relations: Ints,
    attributes: Ints,
    limits: Floats,
    numbers: Floats,
    tied: Flags,
    seen: Ints,
    visited: Ints,
    generation: int,
    found: Ints,
) -> tuple[int, int]:
    """Runs the programs that are anchored at what the event answers with yes; gives how many hold and how many ran."""
    for probe in yes:
        seen[probe] = generation
    filled = candidates = 0
    for k in range(yes.size + 1):
        anchored = lists[yes[k]] if k < yes.size else lists[0]
        if anchored < 0:
            continue
        first = list_starts[anchored]
        for at in range(first, first + list_counts[anchored]):
            slot = list_pool[at]
            if visited[slot] == generation:
                continue
            visited[slot] = generation
            candidates += 1
            start = starts[slot]
            end = start + lengths[slot]
            if _holds(start, end, code, jumps, relations, attributes, limits, numbers, tied, seen, generation):
                found[filled] = slot
                filled += 1
    return filled, candidates
