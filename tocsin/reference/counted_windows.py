"""All that came in a window, where it is as many as asked for: judged row by row, like absences."""

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
from tocsin.reference.conditions import concerns, is_met, names_asked
from tocsin.reference.measures import are_alike, is_satisfied, names_grouped_in
from tocsin.reference.occurrence import Occurrence, agree, in_order, only_counted, together


def is_at_once(gathered: Gathered) -> bool:
    """Whether only a least number is asked for after a part: it is known with the last of them."""
    return (
        isinstance(gathered.window, AfterWindow)
        and gathered.most is None
        and gathered.least > 0
        and not _on_all(gathered)
    )


def gathered_after(
    gathered: Gathered, first: Occurrence, came: Iterable[Occurrence]
) -> Occurrence | None:
    """What came in the window after a part, which is over; None where it is not as asked."""
    assert isinstance(gathered.window, AfterWindow)
    end = first.end + gathered.window.length
    inside = [each for each in came if first.end < each.start and each.end <= end]
    whole = _gathered(gathered, first, inside)
    return _asked(gathered, None if whole is None else replace(whole, end=max(whole.end, end)))


def gathered_at_once(
    gathered: Gathered, first: Occurrence, came: Iterable[Occurrence]
) -> tuple[Occurrence | None, Occurrence | None]:
    """What rings after a part now that so much came, and what of the part still waits.

    A row rings when the last of the least number that it needs comes.
    """
    assert isinstance(gathered.window, AfterWindow)
    end = first.end + gathered.window.length
    inside = [each for each in came if first.end < each.start and each.end <= end]
    counting = _that_count(gathered, first, inside)
    enough = {row: _for_row(row, counting)[: gathered.least] for row in first.rows}
    ringing = [row for row in first.rows if len(enough[row]) == gathered.least]
    waiting = tuple(row for row in first.rows if row not in ringing)
    rest = replace(first, rows=waiting) if waiting else None
    if not ringing:
        return None, rest
    members = [each for each in counting if any(each in enough[row] for row in ringing)]
    return _asked(gathered, _united(gathered, replace(first, rows=tuple(ringing)), members)), rest


def gathered_before(
    gathered: Gathered, last: Occurrence, came: Iterable[Occurrence]
) -> Occurrence | None:
    """What came in the window before a part."""
    window = gathered.window
    assert isinstance(window, BeforeWindow)
    start = last.start - window.length
    inside = [
        each
        for each in came
        if start <= each.end < last.start
        and (start <= each.start or not window.whole)
        and (gathered.keep is None or last.end - each.end <= gathered.keep)
    ]
    return _asked(gathered, _gathered(gathered, last, inside, last))


def gathered_between(
    gathered: Gathered, first: Occurrence, last: Occurrence, came: Iterable[Occurrence]
) -> Occurrence | None:
    """What came between two parts; None where they bound no window, or where it is not as asked."""
    if not first.end < last.start or not are_alike(gathered.by, first, last):
        return None
    if gathered.keep is not None and last.end - first.end > gathered.keep:
        return None
    whole = together((first, last))
    if whole is None:
        return None
    inside = [each for each in came if first.end < each.start and each.end < last.start]
    return _asked(gathered, _gathered(gathered, whole, inside, last, first))


def _gathered(
    gathered: Gathered,
    around: Occurrence,
    inside: Sequence[Occurrence],
    last: Occurrence | None = None,
    first: Occurrence | None = None,
) -> Occurrence | None:
    """The parts around with all that came for the rows for which it holds; None where for none."""
    counting = _that_count(gathered, around, inside)
    came = {row: _for_row(row, counting) for row in around.rows}
    rows = tuple(row for row in around.rows if _is_enough(gathered, around, came[row], last, first))
    members = [each for each in counting if any(each in came[row] for row in rows)]
    return _united(gathered, replace(around, rows=rows), members) if rows else None


def _that_count(
    gathered: Gathered, around: Occurrence, inside: Iterable[Occurrence]
) -> list[Occurrence]:
    each_meets = [
        each
        for each in gathered.conditions
        if each not in _on_all(gathered) and each not in _on_bounds(gathered)
    ]
    return [
        each
        for each in inside
        if are_alike(gathered.by, each, around) and concerns(each_meets, each, around)
    ]


def _for_row(row: object, counting: Iterable[Occurrence]) -> list[Occurrence]:
    return [
        each
        for each in counting
        if any(agree(dict(row), dict(other)) for other in each.rows)  # type: ignore[call-overload]
    ]


def _is_enough(
    gathered: Gathered,
    around: Occurrence,
    came: Sequence[Occurrence],
    last: Occurrence | None,
    first: Occurrence | None,
) -> bool:
    if len(came) < gathered.least or (gathered.most is not None and len(came) > gathered.most):
        return False
    if gathered.limit is not None and last is not None:
        before = [each.end for each in came] or ([] if first is None else [first.end])
        if before and last.end - max(before) > gathered.limit:
            return False
    names = _united(gathered, around, came).names
    return all(
        is_satisfied(each.expression, names)
        for each in _on_all(gathered)
        if isinstance(each, Satisfies)
    )


def _united(gathered: Gathered, around: Occurrence, came: Sequence[Occurrence]) -> Occurrence:
    """All members together; each name of what came stands for all of that name."""
    named = {
        name: [each.names[name] for each in came if name in each.names]
        for name in sorted(names_of(gathered.part))
    }
    groups = {name: _group(each) for name, each in named.items() if each}
    whole = _group([around, *came])
    return replace(
        around,
        members=whole.members,
        start=whole.start,
        end=whole.end,
        names={**around.names, **groups},
        counted=whole.counted,
    )


def _group(occurrences: Sequence[Occurrence]) -> Occurrence:
    return Occurrence(
        in_order(member for each in occurrences for member in each.members),
        min(each.start for each in occurrences),
        max(each.end for each in occurrences),
        counted=only_counted(occurrences),
    )


def _asked(gathered: Gathered, whole: Occurrence | None) -> Occurrence | None:
    """What is asked of the parts around alone, and of how long all lasts."""
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
    return [each for each in gathered.conditions if names_asked(each) <= around]
