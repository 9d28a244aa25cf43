"""Counted occurrences in a window, if their number is as requested; decided per row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tocsin.plan.nodes.composites import (
    AfterWindow,
    BeforeWindow,
    Gathered,
    NamedCondition,
    names_of,
    parts_of,
)
from tocsin.plan.nodes.measures import Satisfies
from tocsin.reference.conditions import concerns, is_met, names_used_by
from tocsin.reference.measures import have_same_key, is_satisfied, names_grouped_in
from tocsin.reference.occurrence import (
    ReferenceOccurrence,
    agree,
    counted_members,
    in_order,
    together,
)


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
