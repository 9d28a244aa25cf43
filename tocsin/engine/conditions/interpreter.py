"""Compiled loops that run programs: over a block of events, of which a bit vector is in play, or
over one event.

How the rows of a block are to be read is told in `filling`, what the instructions mean in
`programs`.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.conditions.bitmaps import ALL_ROW, NO_ROW, WORD
from tocsin.engine.conditions.predicate_table import RELATIONS
from tocsin.engine.conditions.programs import BEGIN, NEXT
from tocsin.engine.index.kernels import Flags, Floats, Ints, Words, compiled, inlined, lowest_bit

_LESS, _LESS_OR_EQUAL, _GREATER = RELATIONS["<"], RELATIONS["<="], RELATIONS[">"]


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
def _keep_listed(play: Words, pool: Ints, place: int, spare: Words) -> bool:
    for word in range(play.size):
        spare[word] = np.uint64(0)
    left = np.uint64(0)
    for k in range(place + 1, place + 1 + pool[place]):
        event = np.int64(pool[k])
        both = play[event >> 6] & (np.uint64(1) << np.uint64(event & 63))
        spare[event >> 6] |= both
        left |= both
    for word in range(play.size):
        play[word] = spare[word]
    return bool(left)


@inlined
def _keep_unlisted(play: Words, pool: Ints, place: int) -> bool:
    for k in range(place + 1, place + 1 + pool[place]):
        event = np.int64(pool[k])
        play[event >> 6] &= ~(np.uint64(1) << np.uint64(event & 63))
    left = np.uint64(0)
    for word in range(play.size):
        left |= play[word]
    return bool(left)


@inlined
def _apply(
    instruction: int, play: Words, matrix: Words, rows: Ints, pool: Ints, spare: Words
) -> bool:
    """Keeps what a literal keeps; TRUE when an event is left."""
    row = rows[instruction >> 1]
    if row >= 0:
        return _keep_others(play, matrix, row) if instruction & 1 else _keep(play, matrix, row)
    return (
        _keep_unlisted(play, pool, -1 - row)
        if instruction & 1
        else _keep_listed(play, pool, -1 - row, spare)
    )


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
    code: Ints,
    jumps: Ints,
    start: int,
    end: int,
    matrix: Words,
    rows: Ints,
    pool: Ints,
    play: Words,
    spare: Words,
    rest: Words,
    kept: Words,
) -> bool:
    """Runs one program over the block; TRUE when an event is left in play. A first bit vector is
    taken as it is.
    """
    at, depth, left, row = start, -1, True, ALL_ROW
    if end > start and code[start] >= 0 and code[start] & 1 == 0 and rows[code[start] >> 1] >= 0:
        row = rows[code[start] >> 1]
        left = row != NO_ROW
        at += 1 if left else jumps[start]
    for word in range(play.size):
        play[word] = matrix[row, word]
    while at < end:
        instruction = code[at]
        if instruction >= 0:
            left = _apply(instruction, play, matrix, rows, pool, spare)
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
def _emit(
    play: Words, slot: int, found_events: Ints, found_slots: Ints, filled: int, tally: Ints
) -> int:
    for word in range(play.size):
        bits = play[word]
        while bits:
            event = word * WORD + lowest_bit(bits)
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
    pool: Ints,
    play: Words,
    spare: Words,
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
        if _run(
            code, jumps, start, start + lengths[slot], matrix, rows, pool, play, spare, rest, kept
        ):
            filled = _emit(play, slot, found_events, found_slots, filled, tally)
    return order.size, filled, candidates


@inlined
def _compares(number: float, relation: int, limit: float, tied: bool) -> bool:
    """Whether a number stands in the relation; of equal floats that may differ exactly, a yes was
    looked up before.
    """
    if number == limit and tied:
        return False
    if relation == _LESS:
        return bool(number < limit)
    if relation == _LESS_OR_EQUAL:
        return bool(number <= limit)
    if relation == _GREATER:
        return bool(number > limit)
    return bool(number >= limit)


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
    compared: Ints,
) -> bool:
    """Whether one event answers a probe with yes. What is looked up is known; a comparison is made
    once and noted.
    """
    relation = relations[probe]
    if relation == 0 or seen[probe] == generation:
        return bool(seen[probe] == generation)
    if seen[probe] == -generation:
        return False
    compared[0] += 1
    yes = _compares(numbers[attributes[probe]], relation, limits[probe], tied[attributes[probe]])
    seen[probe] = generation if yes else -generation
    return yes


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
    compared: Ints,
) -> bool:
    """Runs one program over one event."""
    truth = True
    while at < end:
        instruction = code[at]
        if instruction >= 0:
            yes = _answers(
                instruction >> 1,
                relations,
                attributes,
                limits,
                numbers,
                tied,
                seen,
                generation,
                compared,
            )
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
    compared: Ints,
    found: Ints,
) -> tuple[int, int]:
    """Runs the programs that are anchored at what the event answers with yes; gives how many hold
    and how many ran.
    """
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
            if _holds(
                start,
                end,
                code,
                jumps,
                relations,
                attributes,
                limits,
                numbers,
                tied,
                seen,
                generation,
                compared,
            ):
                found[filled] = slot
                filled += 1
    return filled, candidates
