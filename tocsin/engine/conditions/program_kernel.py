"""Compiled loops that run the programs of conditions, over a block of events or over one.

A program is a conjunction of literals and of ORs, in `code`; `programs` defines the instructions,
`bitmaps` the layout of the answers of a block.

    code     literal (probe * 2 + negated) | BEGIN | NEXT | END
    jumps    for each instruction, the distance to go if nothing is left in play
    play     the events that still hold, one bit each
    rest     per depth of OR: the events that no operand has accepted yet
    kept     per depth of OR: the events that some operand has accepted
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.conditions.bitmaps import ALL_ROW, NO_ROW, WORD
from tocsin.engine.conditions.probes import RELATIONS
from tocsin.engine.conditions.programs import BEGIN, NEXT
from tocsin.engine.index.kernels import Flags, Floats, Ints, Words, compiled, inlined, lowest_bit

_LESS, _LESS_OR_EQUAL, _GREATER = RELATIONS["<"], RELATIONS["<="], RELATIONS[">"]


@inlined
def _may_hold(code: Ints, start: int, required: int, rows: Ints) -> bool:
    """True if each required literal holds for some event of the block."""
    for at in range(start, start + required):
        instruction = code[at]
        # no event satisfies a required literal: the program cannot hold
        if instruction & 1 == 0 and rows[instruction >> 1] == NO_ROW:
            return False
    return True


@inlined
def _keep(play: Words, matrix: Words, row: int) -> bool:
    # an OR of all words shows that an event is left, without a branch for each
    left = np.uint64(0)
    for word in range(play.size):
        play[word] &= matrix[row, word]
        left |= play[word]
    return bool(left)


@inlined
def _keep_others(play: Words, matrix: Words, row: int) -> bool:
    left = np.uint64(0)
    for word in range(play.size):
        # a negated literal
        play[word] &= ~matrix[row, word]
        left |= play[word]
    return bool(left)


@inlined
def _keep_listed(play: Words, pool: Ints, place: int, spare: Words) -> bool:
    for word in range(play.size):
        # a separate array, since play is read during the walk over the list
        spare[word] = np.uint64(0)
    left = np.uint64(0)
    # pool: the number of events, then the events
    for k in range(place + 1, place + 1 + pool[place]):
        event = np.int64(pool[k])
        both = play[event >> 6] & (np.uint64(1) << np.uint64(event & 63))
        spare[event >> 6] |= both
        left |= both
    for word in range(play.size):
        # events that are not listed are out of play
        play[word] = spare[word]
    return bool(left)


@inlined
def _keep_unlisted(play: Words, pool: Ints, place: int) -> bool:
    for k in range(place + 1, place + 1 + pool[place]):
        event = np.int64(pool[k])
        # a negated short list: only its events go
        play[event >> 6] &= ~(np.uint64(1) << np.uint64(event & 63))
    left = np.uint64(0)
    for word in range(play.size):
        left |= play[word]
    return bool(left)


@inlined
def _apply(
    instruction: int, play: Words, matrix: Words, rows: Ints, pool: Ints, spare: Words
) -> bool:
    """Keep the events for which a literal holds; return True if one is left."""
    # an instruction is probe * 2, plus 1 if it is negated
    row = rows[instruction >> 1]
    if row >= 0:
        return _keep_others(play, matrix, row) if instruction & 1 else _keep(play, matrix, row)
    # a short list instead of a row
    return (
        _keep_unlisted(play, pool, -1 - row)
        if instruction & 1
        else _keep_listed(play, pool, -1 - row, spare)
    )


@inlined
def _next_operand(play: Words, rest: Words, kept: Words, depth: int) -> bool:
    left = np.uint64(0)
    for word in range(play.size):
        # events that the operand left in play hold for the OR,
        kept[depth, word] |= play[word]
        # the next operand decides only the others
        rest[depth, word] &= ~play[word]
        play[word] = rest[depth, word]
        left |= play[word]
    return bool(left)


@inlined
def _rejoin(play: Words, kept: Words, depth: int) -> bool:
    left = np.uint64(0)
    for word in range(play.size):
        # the last operand, and those before it
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
    """Run one program over the block; return True if an event is left in play."""
    at, depth, left, row = start, -1, True, ALL_ROW
    # most programs begin with a positive literal that has a row: take the row,
    # instead of all events and then the row
    if end > start and code[start] >= 0 and code[start] & 1 == 0 and rows[code[start] >> 1] >= 0:
        row = rows[code[start] >> 1]
        left = row != NO_ROW
        # the jump skips the part that cannot hold
        at += 1 if left else jumps[start]
    for word in range(play.size):
        play[word] = matrix[row, word]
    while at < end:
        instruction = code[at]
        if instruction >= 0:
            left = _apply(instruction, play, matrix, rows, pool, spare)
            at += 1 if left else jumps[at]
        # an OR begins: note the events in play, of which none is accepted yet
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
            # the OR ends
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
        # one round per event that holds
        while bits:
            event = word * WORD + lowest_bit(bits)
            found_events[filled] = event
            found_slots[filled] = slot
            tally[event] += 1
            filled += 1
            # clears the lowest bit
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
    """Run the programs from `first` on until all are done or the output arrays are nearly full.

    Returns the position to continue from, the number of pairs found, and the number of programs
    run.
    """
    words = matrix.shape[1]
    filled = candidates = 0
    for k in range(first, order.size):
        slot = order[k]
        if slot < 0:
            # a free slot
            continue
        start = starts[slot]
        if not _may_hold(code, start, required[slot], rows):
            continue
        # stop while a match of every event, the worst case, still fits
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
    """True if a number stands in a relation to a limit.

    `tied` numbers may differ from an equal float in their exact value: a positive answer was looked
    up before.
    """
    # both round to the same float; the exact answer was looked up and is False
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
    """True if the event satisfies a probe; a comparison is made once and its result is kept."""
    relation = relations[probe]
    # not a comparison: it was looked up, and marked if it holds
    if relation == 0 or seen[probe] == generation:
        return bool(seen[probe] == generation)
    # compared before for this event: False
    if seen[probe] == -generation:
        return False
    # counted, so that a test can prove that no predicate is evaluated twice
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
    """True if one program holds for the event."""
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
            # negated if the lowest bit is set
            truth = yes != (instruction & 1 == 1)
            at += 1 if truth else jumps[at]
        # one event needs no stack: the jumps alone lead through an OR
        elif instruction == BEGIN:
            at += 1
        elif instruction == NEXT:
            # an operand held: the OR does, go behind it
            at += jumps[at] if truth else 1
            # else try the next operand
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
    """Run the programs anchored at probes that the event satisfies.

    Returns the number of programs that hold, which are written to `found`, and the number that were
    run.
    """
    for probe in yes:
        # generations spare clearing the marks for every event
        seen[probe] = generation
    filled = candidates = 0
    for k in range(yes.size + 1):
        # last, the programs without an anchor: they are run for every event
        anchored = lists[yes[k]] if k < yes.size else lists[0]
        if anchored < 0:
            continue
        first = list_starts[anchored]
        for at in range(first, first + list_counts[anchored]):
            slot = list_pool[at]
            # met under another anchor
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
