"""Loops over a tape: where members stand, and what their values are."""

from __future__ import annotations

from tocsin.engine.index.kernels import Floats, Ints, compiled, inlined
from tocsin.engine.texts.envelopes import after_coordinate, point_of
from tocsin.engine.texts.numbers import decimal_number, whole_number
from tocsin.engine.texts.scanner import BEGIN, END, NAME, NAME_END, PARENT, Token

_WHOLE, _DECIMAL = int(Token.WHOLE), int(Token.DECIMAL)


@inlined
def _is_called(text: Ints, tape: Ints, entry: int, name: Ints) -> bool:
    begin = tape[entry, NAME]
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
    """Writes for each row the entry of the member with the name, of the row or, `inside`, of the
    entry that is given as its parent.

    Most rows have it where the row before had it: there it is looked for first.
    """
    usual = 0
    for row in range(len(found)):
        found[row] = -1
        first, last = firsts[row], firsts[row + 1]
        parent = parents[row]
        if inside and parent < 0:
            continue
        guess = first + usual
        if guess < last and tape[guess, PARENT] == parent and _is_called(text, tape, guess, name):
            found[row] = guess
            continue
        for entry in range(first, last):
            if tape[entry, PARENT] == parent and _is_called(text, tape, entry, name):
                found[row] = entry
                usual = entry - first
                break


@compiled
def read_numbers(
    text: Ints, tape: Ints, entries: Ints, tokens: Ints, numbers: Floats, hard: Ints
) -> int:
    """Writes the values of entries that are numbers, and which are too hard; gives how many are."""
    count = 0
    for row in range(len(entries)):
        entry = entries[row]
        if tokens[row] == _WHOLE:
            numbers[row] = whole_number(text, tape[entry, BEGIN], tape[entry, END])
        elif tokens[row] == _DECIMAL:
            good, value = decimal_number(text, tape[entry, BEGIN], tape[entry, END])
            numbers[row] = value
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
    """Writes the coordinates of entries that are plain points, and where they stand; gives how many
    are too hard, and writes which.
    """
    count = 0
    for row in range(len(entries)):
        if entries[row] < 0:
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
        if not (good and fine):
            hard[count] = row
            count += 1
    return count
