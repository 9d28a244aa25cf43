"""Explanation why a part does not match although the event is one of its inputs: the closest
candidate, condition by condition, with the distance of each failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any

from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.explain.conditions import format_length, place_miss, to_display
from tocsin.explain.replay import Replay
from tocsin.explain.wording import (
    MAX_IDS,
    ExplanationStep,
    absence_text,
    event_at,
    events_text,
    join_condition_text,
    key_values_text,
    lasting,
    span_text,
)
from tocsin.plan.explain.atoms import path_text
from tocsin.plan.explain.operators import restriction_text
from tocsin.plan.explain.phrases import is_holds, quote, short_text
from tocsin.plan.nodes.atoms import Atom, region_of
from tocsin.plan.nodes.composites import (
    Absence,
    AfterInstant,
    AfterWindow,
    AtRegion,
    BeforeWindow,
    Change,
    DuringWindow,
    End,
    Gathered,
    Join,
    JoinCondition,
    Key,
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
from tocsin.plan.nodes.sources import Sources
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.reference.atoms import holds, rows_of
from tocsin.reference.conditions import allows, meets
from tocsin.reference.measures import has_key, have_same_key
from tocsin.reference.occurrence import ReferenceOccurrence, occurrence_of, together
from tocsin.reference.windows import breaks_after, breaks_before
from tocsin.values.space import distance_between
from tocsin.values.time import Duration, Instant, format_duration, format_instant

MAX_CHOICES = 20_000
"""Combinations with other events tried for the closest one, at most."""

NEAREST = 200
"""Candidates tried for each part, the nearest in time."""

MAX_WINDOWS = 5
"""Windows that one event breaks which are listed, at most."""

Choice = tuple[ReferenceOccurrence, ...]


@dataclass(frozen=True, slots=True)
class Surrounding:
    """An event with the events around it, the replay of all, and the texts of the parts."""

    event: Event
    around: Sequence[Event]
    replayed: Replay
    sources: Sources

    def occurrence_in(self, part: Part, event: Event) -> ReferenceOccurrence | None:
        """Return the occurrence of a part that consists of one event alone, or None."""
        if event.interval is None:
            return None
        try:
            if isinstance(part, Atom):
                return occurrence_of(event, rows_of(part, event)) if holds(part, event) else None
            if isinstance(part, Change):
                is_change = part in self.replayed.matched_with(event)
                return self.occurrence_in(part.part, event) if is_change else None
            if isinstance(part, Named):
                inner = self.occurrence_in(part.part, event)
                if inner is None:
                    return None
                return inner.named(part.name).with_elements(part.elements)
            if isinstance(part, Only):
                inner = self.occurrence_in(part.part, event)
                return inner if inner is not None and allows(part.restriction, inner) else None
        except (Problem, WorkLimitExceeded):
            return None
        return None

    def others_in(self, part: Part) -> list[ReferenceOccurrence]:
        """Return the occurrences of a part that consist of one of the events around."""
        others = (each for each in self.around if each.identity != self.event.identity)
        found = (self.occurrence_in(part, each) for each in others)
        return [each for each in found if each is not None]

    def short(self, part: Part) -> str:
        """Return a part in a phrase."""
        return short_text(part, self.sources)


def miss_steps(part: Part, seen: Surrounding, depth: int) -> list[ExplanationStep]:
    """Return the reasons why a part does not match with an event that is one of its inputs; empty
    for parts of other kinds.
    """
    match part:
        case Only():
            return list(_restriction_steps(part, seen, depth))
        case Join() if all(map(is_one_event, part.parts)):
            return _join_steps(part, seen, depth)
        case Absence(window=AfterWindow() | BeforeWindow()) if _is_about_events(part):
            return list(_absence_steps(part, seen, depth))
        case Gathered(window=AfterWindow() | BeforeWindow()) if _is_about_events(part):
            return list(_count_steps(part, seen, depth))
        case Change():
            return list(_change_steps(part, seen, depth))
        case _:
            return []


def _is_about_events(part: Part) -> bool:
    return all(map(is_one_event, parts_of(part)))


def _restriction_steps(part: Only, seen: Surrounding, depth: int) -> Iterator[ExplanationStep]:
    event = seen.event
    found = seen.occurrence_in(part.part, event)
    if found is None:
        return
    restriction = part.restriction
    text, met = restriction_text(restriction), allows(restriction, found)
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


def _join_steps(part: Join, seen: Surrounding, depth: int) -> list[ExplanationStep]:
    own = [seen.occurrence_in(each, seen.event) for each in part.parts]
    slot = next((number for number, each in enumerate(own) if each is not None), None)
    if slot is None:
        return []
    mine = own[slot]
    assert mine is not None
    choices: list[list[ReferenceOccurrence]] = []
    for number, each in enumerate(part.parts):
        found = [mine] if number == slot else _nearest(each, mine, seen)
        if not found:
            actual = f"none among {len(seen.around)} events around it"
            return [ExplanationStep(seen.short(each), False, actual, depth=depth)]
        choices.append(found)
    best = max(
        islice(product(*choices), MAX_CHOICES), key=lambda each: _closeness(part, each, mine, seen)
    )
    names = ", ".join(
        f"{seen.short(inner)} is {events_text([each.members[0].id])}"
        for inner, each in zip(part.parts, best, strict=True)
    )
    others = sum(len(each) for each in choices) - 1
    head = ExplanationStep(f"closest candidate of {others}: {names}", None, depth=depth)
    return [head, *_choice_steps(part, best, seen, depth)]


def _nearest(part: Part, mine: ReferenceOccurrence, seen: Surrounding) -> list[ReferenceOccurrence]:
    found = seen.others_in(part)
    return sorted(found, key=lambda each: abs(each.end - mine.end))[:NEAREST]


def _closeness(
    part: Join, choice: Choice, mine: ReferenceOccurrence, seen: Surrounding
) -> tuple[int, int]:
    met = sum(step.holds is True for step in _choice_steps(part, choice, seen, 0))
    return met, -sum(abs(each.end - mine.end) for each in choice)


def _choice_steps(
    part: Join, choice: Choice, seen: Surrounding, depth: int
) -> list[ExplanationStep]:
    whole = together(choice)
    names = {name: named for each in choice for name, named in each.names.items()}
    steps = [
        replace(
            _condition_step(each, choice, names),
            text=join_condition_text(each, part, seen.sources),
            depth=depth,
        )
        for each in part.conditions
    ]
    if part.keep is not None:
        ends = [each.end for each in choice]
        apart = max(ends) - min(ends)
        met = apart <= part.keep
        text = f"all events end at most {format_duration(part.keep)} apart"
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
        text = "variables agree and no event is used twice"
        steps.append(ExplanationStep(text, False, depth=depth))
    return steps


def _condition_step(
    condition: JoinCondition, choice: Choice, names: dict[str, ReferenceOccurrence]
) -> ExplanationStep:
    """Return a step without its text and depth."""
    met = meets(condition, choice, names)
    actual: object = None
    off: object = None
    match condition:
        case Precedes(earlier, later, gap, _):
            apart = _moment(later, choice) - _moment(earlier, choice)
            actual = _distance_text(apart if gap > 0 else -apart)
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
    return ExplanationStep("", met, actual, None, off)


def _distance_text(delay: Duration) -> str:
    """Return how long one moment is after another."""
    if delay == 0:
        return "at the same time"
    return f"{lasting(delay)} {'after' if delay > 0 else 'before'}"


def _absence_steps(part: Absence, seen: Surrounding, depth: int) -> Iterator[ExplanationStep]:
    """Yield a step for each window that the event is in or opens: the events that break it."""
    window = part.window
    assert isinstance(window, AfterWindow | BeforeWindow)
    anchor = seen.occurrence_in(window.part, seen.event)
    if anchor is None:
        breaking = seen.occurrence_in(part.part, seen.event)
        anchors = [] if breaking is None else seen.others_in(window.part)
        broken = [each for each in anchors if breaking and _breaks(part, breaking, each)]
        for each in broken[:MAX_WINDOWS]:
            actual = f"{event_at(seen.event)} is {_absent_text(part, seen)}"
            yield ExplanationStep(_absence_in(part, each, seen), False, actual, depth=depth)
        return
    if part.by and not has_key(part.by, anchor):
        yield _key_step(part.by, seen.event, depth)
        return
    came = [each for each in seen.others_in(part.part) if _breaks(part, each, anchor)]
    events = ", ".join(event_at(each.members[0]) for each in came[:MAX_IDS])
    actual = f"{events} is {_absent_text(part, seen)}" if came else "none"
    yield ExplanationStep(_absence_in(part, anchor, seen), not came, actual, depth=depth)


def _breaks(part: Absence, each: ReferenceOccurrence, around: ReferenceOccurrence) -> bool:
    if isinstance(part.window, AfterWindow):
        return breaks_after(part, each, around, part.window.length)
    return breaks_before(part, each, around)


def _absence_in(part: Absence, anchor: ReferenceOccurrence, seen: Surrounding) -> str:
    assert isinstance(part.window, AfterWindow | BeforeWindow)
    ids = [each.id for each in anchor.members]
    text = absence_text(part, _window_of(part.window, anchor), ids, seen.sources)
    return f"{text}{key_values_text(part, anchor.members)}"


def _absent_text(part: Absence, seen: Surrounding) -> str:
    if is_holds(part) and part in seen.sources:
        return "the end of it"
    return seen.short(part.part)


def _window_of(window: AfterWindow | BeforeWindow, anchor: ReferenceOccurrence) -> tuple[str, str]:
    if isinstance(window, AfterWindow):
        return span_text(anchor.end, anchor.end + window.length)
    return span_text(anchor.start - window.length, anchor.start)


def _count_steps(part: Gathered, seen: Surrounding, depth: int) -> Iterator[ExplanationStep]:
    """Yield a step for the events in the window that the event opens or closes."""
    window = part.window
    assert isinstance(window, AfterWindow | BeforeWindow)
    anchor = seen.occurrence_in(window.part, seen.event)
    if anchor is None:
        text = f"{events_text([seen.event.id])} lies in a window of {seen.short(window.part)}"
        yield ExplanationStep(text, None, depth=depth)
        return
    if part.by and not has_key(part.by, anchor):
        yield _key_step(part.by, seen.event, depth)
        return
    is_after = isinstance(window, AfterWindow)
    start = anchor.end if is_after else anchor.start - window.length
    end = anchor.end + window.length if is_after else anchor.start
    count = sum(
        (not part.by or have_same_key(part.by, anchor, each))
        and start <= each.start
        and each.end <= end
        for each in seen.others_in(part.part)
    )
    first, last = span_text(start, end)
    text = f"{_wanted(part)} x {seen.short(part.part)} from {first} to {last}"
    met = count >= part.least and (part.most is None or count <= part.most)
    off = max(part.least - count, count - (part.most or count))
    yield ExplanationStep(text, met, count, _wanted(part), None if met else off, depth)


def _change_steps(part: Change, seen: Surrounding, depth: int) -> Iterator[ExplanationStep]:
    """Yield what the state was for the event before with the same key, and what it is now."""
    now = seen.occurrence_in(part.part, seen.event)
    if now is None or part.each:
        return
    if part.by and not has_key(part.by, now):
        yield _key_step(part.by, seen.event, depth)
        return
    before = [
        each
        for each in seen.others_in(part.part)
        if each.order < now.order and have_same_key(part.by, now, each)
    ]
    last = max(before, key=lambda each: each.order, default=None)
    state = quote(part.state, seen.sources) or "the state"
    if part.becomes:
        texts = (f"{state} did not hold before", f"{state} holds now")
    else:
        texts = (f"{state} held before", f"{state} does not hold now")
    was = last is not None and _is_in_state(part, last)
    actual = "no event before" if last is None else _state_text(part, last)
    yield ExplanationStep(texts[0], was is not part.becomes, actual, depth=depth)
    holds_now = _is_in_state(part, now) is part.becomes
    yield ExplanationStep(texts[1], holds_now, _state_text(part, now), depth=depth)


def _is_in_state(part: Change, found: ReferenceOccurrence) -> bool:
    try:
        return holds(part.state, found.members[0])
    except (Problem, WorkLimitExceeded):
        return False


def _state_text(part: Change, found: ReferenceOccurrence) -> str:
    state = "holds" if _is_in_state(part, found) else "does not hold"
    return f"{event_at(found.members[0])}: it {state}"


def _key_step(by: Key, event: Event, depth: int) -> ExplanationStep:
    values = {path_text(path): to_display(event.attribute(path)) for path in by}
    text = f"a value of {' and '.join(map(path_text, by))}"
    return ExplanationStep(text, False, values, depth=depth)


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
