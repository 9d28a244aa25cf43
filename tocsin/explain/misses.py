"""Explanation why a part does not match although the event is one of its inputs: the closest
candidate, condition by condition, with the distance of each failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any

from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.explain.conditions import format_length, place_miss, to_display
from tocsin.explain.steps import ExplanationStep, lasting
from tocsin.plan.explain.conditions import path_text
from tocsin.plan.explain.operators import condition_text
from tocsin.plan.explain.phrases import short_text, title
from tocsin.plan.nodes.atoms import Atom, region_of
from tocsin.plan.nodes.composites import (
    Absence,
    AfterInstant,
    AfterWindow,
    AtRegion,
    BeforeWindow,
    DuringWindow,
    End,
    Gathered,
    Join,
    JoinCondition,
    Keyed,
    Moment,
    Named,
    Near,
    Only,
    Part,
    PartAttribute,
    Precedes,
    Related,
    is_one_event,
    parts_of,
)
from tocsin.plan.xml.row_functions import WorkLimitExceeded
from tocsin.reference.atoms import holds, rows_of
from tocsin.reference.conditions import allows, meets
from tocsin.reference.measures import has_key, have_same_key
from tocsin.reference.occurrence import ReferenceOccurrence, occurrence_of, together
from tocsin.values.space import distance_between
from tocsin.values.time import Instant, format_duration, format_instant

MAX_CHOICES = 20_000
"""Combinations with other events tried for the closest one, at most."""

NEAREST = 200
"""Candidates tried for each part, the nearest in time."""

Choice = tuple[ReferenceOccurrence, ...]


def occurrence_in(part: Part, event: Event) -> ReferenceOccurrence | None:
    """Return the occurrence of a part that consists of this event alone, or None."""
    if event.interval is None:
        return None
    try:
        if isinstance(part, Atom):
            return occurrence_of(event, rows_of(part, event)) if holds(part, event) else None
        if isinstance(part, Named):
            inner = occurrence_in(part.part, event)
            return None if inner is None else inner.named(part.name).with_elements(part.elements)
        if isinstance(part, Only):
            inner = occurrence_in(part.part, event)
            return inner if inner is not None and allows(part.restriction, inner) else None
    except (Problem, WorkLimitExceeded):
        return None
    return None


def miss_steps(
    part: Part, event: Event, around: Sequence[Event], depth: int
) -> list[ExplanationStep]:
    """Return the reasons why a part does not match with an event that is one of its inputs; empty
    for parts of other kinds.
    """
    match part:
        case Only():
            return list(_restriction_steps(part, event, depth))
        case Join() if all(map(is_one_event, part.parts)):
            return _join_steps(part, event, around, depth)
        case (
            Absence(window=AfterWindow() | BeforeWindow())
            | Gathered(window=AfterWindow() | BeforeWindow())
        ) if all(map(is_one_event, parts_of(part))):
            return list(_window_steps(part, event, around, depth))
        case _:
            return []


def _restriction_steps(part: Only, event: Event, depth: int) -> Iterator[ExplanationStep]:
    found = occurrence_in(part.part, event)
    if found is None:
        return
    restriction = part.restriction
    text, met = title(part), allows(restriction, found)
    match restriction:
        case AtRegion(relation, region, limit, metric):
            place = found.place_by(metric)
            miss = (
                None
                if place is None or met
                else place_miss(place, relation, region_of(region), limit, metric)
            )
            yield ExplanationStep(text, met, event.place_text, None, miss, depth)
        case DuringWindow(start, length):
            off = max(start - found.start, found.end - start - length)
            yield ExplanationStep(
                text, met, _span(found), None, None if met else lasting(off), depth
            )
        case AfterInstant(instant):
            off = instant - found.start
            yield ExplanationStep(
                text, met, _span(found), None, None if met else lasting(off), depth
            )
        case Keyed(by):
            values = {path_text(path): to_display(event.attribute(path)) for path in by}
            yield ExplanationStep(text, met, values, None, None, depth)
        case _:
            yield ExplanationStep(text, met, None, None, None, depth)


def _join_steps(
    part: Join, event: Event, around: Sequence[Event], depth: int
) -> list[ExplanationStep]:
    own = [occurrence_in(each, event) for each in part.parts]
    slot = next((number for number, each in enumerate(own) if each is not None), None)
    if slot is None:
        return []
    mine = own[slot]
    assert mine is not None
    choices: list[list[ReferenceOccurrence]] = []
    for number, each in enumerate(part.parts):
        found = [mine] if number == slot else _nearest(each, mine, around, event)
        if not found:
            text = f"[{number + 1}] {short_text(each)}"
            return [
                ExplanationStep(
                    text, False, f"none among {len(around)} events around it", depth=depth
                )
            ]
        choices.append(found)
    best = max(
        islice(product(*choices), MAX_CHOICES), key=lambda each: _closeness(part, each, mine)
    )
    names = ", ".join(f"[{n}] is {each.members[0].id}" for n, each in enumerate(best, 1))
    others = sum(len(each) for each in choices) - 1
    head = ExplanationStep(f"with the nearest of {others}: {names}", None, depth=depth)
    return [head, *_choice_steps(part, best, depth)]


def _nearest(
    part: Part, mine: ReferenceOccurrence, around: Sequence[Event], event: Event
) -> list[ReferenceOccurrence]:
    found = [
        each
        for other in around
        if other.identity != event.identity and (each := occurrence_in(part, other)) is not None
    ]
    return sorted(found, key=lambda each: abs(each.end - mine.end))[:NEAREST]


def _closeness(part: Join, choice: Choice, mine: ReferenceOccurrence) -> tuple[int, int]:
    met = sum(step.holds is True for step in _choice_steps(part, choice, 0))
    return met, -sum(abs(each.end - mine.end) for each in choice)


def _choice_steps(part: Join, choice: Choice, depth: int) -> list[ExplanationStep]:
    whole = together(choice)
    names = {name: named for each in choice for name, named in each.names.items()}
    steps = [_condition_step(each, choice, names, depth) for each in part.conditions]
    if part.keep is not None:
        ends = [each.end for each in choice]
        apart = max(ends) - min(ends)
        met = apart <= part.keep
        text = f"the ends are at most {format_duration(part.keep)} apart"
        off = None if met else lasting(apart - part.keep)
        steps.append(ExplanationStep(text, met, format_duration(apart), None, off, depth))
    if part.by:
        text = f"the same {' and '.join(map(path_text, part.by))}"
        values = [
            [to_display(each.members[0].attribute(path)) for path in part.by] for each in choice
        ]
        met = all(have_same_key(part.by, choice[0], each) for each in choice)
        actual = " and ".join(" ".join(map(str, each)) for each in values)
        steps.append(ExplanationStep(text, met, actual, None, None, depth))
    if whole is None:
        steps.append(
            ExplanationStep("they agree on what they bind, and share no event", False, depth=depth)
        )
    return steps


def _condition_step(
    condition: JoinCondition, choice: Choice, names: dict[str, ReferenceOccurrence], depth: int
) -> ExplanationStep:
    met = meets(condition, choice, names)
    actual: object = None
    off: object = None
    match condition:
        case Precedes(earlier, later, gap, _):
            apart = _moment(later, choice) - _moment(earlier, choice)
            actual = f"{'-' if apart < 0 else ''}{lasting(apart)}"
            off = None if met else lasting(gap - apart)
        case Near(one, relation, other, limit, metric):
            first, second = choice[one].place_by(metric), choice[other].place_by(metric)
            if first is not None and second is not None:
                actual = format_length(distance_between(first, second, metric), metric)
                off = None if met else place_miss(first, relation, second, limit, metric)
        case Related(left, _, right):
            sides = (_value(each, names) for each in (left, right))
            actual = " and ".join(str(to_display(each)) for each in sides)
        case _:
            pass
    return ExplanationStep(condition_text(condition), met, actual, None, off, depth)


def _window_steps(
    part: Absence | Gathered, event: Event, around: Sequence[Event], depth: int
) -> Iterator[ExplanationStep]:
    """Yield a step for the events in the window that the event opens or closes."""
    window = part.window
    assert isinstance(window, AfterWindow | BeforeWindow)
    anchor = occurrence_in(window.part, event)
    if anchor is None:
        yield ExplanationStep(
            f"{event.id} lies in a window of {short_text(window.part)}", None, depth=depth
        )
        return
    if part.by and not has_key(part.by, anchor):
        values = {path_text(path): to_display(event.attribute(path)) for path in part.by}
        yield ExplanationStep(
            f"a value of {' and '.join(map(path_text, part.by))}", False, values, depth=depth
        )
        return
    is_after = isinstance(window, AfterWindow)
    start = anchor.end if is_after else anchor.start - window.length
    end = anchor.end + window.length if is_after else anchor.start
    came = [
        each
        for other in around
        if other.identity != event.identity
        and (each := occurrence_in(part.part, other)) is not None
        and (not part.by or have_same_key(part.by, anchor, each))
        and start <= each.start
        and each.end <= end
    ]
    ids = ", ".join(each.members[0].id for each in came[:10])
    span = f"from {format_instant(start)} to {format_instant(end)}"
    if isinstance(part, Absence):
        text = f"no {short_text(part.part)} {span}"
        yield ExplanationStep(text, not came, ids or "none", None, None, depth)
        return
    text = f"{_wanted(part)} of {short_text(part.part)} {span}"
    met = len(came) >= part.least and (part.most is None or len(came) <= part.most)
    off = max(part.least - len(came), len(came) - (part.most or len(came)))
    yield ExplanationStep(text, met, len(came), _wanted(part), None if met else off, depth)


def _wanted(part: Gathered) -> str:
    return f"{part.least} or more" if part.most is None else f"{part.least} to {part.most}"


def _moment(moment: Moment, choice: Choice) -> Instant:
    part = choice[moment.part]
    return part.start if moment.end is End.START else part.end


def _value(side: PartAttribute, names: dict[str, ReferenceOccurrence]) -> Any:
    found = names.get(side.name)
    if found is None or side.variable:
        return None if found is None else [dict(row).get(side.variable) for row in found.rows]
    return found.members[0].attribute(side.path)


def _span(found: ReferenceOccurrence) -> str:
    start, end = format_instant(found.start), format_instant(found.end)
    return start if start == end else f"{start} to {end}"
