"""Operators of a composite plan in words: each without the parts inside it, and its conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from tocsin.plan.explain import exmlql
from tocsin.plan.explain.atoms import (
    atom_text,
    expression_text,
    path_text,
    region_text,
    relation_text,
)
from tocsin.plan.nodes.atoms import Condition
from tocsin.plan.nodes.composites import (
    Absence,
    AfterInstant,
    AfterWindow,
    AtRegion,
    BeforeWindow,
    BetweenWindow,
    Change,
    DuringWindow,
    Either,
    End,
    EveryWindow,
    FixedWindow,
    Fulfilling,
    Gathered,
    Join,
    JoinCondition,
    Key,
    Keyed,
    Meeting,
    Moment,
    Named,
    Near,
    Only,
    Part,
    PartAttribute,
    Precedes,
    Related,
    Restriction,
    Share,
    Sliding,
    Stands,
    Triggered,
    Window,
    parts_of,
)
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.nodes.expressions import Apart, Lasts, Measure, Satisfies
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.plan.xml.xml_patterns import XmlBlock
from tocsin.values.allen import relation_of
from tocsin.values.time import format_duration, format_instant


def has_concurrent_parts(part: Part) -> bool:
    """True if a join only requires that parts share time.

    Then a long one may end long after the other.
    """
    return _is_concurrent(part) or any(map(has_concurrent_parts, parts_of(part)))


def _is_concurrent(part: Part) -> bool:
    if not isinstance(part, Join) or len(part.parts) != 2:
        return False
    orders = [each for each in part.conditions if isinstance(each, Precedes)]
    begin_to_end = {
        (each.earlier.part, each.later.part) for each in orders if each.earlier.end is End.START
    }
    return begin_to_end >= {(0, 1), (1, 0)} and len(orders) == len(begin_to_end)


def condition_text(condition: JoinCondition) -> str:
    """Return a condition between the parts of a join, which are called [1], [2] and so on."""
    match condition:
        case Precedes(earlier, later, gap, or_equal):
            return _precedes_text(earlier, later, gap, or_equal)
        case Near(part, relation, other, distance):
            return f"[{part + 1}] is {relation_text(relation, distance)} [{other + 1}]"
        case Stands(part, name, other, proper):
            allen, negated = relation_of(name)
            between = " (between proper intervals)" if proper else ""
            return (
                f"[{part + 1}] {'not ' if negated else ''}{allen.value.lower()}"
                f" [{other + 1}]{between}"
            )
        case Related(left, relation, right):
            return f"{_side_text(left)} {relation} {_side_text(right)}"
        case Satisfies(expression):
            return expression_text(expression)
        case Apart(name, distance_relation, other, distance, _, negated):
            is_or_not = "is not" if negated else "is"
            return f"{name} {is_or_not} {relation_text(distance_relation, distance)} {other}"
        case Lasts(limit):
            return f"the whole lasts at most {format_duration(limit)}"
        case _:
            assert_never(condition)


def _side_text(side: PartAttribute) -> str:
    return f"{side.name}.{side.variable or path_text(side.path)}"


def operator_text(part: Part) -> str:
    """Return the operator of a part in words, without the parts inside it."""
    match part:
        case Condition() | GraphPattern() | ConceptTest() | XmlBlock():
            return f"event {atom_text(part)}"
        case Named(name, _, elements):
            each = f", with each of {path_text(elements[1])} as {elements[0]}" if elements else ""
            return f"{name}{each}, which is"
        case Either():
            return "either of"
        case Only(_, restriction):
            return f"only {restriction_text(restriction)}"
        case Join(_, _, policy, keep, by):
            return f"together ({policy.value}{_keep_text(keep)}{_key_text(by)})"
        case Absence(_, window, _, policy, keep, by):
            notes = f"{policy.value}{_keep_text(keep)}{_key_text(by)}"
            return f"nothing {_window_text(window)} ({notes})"
        case Gathered(_, window, _, _, _, policy, keep, by):
            notes = f"{policy.value}{_keep_text(keep)}{_key_text(by)}{_limit_text(part)}"
            return f"{_range_text(part)} {_window_text(window)} ({notes})"
        case Sliding():
            return _sliding_text(part)
        case Change(_, _, becomes, by, each):
            when = "begins to hold" if becomes else "holds no more"
            return f"where the state {when}{_key_text(by, each)}"
        case Triggered(_, _, waiting, keep):
            return f"sends, of the target, {waiting.value}{_keep_text(keep)}"
        case _:
            assert_never(part)


def roles(part: Part) -> list[str]:
    """Return the role of each part directly inside a part, in a word; "" if it needs none."""
    return [each.rstrip(": ") for each in role_labels(part)]


def role_labels(part: Part) -> Iterator[str]:
    """Yield the role of each part directly inside a part, as the start of a line."""
    match part:
        case Join(parts):
            yield from (f"[{number}] " for number in range(1, len(parts) + 1))
        case Triggered():
            yield from ("detection: ", "target: ")
        case Absence(_, FixedWindow() | EveryWindow()):
            yield "absent: "
        case Absence(_, BeforeWindow()):
            yield from ("absent: ", "before: ")
        case Absence(_, AfterWindow()):
            yield from ("absent: ", "after: ")
        case Absence(_, BetweenWindow()):
            yield from ("absent: ", "first: ", "last: ")
        case Gathered(_, BeforeWindow()):
            yield from ("counted: ", "before: ")
        case Gathered(_, AfterWindow()):
            yield from ("counted: ", "after: ")
        case Gathered(_, BetweenWindow()):
            yield from ("counted: ", "first: ", "last: ")
        case Sliding():
            yield "counted: "
        case Change():
            yield from ("state: ", "of: ")
        case _:
            yield from ("" for _ in parts_of(part))


def _precedes_text(earlier: Moment, later: Moment, gap: int, or_equal: bool) -> str:
    comparison = "at or before" if or_equal else "before"
    shift = f" plus {format_duration(gap)}" if gap > 0 else ""
    allowance = f" plus {format_duration(-gap)}" if gap < 0 else ""
    return f"{_moment_text(earlier)}{shift} is {comparison} {_moment_text(later)}{allowance}"


def _moment_text(moment: Moment) -> str:
    return f"the {'start' if moment.end is End.START else 'end'} of [{moment.part + 1}]"


def restriction_text(restriction: Restriction) -> str:
    """Return a filter in words."""
    match restriction:
        case DuringWindow(start, length):
            return f"after {format_instant(start)} and by {format_instant(start + length)}"
        case AfterInstant(instant):
            return f"after {format_instant(instant)}"
        case AtRegion(relation, region, distance):
            return f"{relation_text(relation, distance)} {region_text(region)}"
        case Meeting(conditions):
            return f"where {' and '.join(map(exmlql.condition_text, conditions))}"
        case Fulfilling(named):
            return f"where {' and '.join(map(condition_text, named))}"
        case Keyed(by):
            return f"with a value of {' and '.join(map(path_text, by))}"
        case Share(by, number, shares):
            paths = " and ".join(map(path_text, by))
            return f"in share {number + 1} of {shares} by {paths}"
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
        case BeforeWindow(_, length):
            return f"within {format_duration(length)} before"
        case EveryWindow(length, origin):
            return f"within {format_duration(length)}, again and again{_since(origin)}"
        case _:
            assert_never(window)


def _range_text(part: Gathered) -> str:
    if part.most is None:
        return f"{part.least} or more"
    return f"{part.least}" if part.least == part.most else f"{part.least} to {part.most}"


def _limit_text(part: Gathered) -> str:
    if part.limit is None:
        return ""
    return f", the last at most {format_duration(part.limit)} after what came"


def _sliding_text(part: Sliding) -> str:
    again = "" if part.every is None else f", again every {format_duration(part.every)}"
    rings = f", rings {part.ring.value}" if part.every is None else ""
    asked = " and ".join(
        f"{_measure_text(each.measure)} {each.relation} {each.limit}" for each in part.conditions
    )
    return f"{asked} over {format_duration(part.over)}{again}{rings}{_key_text(part.by, part.each)}"


def _measure_text(measure: Measure) -> str:
    path = f" of {path_text(measure.path)}" if measure.path else ""
    return f"{measure.aggregate.value}{path}"


def _key_text(by: Key, each: str = "") -> str:
    keys = [*map(path_text, by), *([f"value of {each}"] if each else [])]
    return f", for each {' and '.join(keys)}" if keys else ""


def _since(origin: int | None) -> str:
    return "" if origin is None else f" since {format_instant(origin)}"


def _keep_text(keep: int | None) -> str:
    return "" if keep is None else f", ends at most {format_duration(keep)} apart"
