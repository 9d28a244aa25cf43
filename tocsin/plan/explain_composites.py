"""A composite plan in words: its tree with every condition, what waits where and how long, and what is shared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import assert_never

from tocsin.plan.atoms import Condition
from tocsin.plan.bounds import bounds_of
from tocsin.plan.composites import (
    Absence,
    AfterInstant,
    AfterWindow,
    AtRegion,
    BetweenWindow,
    DuringWindow,
    Either,
    End,
    FixedWindow,
    Join,
    JoinCondition,
    Moment,
    Named,
    Near,
    Only,
    Part,
    Precedes,
    Related,
    Restriction,
    Window,
    parts_of,
)
from tocsin.plan.explain import path_text, selector_text
from tocsin.values.space import SpatialRelation
from tocsin.values.time import format_duration, format_instant

_WITH_DISTANCE = (SpatialRelation.NEARER, SpatialRelation.AT, SpatialRelation.FARTHER, SpatialRelation.SAME_PLACE)


def part_lines(part: Part, indent: str = "") -> Iterator[str]:
    """The plan as an indented tree; the parts of a join are numbered, so that its conditions can speak of them."""
    yield indent + _title(part)
    deeper = indent + "  "
    if isinstance(part, Join):
        for condition in part.conditions:
            yield f"{deeper}where {condition_text(condition)}"
    if isinstance(part, Absence):
        for related in part.conditions:
            yield f"{deeper}where {condition_text(related)}"
    for role, inner in zip(_roles(part), parts_of(part), strict=True):
        first, *rest = part_lines(inner, deeper)
        yield f"{deeper}{role}{first.lstrip()}"
        yield from rest


def state_lines(part: Part) -> Iterator[str]:
    """What waits, for how long, which timers run, and which parts are shared inside the subscription."""
    for bound in bounds_of(part):
        lifetime = "for ever" if bound.lifetime is None else f"up to {format_duration(bound.lifetime)} after its end"
        yield f"{_role_at(bound.owner, bound.slot)}waits {lifetime}, in {_title(bound.owner)}"
    yield from _timers(part)
    for shared, uses in _shared(part).items():
        yield f"one for {uses} places: {_title(shared)}"


def waiting_text(owner: Part, slot: int, members: str, until: int | None) -> str:
    """What an occurrence that waits in a part is waiting for, and until when."""
    limit = "" if until is None else f" until {format_instant(until)}"
    match owner:
        case Absence(_, AfterWindow()):
            return f"{members}: rings at {format_instant(until or 0)} unless {_short(parts_of(owner)[0])} comes before"
        case Absence():
            return f"{members}: waits for {_short(parts_of(owner)[2])}{limit}, with nothing in between"
        case _:
            others = (_short(part) for number, part in enumerate(parts_of(owner)) if number != slot)
            return f"{members}: as [{slot + 1}] of {_title(owner)} waits for {' and '.join(others)}{limit}"


def condition_text(condition: JoinCondition) -> str:
    """A condition between the parts of a join, which go by [1], [2] and so on."""
    match condition:
        case Precedes(earlier, later, gap, or_equal):
            return _precedes_text(earlier, later, gap, or_equal)
        case Near(part, relation, other, distance):
            return f"[{part + 1}] is {_relation_text(relation, distance)} [{other + 1}]"
        case Related(left, relation, right):
            return f"{left.name}.{path_text(left.path)} {relation} {right.name}.{path_text(right.path)}"
        case _:
            assert_never(condition)


def _title(part: Part) -> str:
    match part:
        case Condition(expression):
            return f"event with {selector_text(expression)}"
        case Named(name):
            return f"{name}, which is"
        case Either():
            return "either of"
        case Only(_, restriction):
            return f"only {_restriction_text(restriction)}"
        case Join(_, _, policy, keep):
            return f"together ({policy.value}{_keep_text(keep)})"
        case Absence(_, window, _, policy, keep):
            return f"nothing {_window_text(window)} ({policy.value}{_keep_text(keep)})"
        case _:
            assert_never(part)


def _short(part: Part) -> str:
    return part.name if isinstance(part, Named) else _title(part)


def _roles(part: Part) -> Iterator[str]:
    match part:
        case Join(parts):
            yield from (f"[{number}] " for number in range(1, len(parts) + 1))
        case Absence(_, FixedWindow()):
            yield "absent: "
        case Absence(_, AfterWindow()):
            yield from ("absent: ", "after: ")
        case Absence(_, BetweenWindow()):
            yield from ("absent: ", "first: ", "last: ")
        case _:
            yield from ("" for _ in parts_of(part))


def _role_at(owner: Part, slot: int) -> str:
    return list(_roles(owner))[slot]


def _precedes_text(earlier: Moment, later: Moment, gap: int, or_equal: bool) -> str:
    comparison = "at or before" if or_equal else "before"
    shift = f" plus {format_duration(gap)}" if gap > 0 else ""
    allowance = f" plus {format_duration(-gap)}" if gap < 0 else ""
    return f"{_moment_text(earlier)}{shift} is {comparison} {_moment_text(later)}{allowance}"


def _moment_text(moment: Moment) -> str:
    return f"the {'start' if moment.end is End.START else 'end'} of [{moment.part + 1}]"


def _relation_text(relation: SpatialRelation, distance: float) -> str:
    return f"{relation.value} ({distance:g})" if relation in _WITH_DISTANCE else relation.value


def _restriction_text(restriction: Restriction) -> str:
    match restriction:
        case DuringWindow(start, length):
            return f"after {format_instant(start)} and by {format_instant(start + length)}"
        case AfterInstant(instant):
            return f"after {format_instant(instant)}"
        case AtRegion(relation, region, distance):
            shown = region if len(region) <= 60 else region[:57] + "..."
            return f"{_relation_text(relation, distance)} {shown}"
        case _:
            assert_never(restriction)


def _window_text(window: Window) -> str:
    match window:
        case FixedWindow(start, length):
            return f"from {format_instant(start)} to {format_instant(start + length)}"
        case AfterWindow(_, length):
            return f"within {format_duration(length)} after"
        case BetweenWindow():
            return "between"
        case _:
            assert_never(window)


def _keep_text(keep: int | None) -> str:
    return "" if keep is None else f", ends at most {format_duration(keep)} apart"


def _timers(part: Part) -> Iterator[str]:
    match part:
        case Absence(_, FixedWindow(start, length)):
            yield f"timer at {format_instant(start + length)}"
        case Absence(_, AfterWindow(_, length)):
            yield f"timer {format_duration(length)} after each start of silence"
        case _:
            pass
    for inner in parts_of(part):
        yield from _timers(inner)


def _shared(part: Part) -> Counter[Part]:
    """Parts that stand in several places of the plan and are at work once."""
    places: Counter[Part] = Counter()
    seen: set[Part] = set()

    def walk(part: Part) -> None:
        places[part] += 1
        if part not in seen:
            seen.add(part)
            for inner in parts_of(part):
                walk(inner)

    walk(part)
    return Counter({each: count for each, count in places.items() if count > 1})
