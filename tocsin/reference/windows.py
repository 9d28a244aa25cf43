"""Windows of absences and of counted occurrences, and longest waits: by definition, in whole
microseconds. A count is decided per row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tocsin.events.event import Event
from tocsin.plan.nodes.composites import (
    MAX_EMPTY_WINDOWS,
    Absence,
    AfterWindow,
    BeforeWindow,
    DuringWindow,
    End,
    EveryWindow,
    FixedWindow,
    Gathered,
    Join,
    NamedCondition,
    Only,
    Part,
    Precedes,
    Sliding,
    names_of,
    parts_of,
)
from tocsin.plan.nodes.expressions import Lasts, Satisfies
from tocsin.reference.conditions import (
    concerns,
    conditions_on_absent,
    conditions_on_bounds,
    is_met,
    names_used_by,
)
from tocsin.reference.measures import have_same_key, is_satisfied, names_grouped_in
from tocsin.reference.occurrence import (
    ReferenceOccurrence,
    agree,
    counted_members,
    in_order,
    together,
)
from tocsin.values.time import Duration, Instant


def is_over_before(part: Part, ordered: Sequence[Event]) -> bool:
    """True if a window that the part fixes in time ended before the first event did."""
    first = next((event.interval.end for event in ordered if event.interval is not None), None)
    match part:
        case _ if first is None:
            return False
        case Absence(_, FixedWindow(start, length)) | Only(_, DuringWindow(start, length)) if (
            start + length < first
        ):
            return True
        case _:
            return any(is_over_before(inner, ordered) for inner in parts_of(part))


def first_start(every: EveryWindow, first: Instant) -> Instant:
    """Return the start of the first periodic window, if `first` is the first known instant.

    Without an origin, windows are counted from the epoch. They are open at the start and closed at
    the end, so an instant at which one ends and the next starts lies in the one that ends.
    """
    if every.origin is not None:
        return every.origin
    since = first % every.length
    return first - (since or every.length)


def windows(
    every: EveryWindow, first: Instant | None, last: Instant | None
) -> Iterator[tuple[Instant, Instant]]:
    """Yield the periodic windows from the one with the first known instant to those that end by
    `last`.
    """
    start = every.origin if first is None else first_start(every, first)
    if start is None or last is None:
        return
    while start + every.length <= last:
        yield start, start + every.length
        start += every.length


def first_end(every: Sliding, first: Instant) -> Instant:
    """Return the end of a measure's first periodic window: not before the first known instant."""
    assert every.every is not None
    starts_before = (every.over - first) // every.every
    return every.over - starts_before * every.every


def last_reported_window(
    absent: Part, end: Instant, length: Duration, quiet_until: Instant | None
) -> Instant:
    """Return the end of the last empty window that is reported together with the one that ends at
    `end`.

    No event ends up to `quiet_until`. Windows are reported as one if there are more than a
    thousand, and if only an event can create the absent part.
    """
    count = 1
    while (
        quiet_until is not None
        and end + count * length <= quiet_until
        and count <= MAX_EMPTY_WINDOWS
    ):
        count += 1
    if quiet_until is None or count <= MAX_EMPTY_WINDOWS or _comes_by_time(absent):
        return end
    return quiet_until - (quiet_until - end) % length


def _comes_by_time(part: Part) -> bool:
    """True if the part may occur without an event: a window in it may end."""
    if isinstance(part, Absence | Gathered) and isinstance(
        part.window, FixedWindow | AfterWindow | EveryWindow
    ):
        return True
    if isinstance(part, Sliding):
        return True
    return any(_comes_by_time(inner) for inner in parts_of(part))


def is_in(each: ReferenceOccurrence, start: Instant, end: Instant) -> bool:
    """True if an occurrence lies wholly in the half-open window (start, end]."""
    return start < each.start and each.end <= end


def ends_in(each: ReferenceOccurrence, start: Instant, end: Instant) -> bool:
    """True if an occurrence ends in the half-open window (start, end]."""
    return start < each.end <= end


def breaks_after(
    absence: Absence, each: ReferenceOccurrence, after: ReferenceOccurrence, length: Duration
) -> bool:
    """True if an occurrence of the absent part is in the window after another, and concerns it."""
    return (
        is_in(each, after.end, after.end + length)
        and have_same_key(absence.by, each, after)
        and concerns(absence.conditions, each, after)
    )


def breaks_before(absence: Absence, each: ReferenceOccurrence, before: ReferenceOccurrence) -> bool:
    """True if an occurrence of the absent part cancels another: it ends in the window before it.

    It must still be remembered, and apply to it.
    """
    assert isinstance(absence.window, BeforeWindow)
    start = before.start - absence.window.length
    in_window = start <= each.end < before.start
    is_whole = start <= each.start or not absence.window.whole
    is_kept = absence.keep is None or before.end - each.end <= absence.keep
    return (
        in_window
        and is_whole
        and is_kept
        and have_same_key(absence.by, each, before)
        and concerns(absence.conditions, each, before)
    )


def breaks_between(
    absence: Absence,
    each: ReferenceOccurrence,
    first: ReferenceOccurrence,
    last: ReferenceOccurrence,
    whole: ReferenceOccurrence,
) -> bool:
    """True if an occurrence of the absent part lies in the open window between two others.

    It must apply to them.
    """
    in_window = first.end < each.start and each.end < last.start
    return (
        in_window
        and have_same_key(absence.by, each, first)
        and concerns(conditions_on_absent(absence), each, whole)
    )


def between(
    absence: Absence, first: ReferenceOccurrence, last: ReferenceOccurrence
) -> ReferenceOccurrence | None:
    """Return the two bounds of an event-free window together; None if they do not bound one."""
    if not first.end < last.start or (
        absence.keep is not None and last.end - first.end > absence.keep
    ):
        return None
    whole = together((first, last)) if have_same_key(absence.by, first, last) else None
    if whole is None or not all(is_met(each, whole) for each in conditions_on_bounds(absence)):
        return None
    return whole.silent_after(first.end, last.start)


def longest_wait(join: Join, slot: int) -> Duration | None:
    """Return how long after its end an occurrence at a slot may be completed; None if for ever.

    A part that must end within some time after it adds that time; `keep` adds its own.
    """
    waits: list[Duration | None] = []
    orders = [each for each in join.conditions if isinstance(each, Precedes)]
    for other in range(len(join.parts)):
        limits = [-each.gap for each in orders if _limits_end(each, other, slot)]
        limits += [each.limit for each in join.conditions if isinstance(each, Lasts)]
        if other != slot:
            waits.append(max(0, min(limits)) if limits else None)
    known = [each for each in waits if each is not None]
    longest = [max(known)] if len(known) == len(waits) else []
    return min([*longest, *([] if join.keep is None else [join.keep])], default=None)


def _limits_end(order: Precedes, other: int, slot: int) -> bool:
    """True if an order puts the end of one part before a moment of another."""
    return (order.earlier.part, order.earlier.end, order.later.part) == (other, End.FINISH, slot)


# Counted occurrences in a window, if their number is as requested.


def is_at_once(gathered: Gathered) -> bool:
    """True if only a minimum is requested after a part: it is decided at the last of them."""
    return (
        isinstance(gathered.window, AfterWindow)
        and gathered.most is None
        and gathered.least > 0
        and not _on_all(gathered)
    )


def gathered_after(
    gathered: Gathered, first: ReferenceOccurrence, counted: Iterable[ReferenceOccurrence]
) -> ReferenceOccurrence | None:
    """Return the occurrence for a closed window after a part; None if the condition fails."""
    assert isinstance(gathered.window, AfterWindow)
    end = first.end + gathered.window.length
    inside = [each for each in counted if first.end < each.start and each.end <= end]
    whole = _gathered(gathered, first, inside)
    return _if_conditions_hold(
        gathered, None if whole is None else replace(whole, end=max(whole.end, end))
    )


def gathered_at_once(
    gathered: Gathered, first: ReferenceOccurrence, counted: Iterable[ReferenceOccurrence]
) -> tuple[ReferenceOccurrence | None, ReferenceOccurrence | None]:
    """Return the occurrence that is complete now, and the rest of the first part that still waits.

    A row matches when the last of its minimum number arrives. Either may be None.
    """
    assert isinstance(gathered.window, AfterWindow)
    end = first.end + gathered.window.length
    inside = [each for each in counted if first.end < each.start and each.end <= end]
    counting = _that_count(gathered, first, inside)
    enough = {row: _for_row(row, counting)[: gathered.least] for row in first.rows}
    ringing = [row for row in first.rows if len(enough[row]) == gathered.least]
    waiting = tuple(row for row in first.rows if row not in ringing)
    rest = replace(first, rows=waiting) if waiting else None
    if not ringing:
        return None, rest
    members = [each for each in counting if any(each in enough[row] for row in ringing)]
    return _if_conditions_hold(
        gathered, _united(gathered, replace(first, rows=tuple(ringing)), members)
    ), rest


def gathered_before(
    gathered: Gathered, last: ReferenceOccurrence, counted: Iterable[ReferenceOccurrence]
) -> ReferenceOccurrence | None:
    """Return the occurrence for the window before a part; None if the condition fails."""
    window = gathered.window
    assert isinstance(window, BeforeWindow)
    start = last.start - window.length
    inside = [
        each
        for each in counted
        if start <= each.end < last.start
        and (start <= each.start or not window.whole)
        and (gathered.keep is None or last.end - each.end <= gathered.keep)
    ]
    return _if_conditions_hold(gathered, _gathered(gathered, last, inside, last))


def gathered_between(
    gathered: Gathered,
    first: ReferenceOccurrence,
    last: ReferenceOccurrence,
    counted: Iterable[ReferenceOccurrence],
) -> ReferenceOccurrence | None:
    """Return the occurrence for the window between two parts.

    None if the two do not bound a window, or the condition fails.
    """
    if not first.end < last.start or not have_same_key(gathered.by, first, last):
        return None
    if gathered.keep is not None and last.end - first.end > gathered.keep:
        return None
    whole = together((first, last))
    if whole is None:
        return None
    inside = [each for each in counted if first.end < each.start and each.end < last.start]
    return _if_conditions_hold(gathered, _gathered(gathered, whole, inside, last, first))


def _gathered(
    gathered: Gathered,
    around: ReferenceOccurrence,
    inside: Sequence[ReferenceOccurrence],
    last: ReferenceOccurrence | None = None,
    first: ReferenceOccurrence | None = None,
) -> ReferenceOccurrence | None:
    """Return the bounding parts with all counted occurrences, for the rows that hold; else None."""
    counting = _that_count(gathered, around, inside)
    came = {row: _for_row(row, counting) for row in around.rows}
    rows = tuple(row for row in around.rows if _is_enough(gathered, around, came[row], last, first))
    members = [each for each in counting if any(each in came[row] for row in rows)]
    return _united(gathered, replace(around, rows=rows), members) if rows else None


def _that_count(
    gathered: Gathered, around: ReferenceOccurrence, inside: Iterable[ReferenceOccurrence]
) -> list[ReferenceOccurrence]:
    each_meets = [
        each
        for each in gathered.conditions
        if each not in _on_all(gathered) and each not in _on_bounds(gathered)
    ]
    return [
        each
        for each in inside
        if have_same_key(gathered.by, each, around) and concerns(each_meets, each, around)
    ]


def _for_row(row: object, counting: Iterable[ReferenceOccurrence]) -> list[ReferenceOccurrence]:
    return [
        each
        for each in counting
        if any(agree(dict(row), dict(other)) for other in each.rows)  # type: ignore[call-overload]
    ]


def _is_enough(
    gathered: Gathered,
    around: ReferenceOccurrence,
    counted: Sequence[ReferenceOccurrence],
    last: ReferenceOccurrence | None,
    first: ReferenceOccurrence | None,
) -> bool:
    if len(counted) < gathered.least or (
        gathered.most is not None and len(counted) > gathered.most
    ):
        return False
    if gathered.limit is not None and last is not None:
        before = [each.end for each in counted] or ([] if first is None else [first.end])
        if before and last.end - max(before) > gathered.limit:
            return False
    names = _united(gathered, around, counted).names
    return all(
        is_satisfied(each.expression, names)
        for each in _on_all(gathered)
        if isinstance(each, Satisfies)
    )


def _united(
    gathered: Gathered, around: ReferenceOccurrence, counted: Sequence[ReferenceOccurrence]
) -> ReferenceOccurrence:
    """Combine all members; each name of the counted part stands for all its occurrences."""
    named = {
        name: [each.names[name] for each in counted if name in each.names]
        for name in sorted(names_of(gathered.part))
    }
    groups = {name: _group(each) for name, each in named.items() if each}
    whole = _group([around, *counted])
    return replace(
        around,
        members=whole.members,
        start=whole.start,
        end=whole.end,
        names={**around.names, **groups},
        counted=whole.counted,
    )


def _group(occurrences: Sequence[ReferenceOccurrence]) -> ReferenceOccurrence:
    return ReferenceOccurrence(
        in_order(member for each in occurrences for member in each.members),
        min(each.start for each in occurrences),
        max(each.end for each in occurrences),
        counted=counted_members(occurrences),
    )


def _if_conditions_hold(
    gathered: Gathered, whole: ReferenceOccurrence | None
) -> ReferenceOccurrence | None:
    """Return the occurrence if it meets conditions on bounding parts and duration; else None."""
    if whole is None or not all(is_met(each, whole) for each in _on_bounds(gathered)):
        return None
    return whole


def _on_all(gathered: Gathered) -> list[NamedCondition]:
    names = names_of(gathered.part)
    return [
        each
        for each in gathered.conditions
        if isinstance(each, Satisfies) and names & names_grouped_in(each.expression)
    ]


def _on_bounds(gathered: Gathered) -> list[NamedCondition]:
    around = frozenset[str]().union(*(names_of(each) for each in parts_of(gathered)[1:]))
    return [each for each in gathered.conditions if names_used_by(each) <= around]
