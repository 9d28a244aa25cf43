"""Random patterns whose events can be parted by a key: each operator has the key, or equalities
between its parts.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from tests.builders import build_event
from tests.measured_worlds import ANYTHING, KEEPS, MEASURES, STATES
from tests.timelines import ATOMS, DURATIONS, ROLES, patterns
from tocsin.events.event import Event
from tocsin.languages import parse_subscription
from tocsin.plan.nodes.composites import (
    Absence,
    AfterInstant,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Change,
    Either,
    End,
    Gathered,
    Join,
    Keyed,
    Moment,
    Named,
    Only,
    Part,
    PartAttribute,
    Policy,
    Precedes,
    Related,
    Sliding,
)
from tocsin.plan.nodes.expressions import RELATIONS, Ring
from tocsin.plan.passes import prepared
from tocsin.plan.passes.settings import with_settings
from tocsin.plan.semantics.partitioning import partition_key_of

KEY = ("v",)
_FOLLOWS = Precedes(Moment(0, End.FINISH), Moment(1, End.START))

Known = tuple[Part, str]
"""A part, and the name of one event in it."""


def alike(*names: str) -> tuple[Related, ...]:
    """All of the same value."""
    return tuple(
        Related(PartAttribute(one, KEY), "=", PartAttribute(other, KEY))
        for one, other in pairwise(names)
    )


@st.composite
def _known_parts(draw: st.DrawFn, policy: Policy, prefix: str, depth: int) -> Known:
    """A part that may be parted, and whose names nobody else has."""
    name = f"{prefix}x"
    if depth == 0 or (prefix and draw(st.integers(0, 2)) == 0):
        atom = draw(st.one_of(ROLES, ROLES, ROLES, st.just(ANYTHING)))
        inner: Any = draw(
            st.sampled_from([atom, atom, Only(atom, AfterInstant(0)), Only(atom, Keyed((KEY,)))])
        )
        return Named(name, inner), name
    count = draw(st.sampled_from([2, 2, 3]))
    known = [draw(_known_parts(policy, f"{prefix}{number}", depth - 1)) for number in range(count)]
    parts, names = [each for each, _ in known], [name for _, name in known]
    is_keyed, length = draw(st.booleans()), draw(DURATIONS)
    keep = draw(st.sampled_from([None, None, None, 3, 6]))
    by = (KEY,) if is_keyed else ()
    equal = () if is_keyed else alike(*names)
    orders = draw(st.sampled_from([(), (_FOLLOWS,)]))
    kind = draw(st.integers(0, 7))
    if kind <= 2 or (count == 3 and kind > 5):
        return Join(tuple(parts), (*orders, *equal), policy, keep, by), names[0]
    pair = () if is_keyed else alike(*names[:2])
    after = draw(st.sampled_from([AfterWindow(parts[1], length), BeforeWindow(parts[1], length)]))
    if kind == 3:
        return Absence(parts[0], after, pair, policy, None, by), names[1]
    least = draw(st.integers(0, 2))
    most = draw(st.sampled_from([None, least, least + 1]))
    if kind == 4:
        return Gathered(parts[0], after, least, most, pair, policy, None, by), names[1]
    if count == 2:
        return Join(tuple(parts), equal, policy, keep, by), names[1]
    between = BetweenWindow(parts[1], parts[2])
    if kind == 5 and draw(st.booleans()):
        return Gathered(parts[0], between, least, most, equal_of(equal, names), policy, keep, by), (
            names[1]
        )
    return Absence(parts[0], between, equal_of(equal, names), policy, keep, by), names[1]


def equal_of(equal: tuple[Related, ...], names: list[str]) -> tuple[Related, ...]:
    """What is absent is like the first, and the first is like the last."""
    return alike(names[1], names[0]) + alike(names[1], names[2]) if equal else ()


CORRELATED = [
    "{a} Before {b} correlate by one v",
    "({a} & {b}) Before {a} correlate by one v",
    "{a} & {a} correlate by kind, one v",
    "({a} | {b}) & {b} correlate by one v",
    "{a} Before not ({b}) (PT0.000003S anchored) correlate by one v",
    "not ({b}) (PT0.000003S anchored) Before {a} correlate by one v",
    "({a} Before not ({b}) (PT0.000002S anchored)) & {b} correlate by one v",
    "{a} | {b} correlate by one v",
]
"""Concepts that have one value in common."""


@cache
def _correlated(text: str, policy: Policy) -> Part:
    names = {letter: f"exists kind.{{{letter}}}" for letter in "ab"}
    plan = parse_subscription("concept", text.format(**names), {})
    return with_settings(prepared(plan), policy, 3_600_000_000).pattern


@st.composite
def _measured(draw: st.DrawFn) -> Part:
    """Counts and changes for each value."""
    atom = draw(st.one_of(ATOMS, st.just(ANYTHING)))
    if draw(st.integers(0, 2)) == 0:
        changes = (Change(atom, draw(STATES), each, (KEY,), keep=draw(KEEPS)) for each in (1, 0))
        begins, ends = changes
        held = Absence(ends, AfterWindow(Named("since", begins), draw(DURATIONS)), by=(KEY,))
        return draw(st.sampled_from([begins, ends, held]))
    every = draw(st.sampled_from([None, None, 1, 2, 4]))
    ring = Ring.EVERY_TIME if every else draw(st.sampled_from(list(Ring)))
    return Sliding(
        atom,
        draw(MEASURES),
        draw(st.sampled_from(RELATIONS)),
        draw(st.sampled_from([0, 1, 2, 1.5])),
        draw(st.integers(1, 6)),
        every,
        ring,
        draw(st.sampled_from([(KEY,), (KEY, ("kind",))])),
        keep=draw(KEEPS),
    )


_VALUES = st.sampled_from([0, 1, 2, 0, 1, 2, 0, 1, 2, 1.0, True, "1", None])


@st.composite
def busy_timelines(draw: st.DrawFn, values: st.SearchStrategy[Any] = _VALUES) -> list[Event]:
    """Events of two kinds and few values, in canonical order, mostly one after the other."""
    found, start = [], 0
    for number in range(draw(st.integers(4, 11))):
        start += draw(st.sampled_from([0, 1, 1, 2]))
        end = start + draw(st.sampled_from([0, 0, 0, 0, 2]))
        data = {"kind": draw(st.sampled_from("ab")), "v": draw(values)}
        found.append(build_event(f"e{number}", time=start, endtime=end, data=data))
    return sorted(found, key=lambda event: event.order)


@st.composite
def _patterns(draw: st.DrawFn, policy: Policy) -> Part:
    kind = draw(st.integers(0, 10))
    if kind == 0:
        return draw(_measured())
    if kind == 10:
        return _correlated(draw(st.sampled_from(CORRELATED)), policy)
    if kind == 1:
        return draw(patterns(policy))
    if kind == 2:
        return Either(tuple(draw(_known_parts(policy, each, 1))[0] for each in "lr"))
    return draw(_known_parts(policy, "", draw(st.sampled_from([1, 1, 2]))))[0]


def parted_patterns(policy: Policy) -> st.SearchStrategy[Part]:
    """Patterns that a key parts, of every kind, under one policy."""
    return _patterns(policy).filter(lambda part: bool(partition_key_of(part).by))
