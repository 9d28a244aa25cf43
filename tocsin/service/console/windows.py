"""The time windows of a match: its own interval, its absences, and the bounds of the plan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tocsin.events.event import Event
from tocsin.plan.explain.phrases import short_text, title
from tocsin.plan.nodes.composites import Absence, DuringWindow, Join, Part, Sliding, parts_of
from tocsin.service.console.plan_tree import restrictions_in
from tocsin.values.time import format_duration, format_instant, parse_instant

_ABSENCE = re.compile(r"absence\d*")


def windows_of(
    match: Mapping[str, Any], pattern: Part | None, members: Sequence[Event]
) -> list[dict[str, Any]]:
    """Return each window: from, to, label, and True in `absent` for an absence."""
    found = [_window(match["start"], match["end"], "the match")]
    found += _silences(match["bindings"], pattern)
    if pattern is not None:
        found += _bounds(match, pattern, members)
    return found


def _silences(bindings: Mapping[str, str], pattern: Part | None) -> Iterator[dict[str, Any]]:
    texts = [value for name, value in bindings.items() if _ABSENCE.fullmatch(name)]
    absences = [] if pattern is None else _absences(pattern)
    labels = [f"no {short_text(each.part)}" for each in absences]
    if len(labels) != len(texts):
        labels = ["nothing came"] * len(texts)
    for text, label in zip(texts, labels, strict=True):
        start, _, end = text.partition("/")
        yield _window(start, end, label, absent=True)


def _absences(part: Part) -> list[Absence]:
    inner = [each for below in parts_of(part) for each in _absences(below)]
    return [*inner, part] if isinstance(part, Absence) else inner


def _bounds(
    match: Mapping[str, Any], pattern: Part, members: Sequence[Event]
) -> Iterator[dict[str, Any]]:
    for part in restrictions_in(pattern):
        if isinstance(part.restriction, DuringWindow):
            start, length = part.restriction.start, part.restriction.length
            yield _window(format_instant(start), format_instant(start + length), title(part))
    match pattern:
        case Join(keep=int(keep)):
            ends = [each.interval.end for each in members if each.interval is not None]
            if ends:
                first = min(ends)
                label = f"ends at most {format_duration(keep)} apart"
                yield _window(format_instant(first), format_instant(first + keep), label)
        case Sliding(over=over) if match["end"] is not None:
            end = parse_instant(match["end"])
            yield _window(format_instant(end - over), match["end"], title(pattern))
        case _:
            pass


def _window(
    start: str | None, end: str | None, label: str, *, absent: bool = False
) -> dict[str, Any]:
    return {"from": start, "to": end, "label": label, "absent": absent}
