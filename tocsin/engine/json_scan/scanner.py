"""The scanner: many JSON objects to one tape, an entry for each member of each object.

It accepts a subset of the strict reader's input, with the same result. A row is odd, and left to
that reader, if it is malformed, has an escape, a name twice, an object inside an array, a whole
number of more than 18 digits, or more than `MAX_DEPTH` levels.

    text     {"id":"7","data":{"a":1,"b":[2,3]}}     all rows, one after the other
    tape     entry  name  token   value         parent  previous member
               0    id    STRING  7              -1        -1
               1    data  OBJECT  {"a"...}       -1         0
               2    a     WHOLE   1               1        -1
               3    b     ARRAY   [2,3]           1         2
    firsts   the first entry of each row
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from tocsin.engine.index.kernels import Ints, compiled, inlined

MAX_DEPTH = 24
"""Most levels of objects and arrays in a row; events nest a few levels, the stack is an array."""

MAX_DIGITS = 18
"""Whole numbers of 18 digits fit into 64 bits."""


class JsonToken(IntEnum):
    """Kind of a member's value."""

    NULL = 0
    BOOLEAN = 1
    WHOLE = 2
    STRING = 3
    OBJECT = 4
    ARRAY = 5
    DECIMAL = 6


NAME, NAME_END, TOKEN, BEGIN, END, PARENT, PREVIOUS_SIBLING = range(7)
"""The columns of the tape: position of a member's name, token and position of its value, and links.

The links are the entry of the object around it (-1 for the row's own) and of the member before it.
"""
WIDTH = 7

_NULL, _BOOLEAN, _WHOLE, _STRING, _OBJECT, _ARRAY, _DECIMAL = map(int, JsonToken)
_NAME, _FIRST_NAME, _VALUE, _FIRST_VALUE, _AFTER = range(5)
_BAD = -1
_QUOTE, _BACKSLASH, _COLON, _COMMA = b'"\\:,'
_OPEN, _CLOSE, _OPEN_LIST, _CLOSE_LIST = b"{}[]"
_MINUS, _PLUS, _POINT, _ZERO, _NINE, _SMALL_E, _LARGE_E = b"-+.09eE"
_TRUE, _FALSE, _NIL = b"tfn"
_SPACE, _TAB, _NEWLINE, _RETURN = b" \t\n\r"
_WORDS = np.frombuffer(b"truefalsenull", np.uint8)


@inlined
def _after_blanks(text: Ints, at: int, stop: int) -> int:
    while at < stop:
        byte = text[at]
        # one comparison ends it for nearly every byte
        if byte > _SPACE or byte not in (_SPACE, _TAB, _NEWLINE, _RETURN):
            break
        at += 1
    return at


@inlined
def _after_text(text: Ints, at: int, stop: int) -> int:
    """Return the position of the quote that ends a text.

    -1 for an escape, a control character or no end.
    """
    while at < stop:
        byte = text[at]
        if byte == _QUOTE:
            return at
        # an escape would have to be decoded, a control character is malformed
        if byte == _BACKSLASH or byte < _SPACE:
            return _BAD
        at += 1
    return _BAD


@inlined
def _after_digits(text: Ints, at: int, stop: int) -> int:
    while at < stop and _ZERO <= text[at] <= _NINE:
        at += 1
    return at


@inlined
def _after_number(text: Ints, at: int, stop: int) -> tuple[int, int]:
    """Return the position behind a number, and its token; -1 if it is not one, or too long."""
    if text[at] == _MINUS:
        at += 1
    begin = at
    at = _after_digits(text, at, stop)
    digits = at - begin
    # no digit, too many for 64 bits, or a leading zero, which JSON forbids
    if digits == 0 or digits > MAX_DIGITS or (digits > 1 and text[begin] == _ZERO):
        return _BAD, _WHOLE
    token = _WHOLE
    # a fraction has at least one digit
    if at < stop and text[at] == _POINT:
        token = _DECIMAL
        begin = at + 1
        at = _after_digits(text, begin, stop)
        if at == begin:
            return _BAD, token
    # an exponent has at least one digit, after a sign or not
    if at < stop and (text[at] == _SMALL_E or text[at] == _LARGE_E):
        token = _DECIMAL
        at += 1
        if at < stop and (text[at] == _MINUS or text[at] == _PLUS):
            at += 1
        begin = at
        at = _after_digits(text, begin, stop)
        if at == begin:
            return _BAD, token
    return at, token


@inlined
def _after_word(text: Ints, at: int, stop: int, word: int, size: int) -> int:
    """Return the position behind one of the words; -1 if another text is there."""
    if stop - at < size:
        return _BAD
    for step in range(size):
        if text[at + step] != _WORDS[word + step]:
            return _BAD
    return at + size


@inlined
def _after_scalar(text: Ints, at: int, stop: int) -> tuple[int, int]:
    """Return the position behind true, false, null or a number, and its token."""
    byte = text[at]
    if byte == _TRUE:
        # places and lengths within `truefalsenull`
        return _after_word(text, at, stop, 0, 4), _BOOLEAN
    if byte == _FALSE:
        return _after_word(text, at, stop, 4, 5), _BOOLEAN
    if byte == _NIL:
        return _after_word(text, at, stop, 9, 4), _NULL
    return _after_number(text, at, stop)


@inlined
def same_bytes(text: Ints, one: int, other: int, size: int) -> bool:
    """True if `size` bytes at two positions are equal."""
    step = 0
    while step < size and text[one + step] == text[other + step]:
        step += 1
    return bool(step == size)


@inlined
def _same_name(text: Ints, tape: Ints, one: int, other: int) -> bool:
    # lengths first: most names differ in them
    begin, beside = tape[one, NAME], tape[other, NAME]
    size = tape[one, NAME_END] - begin
    return size == tape[other, NAME_END] - beside and same_bytes(text, begin, beside, size)


@inlined
def _has_duplicate_key(text: Ints, tape: Ints, entry: int) -> bool:
    """True if an earlier member of the same object has the same name."""
    # a walk over the earlier members: quadratic, hence only for new names
    elder = tape[entry, PREVIOUS_SIBLING]
    while elder >= 0:
        if _same_name(text, tape, entry, elder):
            return True
        elder = tape[elder, PREVIOUS_SIBLING]
    return False


@compiled
def _scan_row(  # noqa: PLR0915 - a state machine: each state reads and writes what the others do
    text: Ints, at: int, stop: int, tape: Ints, first: int, before: int, stack: Ints
) -> int:
    """Write one JSON object to the tape from `first` on; return the next free entry.

    -1 for the strict reader. `before` is the first entry of the previous row: while names equal
    those of that row, no duplicate check is needed.
    """
    entry = first
    # rows of one sender have the same names: while they do, there is no duplicate
    alike = before >= 0
    at = _after_blanks(text, at, stop)
    # a row is an object
    if at >= stop or text[at] != _OPEN:
        return _BAD
    at += 1
    depth = 0
    # the open object, its last member until now, and True within an array
    owner, youngest, in_list = -1, -1, False
    begin = 0
    mode = _FIRST_NAME
    while True:
        at = _after_blanks(text, at, stop)
        # the text ends within the object
        if at >= stop:
            return _BAD
        byte = text[at]
        # a member: its name and the colon
        if mode == _NAME or (mode == _FIRST_NAME and byte == _QUOTE):
            if byte != _QUOTE:
                return _BAD
            begin = at + 1
            at = _after_text(text, begin, stop)
            # an escape, no end, or an empty name, which the strict reader looks at
            if at <= begin:
                return _BAD
            tape[entry, NAME] = begin
            tape[entry, NAME_END] = at
            tape[entry, PARENT] = owner
            tape[entry, PREVIOUS_SIBLING] = youngest
            if alike:
                # the same member of the row before: same name, below the same member
                model = before + entry - first
                alike = (
                    model < first
                    and tape[model, PARENT] - before
                    == (owner - first if owner >= 0 else -1 - before)
                    and _same_name(text, tape, entry, model)
                )
            if not alike and _has_duplicate_key(text, tape, entry):
                return _BAD
            youngest = entry
            at = _after_blanks(text, at + 1, stop)
            if at >= stop or text[at] != _COLON:
                return _BAD
            at += 1
            mode = _VALUE
        # a value: a scalar is written whole, an object or array is opened
        elif mode == _VALUE or (mode == _FIRST_VALUE and byte != _CLOSE_LIST):
            token = _STRING
            begin = at
            if byte == _QUOTE:
                begin = at + 1
                at = _after_text(text, begin, stop)
                if at < 0:
                    return _BAD
            elif byte in (_OPEN, _OPEN_LIST):
                # objects within arrays are not written to the tape
                if depth == MAX_DEPTH or (in_list and byte == _OPEN):
                    return _BAD
                token = _OBJECT if byte == _OPEN else _ARRAY
            else:
                at, token = _after_scalar(text, at, stop)
                if at < 0:
                    return _BAD
            # items of an array are checked, but not written: the array is one entry
            if not in_list:
                tape[entry, TOKEN] = token
                tape[entry, BEGIN] = begin
                tape[entry, END] = at
                entry += 1
            if token in (_OBJECT, _ARRAY):
                # continue with the object around it afterwards
                stack[depth, 0] = owner
                stack[depth, 1] = youngest
                stack[depth, 2] = in_list
                depth += 1
                if not in_list:
                    owner = entry - 1
                youngest = -1
                in_list = token == _ARRAY
                mode = _FIRST_VALUE if in_list else _FIRST_NAME
                at += 1
            else:
                # behind the closing quote
                if token == _STRING:
                    at += 1
                mode = _AFTER
        # between two members or items
        elif byte == _COMMA and mode == _AFTER:
            mode = _VALUE if in_list else _NAME
            at += 1
        # an object or array ends; right after a comma the modes above refuse it
        elif byte == (_CLOSE_LIST if in_list else _CLOSE):
            at += 1
            # the row itself: nothing but blanks may follow
            if depth == 0:
                return entry if _after_blanks(text, at, stop) == stop else _BAD
            depth -= 1
            # write the end of its entry, unless it is inside an array
            closed = owner
            owner, youngest = stack[depth, 0], stack[depth, 1]
            in_list = stack[depth, 2] != 0
            if not in_list:
                tape[closed, END] = at
            mode = _AFTER
        else:
            return _BAD


@compiled
def scan_rows(
    text: Ints, starts: Ints, tape: Ints, firsts: Ints, needs_fallback: Any, stack: Ints
) -> int:
    """Write all rows to the tape, and the first entry of each; return the number of entries.

    An odd row has none.
    """
    entry, before = 0, -1
    for row in range(len(starts) - 1):
        # the entries of an odd row are overwritten by the next row
        firsts[row] = entry
        end = _scan_row(text, starts[row], starts[row + 1], tape, entry, before, stack)
        needs_fallback[row] = end < 0
        if end >= 0:
            before = entry
            entry = end
    firsts[len(starts) - 1] = entry
    return entry
