"""Random composite plans and timelines with ties, intervals and points: small worlds in which
everything meets.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.builders import build_event
from tests.measured_worlds import measured_parts
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import AnyOf, Condition, Equals, Ordered
from tocsin.plan.nodes.composites import (
    Absence,
    AfterInstant,
    AfterWindow,
    AtRegion,
    BeforeWindow,
    BetweenWindow,
    DuringWindow,
    Either,
    End,
    EveryWindow,
    FixedWindow,
    Join,
    JoinCondition,
    Moment,
    Named,
    Near,
    Only,
    Part,
    PartAttribute,
    Policy,
    Precedes,
    Related,
    Sliding,
    Stands,
    Triggered,
    Waiting,
    parts_of,
)
from tocsin.values.allen import Allen
from tocsin.values.scalars import Constant
from tocsin.values.space import SpatialRelation

KINDS = "abc"
REGION = "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))"


def kind(letter: str) -> Condition:
    """The atom of events of one kind."""
    return Condition(Equals(("kind",), Constant.of(letter)))


ATOMS = st.sampled_from(
    [*(kind(letter) for letter in KINDS), Condition(Ordered(("v",), ">", Constant.of(1)))]
)
ENDS = st.sampled_from(list(End))
DURATIONS = st.integers(0, 4)
ALLEN = [f"{negation}{relation.value}" for relation in Allen for negation in ("", "Un")]


@st.composite
def conditions(draw: st.DrawFn, parts: int) -> tuple[JoinCondition, ...]:
    """Up to two conditions between the parts of a join."""
    moments = st.builds(Moment, st.integers(0, parts - 1), ENDS)
    temporal = st.builds(Precedes, moments, moments, st.integers(-4, 3), st.booleans())
    spatial = st.builds(
        Near,
        st.just(0),
        st.sampled_from(list(SpatialRelation)),
        st.just(1),
        st.sampled_from([0.0, 1.0, 1.5]),
    )
    allen = st.builds(Stands, st.just(0), st.sampled_from(ALLEN), st.just(1), st.booleans())
    return tuple(draw(st.lists(st.one_of(temporal, temporal, spatial, allen), max_size=2)))


def restrictions() -> st.SearchStrategy[Any]:
    """Restrictions of fixed time and space."""
    return st.one_of(
        st.builds(DuringWindow, DURATIONS, DURATIONS),
        st.builds(AfterInstant, DURATIONS),
        st.builds(
            AtRegion,
            st.sampled_from(list(SpatialRelation)),
            st.just(REGION),
            st.sampled_from([0.0, 1.0]),
        ),
    )


@st.composite
def joins(draw: st.DrawFn, inner: st.SearchStrategy[Part], policy: Policy) -> Join:
    """Joins of two or three parts."""
    parts = tuple(draw(st.lists(inner, min_size=2, max_size=3)))
    related = draw(
        st.sampled_from(
            [(), (Related(PartAttribute("x", ("v",)), "=", PartAttribute("y", ("v",))),)]
        )
    )
    keep = draw(st.sampled_from([None, 0, 2]))
    return Join(parts, draw(conditions(len(parts))) + related, policy, keep)


_COMPARED = [
    Related(PartAttribute(left, ("v",)), relation, PartAttribute(right, ("v",)))
    for left, relation, right in (
        ("p", "=", "q"),
        ("r", "=", "p"),
        ("r", "=", "q"),
        ("p", "<", "q"),
        ("r", ">", "p"),
    )
]


@st.composite
def compared_absences(draw: st.DrawFn, policy: Policy) -> Absence:
    """Absences whose conditions concern the absent part, the parts around its window, or both."""
    wanted = draw(st.lists(st.sampled_from(_COMPARED), unique=True, max_size=3))
    first, absent = Named("p", draw(ATOMS)), Named("r", draw(ATOMS))
    if draw(st.booleans()):
        about_first = tuple(each for each in wanted if "q" not in (each.left.name, each.right.name))
        return Absence(absent, AfterWindow(first, draw(DURATIONS)), about_first, policy)
    window = BetweenWindow(first, Named("q", draw(ATOMS)))
    return Absence(absent, window, tuple(wanted), policy, draw(st.sampled_from([None, 3])))


def parts(policy: Policy, names: dict[str, Part] | None = None) -> st.SearchStrategy[Part]:
    """Composite parts; names, where given, stand for one definition wherever they are used."""
    leaves: st.SearchStrategy[Part] = (
        st.one_of(ATOMS, st.sampled_from([Named(name, part) for name, part in names.items()]))
        if names
        else ATOMS
    )

    def grown(inner: st.SearchStrategy[Part]) -> st.SearchStrategy[Part]:
        return st.one_of(
            joins(inner, policy),
            joins(inner, policy),
            st.lists(inner, min_size=2, max_size=2).map(lambda both: Either(tuple(both))),
            st.builds(Only, inner, restrictions()),
            st.builds(
                lambda absent, after, t: Absence(absent, AfterWindow(after, t), policy=policy),
                ATOMS,
                inner,
                DURATIONS,
            ),
            st.builds(
                lambda absent, first, last, keep: Absence(
                    absent, BetweenWindow(first, last), (), policy, keep
                ),
                ATOMS,
                inner,
                inner,
                st.sampled_from([None, 3]),
            ),
            st.builds(
                lambda absent, s, t: Absence(absent, FixedWindow(s, t), policy=policy),
                ATOMS,
                DURATIONS,
                DURATIONS,
            ),
            compared_absences(policy),
            st.builds(
                Triggered, inner, ATOMS, st.sampled_from(list(Waiting)), st.sampled_from([None, 3])
            ),
            st.builds(
                lambda absent, before, t: Absence(absent, BeforeWindow(before, t), policy=policy),
                ATOMS,
                inner,
                DURATIONS,
            ),
            st.builds(
                lambda absent, t, origin: Absence(absent, EveryWindow(t, origin), policy=policy),
                inner,
                st.integers(1, 4),
                st.sampled_from([None, 0, 2]),
            ),
            *(measured_parts(inner, ATOMS, policy),) * 4,
        )

    return st.recursive(leaves, grown, max_leaves=5)


@st.composite
def patterns(draw: st.DrawFn, policy: Policy) -> Part:
    """Patterns with or without named parts."""
    if draw(st.booleans()):
        return draw(parts(policy))
    names: dict[str, Part] = {"x": draw(ATOMS), "y": draw(st.one_of(ATOMS, joins(ATOMS, policy)))}
    return draw(parts(policy, names))


ROLES = st.sampled_from(
    [
        kind("a"),
        kind("a"),
        kind("b"),
        Condition(
            AnyOf((Equals(("kind",), Constant.of("a")), Equals(("kind",), Constant.of("b"))))
        ),
        Condition(Ordered(("v",), ">", Constant.of(0))),
    ]
)
"""Few atoms that hold for many events, so that one event can play several roles in a pattern."""

_SAME_VALUE = Related(PartAttribute("p", ("v",)), "=", PartAttribute("q", ("v",)))


@st.composite
def _role(draw: st.DrawFn, name: str) -> Part:
    """A role: an atom, named or not, as it is or restricted; or a pair of atoms."""
    atom: Part = draw(ROLES)
    return draw(
        st.sampled_from(
            [
                atom,
                atom,
                Named(name, atom),
                Only(Named(name, atom), AfterInstant(0)),
                Named(name, Only(atom, AfterInstant(0))),
                Named(name, Join((atom, draw(ROLES)), policy=draw(st.sampled_from(list(Policy))))),
            ]
        )
    )


@st.composite
def overlapping(draw: st.DrawFn, policy: Policy) -> Part:
    """One operator over roles that one event can play together: every kind of absence, joins of two
    and three.
    """
    first, last, absent = draw(_role("p")), draw(_role("q")), draw(_role("r"))
    length, keep = draw(DURATIONS), draw(st.sampled_from([None, 3]))
    conditions = draw(st.sampled_from([(), (), (_SAME_VALUE,)]))
    follows = Precedes(Moment(0, End.FINISH), Moment(1, End.START), or_equal=draw(st.booleans()))
    orders = draw(st.sampled_from([(), (follows,), (follows, Stands(0, "UnMeets", 1))]))
    window = draw(
        st.sampled_from(
            [
                BetweenWindow(first, last),
                BetweenWindow(first, last),
                BetweenWindow(first, last),
                AfterWindow(first, length),
                BeforeWindow(last, length),
                FixedWindow(length, 3),
                EveryWindow(length + 1),
                None,
                (),
            ]
        )
    )
    if window is None:
        return Join((first, last), orders + conditions, policy, keep)
    if window == ():
        return Join((first, last, absent), orders + conditions, policy, keep)
    is_between = isinstance(window, BetweenWindow)
    return Absence(
        absent, window, conditions if is_between else (), policy, keep if is_between else None
    )


@st.composite
def nested_overlapping(draw: st.DrawFn) -> Part:
    """An operator over roles inside another, each under a policy of its own."""
    policies = st.sampled_from(list(Policy))
    inner = draw(policies.flatmap(overlapping))
    outer = draw(policies)
    match draw(st.integers(0, 3)):
        case 0:
            return inner
        case 1:
            return Join((inner, draw(ROLES)), policy=outer, keep=draw(st.sampled_from([None, 3])))
        case 2:
            return Absence(draw(ROLES), BetweenWindow(inner, draw(ROLES)), policy=outer)
        case _:
            return Absence(draw(ROLES), BetweenWindow(draw(ROLES), inner), policy=outer)


@st.composite
def meeting_names(draw: st.DrawFn, policy: Policy) -> Part:
    """A join of parts in which the same names stand, some in an alternative that may be without
    them.
    """
    x = Named("x", draw(ROLES))
    y = Named("y", draw(st.one_of(ROLES, joins(ROLES, policy))))
    pairs = st.sampled_from([(x, y), (y, x)])
    places = st.one_of(
        st.sampled_from([x, y, Either((x, y)), Absence(kind("c"), BetweenWindow(x, y))]),
        st.builds(lambda pair, asked: Join(pair, asked, policy), pairs, conditions(2)),
        st.builds(lambda pair: Only(Join(pair, (), policy), AfterInstant(1)), pairs),
        st.builds(lambda pair: Named("z", Join(pair, (), policy)), pairs),
    )
    parts = tuple(draw(st.lists(places, min_size=2, max_size=3)))
    asked = draw(st.sampled_from([(), draw(conditions(len(parts)))]))
    return Join(parts, asked, policy, draw(st.sampled_from([None, None, 2])))


def has_clock(part: Part) -> bool:
    """Whether windows come again in it: it rings at times of its own, and for ever."""
    window = part.window if isinstance(part, Absence) else None
    if isinstance(part, Sliding) and part.every is not None:
        return True
    return isinstance(window, EveryWindow) or any(map(has_clock, parts_of(part)))


def event_at(instant: int, letter: str = "a") -> Event:
    """An event of a kind at an instant."""
    return build_event(f"{letter}{instant}", time=instant, data={"kind": letter})


def event_from(start: int, end: int, letter: str, number: int) -> Event:
    """An event of a kind that lasts from an instant to another."""
    return build_event(f"{letter}{number}", time=start, endtime=end, data={"kind": letter})


_VALUES = st.sampled_from(
    [0, 1, 2, 0, 1, 2, 0, 1, 2, 0.0, -0.0, 1.0, 1e0, 2.0, 1.5, True, "1", "2", None]
)
"""Numbers for the most part, some spelled in two ways; values of other kinds, and none, compare with
nothing of theirs.
"""


UNLIKE = st.sampled_from([1, 2, 1.5, "1", "2", True, False, None, [1]])
"""Values of every kind, as many of one as of another."""


@st.composite
def timelines(
    draw: st.DrawFn, size: int = 7, values: st.SearchStrategy[Any] = _VALUES
) -> list[Event]:
    """Events in canonical order, many at the same time, some with extent, some without a place."""
    found = []
    for number in range(draw(st.integers(0, size))):
        start = draw(st.integers(0, 6))
        end = start + draw(st.sampled_from([0, 0, 0, 1, 3]))
        data = {"kind": draw(st.sampled_from(KINDS)), "v": draw(values)}
        place = None
        if draw(st.booleans()):
            place = f"POINT ({draw(st.integers(0, 3))} {draw(st.integers(0, 3))})"
        found.append(build_event(f"e{number}", time=start, endtime=end, place=place, data=data))
    return sorted(found, key=lambda event: event.order)
