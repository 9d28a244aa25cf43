"""The declarative meaning of a composite: all its occurrences in a finite timeline, by trying every combination.

This is policy `unrestricted`: nothing is used up. The other policies choose among these occurrences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import assert_never

from tocsin.events.event import Event
from tocsin.plan.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Either,
    EveryWindow,
    FixedWindow,
    Join,
    Named,
    Only,
    Part,
    Triggered,
)
from tocsin.plan.conditions import allows, compare, concerns, meets, window_start
from tocsin.plan.occurrence import Occurrence, combined, occurrence_of
from tocsin.reference.atoms import holds, rows_of
from tocsin.reference.triggers import Sending
from tocsin.values.time import Instant


def occurrences(part: Part, events: Sequence[Event], until: Instant | None = None) -> list[Occurrence]:
    """Every occurrence of a part among timed events in canonical order, as known when the clock stands at `until`."""
    found: Iterable[Occurrence]
    match part:
        case Named(name, inner):
            found = (each.named(name) for each in occurrences(inner, events, until))
        case Only(inner, restriction):
            found = (each for each in occurrences(inner, events, until) if allows(restriction, each))
        case Either(parts):
            found = _first_of_same(each for inner in parts for each in occurrences(inner, events, until))
        case Join(parts):
            choices = (occurrences(inner, events, until) for inner in parts)
            found = (each for choice in product(*choices) if (each := joined(part, choice)) is not None)
        case Absence():
            found = _absences(part, events, until)
        case Triggered(inner, target):
            found = _triggered(part, occurrences(inner, events, until), occurrences(target, events, until))
        case _:
            found = (occurrence_of(event, rows_of(part, event)) for event in events if holds(part, event))
    return distinct(each for each in found if until is None or each.end <= until)


def _triggered(
    trigger: Triggered, detections: Iterable[Occurrence], targets: Iterable[Occurrence]
) -> Iterable[Occurrence]:
    sending = Sending(trigger)
    steps = [*((0, each) for each in detections), *((1, each) for each in targets)]
    for slot, each in sorted(steps, key=lambda step: (step[1].end, step[0], step[1].order)):
        yield from sending.on_target(each, each.end) if slot else sending.on_detection(each, each.end)


def joined(join: Join, parts: Sequence[Occurrence]) -> Occurrence | None:
    """The occurrence of a join for a choice of parts; None where they do not fit together."""
    if join.keep is not None and max(each.end for each in parts) - min(each.end for each in parts) > join.keep:
        return None
    whole = combined(parts)
    if whole is None or not all(meets(condition, parts, whole.names) for condition in join.conditions):
        return None
    return whole


def distinct(found: Iterable[Occurrence]) -> list[Occurrence]:
    """Each occurrence once, in the order of their ends."""
    once = {(each.identity, each.start, each.end, _names_key(each)): each for each in found}
    return sorted(once.values(), key=lambda each: (each.end, each.start, each.identity))


def _first_of_same(found: Iterable[Occurrence]) -> Iterable[Occurrence]:
    """Alternatives that are one and the same occurrence count once, as the first of them has it."""
    once: dict[tuple[object, ...], Occurrence] = {}
    for each in found:
        once.setdefault((each.identity, each.start, each.end), each)
    return once.values()


def _names_key(occurrence: Occurrence) -> tuple[object, ...]:
    return tuple(sorted((name, each.identity, each.start, each.end) for name, each in occurrence.names.items()))


def _absences(absence: Absence, events: Sequence[Event], until: Instant | None) -> Iterable[Occurrence]:
    present = occurrences(absence.part, events, until)
    match absence.window:
        case FixedWindow(start, length):
            end = start + length
            if not any(each.start > start and each.end <= end for each in present):
                yield silence(start, end)
        case AfterWindow(part, length):
            for after in occurrences(part, events, until):
                end = after.end + length
                if not any(
                    each.start > after.end and each.end <= end and concerns(absence.conditions, each, after)
                    for each in present
                ):
                    yield silence_after(after, length)
        case BetweenWindow(first, last):
            for left in occurrences(first, events, until):
                for right in occurrences(last, events, until):
                    whole = between(absence, left, right)
                    if whole is not None and not any(
                        inside(each, left, right) and concerns(absence.conditions_on_absent, each, whole)
                        for each in present
                    ):
                        yield whole
        case BeforeWindow(part, length):
            for before in occurrences(part, events, until):
                if not any(ends_before(absence, each, before) for each in present):
                    yield silence_before(before, length)
        case EveryWindow():
            ends = [event.order[0] for event in events]
            over = max(ends, default=None) if until is None else until
            for start, end in windows(absence.window, ends[0] if ends else None, over):
                if not any(start < each.end <= end for each in present):
                    yield silence(start, end)
        case _:
            assert_never(absence.window)


def silence(start: Instant, end: Instant) -> Occurrence:
    """The occurrence of an absence that nothing set going."""
    return Occurrence((), start, end, absences=((start, end),))


def windows(every: EveryWindow, first: Instant | None, last: Instant | None) -> Iterator[tuple[Instant, Instant]]:
    """The windows that come again, from the one in which the first known instant lies to those over by the last."""
    origin = every.origin
    if origin is None and first is not None:
        origin = window_start(first, every.length)
    if origin is None or last is None:
        return
    for end in range(origin + every.length, last + 1, every.length):
        yield end - every.length, end


def ends_before(absence: Absence, each: Occurrence, before: Occurrence) -> bool:
    """Whether an occurrence of the absent part ends in the window before another and concerns it."""
    assert isinstance(absence.window, BeforeWindow)
    opens = before.start - absence.window.length
    is_kept = absence.keep is None or before.end - each.end <= absence.keep
    return is_kept and opens <= each.end < before.start and concerns(absence.conditions, each, before)


def silence_before(before: Occurrence, length: int) -> Occurrence:
    """The occurrence of an absence before another: from the start of the silent window."""
    return before.with_silence_before(before.start - length)


def silence_after(after: Occurrence, length: int) -> Occurrence:
    """The occurrence of an absence: what set it going, up to the end of the silent window."""
    return after.with_silence(after.end, after.end + length)


def between(absence: Absence, left: Occurrence, right: Occurrence) -> Occurrence | None:
    """The two bounds of a silent window together; None where they are no bounds of one."""
    if left.end >= right.start or (absence.keep is not None and right.end - left.end > absence.keep):
        return None
    whole = combined((left, right))
    if whole is None or not all(compare(each, whole.names) for each in absence.conditions_on_bounds):
        return None
    return whole.with_silence(left.end, right.start)


def inside(each: Occurrence, left: Occurrence, right: Occurrence) -> bool:
    """Whether an occurrence lies in the open window between two others."""
    return left.end < each.start and each.end < right.start
