"""The declarative meaning of a composite: all its occurrences in a finite timeline, by trying every combination.

This is policy `unrestricted`: nothing is used up. The other policies choose among these occurrences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import assert_never

from tocsin.events.event import Event
from tocsin.plan.composites import (
    Absence,
    AfterWindow,
    BetweenWindow,
    Either,
    FixedWindow,
    Join,
    Named,
    Only,
    Part,
    Related,
)
from tocsin.plan.conditions import allows, compare, meets
from tocsin.plan.occurrence import Occurrence, combined, occurrence_of
from tocsin.reference.atoms import holds, rows_of
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
            found = (each for inner in parts for each in occurrences(inner, events, until))
        case Join(parts):
            choices = (occurrences(inner, events, until) for inner in parts)
            found = (each for choice in product(*choices) if (each := joined(part, choice)) is not None)
        case Absence():
            found = _absences(part, events, until)
        case _:
            found = (occurrence_of(event, rows_of(part, event)) for event in events if holds(part, event))
    return distinct(each for each in found if until is None or each.end <= until)


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


def _names_key(occurrence: Occurrence) -> tuple[object, ...]:
    return tuple(sorted((name, each.identity, each.start, each.end) for name, each in occurrence.names.items()))


def _absences(absence: Absence, events: Sequence[Event], until: Instant | None) -> Iterable[Occurrence]:
    present = occurrences(absence.part, events, until)
    match absence.window:
        case FixedWindow(start, length):
            end = start + length
            if not any(each.start > start and each.end <= end for each in present):
                yield Occurrence((), start, end, absences=((start, end),))
        case AfterWindow(part, length):
            for after in occurrences(part, events, until):
                end = after.end + length
                if not any(
                    each.start > after.end and each.end <= end and related_to(absence.conditions, each, after)
                    for each in present
                ):
                    yield silence_after(after, length)
        case BetweenWindow(first, last):
            for left in occurrences(first, events, until):
                for right in occurrences(last, events, until):
                    whole = between(absence, left, right)
                    if whole is not None and not any(
                        inside(each, left, right) and related_to(absence.conditions_on_absent, each, whole)
                        for each in present
                    ):
                        yield whole
        case _:
            assert_never(absence.window)


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


def related_to(conditions: Sequence[Related], each: Occurrence, other: Occurrence) -> bool:
    """Whether an occurrence of the absent part is one that the absence speaks of."""
    names = {**other.names, **each.names}
    return all(compare(condition, names) for condition in conditions)
