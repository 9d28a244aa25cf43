"""Numbers and times in texts, read by compiled loops: exactly, or else not at all.

A decimal of up to 15 digits and a power of ten up to 22 are exact as floats, so that one
multiplication or division rounds once, as it must (Clinger, How to Read Floating Point Numbers
Accurately, 1990).
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.index.kernels import Ints, inlined

_MINUS, _PLUS, _POINT, _ZERO, _NINE, _SMALL_E = b"-+.09e"
_DASH, _COLON, _SMALL_T, _SMALL_Z, _BLANK = b"-:tz "
_LOWER = 0x20
"""The bit that makes a letter lower case."""

_EXACT_MANTISSA = 1 << 53
_EXACT_POWER = 22
_POWERS = np.array([10.0**power for power in range(_EXACT_POWER + 1)])
_LARGEST_EXPONENT = 10_000

_SECOND = 1_000_000
_DAY = 86_400
_SHORTEST_TIME = 20
"""Length of `2026-01-31T08:00:00Z`."""
_MICROSECOND_DIGITS = 6
_DAYS_BEFORE = np.array([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365], np.int64)
_FIRST, _LAST = -62_135_596_800 * _SECOND, 253_402_300_800 * _SECOND - 1
"""Bounds of the years 1 to 9999, in microseconds."""


@inlined
def whole_number(text: Ints, at: int, end: int) -> int:
    """Return the value of digits that fit into 64 bits, with an optional minus."""
    negative = text[at] == _MINUS
    if negative:
        at += 1
    value = 0
    while at < end:
        value = value * 10 + (text[at] - _ZERO)
        at += 1
    return -value if negative else value


@inlined
def decimal_number(text: Ints, at: int, end: int) -> tuple[bool, float]:
    """Return True and the value of a number; False if it cannot be computed exactly here."""
    negative = text[at] == _MINUS
    if negative:
        at += 1
    mantissa, power = 0, 0
    past_point = False
    while at < end:
        byte = text[at]
        if byte == _POINT:
            past_point = True
        elif _ZERO <= byte <= _NINE:
            # with one more digit the float of the mantissa could be rounded
            if mantissa >= _EXACT_MANTISSA:
                return False, 0.0
            mantissa = mantissa * 10 + (byte - _ZERO)
            # each digit of the fraction is one power of ten less
            if past_point:
                power -= 1
        else:
            # e or E
            break
        at += 1
    if at < end:  # an exponent
        at += 1
        down = text[at] == _MINUS
        if down or text[at] == _PLUS:
            at += 1
        exponent = 0
        # bounded, so that an exponent of a thousand digits cannot overflow
        while at < end and exponent < _LARGEST_EXPONENT:
            exponent = exponent * 10 + (text[at] - _ZERO)
            at += 1
        power += -exponent if down else exponent
    # not exact by these means: the strict reader decides
    if mantissa > _EXACT_MANTISSA or power < -_EXACT_POWER or power > _EXACT_POWER:
        return False, 0.0
    value = mantissa * _POWERS[power] if power >= 0 else mantissa / _POWERS[-power]
    return True, -value if negative else value


@inlined
def _digits(text: Ints, at: int, count: int) -> int:
    """Return the value of `count` digits; -1 if one is missing."""
    value = 0
    for step in range(count):
        byte = text[at + step]
        if byte < _ZERO or byte > _NINE:
            return -1
        value = value * 10 + (byte - _ZERO)
    return value


@inlined
def _days_since_1970(year: int, month: int, day: int) -> int:
    """Return the days from 1970 to a date; -1 million if there is no such day."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if year < 1 or month < 1 or month > 12 or day < 1:
        return -1_000_000
    # the days of the month, February without a leap day
    after = _DAYS_BEFORE[month] - _DAYS_BEFORE[month - 1]
    if day > after + (1 if leap and month == 2 else 0):
        return -1_000_000
    past = year - 1
    # days from the first of January of year 1, in the Gregorian calendar
    before = past * 365 + past // 4 - past // 100 + past // 400
    in_year = int(_DAYS_BEFORE[month - 1]) + day - 1 + (1 if leap and month > 2 else 0)
    # 719,162 days from year 1 to 1970
    return before + in_year - 719_162


@inlined
def instant(text: Ints, at: int, end: int) -> tuple[bool, int]:
    """Return True and the microseconds of an RFC 3339 time; False for the strict reader."""
    # shorter than YYYY-MM-DDThh:mm:ssZ
    if end - at < _SHORTEST_TIME:
        return False, 0
    year, month, day = _digits(text, at, 4), _digits(text, at + 5, 2), _digits(text, at + 8, 2)
    hour, minute = _digits(text, at + 11, 2), _digits(text, at + 14, 2)
    second = _digits(text, at + 17, 2)
    between = text[at + 10]
    if text[at + 4] != _DASH or text[at + 7] != _DASH:
        return False, 0
    if text[at + 13] != _COLON or text[at + 16] != _COLON:
        return False, 0
    # T, t or a blank, as RFC 3339 allows
    if between | _LOWER != _SMALL_T and between != _BLANK:
        return False, 0
    # a leap second (60) is left to the strict reader
    if hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0 or second > 59:
        return False, 0
    days = _days_since_1970(year, month, day)
    if days == -1_000_000 or year < 0 or month < 0 or day < 0:
        return False, 0
    at += 19
    fraction = 0
    if text[at] == _POINT:
        at += 1
        digits = 0
        while at < end and _ZERO <= text[at] <= _NINE:
            # digits beyond the microseconds are cut off, not rounded
            if digits < _MICROSECOND_DIGITS:
                fraction = fraction * 10 + (text[at] - _ZERO)
            digits += 1
            at += 1
        if digits == 0:
            return False, 0
        # .5 is 500,000 microseconds
        while digits < _MICROSECOND_DIGITS:
            fraction *= 10
            digits += 1
    if at >= end:
        return False, 0
    offset = 0
    # Z, or an offset as +hh:mm
    if end - at == 1 and text[at] | _LOWER == _SMALL_Z:
        offset = 0
    elif end - at == 6 and (text[at] == _PLUS or text[at] == _MINUS) and text[at + 3] == _COLON:
        hours, minutes = _digits(text, at + 1, 2), _digits(text, at + 4, 2)
        if hours < 0 or hours > 23 or minutes < 0 or minutes > 59:
            return False, 0
        offset = (hours * 60 + minutes) * 60
        if text[at] == _MINUS:
            offset = -offset
    else:
        return False, 0
    # local time minus its offset is UTC
    seconds = days * _DAY + (hour * 60 + minute) * 60 + second - offset
    found = seconds * _SECOND + fraction
    return _FIRST <= found <= _LAST, found
