"""Compiled loops over a tape of `scanner`: entries of members, and their values."""

from __future__ import annotations

from tocsin.engine.index.encoding import Floats
from tocsin.engine.index.kernels import Ints, compiled, inlined
from tocsin.engine.json_scan.envelopes import after_coordinate, point_of
from tocsin.engine.json_scan.numbers import decimal_number, whole_number
from tocsin.engine.json_scan.scanner import BEGIN, END, NAME, NAME_END, PARENT, JsonToken

_WHOLE, _DECIMAL = int(JsonToken.WHOLE), int(JsonToken.DECIMAL)


@inlined
def _is_called(text: Ints, tape: Ints, entry: int, name: Ints) -> bool:
    begin = tape[entry, NAME]
    # lengths first: most names differ in them
    if tape[entry, NAME_END] - begin != len(name):
        return False
    step = 0
    while step < len(name) and text[begin + step] == name[step]:
        step += 1
    return step == len(name)


@compiled
def find_members(
    text: Ints, tape: Ints, firsts: Ints, parents: Ints, inside: bool, name: Ints, found: Ints
) -> None:
    """Write for each row the entry of the member with a name, -1 if it has none.

    It is a member of the row or, `inside`, of the entry in `parents`. Most rows have it at the same
    position as the previous one, which is tried first.
    """
    usual = 0
    for row in range(len(found)):
        found[row] = -1
        first, last = firsts[row], firsts[row + 1]
        parent = parents[row]
        # the row has no such parent
        if inside and parent < 0:
            continue
        # where the previous row had it
        guess = first + usual
        if guess < last and tape[guess, PARENT] == parent and _is_called(text, tape, guess, name):
            found[row] = guess
            continue
        for entry in range(first, last):
            if tape[entry, PARENT] == parent and _is_called(text, tape, entry, name):
                found[row] = entry
                # the next row is tried here first
                usual = entry - first
                break


@compiled
def read_numbers(
    text: Ints, tape: Ints, entries: Ints, tokens: Ints, numbers: Floats, hard: Ints
) -> int:
    """Write the values of entries that are numbers; return the number of rows in `hard`."""
    count = 0
    for row in range(len(entries)):
        entry = entries[row]
        if tokens[row] == _WHOLE:
            numbers[row] = whole_number(text, tape[entry, BEGIN], tape[entry, END])
        elif tokens[row] == _DECIMAL:
            good, value = decimal_number(text, tape[entry, BEGIN], tape[entry, END])
            numbers[row] = value
            # too many digits for an exact float: the caller asks Python
            if not good:
                hard[count] = row
                count += 1
    return count


@compiled
def read_points(
    text: Ints,
    tape: Ints,
    firsts: Ints,
    entries: Ints,
    found: Floats,
    spans: Ints,
    hard: Ints,
) -> int:
    """Write the coordinates of entries that are plain points, and their positions.

    Returns the number of rows with too many digits for this loop; their numbers are in `hard`.
    """
    count = 0
    for row in range(len(entries)):
        if entries[row] < 0:
            # no place
            continue
        first, second, end = point_of(text, tape, entries[row], firsts[row + 1])
        spans[row, 0] = first
        spans[row, 1] = after_coordinate(text, first, end)
        spans[row, 2] = second
        spans[row, 3] = end
        good, x = decimal_number(text, first, spans[row, 1])
        fine, y = decimal_number(text, second, end)
        found[row, 0] = x
        found[row, 1] = y
        # too many digits: the caller asks shapely
        if not (good and fine):
            hard[count] = row
            count += 1
    return count
