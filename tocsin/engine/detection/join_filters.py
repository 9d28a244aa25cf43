"""Conditions as functions: a condition is compiled once, when an operator is built, and not for
every candidate.

A filter of a pair takes the new occurrence and returns the test for buffered ones, so that values
of the new occurrence are looked up once. `tocsin.plan.semantics.condition_evaluation` defines the
meaning of conditions; these give the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, assert_never

from tocsin.events.event import Event
from tocsin.plan.nodes.composites import (
    AtRegion,
    End,
    JoinCondition,
    Moment,
    Named,
    Near,
    Part,
    PartAttribute,
    Precedes,
    Related,
    Restriction,
    Share,
    Stands,
    is_one_event,
)
from tocsin.plan.nodes.expressions import Apart, Lasts, Satisfies, size_of
from tocsin.plan.semantics.condition_evaluation import COMPARISONS, allows, comparable, meets
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.plan.xml.xml_patterns import bound_scalar
from tocsin.values.allen import Bounds, bounds_test
from tocsin.values.partition_hash import partition_of
from tocsin.values.scalars import Path
from tocsin.values.space import are_related, parse_place

Question = Callable[[Occurrence], bool]
Filter = Callable[[Occurrence], Question]
Reader = Callable[[Occurrence], Any]

_A_TERM = 4
"""The work of reading or calculating one term of an expression."""
_A_DISTANCE = 20
"""The work of comparing two places."""
_BY_COST = (Precedes, Lasts, Stands, Related, Satisfies, Near, Apart)
_MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def restriction_test(restriction: Restriction) -> Question:
    """Return the test of a restriction; a region is parsed once."""
    if isinstance(restriction, Share):
        return _share_test(restriction)
    if not isinstance(restriction, AtRegion):
        return lambda occurrence: allows(restriction, occurrence)
    region = parse_place(restriction.region)
    relation, distance, metric = restriction.relation, restriction.distance, restriction.metric

    def test(occurrence: Occurrence) -> bool:
        place = occurrence.place_by(metric)
        return place is not None and are_related(place, relation, region, distance, metric)

    return test


def _share_test(share: Share) -> Question:
    """Return the test that all events of an occurrence fall into a share."""
    readers = [event_reader(path) for path in share.by]
    number, shares = share.number, share.shares

    def test(occurrence: Occurrence) -> bool:
        for event in occurrence.members:
            if partition_of([read(event) for read in readers], shares) != number:
                return False
        return True

    return test


def by_cost(conditions: Sequence[JoinCondition]) -> tuple[JoinCondition, ...]:
    """Return the conditions, cheap ones first: times, intervals, attributes, places."""
    return tuple(
        sorted(
            conditions,
            key=lambda condition: _BY_COST.index(type(condition)),
        )
    )


def work_of_asking(condition: JoinCondition) -> int:
    """Return the work of one question in about as many microseconds; 0 for those that are cheap."""
    match condition:
        case Satisfies(expression):
            return _A_TERM * size_of(expression)
        case Near() | Apart():
            return _A_DISTANCE
        case _:
            return 0


def pair_filter(
    condition: JoinCondition, parts: Sequence[Part], homes: Mapping[str, int], slot: int
) -> Filter | None:
    """Return the filter of a condition between two parts for occurrences new at `slot`; None if the
    condition needs the whole.

    `homes` has the slot of every name that only one part binds.
    """
    match condition:
        case Precedes():
            return _precedes(condition, slot)
        case Related(left, _, right):
            if {homes.get(left.name), homes.get(right.name)} != {0, 1}:
                return None
            theirs, relation, mine, _ = pair_sides(condition, parts, homes, slot)
            return _related(theirs, relation, mine)
        case Satisfies() | Apart():
            return None
        case Stands(part, _, other) if part != other:
            return _stands(condition, slot)
        case Near() | Stands() | Lasts():
            return lambda new: (
                lambda waiting: meets(condition, (waiting, new) if slot else (new, waiting), {})
            )
        case _:
            assert_never(condition)


def pair_sides(
    condition: Related, parts: Sequence[Part], homes: Mapping[str, int], slot: int
) -> tuple[Reader, str, Reader, PartAttribute]:
    """Return the reader of buffered occurrences, their relation to occurrences new at `slot`, the
    reader of these, and the attribute of the buffered ones.
    """
    left, relation, right = condition.left, condition.relation, condition.right
    if homes[left.name] == slot:
        left, relation, right = right, _MIRRORED[relation], left
    theirs, mine = (
        reader(side, is_of(side, part))
        for side, part in ((left, parts[1 - slot]), (right, parts[slot]))
    )
    return theirs, relation, mine, left


def is_of(attribute: PartAttribute, part: Part) -> bool:
    """True if the attribute is one of the very event that an occurrence of the part is."""
    return isinstance(part, Named) and part.name == attribute.name and is_one_event(part.part)


def reader(attribute: PartAttribute, of_event: bool) -> Reader:
    """Return a reader of an attribute of the one event that a name stands for, or of a variable
    that it binds. It returns None if there is no such value.
    """
    name, read = attribute.name, _own_reader(attribute)
    if of_event:
        return read

    def value(occurrence: Occurrence) -> Any:
        named = occurrence.names.get(name)
        return None if named is None or len(named.members) != 1 else read(named)

    return value


def _own_reader(attribute: PartAttribute) -> Reader:
    variable = attribute.variable
    if variable:
        return lambda occurrence: bound_scalar(occurrence.rows, variable)
    read = event_reader(attribute.path)
    return lambda occurrence: read(occurrence.members[0])


def event_reader(path: Path) -> Callable[[Event], Any]:
    """Return `Event.attribute` at a path; a path of one step into JSON data, the common case, is
    read without its calls.
    """
    if len(path) > 1:
        return lambda event: event.attribute(path)
    step = path[0]

    def read(event: Event) -> Any:
        data = event.data
        return data.get(step) if type(data) is dict else event.attribute(path)

    return read


def _precedes(condition: Precedes, slot: int) -> Filter:
    earlier, later, gap = condition.earlier, condition.later, condition.gap
    if earlier.part == later.part:
        return lambda new: (
            lambda waiting: meets(condition, (waiting, new) if slot else (new, waiting), {})
        )
    slack = gap if condition.or_equal else gap + 1  # instants are whole numbers
    early, late = _end_of(earlier), _end_of(later)
    if earlier.part == slot:
        return _not_before(early, slack, late)
    return _not_after(late, -slack, early)


def _not_before(
    mine: Callable[[Occurrence], int], plus: int, theirs: Callable[[Occurrence], int]
) -> Filter:
    def bound_to(new: Occurrence) -> Question:
        limit = mine(new) + plus
        return lambda waiting: theirs(waiting) >= limit

    return bound_to


def _not_after(
    mine: Callable[[Occurrence], int], plus: int, theirs: Callable[[Occurrence], int]
) -> Filter:
    def bound_to(new: Occurrence) -> Question:
        limit = mine(new) + plus
        return lambda waiting: theirs(waiting) <= limit

    return bound_to


def _stands(condition: Stands, slot: int) -> Filter:
    test = bounds_test(condition.relation, condition.proper)
    if condition.part == slot:
        return lambda new: partial(_stands_to, test, new.start, new.end)
    return lambda new: partial(_is_stood_to, test, new.start, new.end)


def _stands_to(test: Bounds, start: int, end: int, waiting: Occurrence) -> bool:
    return test(start, end, waiting.start, waiting.end)


def _is_stood_to(test: Bounds, start: int, end: int, waiting: Occurrence) -> bool:
    return test(waiting.start, waiting.end, start, end)


def _end_of(moment: Moment) -> Callable[[Occurrence], int]:
    return attrgetter("start" if moment.end is End.START else "end")


def _related(theirs: Reader, relation: str, mine: Reader) -> Filter:
    compares = COMPARISONS[relation]

    def bound_to(new: Occurrence) -> Question:
        value = mine(new)

        def question(waiting: Occurrence) -> bool:
            other = theirs(waiting)
            return comparable(other, relation, value) and compares(other, value)

        def question_of_integers(
            waiting: Occurrence,
        ) -> bool:  # the common case needs no check of types
            other = theirs(waiting)
            return compares(other, value) if type(other) is int else question(waiting)

        return question_of_integers if type(value) is int else question

    return bound_to
