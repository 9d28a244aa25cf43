"""Envelopes of scanned rows: plain CloudEvents, their times, and the positions of members.

Other rows are odd, and left to the strict reader: without id, source or type, of another version,
with data that are not an object, with EPCIS inside, or with an unusual time or place.

    found    for one row, the entry of each name in NAMES, -1 if it is absent
    spans    per row: begin and end of id, source, type and data within the text of the row
    times    per row: start and end in microseconds, UNTIMED if it has none
    hashes   per row: FNV-1a of source and id
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.index.kernels import Flags, Ints, Words, compiled, inlined
from tocsin.engine.json_scan.numbers import instant
from tocsin.engine.json_scan.scanner import (
    BEGIN,
    END,
    NAME,
    NAME_END,
    PARENT,
    PREVIOUS_SIBLING,
    TOKEN,
    JsonToken,
)
from tocsin.events.event import UNTIMED
from tocsin.values.time import FIRST_INSTANT, LAST_INSTANT

NAMES = (
    "id",
    "source",
    "type",
    "time",
    "endtime",
    "data",
    "place",
    "specversion",
    "datacontenttype",
    "data_base64",
)
ID, SOURCE, TYPE, TIME, ENDTIME, DATA, PLACE, VERSION, CONTENT_TYPE, BASE64 = range(len(NAMES))

SPANNED = (ID, SOURCE, TYPE, DATA)
"""The members whose spans are written."""

_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_BETWEEN = np.uint64(0xFF)
"""The byte hashed between source and id: UTF-8 never has it."""
_WORD = 0xFFFF_FFFF_FFFF_FFFF

_SIZES = np.array([len(name) for name in NAMES], np.int64)
_STARTS = np.cumsum(_SIZES) - _SIZES
_LETTERS = np.frombuffer("".join(NAMES).encode(), np.uint8)


_NULL, _STRING = int(JsonToken.NULL), int(JsonToken.STRING)
_OBJECT, _ARRAY = int(JsonToken.OBJECT), int(JsonToken.ARRAY)

_WORDS = np.frombuffer(b"1.0typeEventDocumentPOINTPointcoordinates", np.uint8)
_V1, _TYPE, _EVENT, _DOCUMENT, _WKT, _GEOJSON, _COORDINATES = (
    (0, 3),
    (3, 4),
    (7, 5),
    (12, 8),
    (20, 5),
    (25, 5),
    (30, 11),
)
_BLANK, _OPEN, _CLOSE, _MINUS, _POINT, _ZERO, _NINE, _COMMA = b" ()-.09,"
_OPEN_LIST, _CLOSE_LIST = b"[]"
_TAB, _NEWLINE, _RETURN = b"\t\n\r"
_MAX_WHOLE_DIGITS, _MAX_FRACTION_DIGITS = 15, 18
_BAD = -1


@inlined
def is_word(text: Ints, at: int, end: int, letters: Ints, start: int, size: int) -> bool:
    """True if the text from `at` to `end` is the word at `start` of `letters`."""
    # most words differ in length
    if end - at != size:
        return False
    step = 0
    while step < size and text[at + step] == letters[start + step]:
        step += 1
    return step == size


@inlined
def _known_name(text: Ints, at: int, end: int) -> int:
    """Return the number of a name in NAMES; -1 for another name."""
    # ten names: a loop over lengths is faster than a hash
    for number in range(len(_SIZES)):
        if is_word(text, at, end, _LETTERS, _STARTS[number], _SIZES[number]):
            return number
    return -1


@inlined
def _ends_with(text: Ints, at: int, end: int, word: tuple[int, int]) -> bool:
    return is_word(text, max(at, end - word[1]), end, _WORDS, word[0], word[1])


@inlined
def _is_text(tape: Ints, entry: int) -> bool:
    """True if a member is a text that is not empty."""
    return bool(
        entry >= 0 and tape[entry, TOKEN] == _STRING and tape[entry, END] > tape[entry, BEGIN]
    )


@inlined
def _is_absent(tape: Ints, entry: int) -> bool:
    """True if a member is absent or null."""
    return bool(entry < 0 or tape[entry, TOKEN] == _NULL)


@inlined
def _may_be_epcis(text: Ints, tape: Ints, data: int, last: int) -> bool:
    """True if the type of data ends in Event or Document, as all types of EPCIS do."""
    # members of data follow it on the tape, mixed with those of other objects
    for entry in range(data + 1, last):
        if tape[entry, PARENT] == data and is_word(
            text, tape[entry, NAME], tape[entry, NAME_END], _WORDS, _TYPE[0], _TYPE[1]
        ):
            begin, end = tape[entry, BEGIN], tape[entry, END]
            return _ends_with(text, begin, end, _EVENT) or _ends_with(text, begin, end, _DOCUMENT)
    return False


@inlined
def after_coordinate(text: Ints, at: int, end: int) -> int:
    """Return the position behind a plainly written coordinate; -1 if it is not one."""
    if at < end and text[at] == _MINUS:
        at += 1
    # whole digits: at least one, and at most 15, so that GEOS reads the same float
    begin = at
    while at < end and _ZERO <= text[at] <= _NINE:
        at += 1
    if at == begin or at - begin > _MAX_WHOLE_DIGITS:
        return _BAD
    # a point needs digits behind it
    if at < end and text[at] == _POINT:
        begin = at + 1
        at = begin
        while at < end and _ZERO <= text[at] <= _NINE:
            at += 1
        if at == begin or at - begin > _MAX_FRACTION_DIGITS:
            return _BAD
    return at


@inlined
def _after_blanks(text: Ints, at: int, end: int) -> int:
    while at < end and (
        text[at] == _BLANK or text[at] == _TAB or text[at] == _NEWLINE or text[at] == _RETURN
    ):
        at += 1
    return at


@inlined
def _point_of_text(text: Ints, at: int, end: int) -> tuple[int, int, int]:
    """Return the positions of both coordinates of a plain WKT point, and of the end of the second.

    -1 if it is not one.
    """
    # POINT in capitals, as is usual
    if end - at < _WKT[1] or not is_word(text, at, at + _WKT[1], _WORDS, _WKT[0], _WKT[1]):
        return _BAD, 0, 0
    # one blank or none before the bracket
    at += _WKT[1]
    if at < end and text[at] == _BLANK:
        at += 1
    if at >= end or text[at] != _OPEN:
        return _BAD, 0, 0
    first = at + 1
    at = after_coordinate(text, first, end)
    # exactly one blank between the coordinates
    if at < 0 or at >= end or text[at] != _BLANK:
        return _BAD, 0, 0
    second = at + 1
    at = after_coordinate(text, second, end)
    # the closing bracket is the last character
    if at != end - 1 or text[at] != _CLOSE:
        return _BAD, 0, 0
    return first, second, at


@inlined
def _point_of_list(text: Ints, at: int, end: int) -> tuple[int, int, int]:
    """Return the same as `_point_of_text` for an array of two numbers."""
    first = _after_blanks(text, at + 1, end)
    at = after_coordinate(text, first, end)
    if at < 0:
        return _BAD, 0, 0
    at = _after_blanks(text, at, end)
    # the scanner has checked that the array ends, so this cannot run past it
    if text[at] != _COMMA:
        return _BAD, 0, 0
    second = _after_blanks(text, at + 1, end)
    at = after_coordinate(text, second, end)
    # a third number (altitude) is left to the strict reader
    if at < 0 or text[_after_blanks(text, at, end)] != _CLOSE_LIST:
        return _BAD, 0, 0
    return first, second, at


@inlined
def _point_of_object(text: Ints, tape: Ints, place: int, last: int) -> tuple[int, int, int]:
    """Return the same for a GeoJSON point: a type, coordinates, and no other member."""
    # its two members are the next two entries: neither has entries of its own
    kind = place + 1
    coordinates = place + 2
    if coordinates >= last or tape[kind, PARENT] != place or tape[coordinates, PARENT] != place:
        return _BAD, 0, 0
    # a third member, such as bbox or crs
    if coordinates + 1 < last and tape[coordinates + 1, PARENT] == place:
        return _BAD, 0, 0
    # the members may stand in either order
    if tape[kind, TOKEN] == _ARRAY:
        kind, coordinates = coordinates, kind
    if tape[kind, TOKEN] != _STRING or tape[coordinates, TOKEN] != _ARRAY:
        return _BAD, 0, 0
    if (
        not is_word(text, tape[kind, NAME], tape[kind, NAME_END], _WORDS, _TYPE[0], _TYPE[1])
        or not is_word(text, tape[kind, BEGIN], tape[kind, END], _WORDS, _GEOJSON[0], _GEOJSON[1])
        or not is_word(
            text,
            tape[coordinates, NAME],
            tape[coordinates, NAME_END],
            _WORDS,
            _COORDINATES[0],
            _COORDINATES[1],
        )
    ):
        return _BAD, 0, 0
    return _point_of_list(text, tape[coordinates, BEGIN], tape[coordinates, END])


@inlined
def point_of(text: Ints, tape: Ints, place: int, last: int) -> tuple[int, int, int]:
    """Return the positions of both coordinates of a place, and of the end of the second.

    -1 if it is not a plain point. `last` is the entry after those of the row.
    """
    if tape[place, TOKEN] == _STRING:
        return _point_of_text(text, tape[place, BEGIN], tape[place, END])
    if tape[place, TOKEN] == _OBJECT:
        return _point_of_object(text, tape, place, last)
    return _BAD, 0, 0


@inlined
def _is_fast(text: Ints, tape: Ints, found: Ints, last: int) -> bool:
    """True if a row is plain but for its times, which are checked elsewhere."""
    # id, source and type are texts that are not empty
    if not (
        _is_text(tape, found[ID]) and _is_text(tape, found[SOURCE]) and _is_text(tape, found[TYPE])
    ):
        return False
    if not _is_absent(tape, found[BASE64]):
        return False
    # a content type, if given, is a text; JSON is decided later
    kind = found[CONTENT_TYPE]
    if not _is_absent(tape, kind) and tape[kind, TOKEN] != _STRING:
        return False
    # version 1.0, or none
    version = found[VERSION]
    if not _is_absent(tape, version) and not (
        tape[version, TOKEN] == _STRING
        and is_word(text, tape[version, BEGIN], tape[version, END], _WORDS, _V1[0], _V1[1])
    ):
        return False
    # data, if given, is an object, and not EPCIS, which has a reader of its own
    data = found[DATA]
    if not _is_absent(tape, data) and (
        tape[data, TOKEN] != _OBJECT or _may_be_epcis(text, tape, data, last)
    ):
        return False
    place = found[PLACE]
    return bool(_is_absent(tape, place) or point_of(text, tape, place, last)[0] >= 0)


@inlined
def _has_good_time(text: Ints, tape: Ints, found: Ints, times: Ints) -> bool:
    """True if a row has no time or a plain one; its start and end are written to `times`."""
    time, endtime = found[TIME], found[ENDTIME]
    # an end without a start is an error: the strict reader reports it
    if _is_absent(tape, time):
        return _is_absent(tape, endtime)
    if tape[time, TOKEN] != _STRING:
        return False
    good, start = instant(text, tape[time, BEGIN], tape[time, END])
    if not good:
        return False
    end = start
    if not _is_absent(tape, endtime):
        if tape[endtime, TOKEN] != _STRING:
            return False
        good, end = instant(text, tape[endtime, BEGIN], tape[endtime, END])
        # an end before the start, too
        if not good or end < start:
            return False
    if start < FIRST_INSTANT or end > LAST_INSTANT:
        return False
    times[0] = start
    times[1] = end
    return True


@inlined
def _write_span(tape: Ints, entry: int, start: int, span: Ints, at: int) -> None:
    """Write the position of an entry's value within the text of its row; -1 if null or absent."""
    if _is_absent(tape, entry):
        span[at] = span[at + 1] = -1
        return
    span[at] = tape[entry, BEGIN] - start
    span[at + 1] = tape[entry, END] - start


@inlined
def _hash_text(text: Ints, tape: Ints, entry: int, given: np.uint64) -> np.uint64:
    """Return the FNV-1a hash of a text, continued from `given`."""
    found = given
    for at in range(tape[entry, BEGIN], tape[entry, END]):
        # xor, then multiply: the order of FNV-1a
        found = (found ^ np.uint64(text[at])) * _PRIME
    return found


@compiled
def read_envelopes(
    text: Ints,
    tape: Ints,
    starts: Ints,
    firsts: Ints,
    needs_fallback: Flags,
    found: Ints,
    spans: Ints,
    times: Ints,
    placed: Flags,
    hashes: Words,
) -> None:
    """Mark odd rows; write spans, times, presence of a place and identity hash of the others."""
    for row in range(len(needs_fallback)):
        found[:] = -1
        last = firsts[row + 1]
        if needs_fallback[row] or last == firsts[row]:  # without a member there is no id
            needs_fallback[row] = True
            continue
        # the last member of the row itself: up from the last entry
        entry = last - 1
        while entry >= 0 and tape[entry, PARENT] != -1:
            entry = tape[entry, PARENT]
        while entry >= 0:
            # then back over its members; extensions have unknown names
            number = _known_name(text, tape[entry, NAME], tape[entry, NAME_END])
            if number >= 0:
                found[number] = entry
            entry = tape[entry, PREVIOUS_SIBLING]
        times[row] = UNTIMED
        if not (
            _is_fast(text, tape, found, last) and _has_good_time(text, tape, found, times[row])
        ):
            needs_fallback[row] = True
            continue
        for at in range(len(SPANNED)):
            _write_span(tape, found[SPANNED[at]], starts[row], spans[row], 2 * at)
        placed[row] = not _is_absent(tape, found[PLACE])
        # source and id, with a byte between that no text has
        hashed = _hash_text(text, tape, found[SOURCE], _BASIS)
        hashes[row] = _hash_text(text, tape, found[ID], (hashed ^ _BETWEEN) * _PRIME)


def hash_identity(source: str, id: str) -> int:
    """Return the hash of a row with this identity; the same as in the compiled loop."""
    found, prime = int(_BASIS), int(_PRIME)
    for byte in b"\xff".join(text.encode("utf-8", "surrogatepass") for text in (source, id)):
        found = (found ^ byte) * prime & _WORD
    return found
