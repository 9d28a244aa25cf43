"""Instants, durations and distances of a text. Whole milliseconds in, microseconds out; never
negative.

An instant lies in the years 1 to 9999, a duration is at most a hundred years, a distance is finite.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from tocsin.errors import MeaningProblem, Place, Problem
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.opsl.syntax import Fixed, OpslSubscription, WindowedOperand, nodes_of
from tocsin.values.time import Duration, Instant, format_instant, parse_instant


def parameter_problem(message: str, token: str, hint: str) -> MeaningProblem:
    """Return the problem of an invalid number, duration or instant."""
    return MeaningProblem(message, code="ParameterError", token=token[:40], hint=hint)


MILLISECOND = 1_000
LONGEST = 100 * 366 * 86_400_000_000
"""A hundred years in microseconds; a longer duration is probably an error."""

_UNITS = {"": 1, "ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_QUANTITY = re.compile(r"([+-]?)([\d.eE+-]+?)\s*([A-Za-zµ]*)")
_FORM = (
    "write a whole number and a unit: 500ms, 60s, 10m, 2h or 1d; without a unit it is milliseconds"
)
_INSTANT_FORM = "write milliseconds since 1970 or a time such as 2024-01-01T00:00:00Z"
_FIRST, _LAST = parse_instant("0001-01-01T00:00:00Z"), parse_instant("9999-12-31T23:59:59.999999Z")


def duration_of(written: str) -> Duration:
    """Return the microseconds of `60s`, `10m` or `500`, the last one in milliseconds."""
    sign, digits, unit = _split_quantity(written)
    if unit not in _UNITS:
        raise parameter_problem(
            f"the unit {unit!r} is not known", written, _near_unit(digits, unit) or _FORM
        )
    if sign == "-":
        raise parameter_problem("a duration is not negative", written, _FORM)
    if not digits.isdecimal():
        raise parameter_problem("a duration is a whole number", written, _FORM)
    if len(digits) > 18:
        raise parameter_problem("the duration is longer than a hundred years", written, _FORM)
    return require_duration_limit(int(digits) * _UNITS[unit] * MILLISECOND, written)


def _near_unit(digits: str, unit: str) -> str:
    """Return a hint with the same duration in a known unit; "" if no unit is similar."""
    meant = next(
        (short for short, words in _LONG_UNITS.items() if unit.lower() in words.split()), ""
    )
    if meant:
        return f"write {digits}{meant}"
    if unit.lower() in ("w", "week", "weeks") and digits.isdecimal():
        return f"write {int(digits) * 7}d" if len(digits) <= 18 else ""
    return ""


_LONG_UNITS = {
    "ms": "ms msec msecs millis millisecond milliseconds",
    "s": "s sec secs second seconds",
    "m": "m min mins minute minutes",
    "h": "h hr hrs hour hours",
    "d": "d day days",
}


def require_duration_limit(duration: Duration, written: str) -> Duration:
    """Return the duration; raise if it is longer than a hundred years."""
    if duration > LONGEST:
        raise parameter_problem("the duration is longer than a hundred years", written, _FORM)
    return duration


def instant_of(written: str) -> Instant:
    """Return the microseconds of an instant: whole milliseconds since 1970, or an RFC 3339 time."""
    if re.match(r"\d{4}-\d\d-", written):
        return _timestamp(written)
    sign, digits, unit = _split_quantity(written)
    if unit or not digits.isdecimal():
        raise parameter_problem(
            "an instant is a whole number of milliseconds", written, _INSTANT_FORM
        )
    if len(digits) > 18:
        raise _out_of_range(written)
    return in_range(int(sign + digits) * MILLISECOND, written)


def in_range(instant: Instant, written: str) -> Instant:
    """Return the instant; raise if it is not in the years 1 to 9999."""
    if not _FIRST <= instant <= _LAST:
        raise _out_of_range(written)
    return instant


def distance_of(written: str) -> float:
    """Return a distance; raise if it is not finite or is negative."""
    value = float(written)
    if not math.isfinite(value):
        raise parameter_problem("a distance is finite", written, "write a smaller number")
    if value < 0:
        raise parameter_problem(
            "a distance is not negative", written, "write 0 or a positive number"
        )
    return value + 0.0


def _timestamp(written: str) -> Instant:
    try:
        return parse_instant(written)
    except Problem as problem:
        raise parameter_problem(problem.message, written, problem.hint or _INSTANT_FORM) from None


def _split_quantity(written: str) -> tuple[str, str, str]:
    parts = _QUANTITY.fullmatch(written)
    return (parts[1], parts[2], parts[3]) if parts else ("", written, "")


def _out_of_range(written: str) -> Problem:
    first, last = format_instant(_FIRST), format_instant(_LAST)
    return parameter_problem(
        f"the instant is not between {first} and {last}", written, _INSTANT_FORM
    )


# The place of a window of absolute time, for a host that refuses the window.


def find_window(
    text: str, subscription: OpslSubscription, start: Instant, length: Duration
) -> tuple[Place, str] | None:
    """Return the place of the window's instant and its text; None if a definition has it."""
    for window in _fixed_windows(subscription):
        if (instant_of(window.instant.text), duration_of(window.duration.text)) == (start, length):
            return ProblemCollector(text).place(window.instant), window.instant.text
    return None


def _fixed_windows(subscription: OpslSubscription) -> Iterator[Fixed]:
    bodies = (subscription.main, *(each.definition for each in subscription.bindings))
    for node in (each for body in bodies for each in nodes_of(body)):
        if isinstance(node, WindowedOperand) and isinstance(node.window, Fixed):
            yield node.window
